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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A real process that takes the example of examples/approved-run to its end is ended with kill -9,
 * at one point of its life after the other, and started again until the run has ended.
 *
 * <p>The points come from a run that nobody kills. Every program that its tools start, {@code sh}
 * and {@code git}, goes through a script that writes down its beginning and its end; and the
 * process says each position of the journal that it sees. So there are two kinds of points:
 *
 * <ul>
 *   <li>{@code mark 7 on}: right at the seventh such line, the script itself kills the process that
 *       started the tool, and the tool goes on alone; {@code mark 7 still}: it stands still, and
 *       only the next process can end it;
 *   <li>{@code position 12 +20}: 20 ms after the journal was seen at position 12 or further.
 * </ul>
 *
 * {@code -Dkilled.runs=55} tries so many of them for each variant, spread evenly; without it there
 * is one. {@code -Dkilled.only="mark 7 on"} tries that one.
 */
class KilledExampleTest {
  private static final int POINTS = Integer.getInteger("killed.runs", 1);
  private static final String ONLY = System.getProperty("killed.only", "");
  private static final Path EXAMPLE =
      Path.of(System.getProperty("project.root")).resolve("examples/approved-run");

  @TempDir Path temp;

  /** Where a process is killed: at a line that the tools' scripts write, or after a position. */
  private record Point(int mark, boolean still, long position, int later) {
    String name() {
      return mark > 0
          ? "mark %d %s".formatted(mark, still ? "still" : "on")
          : "position %d +%d".formatted(position, later);
    }
  }

