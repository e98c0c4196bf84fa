package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real process is killed in the middle of a run, at points that are spread over the time it
 * takes, and started again until the run has ended. Each tool leaves a line outside the folder when
 * it begins. {@code -Dkilled.runs=60} tries sixty points; without it there are a few.
 */
class KilledRunTest {
  private static final int POINTS = Integer.getInteger("killed.runs", 3);

  @TempDir Path folder;

  private static final String PLAN =
      """
      project: demo
      tools:
        - { name: look, command: [sh, ../tool.sh, look, "0"], access: read }
        - { name: edit, command: [sh, ../tool.sh, edit, "0.05"], writes: [edit.txt], idempotent: true }
        - { name: merge, command: [sh, ../tool.sh, merge, "0.05"], writes: [merge.txt], risks: [merge_to_main], idempotent: false }
        - { name: last, command: [sh, ../tool.sh, last, "0.05"], writes: [last.txt], idempotent: true }
      checks:
        - { name: there, command: [sh, -c, "test -f edit.txt && test -f merge.txt && test -f last.txt"] }
      """;

  private static final String TOOL =
      """
      echo $1 >> ../started.txt
      sleep $2
      if [ $1 != look ]; then echo $1 > $1.txt; fi
      """;

  @Test
  void a_killed_run_reaches_the_same_ending_and_repeats_nothing_that_was_committed()
      throws Exception {
    Path whole = house("whole");
    Process unharmed = started(whole);
    long began = System.nanoTime();
    assertThat(unharmed.waitFor(60, TimeUnit.SECONDS)).isTrue();
    long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    String ending = ending(whole);
    assertThat(ending).startsWith("COMPLETE");
    int unknown = 0;
    for (int point = 0; point < POINTS; point++) {
      Path house = house("killed-" + point);
      Process first = started(house);
      boolean ended = first.waitFor(took * point / POINTS, TimeUnit.MILLISECONDS);
      first.destroyForcibly().waitFor();
      int restarts = 0;
      while (!ended && !isEnded(house)) {
        assertThat(restarts++).as("restarts at point %d", point).isLessThan(5);
        assertThat(start(house).waitFor(60, TimeUnit.SECONDS)).as("point %d", point).isTrue();
      }
      assertThat(ending(house)).as("point %d", point).isEqualTo(ending);
      unknown += committedOnce(house, point);
    }
    System.out.printf("%d points over %d ms; %d times a person was asked%n", POINTS, took, unknown);
  }

  private Path house(String name) throws IOException {
    Path house = folder.resolve(name);
    Files.createDirectories(house.resolve("work"));
    Files.writeString(house.resolve("plan.yaml"), PLAN);
    Files.writeString(house.resolve("tool.sh"), TOOL);
    return house.toRealPath();
  }

  private static Process start(Path house) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            KilledProgram.class.getName(),
            house.toString())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(house.resolve("out.txt").toFile()))
        .start();
  }

  /** A process that has begun with the run. */
  private static Process started(Path house) throws IOException {
    Process process = start(house);
    while (process.isAlive() && !Files.readString(house.resolve("out.txt")).contains("up")) {
      LockSupport.parkNanos(1_000_000);
    }
    return process;
  }

  private static boolean isEnded(Path house) throws IOException {
    return Files.readString(house.resolve("out.txt")).contains("ended ");
  }

  /** The state it ended in and the files that are there. */
  private static String ending(Path house) throws IOException {
    String out = Files.readString(house.resolve("out.txt"));
    String state =
        out.lines()
            .filter(line -> line.startsWith("ended "))
            .findFirst()
            .map(line -> line.substring(6))
            .orElse(out);
    try (var files = Files.list(house.resolve("work"))) {
      return state + " " + files.map(f -> f.getFileName().toString()).sorted().toList();
    }
  }

  /** Compares the tools that began with what the journal says; how often a person was asked. */
  private static int committedOnce(Path house, int point) throws IOException {
    Map<String, Integer> began = new LinkedHashMap<>();
    Files.readString(house.resolve("started.txt"))
        .lines()
        .forEach(tool -> began.merge(tool, 1, Integer::sum));
    try (Signalbox box =
        Signalbox.open(
            "jdbc:sqlite:" + house.resolve("box.db"), Settings.DEFAULT, InstantSource.system())) {
      assertThat(Audit.verify(box.journal(), _ -> {}).findings()).isEmpty();
      Runs runs = Runs.on(box);
      Instance run = runs.list(null, null, false, 0, 10).getFirst();
      List<String> order = new ArrayList<>();
      int unknown = 0;
      for (RunEntry entry : RunEntry.of(box, run.id())) {
        if (entry.event().equals("tool.succeeded")) {
          order.add(String.valueOf(entry.data().get("tool")));
        }
        unknown += entry.event().equals("tool.unknown") ? 1 : 0;
      }
      assertThat(order).as("point %d", point).containsExactly("look", "edit", "merge", "last");
      // Cut off once, a tool may have begun twice; the one that must not be repeated only when a
      // person said so.
      assertThat(began.values()).as("point %d: %s", point, began).allMatch(times -> times <= 2);
      assertThat(began.values().stream().filter(times -> times == 2).count())
          .as("point %d: %s", point, began)
          .isLessThanOrEqualTo(1);
      assertThat(began.getOrDefault("merge", 0) == 2 && unknown == 0)
          .as("point %d", point)
          .isFalse();
      return unknown;
    }
  }
}
