package dev.signalbox.systems.runs;

import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/**
 * A node that does the work of runs, beside others on the same store and the same folder, until its
 * input ends. Its effects can be taken up by others soon after it died.
 */
final class RunNode {
  static final Settings SETTINGS =
      new Settings(
          1_000,
          100,
          256 * 1024,
          32L << 20,
          1_000,
          20,
          Duration.ofSeconds(3),
          10,
          Duration.ofMillis(100),
          16);

  private RunNode() {}

  /** Its arguments: the store's address, and the folder with everything. */
  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[1]).toRealPath();
    try (Signalbox box = Signalbox.open(args[0], SETTINGS, InstantSource.system());
        RunsSystem system =
            new RunsSystem(
                RunsSettings.in(folder.resolve("runs"), folder)
                    .sandbox(sandbox -> sandbox.changing(List.of(folder))))) {
      system.publish(box);
      system.attach(box);
      System.out.println("up");
      while (System.in.read() >= 0) {
        // Until nobody wants it any more.
      }
    }
    System.out.println("closed");
  }
}