  /** A line of the tools' scripts. */
  private record Mark(long nanos, String what, boolean inner, String tool, int attempt) {
    static Mark of(String line) {
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
  private record Ending(
      String state, String status, String failure, List<String> results, String folder) {}

  @ParameterizedTest
  @CsvSource({
    "plan.yaml, approve, COMPLETE, ALL_CLEAR",
    "plan.yaml, reject, ROLLED_BACK, STOPPED",
    "plan-tests-fail.yaml, approve, ROLLED_BACK, FAILED_VERIFY"
  })
  void killed_at_any_point_the_example_ends_as_without(
      String plan, String answer, String state, String status) throws Exception {
    House whole = new House("whole", plan, answer);
    List<Long> positions = new ArrayList<>();
    try (BufferedReader out = whole.start().inputReader()) {
      out.lines()
          .filter(line -> line.startsWith("at "))
          .forEach(line -> positions.add(Long.parseLong(line.substring(3))));
    }
    Ending ending = whole.ending();
    assertThat(ending.state).isEqualTo(state);
    assertThat(ending.status).isEqualTo(status);
    List<Point> all = all(whole.marks().size(), positions);
    List<Point> points = chosen(all);
    System.out.printf("%s, %s: %d of %d points%n", plan, answer, points.size(), all.size());
    int asked = 0;
    for (Point point : points) {
      House house = new House(point.name().replace(' ', '-'), plan, answer);
      boolean killed = house.killAt(point);
      assertThat(house.finish()).as(point.name()).isTrue();
      assertThat(house.ending()).as(point.name()).isEqualTo(ending);
      int unknown = house.committedOnce(point);
      asked += unknown;
      System.out.printf(
          "  %s: %s%s%n", point.name(), killed ? "killed" : "ended before", told(unknown));
    }
    System.out.printf("%s, %s: a person was asked %d times%n", plan, answer, asked);
  }

  private static String told(int unknown) {
    return unknown == 0 ? "" : ", and a person said what to do with the merge";
  }

  private static List<Point> all(int marks, List<Long> positions) {
    List<Point> all = new ArrayList<>();
    for (int mark = 1; mark <= marks; mark++) {
      all.add(new Point(mark, false, 0, 0));
      all.add(new Point(mark, true, 0, 0));
    }
    for (long position : positions.subList(0, positions.size() - 1)) {
      all.add(new Point(0, false, position, 0));
      all.add(new Point(0, false, position, 20));
    }
    return all;
  }

  /** Of all points so many as are wanted, spread evenly. */
  private static List<Point> chosen(List<Point> all) {
    if (!ONLY.isEmpty()) {
      return all.stream().filter(point -> point.name().equals(ONLY)).toList();
    }
    List<Point> chosen = new ArrayList<>();
    int wanted = Math.min(POINTS, all.size());
    for (int i = 0; i < wanted; i++) {
      chosen.add(all.get((int) ((2L * i + 1) * all.size() / (2L * wanted))));
    }
    return chosen;
  }

  /** A folder with the example's repository, a store, and the scripts before sh and git. */
  private final class House {
    private final Path folder;
    private final Path repository;
    private final String plan;
    private final String answer;
    private final String before;

    House(String name, String plan, String answer) throws IOException, InterruptedException {
      this.folder = Files.createDirectories(temp.resolve(name)).toRealPath();
      this.repository = folder.resolve("repository");
      this.plan = plan;
      this.answer = answer;
      Files.copy(EXAMPLE.resolve(plan), folder.resolve(plan));
      assertThat(said("/bin/sh", EXAMPLE.resolve("create.sh").toString(), repository.toString()))
          .isEmpty();
      before = Workspace.of(repository).footprint().treeHash();
      Files.createDirectories(folder.resolve("bin"));
      Files.writeString(folder.resolve("marks"), "");
      Files.writeString(folder.resolve("point"), "0 on");
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
            echo "$(date +%%s%%N) $1 ${KILLED_DEPTH:-top} %2$s $SIGNALBOX_KEY" >> %1$s/marks
            read -r line how < %1$s/point
            if [ "$(wc -l < %1$s/marks)" -eq "$line" ]; then
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

    /** Whether it was killed there, and had not ended before. */
    boolean killAt(Point point) throws IOException, InterruptedException {
      Files.writeString(folder.resolve("point"), point.mark + (point.still ? " still\n" : " on\n"));
      Process process = start();
      try (BufferedReader out = process.inputReader()) {
        String line = out.readLine();
        while (line != null) {
          if (point.position > 0
              && line.startsWith("at ")
              && Long.parseLong(line.substring(3)) >= point.position) {
            boolean _ = process.waitFor(point.later, TimeUnit.MILLISECONDS);
            process.toHandle().destroyForcibly();
          }
          line = out.readLine();
        }
      }
      return process.waitFor() != 0;
    }

    /** Lets the run go on to its end. */
    boolean finish() throws IOException, InterruptedException {
      Process process = start();
      try (BufferedReader out = process.inputReader()) {
        return out.lines().anyMatch("ended"::equals) && process.waitFor() == 0;
      }
    }

    List<Mark> marks() throws IOException {
      return Files.readAllLines(folder.resolve("marks")).stream().map(Mark::of).toList();
    }

    private Signalbox box() {
      return Signalbox.open(
          "jdbc:sqlite:" + folder.resolve("box.db"), Settings.DEFAULT, InstantSource.system());
    }

    /** How it ended, after a look at whether everything that was written fits together. */
    Ending ending() throws IOException, InterruptedException {
      try (Signalbox box = box()) {
        assertThat(Audit.verify(box.journal(), _ -> {}).findings()).isEmpty();
        List<Instance> all = Runs.on(box).list(null, null, false, 0, 10);
        assertThat(all).hasSize(1);
        Instance run = all.getFirst();
        assertFiles(box, run.id());
        if (Runs.state(run).equals("ROLLED_BACK")) {
          assertThat(Workspace.of(repository).footprint().treeHash())
              .isEqualTo(before)
              .isEqualTo(run.context().get("tree_before"));
        }
        List<String> results = new ArrayList<>();
        for (RunEntry entry : RunEntry.of(box, run.id())) {
          if (List.of("tool.succeeded", "check.succeeded", "undo.succeeded")
              .contains(entry.event())) {
            results.add(
                entry.event() + " " + named(entry.data()) + " " + entry.data().get("status"));
          }
        }
        return new Ending(
            Runs.state(run),
            String.valueOf(run.context().get("final_status")),
            String.valueOf(run.context().get("failure")),
            results,
            said("/usr/bin/git", "-C", repository.toString(), "log", "--all", "--format=%s %T")
                + said("/usr/bin/git", "-C", repository.toString(), "status", "--porcelain"));
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
     * No tool began after its result was in the journal, and the merge began a second time only
     * after a person was asked; how often one was.
     */
    int committedOnce(Point point) throws IOException {
      Map<String, Integer> began = new LinkedHashMap<>();
      List<Mark> marks = marks();
      int unknown = 0;
      try (Signalbox box = box()) {
        Instance run = Runs.on(box).list(null, null, false, 0, 10).getFirst();
        for (RunEntry entry : RunEntry.of(box, run.id())) {
          unknown += entry.event().equals("tool.unknown") ? 1 : 0;
          if (List.of("tool.succeeded", "check.succeeded").contains(entry.event())) {
            String tool = named(entry.data());
            assertThat(marks)
                .as("%s: %s after its result", point.name(), tool)
                .noneMatch(mark ->
                    mark.isBeginning()
                        && mark.tool.equals(tool)
                        && mark.nanos / 1_000_000 > entry.at());
          }
        }
      }
      marks.stream()
          .filter(Mark::isBeginning)
          .forEach(mark -> began.merge(mark.tool, 1, Integer::sum));
      assertThat(began.values()).as("%s: %s", point.name(), began).allMatch(times -> times <= 2);
      assertThat(began.values().stream().filter(times -> times == 2).count())
          .as("%s: %s", point.name(), began)
          .isLessThanOrEqualTo(1);
      boolean inMerge = point.mark > 0 && marks.get(point.mark - 1).tool.equals("merge");
      boolean again = began.getOrDefault("merge", 0) == 2;
      if (inMerge || again) {
        assertThat(unknown).as(point.name()).isEqualTo(1);
      }
      return unknown;
    }
  }

  private static String named(Map<String, ?> data) {
    for (String field : List.of("tool", "check", "step")) {
      if (data.get(field) instanceof String name) {
        return name;
      }
    }
    return "";
  }

  private static String said(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (BufferedReader out = process.inputReader()) {
      String all = String.join("\n", out.lines().toList());
      assertThat(process.waitFor()).as(all).isZero();
      return all;
    }
  }
}
