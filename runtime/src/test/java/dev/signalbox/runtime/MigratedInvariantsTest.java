package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.Chain;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Migration;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.Step;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What invariants of another version know of an instance that comes to it. */
class MigratedInvariantsTest extends SteppedFixture {
  private static final String RELEASE =
      """
      machine: release
      version: 1
      context:
        text: { type: string, default: draft }
      states:
        DRAFT:
          waits: x
          on:
            lint: LINTED
            approve: APPROVED
            publish: PUBLISHED
            pay: { emit: { record: paid, data: { by: event.by } } }
            write: { assign: { text: event.text } }
        LINTED: { waits: x, on: { back: DRAFT, publish: PUBLISHED } }
        APPROVED: { waits: x, on: { back: DRAFT, publish: PUBLISHED } }
        PUBLISHED: { waits: x, on: { back: DRAFT, end: OVER } }
        OVER: { final: true }
      """;

  private static String release(int version, String... invariants) {
    String text = RELEASE.replace("version: 1", "version: " + version);
    return invariants.length == 0
        ? text
        : text + "invariants:\n  - " + String.join("\n  - ", invariants) + "\n";
  }

  private static Command.Migrate to(String id, int version, Map<String, String> states) {
    return new Command.Migrate(id, version, states, ANN, null);
  }

  private static Command.Migrate to(String id, int version) {
    return to(id, version, Map.of());
  }

  private void begin(String id, String... events) {
    start("release", id);
    for (String event : events) {
      send(id, event, Map.of("by", "kim", "text", event));
    }
  }

  private void refuses(String id, String event) {
    assertThat(rejected(Command.Send.of(id, event, Map.of("by", "kim", "text", "other"))).code())
        .isEqualTo(Rejection.Code.INVARIANT_BROKEN);
  }

  @Test
  void what_was_seen_for_one_gate_does_not_open_another_of_its_name() {
    publish(release(1, "{ name: gate, before: { reaching: PUBLISHED, must_visit: LINTED } }"));
    begin("linted", "lint", "back");
    begin("approved", "approve", "back");
    publish(release(2, "{ name: gate, before: { reaching: PUBLISHED, must_visit: APPROVED } }"));
    MigrationReport report = box.stranded("release", 2, Map.of());
    assertThat(report.reread()).containsEntry("gate", 2L);
    accepted(to("linted", 2));
    accepted(to("approved", 2));
    refuses("linted", "publish");
    send("approved", "publish", Map.of());
  }

  @Test
  void a_gate_that_is_new_knows_the_past_of_who_comes_to_it() {
    publish(release(1));
    begin("approved", "approve", "back");
    begin("rash");
    begin("published", "approve", "publish");
    begin("smuggled", "publish");
    publish(release(2, "{ name: gate, before: { reaching: PUBLISHED, must_visit: APPROVED } }"));
    accepted(to("approved", 2));
    accepted(to("rash", 2));
    accepted(to("published", 2));
    send("approved", "publish", Map.of());
    refuses("rash", "publish");
    assertThat(rejected(to("smuggled", 2)).code()).isEqualTo(Rejection.Code.STRANDED);
    assertThat(box.stranded("release", 2, Map.of()).stranded())
        .extracting(MigrationReport.Stranded::instance)
        .containsExactly("smuggled");
  }

  @Test
  void being_put_into_a_state_is_not_having_reached_it() {
    publish(release(1));
    begin("a", "lint");
    begin("b", "lint");
    publish(release(2, "{ name: gate, before: { reaching: PUBLISHED, must_visit: APPROVED } }"));
    accepted(to("a", 2, Map.of("LINTED", "APPROVED")));
    assertThat(states("a")).containsExactly("APPROVED");
    send("a", "back", Map.of());
    assertThat(rejected(to("b", 2, Map.of("LINTED", "PUBLISHED"))).message()).contains("gate");
  }

  @Test
  void a_map_of_states_does_not_lead_where_nobody_may_go() {
    publish(release(1));
    begin("a", "lint");
    publish(release(2, "{ name: no-shortcut, never: LINTED -> PUBLISHED }"));
    assertThat(rejected(to("a", 2, Map.of("LINTED", "PUBLISHED"))).message())
        .contains("no-shortcut");
    accepted(to("a", 2));
  }

  @Test
  void what_happened_is_counted_although_another_invariant_counts_it() {
    publish(release(1, "{ name: once, at_most: { fact: LINTED, times: 1 } }"));
    begin("paid", "pay");
    begin("linted", "lint", "back");
    publish(release(2, "{ name: once, at_most: { fact: { record: paid, by: by }, times: 1 } }"));
    accepted(to("paid", 2));
    accepted(to("linted", 2));
    refuses("paid", "pay");
    send("paid", "pay", Map.of("by", "ann"));
    send("linted", "pay", Map.of("by", "kim"));
    refuses("linted", "pay");
  }

