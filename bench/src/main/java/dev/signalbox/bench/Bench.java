package dev.signalbox.bench;

/** A benchmark that can be asked for by name. */
public interface Bench {
  String name();

  /** One line about what is measured. */
  String describe();

  /**
   * Measures, and prints a table and a last line of JSON.
   *
   * @param quick whether to end within two minutes, with a larger error
   */
  void run(boolean quick) throws Exception;
}
