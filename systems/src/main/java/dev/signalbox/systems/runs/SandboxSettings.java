package dev.signalbox.systems.runs;

import dev.signalbox.services.sandbox.Sandbox;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * Where the processes of plans run.
 *
 * @param found the sandbox, looked for when it is first needed
 * @param unconfined what happens to plans that start processes where there is none
 * @param readable files and folders that tools see besides their own, such as a compiler's
 * @param changeable files and folders that every tool may change besides its own, such as a cache
 */
public record SandboxSettings(
    Supplier<Sandbox> found, Unconfined unconfined, List<Path> readable, List<Path> changeable) {

  /** What happens to plans that start processes where there is no sandbox. */
  public enum Unconfined {
    /** A person approves the plan, told that nothing will keep its processes. */
    ASK,
    /** They are refused. */
    REFUSE,
    /** They run. */
    ALLOW;

    /** As settings and the command line write it. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The sandbox of this machine; without one people are asked. */
  public static final SandboxSettings STANDARD =
      new SandboxSettings(Sandbox::here, Unconfined.ASK, List.of(), List.of());

  public SandboxSettings {
    readable = absolute(readable);
    changeable = absolute(changeable);
  }

  public Sandbox sandbox() {
    return found.get();
  }

  /** The same in another sandbox. */
  public SandboxSettings in(Sandbox other) {
    return new SandboxSettings(() -> other, unconfined, readable, changeable);
  }

  public SandboxSettings unconfined(Unconfined other) {
    return new SandboxSettings(found, other, readable, changeable);
  }

  public SandboxSettings reading(List<Path> more) {
    return new SandboxSettings(found, unconfined, with(readable, more), changeable);
  }

  public SandboxSettings changing(List<Path> more) {
    return new SandboxSettings(found, unconfined, readable, with(changeable, more));
  }

  private static List<Path> with(List<Path> some, List<Path> more) {
    List<Path> all = new ArrayList<>(some);
    all.addAll(more);
    return all;
  }

  private static List<Path> absolute(List<Path> paths) {
    return paths.stream().map(path -> path.toAbsolutePath().normalize()).toList();
  }
}
