/**
 * Governance on the engine: what all systems share, and none of it knows a system. Each service is
 * machines on the engine and a small Java API, in a package of its own.
 */
@NullMarked
package dev.signalbox.services;

import org.jspecify.annotations.NullMarked;
