package dev.signalbox.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.journal.sqlite.SqliteJournal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class SqliteJournalTest extends JournalContract {
  @TempDir Path folder;

  @Override
  Journal open() {
    return SqliteJournal.open(folder.resolve("journal.db"), clock());
  }

  @Override
  Journal reopen(Journal open) {
    open.close();
    return open();
  }

  @Test
  void effects_of_an_owner_that_is_gone_need_not_wait_for_its_lease() {
    InstanceRow row = created("r-1");
    with(row, effect(row, "r-1#1", 0));
    EffectRow mine = journal.claim("me", List.of("call"), 60_000, 1).getFirst();
    assertThat(journal.begin(List.of(new Lease(mine.number(), mine.fence())))).isEmpty();
    assertThat(journal.claim("you", List.of("call"), 60_000, 1)).isEmpty();
    journal = reopen(journal);
    assertThat(journal.claim("you", List.of("call"), 60_000, 1))
        .singleElement()
        .satisfies(effect -> assertThat(effect.cutOff()).isTrue());
  }

  @Test
  @Timeout(60)
  void who_reads_a_closed_store_is_told_so_and_does_not_wait() {
    Journal closed = journal;
    created("r-1");
    journal = reopen(closed);
    assertThatThrownBy(() -> closed.load("r-1"))
        .isInstanceOf(JournalException.class)
        .hasMessageContaining("the store is closed");
    assertThat(journal.load("r-1")).isNotNull();
  }

  @Test
  void a_second_owner_is_told_who_owns_the_file() {
    assertThatThrownBy(this::open)
        .isInstanceOf(JournalException.class)
        .hasMessageContaining("another process does")
        .hasMessageContaining(String.valueOf(ProcessHandle.current().pid()));
  }

  @Test
  void a_file_is_read_beside_its_owner_and_not_written() {
    try (Journal reading = SqliteJournal.read(folder.resolve("journal.db"))) {
      assertThat(reading.machines()).hasSize(1);
      assertThatThrownBy(() -> reading.reserve(1)).hasMessageContaining("for reading alone");
    }
    assertThatThrownBy(() -> SqliteJournal.read(folder.resolve("none.db")))
        .isInstanceOf(JournalException.class)
        .hasMessageContaining("no such file");
    assertThat(folder.resolve("none.db")).doesNotExist();
  }

  @Test
  void a_file_that_is_no_journal_is_refused_and_left_alone() throws Exception {
    Path file = folder.resolve("letter.db");
    Files.writeString(file, "Dear auditor, this is not a database at all. ".repeat(100));
    byte[] before = Files.readAllBytes(file);
    assertThatThrownBy(() -> SqliteJournal.open(file, clock()))
        .isInstanceOf(JournalException.class)
        .hasMessageContaining("letter.db");
    assertThat(Files.readAllBytes(file)).isEqualTo(before);
  }
}
