package dev.signalbox.definition.fuzz;

import java.nio.charset.StandardCharsets;

/** Where Jazzer enters the forked process; the target is named by a system property. */
public final class FuzzEntry {
  static final String PROPERTY = "fuzz.target";

  private static final FuzzTarget TARGET =
      FuzzTarget.valueOf(System.getProperty(PROPERTY, FuzzTarget.YAML.name()));

  private FuzzEntry() {}

  /** Loads and instruments the classes, which must not count as the time of the first input. */
  public static void fuzzerInitialize() {
    TARGET.seeds().forEach(TARGET::read);
  }

  public static void fuzzerTestOneInput(byte[] data) {
    TARGET.read(new String(data, StandardCharsets.UTF_8));
  }
}
