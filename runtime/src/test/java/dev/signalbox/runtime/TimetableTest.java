package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.InstanceRow;
import java.util.HashMap;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class TimetableTest {
  /** What is put in: an instance and its time, or never. */
  @Property
  void the_first_is_always_the_earliest(
      @ForAll @Size(max = 400) java.util.List<@IntRange(min = 0, max = 6_399) Integer> puts) {
    Timetable table = new Timetable();
    Map<Long, Long> model = new HashMap<>();
    for (int put : puts) {
      long instance = 1L + put % 80;
      int time = put / 80;
      long due = time == 0 ? InstanceRow.NEVER : time;
      table.put(instance, due);
      if (time == 0) {
        model.remove(instance);
      } else {
        model.put(instance, due);
      }
      assertThat(table.size()).isEqualTo(model.size());
      long earliest = model.values().stream().mapToLong(d -> d).min().orElse(InstanceRow.NEVER);
      assertThat(table.next()).isEqualTo(earliest);
      if (!model.isEmpty()) {
        assertThat(model.get(table.first())).isEqualTo(earliest);
      }
    }
  }
}
