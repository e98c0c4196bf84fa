package dev.signalbox.testkit;

import dev.signalbox.runtime.EffectHandler;
import dev.signalbox.runtime.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/**
 * An effect that goes as a test has written it down: each attempt, of whatever instance, takes the
 * next line. It remembers what it was asked for. An attempt beyond the last line fails, and the
 * script says so when it is asked whether it is over.
 *
 * <p>Any thread may use it.
 */
public final class ScriptedEffect implements EffectHandler {
  private final Deque<Line> script = new ArrayDeque<>();
  private final List<Call> calls = new ArrayList<>();
  private int beyond;

  /** What happens at one attempt. */
  private sealed interface Line {
    record Ends(Outcome outcome) implements Line {}

    record Breaks(String why) implements Line {}
  }

  /** A script that begins with these outcomes. */
  public static ScriptedEffect of(Outcome... outcomes) {
    ScriptedEffect scripted = new ScriptedEffect();
    for (Outcome outcome : outcomes) {
      ScriptedEffect _ = scripted.then(outcome);
    }
    return scripted;
  }

  /** The next attempt has this outcome. */
  public synchronized ScriptedEffect then(Outcome outcome) {
    script.add(new Line.Ends(outcome));
    return this;
  }

  /**
   * The next attempt throws, so that nobody knows whether it was done: an idempotent effect is
   * tried again, any other becomes unknown.
   */
  public synchronized ScriptedEffect thenBreaks(String why) {
    script.add(new Line.Breaks(why));
    return this;
  }

  @Override
  public synchronized Outcome handle(Call call) {
    calls.add(call);
    return switch (script.poll()) {
      case Line.Ends(Outcome outcome) -> outcome;
      case Line.Breaks(String why) -> throw new IllegalStateException(why);
      case null -> {
        beyond++;
        yield Outcome.failed(Map.of("why", "the script is over"));
      }
    };
  }

  /** Every attempt so far, in order. */
  public synchronized List<Call> calls() {
    return List.copyOf(calls);
  }

  /** Whether there were as many attempts as lines, neither fewer nor more. */
  public synchronized boolean isOver() {
    return script.isEmpty() && beyond == 0;
  }
}
