package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Instances are kept in memory within a limit, and those that are in use stay. */
class InstancesTest {
  private static final int MANY = 500;

  /** About as much as twenty of them take. */
  private static final long IN_USE = 20_000L;

  private final ManualClock clock = new ManualClock();
  private final Journal journal = new MemoryJournal(clock);
  private final Machines machines =
      new Machines(journal, new Seals(journal, Keyring.ofThisProcess(), new Random(1)));
  private final Instances instances = new Instances(journal, machines, Instances.IN_USE * IN_USE);

  @BeforeEach
  void many_are_in_the_store() {
    ManualSignalbox box = new ManualSignalbox(journal, Settings.DEFAULT, clock, new Random(1));
    box.publish(
        MachineReader.read(
            new Source(
                "lamp.yaml",
                """
                machine: lamp
                states:
                  OFF: { waits: someone, on: { press: ON } }
                  ON: { waits: someone, on: { press: OFF } }
                """)));
    for (int i = 0; i < MANY; i++) {
      var _ = box.submit(new Command.Start("lamp", "l-" + i, Map.of(), Actor.SYSTEM, null));
    }
    box.rest();
  }

  private List<Working> inMemory() {
    List<Working> kept = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      Working known = instances.inMemory("l-" + i);
      if (known != null) {
        kept.add(known);
      }
    }
    return kept;
  }

  @Test
  void no_more_are_kept_than_the_limit_allows_and_all_are_found() {
    for (int i = 0; i < MANY; i++) {
      assertThat(instances.find("l-" + i)).isNotNull();
      instances.shrink();
    }
    List<Working> kept = inMemory();
    assertThat(kept.stream().mapToLong(Working::weight).sum()).isLessThanOrEqualTo(IN_USE);
    assertThat(kept).hasSizeGreaterThan(10);
    assertThat(kept.getLast().row.id()).isEqualTo("l-" + (MANY - 1));
    for (int i = 0; i < MANY; i++) {
      Working found = Objects.requireNonNull(instances.find("l-" + i));
      assertThat(found.row.head()).isEqualTo(Objects.requireNonNull(journal.load("l-" + i)).head());
      instances.shrink();
    }
  }

  @Test
  void what_is_not_committed_yet_is_never_put_away() {
    Working pinned = Objects.requireNonNull(instances.find("l-0"));
    pinned.pins = 1;
    for (int i = 1; i < MANY; i++) {
      assertThat(instances.find("l-" + i)).isNotNull();
      instances.shrink();
    }
    assertThat(instances.inMemory("l-0")).isSameAs(pinned);
    assertThat(instances.inMemory("l-1")).isNull();
  }
}
