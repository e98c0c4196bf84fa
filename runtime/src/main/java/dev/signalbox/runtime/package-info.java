/**
 * Where time passes and effects happen: the one door through which every command goes, the timers,
 * the effects and the messages between instances.
 */
@NullMarked
package dev.signalbox.runtime;

import org.jspecify.annotations.NullMarked;
