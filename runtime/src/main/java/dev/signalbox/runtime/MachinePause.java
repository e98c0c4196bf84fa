package dev.signalbox.runtime;

import dev.signalbox.kernel.Actor;

/**
 * A machine that stands still.
 *
 * @param clocks what the timers of its instances do meanwhile
 * @param actor who paused it
 * @param since when, in milliseconds since 1970
 */
public record MachinePause(String machine, Command.Clocks clocks, Actor actor, long since) {}
