package dev.signalbox.runtime;

import dev.signalbox.journal.Change;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Answer;
import dev.signalbox.kernel.Event;
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

  static Event event(Command.Migrate migrate) {
    Map<String, Object> data =
        migrate.states().isEmpty()
            ? Map.of("to", (long) migrate.toVersion())
            : Map.of("states", migrate.states(), "to", (long) migrate.toVersion());
    Event control = Ledger.control(Migration.EVENT, migrate.actor());
    return new Event(control.name(), control.kind(), data, control.actor(), null, null, null, null);
  }

  /** The map of states that the event has. */
  static Map<String, String> states(Event event) {
    Map<?, ?> data = (Map<?, ?>) Objects.requireNonNull(event.data());
    Map<String, String> states = new LinkedHashMap<>();
    if (data.get("states") instanceof Map<?, ?> given) {
      given.forEach((from, to) -> states.put((String) from, (String) to));
    }
    return states;
  }

  /**
   * What a migration of the instance gives.
   *
   * @param target null when the version was not published
   * @param now when deadlines that start anew begin
   */
  static Answer answer(
      Working working,
      @Nullable PublishedChart target,
      Command.Migrate migrate,
      Event event,
      long now) {
    if (target == null) {
      return unknown(working.machine.published.name(), migrate.toVersion());
    }
    if (target == working.machine) {
      return Admission.rejection(
          Rejection.Code.STRANDED,
          "Expected to take '%s' to another version, but it has version %d already."
              .formatted(working.row.id(), migrate.toVersion()));
    }
    return Migration.migrate(
        working.machine.chart, target.chart, working.snapshot, migrate.states(), event, now);
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
          tally.add(machines, row, target, states, journal.now());
        }
      }
    } while (page.size() == Query.MOST);
    return new MigrationReport(tally.clean, tally.stranded, tally.more);
  }

  /** What was found out so far. */
  private static final class Tally {
    final Map<String, Long> clean = new TreeMap<>();
    final List<MigrationReport.Stranded> stranded = new ArrayList<>();
    long more;

    void add(
        Machines machines,
        InstanceRow row,
        PublishedChart target,
        Map<String, String> states,
        long now) {
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
      switch (Migration.migrate(has.chart, target.chart, snapshot, states, event, now)) {
        case Step _ -> clean.merge(String.join(", ", leaves), 1L, Long::sum);
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
