package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.workspace.Workspace;
import dev.signalbox.systems.runs.file.RunFiles;
import dev.signalbox.systems.runs.file.RunVerifier;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A folder with a plan and what its tools work on, a store, and scripts before {@code sh} and
 * {@code git} that write down each beginning and each end. {@link KilledExample} runs the plan
 * there, is killed at a point, and is started again.
 */
final class KilledHouse {
  private final Path folder;
  private final Path work;
  private final String plan;
  private final String answer;
  private final String before;

  /** Where a process is killed. */
  sealed interface Point {
    String name();

    /**
     * At a line that the tools' scripts write.
     *
     * @param still whether the tool then stands still, so that only the next process can end it
     */
    record Mark(int line, boolean still) implements Point {
      @Override
      public String name() {
        return "mark %d %s".formatted(line, still ? "still" : "on");
      }
    }

    /** So many milliseconds after the journal was seen at the position or further. */
    record Position(long position, int later) implements Point {
      @Override
      public String name() {
        return "position %d +%d".formatted(position, later);
      }
    }

    /** By itself, {@code before} or {@code after} it does the effect of the tool. */
    record Effect(String when, String tool) implements Point {
      @Override
      public String name() {
        return when + " " + tool;
      }
    }
  }

  /** A line of the tools' scripts. */
  record Mark(long nanos, String what, boolean inner, String tool, int attempt) {
    private static Mark of(String line) {
      String[] parts = line.split(" ", -1);
      String[] key = parts[4].split("/", -1);
      return new Mark(
          Long.parseLong(parts[0]),
          parts[1],
          parts[2].equals("inner"),
          key[1],
          Integer.parseInt(key[2]));
    }

    boolean isBeginning() {
      return what.equals("begin") && !inner;
    }
  }

  /** How a run ended: what must be the same with and without a kill. */
  record Ending(String state, String status, String failure, List<String> results) {}

  /**
   * @param folder has the plan
   * @param work where its tools work
   */
  KilledHouse(Path folder, Path work, String plan, String answer) throws IOException {
    this.folder = folder;
    this.work = work;
    this.plan = plan;
    this.answer = answer;
    this.before = Workspace.of(work).footprint().treeHash();
    Files.createDirectories(folder.resolve("bin"));
    Files.writeString(folder.resolve("marks"), "");
    live();
    script("sh", "/bin/sh");
    script("git", "/usr/bin/git");
  }

