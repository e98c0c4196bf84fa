package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.Query;
import dev.signalbox.runtime.Instance;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code up --demo} shows to somebody who is new. */
class DemoTest {
  @TempDir Path folder;

  private static List<Instance> all(House house) {
    return house.box.instances(Query.ALL.page(0, 1_000));
  }

  @Test
  void machines_go_their_way_people_are_asked_and_one_event_is_refused() {
    try (House house = House.open(folder)) {
      Demo.start(house.box, InstantSource.system());

      List<String> refused = new ArrayList<>();
      for (Instance one : all(house)) {
        for (EntryRow refusal : house.box.refusals(one.id(), 1, 100)) {
          refused.add(one.machine() + " " + new String(refusal.body(), StandardCharsets.UTF_8));
        }
      }
      assertThat(refused).hasSize(1);
      assertThat(refused.getFirst()).startsWith("agents.tool ").contains("no-transition");
      Set<String> systems =
          all(house).stream()
              .filter(one -> one.sequence() > 1)
              .map(one -> one.machine().split("\\.")[0])
              .collect(Collectors.toCollection(HashSet::new));
      assertThat(systems)
          .contains("conversations", "agents", "coordinator", "research", "task", "lock");
      assertThat(all(house))
          .filteredOn(one -> one.machine().equals("approval"))
          .extracting(Instance::leaves)
          .containsExactly(List.of("AWAITING_HUMAN"), List.of("AWAITING_HUMAN"));
      assertThat(all(house)).noneMatch(one -> one.status().equals("halted"));
    }
  }

  @Test
  void a_second_start_changes_nothing() {
    try (House house = House.open(folder)) {
      Demo.start(house.box, InstantSource.system());
      List<String> before = summary(house);
      Demo.start(house.box, InstantSource.system());
      assertThat(summary(house)).isEqualTo(before);
    }
  }

  private static List<String> summary(House house) {
    return all(house).stream()
        .map(one -> "%s %s %d %d".formatted(one.id(), one.leaves(), one.sequence(), one.refusals()))
        .toList();
  }
}
