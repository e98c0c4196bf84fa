package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.systems.runs.KilledHouse.Point;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    try (BufferedReader out = whole.house.start().inputReader()) {
      out.lines()
          .filter(line -> line.startsWith("at "))
          .forEach(line -> positions.add(Long.parseLong(line.substring(3))));
    }
    KilledHouse.Ending ended = whole.house.ending();
    assertThat(ended.state()).isEqualTo(state);
    assertThat(ended.status()).isEqualTo(status);
    List<Object> ending = whole.ending();
    List<Point> all = all(whole.house.marks().size(), positions);
    List<Point> points = chosen(all);
    System.out.printf("%s, %s: %d of %d points%n", plan, answer, points.size(), all.size());
    int asked = 0;
    for (Point point : points) {
      House each = new House(point.name().replace(' ', '-'), plan, answer);
      boolean killed = each.house.killAt(point);
      assertThat(each.house.finish()).as(point.name()).isTrue();
      assertThat(each.ending()).as(point.name()).isEqualTo(ending);
      int unknown = each.committedOnce(point);
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
      all.add(new Point.Mark(mark, false));
      all.add(new Point.Mark(mark, true));
    }
    for (long position : positions.subList(0, positions.size() - 1)) {
      all.add(new Point.Position(position, 0));
      all.add(new Point.Position(position, 20));
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

  /** A house with the example's repository. */
  private final class House {
    private final KilledHouse house;
    private final Path repository;

    House(String name, String plan, String answer) throws IOException, InterruptedException {
      Path folder = Files.createDirectories(temp.resolve(name)).toRealPath();
      repository = folder.resolve("repository");
      Files.copy(EXAMPLE.resolve(plan), folder.resolve(plan));
      assertThat(said("/bin/sh", EXAMPLE.resolve("create.sh").toString(), repository.toString()))
          .isEmpty();
      house = new KilledHouse(folder, repository, plan, answer);
    }

    /** How the run ended, and what is in the repository then. */
    List<Object> ending() throws IOException, InterruptedException {
      return List.of(
          house.ending(),
          said("/usr/bin/git", "-C", repository.toString(), "log", "--all", "--format=%s %T"),
          said("/usr/bin/git", "-C", repository.toString(), "status", "--porcelain"));
    }

    /**
     * No tool began after its result was in the journal, and the merge began a second time only
     * after a person was asked; how often one was.
     */
    int committedOnce(Point point) throws IOException {
      int unknown = house.unknown(point.name());
      Map<String, Integer> began = house.began();
      assertThat(began.values()).as("%s: %s", point.name(), began).allMatch(times -> times <= 2);
      assertThat(began.values().stream().filter(times -> times == 2).count())
          .as("%s: %s", point.name(), began)
          .isLessThanOrEqualTo(1);
      boolean inMerge =
          point instanceof Point.Mark(int line, boolean _)
              && house.marks().get(line - 1).tool().equals("merge");
      boolean again = began.getOrDefault("merge", 0) == 2;
      if (inMerge || again) {
        assertThat(unknown).as(point.name()).isEqualTo(1);
      }
      return unknown;
    }
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
