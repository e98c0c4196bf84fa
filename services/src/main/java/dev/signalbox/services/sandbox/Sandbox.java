package dev.signalbox.services.sandbox;

import org.jspecify.annotations.Nullable;

/** Starts processes that reach what they are shown and nothing else. Any thread may use it. */
public interface Sandbox {
  /** How it is called, for people and for what they approve. */
  String name();

  /** Whether it keeps processes from what is not theirs, as its self-test has shown. */
  boolean isConfining();

  /** Why it does not, in a sentence; empty where it does. */
  String why();

  /**
   * The process as it is to be started. Variables may be added to its environment; nothing else.
   *
   * @throws IllegalArgumentException when its reach can't be given
   */
  ProcessBuilder prepared(Errand errand);

  /**
   * The one that this machine has: it is looked for and tested once, when it is first asked for.
   */
  static Sandbox here() {
    return Here.found();
  }

  /** What this machine has; it does not change while the process lives. */
  final class Here {
    private static @Nullable Sandbox found;

    private Here() {}

    private static synchronized Sandbox found() {
      Sandbox known = found;
      if (known == null) {
        known = Bubblewrap.find(System.getenv());
        found = known;
      }
      return known;
    }
  }
}
