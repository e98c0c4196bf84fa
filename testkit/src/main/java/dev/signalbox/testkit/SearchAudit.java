package dev.signalbox.testkit;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.PublishedMachine;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.runtime.Instance;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Compares what is found by searchable fields with the instances that have the values. */
final class SearchAudit {
  private final Journal journal;

  /** By the journal's number of a machine. */
  private final Map<Long, List<String>> searchable = new HashMap<>();

  /** The numbers of the instances that have a value. */
  private final Map<Value, Set<Long>> holders = new HashMap<>();

  private record Value(String field, String text) {}

  SearchAudit(Journal journal) {
    this.journal = journal;
    for (PublishedMachine machine : journal.machines()) {
      searchable.put(
          machine.number(),
          MachineReader.read(new Source(machine.name() + ".yaml", machine.definition()))
              .context()
              .stream()
              .filter(Field::searchable)
              .map(Field::name)
              .toList());
    }
  }

  /** Sees an instance whose data is still there. */
  void see(InstanceRow row, Instance instance) {
    for (String field : searchable.getOrDefault(row.machine(), List.of())) {
      Object value = instance.context().get(field);
      if (value != null) {
        String text = value instanceof String plain ? plain : CanonicalJson.text(value);
        holders.computeIfAbsent(new Value(field, text), _ -> new TreeSet<>()).add(row.number());
      }
    }
  }

  /** Every instance was seen: says which values lead to others than those who have them. */
  void finish(Consumer<String> found) {
    holders.forEach((value, numbers) -> {
      Set<Long> led = new TreeSet<>();
      Query query = Query.ALL.with(Map.of(value.field(), value.text()));
      long after = 0;
      List<InstanceRow> page;
      do {
        page = journal.query(query.page(after, Query.MOST));
        for (InstanceRow row : page) {
          after = row.number();
          led.add(after);
        }
      } while (page.size() == Query.MOST);
      if (!led.equals(numbers)) {
        found.accept(
            "%s '%s' leads to instances %s, and %s have it"
                .formatted(value.field(), value.text(), led, numbers));
      }
    });
  }
}
