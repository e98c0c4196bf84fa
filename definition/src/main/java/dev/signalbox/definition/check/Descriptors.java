package dev.signalbox.definition.check;

import java.util.List;

/** Event descriptors as SCXML 3.12.1 defines them, and what can be said about two of them. */
final class Descriptors {
  private Descriptors() {}

  /** The descriptor without the endings that change nothing; {@code *} becomes empty. */
  static String core(String descriptor) {
    String rest = descriptor;
    if (rest.equals("*")) {
      return "";
    }
    while (rest.endsWith(".*") || rest.endsWith(".")) {
      rest = rest.substring(0, rest.length() - (rest.endsWith(".*") ? 2 : 1));
    }
    return rest;
  }

  /** Whether the descriptor matches the event. */
  static boolean matches(String descriptor, String event) {
    String core = core(descriptor);
    return core.isEmpty()
        || event.equals(core)
        || (event.startsWith(core) && event.charAt(core.length()) == '.');
  }

  static boolean anyMatches(List<String> descriptors, String event) {
    return descriptors.stream().anyMatch(d -> matches(d, event));
  }

  /** Whether every event that matches one of the later descriptors matches one of the earlier. */
  static boolean cover(List<String> earlier, List<String> later) {
    return later.stream().allMatch(l -> earlier.stream().anyMatch(e -> covers(e, l)));
  }

  private static boolean covers(String earlier, String later) {
    String core = core(later);
    return core.isEmpty() ? core(earlier).isEmpty() : matches(earlier, core);
  }

  /** Whether some event matches both lists. */
  static boolean overlap(List<String> one, List<String> other) {
    return one.stream().anyMatch(a -> other.stream().anyMatch(b -> covers(a, b) || covers(b, a)));
  }
}