  @Test
  void a_response_that_is_no_longer_one_is_still_owed() {
    publish(release(1, "{ name: answered, leads_to: { from: DRAFT, to: [LINTED, APPROVED] } }"));
    begin("linted", "lint", "publish");
    begin("approved", "approve", "publish");
    publish(release(2, "{ name: answered, leads_to: { from: DRAFT, to: [APPROVED] } }"));
    accepted(to("linted", 2));
    accepted(to("approved", 2));
    refuses("linted", "end");
    send("approved", "end", Map.of());
  }

  @Test
  void a_field_stays_frozen_for_who_was_past_the_state() {
    publish(release(1));
    begin("approved", "approve", "back");
    begin("free", "lint", "back");
    publish(release(2, "{ name: sealed, frozen: { field: text, after: APPROVED } }"));
    accepted(to("approved", 2));
    accepted(to("free", 2));
    refuses("approved", "write");
    send("free", "write", Map.of("text", "other"));
  }

  @Test
  void states_that_become_one_are_counted_together() {
    publish(release(1, "{ name: twice, at_most: { fact: APPROVED, times: 2 } }"));
    begin("a", "lint", "back", "approve", "back");
    publish(
        release(2, "{ name: twice, at_most: { fact: APPROVED, times: 2 } }")
            .replace("lint: LINTED", "lint: APPROVED")
            .replace("  LINTED: { waits: x, on: { back: DRAFT, publish: PUBLISHED } }\n", ""));
    accepted(to("a", 2, Map.of("LINTED", "APPROVED")));
    refuses("a", "approve");
  }

  @Test
  void the_past_is_told_in_the_names_of_the_newest_version() {
    publish(release(1));
    begin("a", "approve", "back");
    publish(release(2).replace("APPROVED", "AGREED"));
    accepted(to("a", 2, Map.of("APPROVED", "AGREED")));
    publish(
        release(3, "{ name: gate, before: { reaching: PUBLISHED, must_visit: SIGNED } }")
            .replace("APPROVED", "SIGNED"));
    accepted(to("a", 3, Map.of("AGREED", "SIGNED")));
    send("a", "publish", Map.of());
  }

  @Test
  void a_fork_has_the_past_of_its_origin() {
    publish(release(1));
    begin("a", "approve", "back", "lint", "back");
    accepted(new Command.Fork("a", 3, "b", ANN, null));
    accepted(new Command.Fork("a", 1, "c", ANN, null));
    publish(release(2, "{ name: gate, before: { reaching: PUBLISHED, must_visit: APPROVED } }"));
    accepted(to("b", 2));
    accepted(to("c", 2));
    send("b", "publish", Map.of());
    refuses("c", "publish");
  }

  @Test
  void how_often_something_may_happen_can_change_without_forgetting_how_often_it_did() {
    publish(release(1, "{ name: few, at_most: { fact: LINTED, times: 3 } }"));
    begin("a", "lint", "back", "lint", "back");
    publish(release(2, "{ name: few, at_most: { fact: LINTED, times: 2 } }"));
    assertThat(box.stranded("release", 2, Map.of()).reread()).isEmpty();
    accepted(to("a", 2));
    refuses("a", "lint");
    assertThat(List.of("DRAFT")).isEqualTo(states("a"));
  }

  @Test
  void a_migration_that_was_journaled_without_hindsight_is_replayed_as_it_was() throws Exception {
    publish(release(1, "{ name: gate, before: { reaching: PUBLISHED, must_visit: LINTED } }"));
    begin("a", "lint", "back");
    publish(release(2, "{ name: gate, before: { reaching: PUBLISHED, must_visit: APPROVED } }"));
    Machines machines = new Machines(journal, new Seals(journal, null, new Random(1)));
    Replay replay = new Replay(digest -> Objects.requireNonNull(machines.withDigest(digest)).chart);
    for (EntryRow entry : journal.history(row("a").number(), Chain.STEPS, 1, 10)) {
      replay.next(entry.body());
    }
    PublishedChart target = Objects.requireNonNull(machines.find("release", 2));
    Event event = Migrations.event(to("a", 2), null);
    Step step =
        (Step)
            Migration.migrate(
                Objects.requireNonNull(machines.find("release", 1)).chart,
                target.chart,
                replay.snapshot(),
                Map.of(),
                null,
                event,
                clock.millis());
    EntryWriter.Heading heading =
        new EntryWriter.Heading(
            "migrate",
            null,
            "a",
            4,
            clock.millis(),
            null,
            Map.of("digest", target.published.digest(), "name", "release", "version", 2L),
            null);
    replay.next(new EntryWriter().step(heading, null, Ledger.of(step, event)));
    assertThat(replay.snapshot().memory().monitors()).containsEntry("gate", 1L);
  }
}
