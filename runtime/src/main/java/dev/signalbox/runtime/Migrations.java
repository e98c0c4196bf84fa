package dev.signalbox.runtime;

import dev.signalbox.journal.Change;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Hindsight;
import dev.signalbox.kernel.Migration;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.Snapshot;
import dev.signalbox.kernel.Step;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Takes instances to other versions of their machines. The data of a migration's event says what is
 * needed to do it again, but for the machine, which the entry names.
 */
final class Migrations {
  private Migrations() {}

  /** The field of the event's data with what the past said; without it the older rule holds. */
  private static final String MONITORS = "monitors";

  /**
   * @param hindsight what the past says to the new monitors; null when it was not asked
   */
  static Event event(Command.Migrate migrate, @Nullable Map<String, Object> hindsight) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("to", (long) migrate.toVersion());
    if (!migrate.states().isEmpty()) {
      data.put("states", migrate.states());
    }
    if (hindsight != null) {
      data.put(MONITORS, hindsight);
    }
    Event control = Ledger.control(Migration.EVENT, migrate.actor());
    return new Event(control.name(), control.kind(), data, control.actor(), null, null, null, null);
  }

  /** The map of states that the event has. */
  static Map<String, String> states(Event event) {
    return states((Map<?, ?>) Objects.requireNonNull(event.data()));
  }

  /** What the event's data says of the past, or null where the older rule holds. */
  static @Nullable Map<String, Object> hindsight(Event event) {
    Map<?, ?> data = (Map<?, ?>) Objects.requireNonNull(event.data());
    if (!(data.get(MONITORS) instanceof Map<?, ?> given)) {
      return null;
    }
    Map<String, Object> hindsight = new LinkedHashMap<>();
    given.forEach((name, state) -> hindsight.put((String) name, Objects.requireNonNull(state)));
    return hindsight;
  }

  static Map<String, String> states(Map<?, ?> data) {
    Map<String, String> states = new LinkedHashMap<>();
    if (data.get("states") instanceof Map<?, ?> given) {
      given.forEach((from, to) -> states.put((String) from, (String) to));
    }
    return states;
  }

  /** Why the instance can't be taken to the version, whatever it is like; null when it can. */
  static @Nullable Rejection refusal(
      Working working, @Nullable PublishedChart target, Command.Migrate migrate) {
    if (target == null) {
      return unknown(working.machine.published.name(), migrate.toVersion());
    }
    if (target == working.machine) {
      return Admission.rejection(
          Rejection.Code.STRANDED,
          "Expected to take '%s' to another version, but it has version %d already."
              .formatted(working.row.id(), migrate.toVersion()));
    }
    return null;
  }

  /** Whether the new version has invariants that must be shown what the instance went through. */
  static boolean asksThePast(
      PublishedChart from, PublishedChart target, Map<String, String> states) {
    return !new Hindsight(from.chart, target.chart, states).invariants().isEmpty();
  }

  /**
   * What the committed past of the instance says to invariants that are new or mean something else.
   *
   * @throws RejectedException when it can't be said and one of them would be open without
   */
  static Map<String, Object> hindsight(
      Journal journal,
      Machines machines,
      InstanceRow row,
      PublishedChart from,
      PublishedChart target,
      Map<String, String> states) {
    Hindsight hindsight = new Hindsight(from.chart, target.chart, states);
    if (hindsight.invariants().isEmpty()) {
      return Map.of();
    }
    try {
      new LivedPast(journal, machines).show(row, states, hindsight);
      return hindsight.monitors();
    } catch (LivedPast.Gone e) {
      for (String invariant : hindsight.invariants()) {
        if (!hindsight.isClosedWithout(invariant)) {
          throw new RejectedException(
              Admission.rejection(
                  Rejection.Code.STRANDED,
                  "Expected to take '%s' to version %d of '%s', but it would be stranded: invariant '%s' must know its past, and %s."
                      .formatted(
                          row.id(),
                          target.published.version(),
                          target.published.name(),
                          invariant,
                          e.getMessage())));
        }
      }
      return Map.of();
    }
  }

  private static Rejection unknown(String machine, int version) {
    return Admission.rejection(
        Rejection.Code.UNKNOWN_MACHINE,
        "Expected a published machine, but there is no version %d of '%s'."
            .formatted(version, machine));
  }

  /** Takes values out of the index that the new version has not or does not search by. */
  static void unsearch(
      PublishedChart before, PublishedChart target, Snapshot after, Change change) {
    for (String field : before.searchable()) {
      if (!target.searchable().contains(field) || after.context().value(field) == null) {
        change.search().put(field, null);
      }
    }
  }

  /**
   * What would become of every live instance.
   *
   * @throws RejectedException when the version was not published
   */
  static MigrationReport report(
      Journal journal,
      Machines machines,
      String machine,
      int toVersion,
      Map<String, String> states) {
    PublishedChart target = machines.find(machine, toVersion);
    if (target == null) {
      throw new RejectedException(unknown(machine, toVersion));
    }
    Tally tally = new Tally();
    long after = 0;
    List<InstanceRow> page;
    do {
      page = journal.query(Query.ALL.ofMachine(machine).page(after, Query.MOST));
      for (InstanceRow row : page) {
        after = row.number();
        if (row.status() != InstanceRow.Status.ENDED && row.machine() != target.number()) {
          tally.add(journal, machines, row, target, states);
        }
      }
    } while (page.size() == Query.MOST);
    return new MigrationReport(tally.clean, tally.stranded, tally.more, tally.reread);
  }

  /** What was found out so far. */
  private static final class Tally {
    final Map<String, Long> clean = new TreeMap<>();
    final List<MigrationReport.Stranded> stranded = new ArrayList<>();
    final Map<String, Long> reread = new TreeMap<>();
    long more;

    void add(
        Journal journal,
        Machines machines,
        InstanceRow row,
        PublishedChart target,
        Map<String, String> states) {
      PublishedChart has = machines.get(row.machine());
      Snapshot snapshot;
      try {
        snapshot = machines.seals.snapshot(has, row);
      } catch (IllegalArgumentException | IllegalStateException e) {
        stranded(row, has, List.of(), "Its row can't be read: " + e.getMessage());
        return;
      }
      List<String> leaves = snapshot.configuration().leaves();
      Event event = Event.platform(Migration.EVENT, null);
      Map<String, Object> hindsight;
      try {
        hindsight = hindsight(journal, machines, row, has, target, states);
      } catch (RejectedException e) {
        stranded(row, has, leaves, e.rejection().message());
        return;
      }
      switch (Migration.migrate(
          has.chart, target.chart, snapshot, states, hindsight, event, journal.now())) {
        case Step _ -> {
          clean.merge(String.join(", ", leaves), 1L, Long::sum);
          new Hindsight(has.chart, target.chart, states)
              .invariants()
              .forEach(invariant -> reread.merge(invariant, 1L, Long::sum));
        }
        case Rejection rejection -> stranded(row, has, leaves, rejection.message());
      }
    }

    private void stranded(InstanceRow row, PublishedChart has, List<String> leaves, String why) {
      if (stranded.size() < MigrationReport.MOST) {
        stranded.add(new MigrationReport.Stranded(row.id(), has.published.version(), leaves, why));
      } else {
        more++;
      }
    }
  }
}