  private void script(String name, String real) throws IOException {
    Path file = folder.resolve("bin").resolve(name);
    Files.writeString(
        file,
        """
        #!/bin/sh
        mark() {
          own="$(date +%%s%%N) $1 ${KILLED_DEPTH:-top} %2$s $SIGNALBOX_KEY"
          echo "$own" >> %1$s/marks
          read -r line how < %1$s/point
          if [ "$(grep -nxF "$own" %1$s/marks | cut -d: -f1)" = "$line" ]; then
            kill -9 "$(cat %1$s/pid)"
            if [ "$how" = still ]; then exec sleep 60; fi
          fi
        }
        mark begin
        KILLED_DEPTH=inner %3$s "$@"
        code=$?
        mark end
        exit $code
        """
            .formatted(folder, name, real));
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  /** Starts the process; it says each position of the journal that it sees. */
  Process start() throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            KilledExample.class.getName(),
            folder.toString(),
            plan,
            answer);
    builder.environment().merge("PATH", folder.resolve("bin") + ":", (path, bin) -> bin + path);
    return builder
        .redirectError(ProcessBuilder.Redirect.appendTo(folder.resolve("errors").toFile()))
        .start();
  }

  /** Nobody is killed from here on. */
  private void live() throws IOException {
    Files.writeString(folder.resolve("point"), "0 on");
    Files.writeString(folder.resolve("effect"), "");
  }

  /** Whether it was killed there, and had not ended before. */
  boolean killAt(Point point) throws IOException, InterruptedException {
    switch (point) {
      case Point.Mark(int line, boolean still) ->
          Files.writeString(folder.resolve("point"), line + (still ? " still\n" : " on\n"));
      case Point.Effect effect -> Files.writeString(folder.resolve("effect"), effect.name());
      case Point.Position _ -> {}
    }
    Process process = start();
    try (BufferedReader out = process.inputReader()) {
      String line = out.readLine();
      while (line != null) {
        if (point instanceof Point.Position(long position, int later)
            && line.startsWith("at ")
            && Long.parseLong(line.substring(3)) >= position) {
          boolean _ = process.waitFor(later, TimeUnit.MILLISECONDS);
          process.toHandle().destroyForcibly();
        }
        line = out.readLine();
      }
    }
    live();
    return process.waitFor() != 0;
  }

  /** Lets the run go on to its end. */
  boolean finish() throws IOException, InterruptedException {
    Process process = start();
    try (BufferedReader out = process.inputReader()) {
      return out.lines().anyMatch("ended"::equals) && process.waitFor() == 0;
    }
  }

  /** Each beginning and each end of a program that a tool is. */
  List<Mark> marks() throws IOException {
    return Files.readAllLines(folder.resolve("marks")).stream().map(Mark::of).toList();
  }

  private Signalbox box() {
    return Signalbox.open(
        "jdbc:sqlite:" + folder.resolve("box.db"), Settings.DEFAULT, InstantSource.system());
  }

  private static Instance run(Signalbox box) {
    List<Instance> all = Runs.on(box).list(null, null, false, 0, 10);
    assertThat(all).hasSize(1);
    return all.getFirst();
  }

  /** How it ended, after a look at whether everything that was written fits together. */
  Ending ending() throws IOException {
    try (Signalbox box = box()) {
      assertThat(Audit.verify(box.journal(), _ -> {}).findings()).isEmpty();
      Instance run = run(box);
      assertFiles(box, run.id());
      if (Runs.state(run).equals("ROLLED_BACK")) {
        assertThat(Workspace.of(work).footprint().treeHash())
            .isEqualTo(before)
            .isEqualTo(run.context().get("tree_before"));
      }
      List<String> results = new ArrayList<>();
      for (RunEntry entry : RunEntry.of(box, run.id())) {
        if (List.of("tool.succeeded", "check.succeeded", "undo.succeeded")
            .contains(entry.event())) {
          results.add(entry.event() + " " + named(entry.data()) + " " + entry.data().get("status"));
        }
      }
      return new Ending(
          Runs.state(run),
          String.valueOf(run.context().get("final_status")),
          String.valueOf(run.context().get("failure")),
          results);
    }
  }

  /** What the last process left is right by itself, and what the journal gives anew. */
  private void assertFiles(Signalbox box, String run) throws IOException {
    Path runs = folder.resolve("runs");
    try (RunFiles files = new RunFiles(box, runs)) {
      files.catchUpWholly();
    }
    assertThat(RunVerifier.verify(runs.resolve(run))).isEmpty();
    Path anew = folder.resolve("anew");
    try (RunFiles files = new RunFiles(box, anew)) {
      files.catchUpWholly();
    }
    for (String file :
        List.of("RUN_LEDGER.jsonl", run + "/RUN_LOG.jsonl", run + "/RUN_STATE.json")) {
      assertThat(runs.resolve(file)).hasSameBinaryContentAs(anew.resolve(file));
    }
  }

  /**
   * Makes sure that no tool began after its result was in the journal, also where that was before
   * its turn.
   *
   * @return how often nobody knew whether a tool had happened
   */
  int unknown(String point) throws IOException {
    List<Mark> marks = marks();
    int unknown = 0;
    try (Signalbox box = box()) {
      for (RunEntry entry : RunEntry.of(box, run(box).id())) {
        unknown += entry.event().equals("tool.unknown") ? 1 : 0;
        if (List.of("tool.succeeded", "check.succeeded").contains(entry.event())) {
          List<String> tools = new ArrayList<>(List.of(named(entry.data())));
          RunEntry.list(RunEntry.map(entry.data().get("result")).get("beside"))
              .forEach(each -> tools.add(named(RunEntry.map(each))));
          assertThat(marks)
              .as("%s: %s after its result", point, tools)
              .noneMatch(mark ->
                  mark.isBeginning()
                      && tools.contains(mark.tool)
                      && mark.nanos / 1_000_000 > entry.at());
        }
      }
    }
    return unknown;
  }

  /** How often each tool and each check began. */
  Map<String, Integer> began() throws IOException {
    Map<String, Integer> began = new TreeMap<>();
    marks().stream()
        .filter(Mark::isBeginning)
        .forEach(mark -> began.merge(mark.tool, 1, Integer::sum));
    return began;
  }

  private static String named(Map<String, ?> data) {
    for (String field : List.of("tool", "check", "step")) {
      if (data.get(field) instanceof String name) {
        return name;
      }
    }
    return "";
  }
}
