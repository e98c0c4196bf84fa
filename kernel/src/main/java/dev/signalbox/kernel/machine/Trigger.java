package dev.signalbox.kernel.machine;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a transition waits for. */
public sealed interface Trigger {

  /** Nothing: the transition is taken as soon as its source is active and its guard holds. */
  record Always() implements Trigger {}

  /**
   * An event that matches one of the descriptors.
   *
   * @param descriptors as in SCXML: {@code a.b} matches {@code a.b} and {@code a.b.c}, as do {@code
   *     a.b.} and {@code a.b.*}; {@code *} matches every event
   */
  record On(List<String> descriptors) implements Trigger {
    public On {
      descriptors = List.copyOf(descriptors);
    }
  }

  /**
   * Time in the source state.
   *
   * @param delay a literal {@link java.time.Duration}, or an expression for whole milliseconds
   * @param event the name the timer carries; null for {@code after 5m} and the like
   * @param cumulative whether time spent in the state earlier counts, so that the clock stands
   *     still, not back, when the state is left
   */
  record After(Operand delay, @Nullable String event, boolean cumulative) implements Trigger {}

  /** The descriptor without {@code .*} or {@code .} at its end; {@code *} becomes empty. */
  static String core(String descriptor) {
    int end = descriptor.length();
    while (end > 0 && (descriptor.charAt(end - 1) == '*' || descriptor.charAt(end - 1) == '.')) {
      end--;
    }
    return descriptor.substring(0, end);
  }

  /** Whether the descriptor ends with {@code *}: its author means names that it does not list. */
  static boolean isPattern(String descriptor) {
    return descriptor.indexOf('*', core(descriptor).length()) >= 0;
  }

  /**
   * Whether a descriptor with this {@link #core} matches the event: token by token, as a prefix
   * (SCXML 3.12.1).
   */
  static boolean matches(String core, String event) {
    int length = core.length();
    return length == 0
        || (event.startsWith(core) && (event.length() == length || event.charAt(length) == '.'));
  }

  static On on(String... descriptors) {
    return new On(List.of(descriptors));
  }

  /** The trigger as people write it: {@code a b}, {@code after 5m}, or empty. */
  default String text() {
    return switch (this) {
      case Always _ -> "";
      case On on -> on.descriptors().stream().collect(Collectors.joining(" "));
      case After after -> {
        String event = after.event();
        yield event != null ? event : "after " + Durations.text(after.delay());
      }
    };
  }
}
