package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.systems.runs.KilledHouse.Ending;
import dev.signalbox.systems.runs.KilledHouse.Point;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A real process with tools that run together is ended with kill -9 between them, and started
 * again: {@code before b} when the result of all three is in the journal and the second one's turn
 * has come, {@code after a} when all of them have ended and nothing is in the journal yet.
 */
class KilledTogetherTest {
  private static final String PLAN =
      """
      project: together
      folder: work
      limits: { tools_at_a_time: 3 }
      tools:
        - { name: a, command: [sh, look.sh, a], access: read }
        - { name: b, command: [sh, look.sh, b], access: read }
        - { name: c, command: [sh, look.sh, c], access: read }
        - { name: note, command: [sh, note.sh], writes: [notes.txt], idempotent: false, on_unknown: ask }
        - { name: d, command: [sh, look.sh, d], access: read }
        - { name: e, command: [sh, look.sh, e], access: read }
      checks:
        - { name: noted, command: [sh, look.sh, noted] }
      """;

  @TempDir static Path temp;
  private static Ending whole;

  private static KilledHouse house(String name) throws IOException {
    Path folder = Files.createDirectories(temp.resolve(name)).toRealPath();
    Path work = Files.createDirectory(folder.resolve("work"));
    Files.writeString(folder.resolve("plan.yaml"), PLAN);
    Files.writeString(work.resolve("look.sh"), "cat notes.txt; echo $1\n");
    Files.writeString(work.resolve("note.sh"), "echo noted >> notes.txt\n");
    Files.writeString(work.resolve("notes.txt"), "one\n");
    return new KilledHouse(folder, work, "plan.yaml", "approve");
  }

  @BeforeAll
  static void nobody_is_killed() throws Exception {
    KilledHouse house = house("whole");
    assertThat(house.finish()).isTrue();
    whole = house.ending();
    assertThat(whole.state()).isEqualTo("COMPLETE");
    assertThat(whole.results())
        .startsWith(
            "tool.succeeded a pass",
            "tool.succeeded b pass",
            "tool.succeeded c pass",
            "tool.succeeded note pass");
    assertThat(house.began()).containsOnlyKeys("a", "b", "c", "d", "e", "note", "noted");
  }

  /** Killed there and started again, the run ends as without, with one note. */
  private static KilledHouse killedAt(Point point) throws Exception {
    String name = point.name().replace(' ', '-');
    KilledHouse house = house(name);
    assertThat(house.killAt(point)).isTrue();
    assertThat(house.finish()).isTrue();
    assertThat(house.ending()).isEqualTo(whole);
    assertThat(temp.resolve(name).resolve("work/notes.txt")).hasContent("one\nnoted");
    return house;
  }

  @ParameterizedTest
  @CsvSource({
    "before, b, '', 0",
    "after, b, '', 0",
    "before, c, '', 0",
    "before, e, '', 0",
    "after, a, a b c, 0",
    "after, d, d e, 0",
    "before, note, '', 1",
    "after, note, note, 1"
  })
  void what_is_committed_is_not_done_again_and_a_person_decides_what_must_not_be(
      String when, String tool, String twice, int asked) throws Exception {
    KilledHouse house = killedAt(new Point.Effect(when, tool));

    Map<String, Integer> began = new TreeMap<>();
    for (String each : "a b c d e note noted".split(" ")) {
      began.put(each, (" " + twice + " ").contains(" " + each + " ") ? 2 : 1);
    }
    assertThat(house.began()).isEqualTo(began);
    assertThat(house.unknown(when + " " + tool)).isEqualTo(asked);
  }

  @Test
  void killed_among_them_all_are_done_again_and_what_still_ran_is_ended() throws Exception {
    Point point = new Point.Mark(2, true);
    KilledHouse house = killedAt(point);

    Map<String, Integer> began = house.began();
    Set<String> group = Set.of("a", "b", "c");
    assertThat(group.stream().mapToInt(each -> began.getOrDefault(each, 0)).sum()).isBetween(4, 6);
    began.keySet().removeAll(group);
    assertThat(began).isEqualTo(Map.of("note", 1, "d", 1, "e", 1, "noted", 1));
    assertThat(house.unknown(point.name())).isZero();
  }
}
