/** Rules as data: lists of small maps in YAML, with the place of every problem. */
@NullMarked
package dev.signalbox.services.rule;

import org.jspecify.annotations.NullMarked;
