package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.runtime.Instance;
import dev.signalbox.services.approval.Approval;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Folders that go away, or that can't be backed up, in the middle of a run. */
class RunWorkspaceTest {
  private static final String NOTE = "name: note, command: [touch, note], writes: [note]";

  /** One byte more than a backup keeps of a file. */
  private static final long TOO_LARGE = (256L << 20) + 1;

  @TempDir Path folder;

  private static String failure(Instance run) {
    return String.valueOf(run.context().get("failure"));
  }

  private static void large(Path file) throws IOException {
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(TOO_LARGE);
    }
  }

  @Test
  void a_tool_that_deletes_the_folder_itself_is_undone() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      house.file("a.txt", "a\n");
      house.file("gone.sh", "rm -r ../work\n");
      String before = house.tree();
      String run =
          house.start(
              RunPlans.of(
                  NOTE,
                  "name: gone, command: [sh, gone.sh], writes: [\"**\"]",
                  "name: bad, command: [\"false\"], access: read"));

      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("ROLLED_BACK");
      assertThat(house.tree()).isEqualTo(before);
    }
  }

  @Test
  void a_folder_that_somebody_deletes_while_people_are_asked_halts_the_run_and_says_so()
      throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      String run =
          house.start(RunPlans.of(NOTE, "name: last, command: [\"true\"], risks: [merge_to_main]"));
      Approval asked = house.untilAsked(run).getFirst();
      Files.delete(house.work.resolve("note"));
      Files.delete(house.work);

      house.approve(asked);
      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("HALTED_UNSAFE");
      assertThat(failure(ended)).startsWith("not undone: ").contains("is not there");
      Files.createDirectories(house.work);
    }
  }

  @Test
  void a_folder_that_can_not_be_backed_up_is_told_while_the_run_plans() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      large(house.work.resolve("large"));

      Instance ended = house.ended(RunPlans.of(NOTE));

      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(failure(ended))
          .contains("Expected files of at most 268,435,456 bytes", "Raise the limit");
    }
  }

  @Test
  void a_folder_that_can_not_be_backed_up_any_more_fails_the_next_tool_and_nothing_runs()
      throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      String run = house.start(RunPlans.of("name: t, command: [touch, t], risks: [merge_to_main]"));
      Approval asked = house.untilAsked(run).getFirst();
      large(house.work.resolve("large"));

      house.approve(asked);
      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("ROLLED_BACK");
      assertThat(failure(ended)).contains("t: Expected files of at most 268,435,456 bytes");
      assertThat(house.work.resolve("t")).doesNotExist();
    }
  }

  @Test
  void a_tool_whose_changes_can_not_be_told_is_not_repeated() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      house.file("grow.sh", "echo x >> ../times\ntruncate -s %d large\n".formatted(TOO_LARGE));

      Instance ended =
          house.ended(RunPlans.of("name: grow, command: [sh, grow.sh], idempotent: true"));

      assertThat(Runs.state(ended)).isEqualTo("ROLLED_BACK");
      assertThat(failure(ended)).contains("can't be told", "/large' has ");
      assertThat(folder.resolve("times")).hasContent("x");
      assertThat(house.work.resolve("large")).doesNotExist();
    }
  }
}
