package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Rejection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Instances in other versions of their machine. */
class MigrationsTest extends SteppedFixture {
  private static final String JOB_1 =
      """
      machine: job
      version: 1
      context:
        tries: { type: int, default: 0 }
        note: { type: string, default: none, searchable: true }
        old: { type: string, default: gone, searchable: true }
      states:
        NEW: { waits: someone, on: { begin: WORKING } }
        WORKING:
          after: { 10m: NEW, 30m: DONE }
          on:
            retry: { assign: { tries: ctx.tries + 1 } }
            check: REVIEW
            finish: DONE
        REVIEW: { waits: someone, on: { ok: DONE } }
        DONE: { final: true }
      """;

  private static final String JOB_2 =
      """
      machine: job
      version: 2
      context:
        tries: { type: int, default: 0 }
        note: { type: string, default: none, searchable: true }
        size: { type: int, compute: ctx.tries * 2 }
        kind: { type: string, default: plain, searchable: true }
      states:
        NEW: { waits: someone, on: { begin: BUSY } }
        BUSY:
          after: { 10m: NEW, 20m: DONE }
          on:
            retry: { assign: { tries: ctx.tries + 1 } }
            finish: DONE
        DONE: { final: true }
      """;

  private static Command.Migrate migrate(String id, Map<String, String> states) {
    return new Command.Migrate(id, 2, states, ANN, null);
  }

  private void jobs() {
    publish(JOB_1);
    start("job", "a");
    send("a", "begin", Map.of());
    send("a", "retry", Map.of());
    publish(JOB_2);
  }

  @Test
  void a_migrated_instance_goes_on_in_the_new_version() {
    jobs();
    clock.advance(Duration.ofMinutes(4));
    Receipt receipt = accepted(migrate("a", Map.of("WORKING", "BUSY")));
    assertThat(receipt.states()).containsExactly("BUSY");
    Instance now = now("a");
    assertThat(now.version()).isEqualTo(2);
    assertThat(now.context())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("tries", 1L, "note", "none", "size", 2L, "kind", "plain"));
    assertThat(now.deadlines())
        .extracting(Instance.Deadline::id, d -> (d.due() - clock.millis()) / 60_000)
        .containsExactlyInAnyOrder(tuple("after:BUSY:10m", 6L), tuple("after:BUSY:20m", 20L));
    assertThat(row("a").machine()).isEqualTo(2);

    box = open();
    send("a", "retry", Map.of());
    assertThat(now("a").context()).containsEntry("tries", 2L);
    clock.advance(Duration.ofMinutes(6));
    box.rest();
    assertThat(now("a").leaves()).containsExactly("NEW");
    assertThat(box.at("a", 3).version()).isEqualTo(1);
    assertThat(box.at("a", 3).leaves()).containsExactly("WORKING");
  }

  @Test
  void queries_find_a_migrated_instance_by_what_it_is_now() {
    jobs();
    accepted(migrate("a", Map.of("WORKING", "BUSY")));
    Query all = Query.ALL;
    assertThat(journal.query(all.in("BUSY"))).hasSize(1);
    assertThat(journal.query(all.in("WORKING"))).isEmpty();
    assertThat(journal.query(all.with(Map.of("kind", "plain")))).hasSize(1);
    assertThat(journal.query(all.with(Map.of("note", "none")))).hasSize(1);
    assertThat(journal.query(all.with(Map.of("old", "gone")))).isEmpty();
  }

  @Test
  void an_instance_whose_state_has_no_place_is_stranded_and_stays_as_it_is() {
    jobs();
    Rejection rejection = rejected(migrate("a", Map.of()));
    assertThat(rejection.code()).isEqualTo(Rejection.Code.STRANDED);
    assertThat(rejection.message()).contains("no state 'WORKING'");
    assertThat(rejected(migrate("a", Map.of("WORKING", "LOST"))).message())
        .contains("'LOST', for 'WORKING'");
    assertThat(rejected(migrate("a", Map.of("WORKING", "DONE"))).message()).contains("its end");
    assertThat(rejected(new Command.Migrate("a", 7, Map.of(), ANN, null)).code())
        .isEqualTo(Rejection.Code.UNKNOWN_MACHINE);
    assertThat(rejected(new Command.Migrate("a", 1, Map.of(), ANN, null)).code())
        .isEqualTo(Rejection.Code.STRANDED);
    assertThat(now("a").version()).isEqualTo(1);
    assertThat(row("a").refusals()).isEqualTo(5);
    send("a", "retry", Map.of());
  }

  @Test
  void a_field_that_does_not_fit_strands_the_instance() {
    jobs();
    publish(
        JOB_2
            .replace("version: 2", "version: 3")
            .replace(
                "note: { type: string, default: none, searchable: true }",
                "note: { type: int, default: 5 }"));
    Rejection rejection =
        rejected(new Command.Migrate("a", 3, Map.of("WORKING", "BUSY"), ANN, null));
    assertThat(rejection.code()).isEqualTo(Rejection.Code.STRANDED);
    assertThat(rejection.message()).contains("'note'");
  }

  @Test
  void an_ended_instance_is_not_migrated() {
    jobs();
    send("a", "finish", Map.of());
    assertThat(rejected(migrate("a", Map.of())).code()).isEqualTo(Rejection.Code.INSTANCE_FINAL);
  }

  @Test
  void migrating_twice_with_one_key_happens_once() {
    jobs();
    Command.Migrate migrate = new Command.Migrate("a", 2, Map.of("WORKING", "BUSY"), ANN, "once");
    Receipt first = accepted(migrate);
    box = open();
    assertThat(accepted(migrate)).isEqualTo(first);
    assertThat(row("a").sequence()).isEqualTo(4);
  }

  @Test
  void a_migration_can_be_taken_back() {
    jobs();
    accepted(migrate("a", Map.of("WORKING", "BUSY")));
    accepted(new Command.Migrate("a", 1, Map.of("BUSY", "WORKING"), ANN, null));
    assertThat(now("a").version()).isEqualTo(1);
    assertThat(now("a").leaves()).containsExactly("WORKING");
    assertThat(journal.query(Query.ALL.with(Map.of("old", "gone")))).hasSize(1);
  }

  @Test
  void a_paused_instance_stays_paused_and_its_clocks_stopped() {
    jobs();
    clock.advance(Duration.ofMinutes(4));
    accepted(new Command.Pause("a", Command.Clocks.STOPPED, ANN, null));
    clock.advance(Duration.ofHours(2));
    accepted(migrate("a", Map.of("WORKING", "BUSY")));
    assertThat(row("a").status()).isEqualTo(InstanceRow.Status.PAUSED);
    assertThat(row("a").due()).isEqualTo(InstanceRow.NEVER);
    box = open();
    clock.advance(Duration.ofHours(2));
    box.rest();
    accepted(new Command.Resume("a", ANN, null));
    assertThat(now("a").deadlines())
        .extracting(d -> (d.due() - clock.millis()) / 60_000)
        .containsExactlyInAnyOrder(6L, 20L);
  }

  @Test
  void a_fork_from_before_a_migration_has_the_old_version() {
    jobs();
    accepted(migrate("a", Map.of("WORKING", "BUSY")));
    accepted(new Command.Fork("a", 3, "b", ANN, null));
    accepted(new Command.Fork("a", 4, "c", ANN, null));
    assertThat(now("b").version()).isEqualTo(1);
    assertThat(now("c").version()).isEqualTo(2);
    send("b", "check", Map.of());
    send("c", "retry", Map.of());
  }

  @Test
  void the_dry_run_says_who_would_be_stranded_and_why() {
    publish(JOB_1);
    for (String id : List.of("a", "b", "c", "d", "e")) {
      start("job", id);
    }
    send("b", "begin", Map.of());
    send("c", "begin", Map.of());
    send("c", "check", Map.of());
    send("e", "begin", Map.of());
    send("e", "finish", Map.of());
    publish(JOB_2);
    start("job", "f");
    MigrationReport report = box.stranded("job", 2, Map.of("WORKING", "BUSY"));
    assertThat(report.clean()).containsExactlyInAnyOrderEntriesOf(Map.of("NEW", 2L, "WORKING", 1L));
    assertThat(report.stranded())
        .singleElement()
        .satisfies(s -> {
          assertThat(s.instance()).isEqualTo("c");
          assertThat(s.version()).isEqualTo(1);
          assertThat(s.states()).containsExactly("REVIEW");
          assertThat(s.why()).contains("no state 'REVIEW'");
        });
    assertThat(row("a").sequence()).isEqualTo(1);
    assertThatThrownBy(() -> box.stranded("job", 9, Map.of()))
        .isInstanceOf(RejectedException.class);
  }

  private static final String RIG =
      """
      machine: rig
      version: 1
      states:
        UP:
          parallel: true
          states:
            LEFT:
              initial: L1
              states:
                L1: { on: { left: L2 } }
                L2: { on: { left: L1 } }
                LH: { history: shallow, default: L1 }
            RIGHT:
              initial: R1
              states:
                R1: { on: { right: R2 } }
                R2: { on: { right: R1 } }
          on: { rest: DOWN }
        DOWN: { waits: someone, on: { back: LH } }
      """;

  @Test
  void regions_and_history_move_with_their_states() {
    publish(RIG);
    start("rig", "r");
    send("r", "left", Map.of());
    start("rig", "s");
    send("s", "left", Map.of());
    send("s", "rest", Map.of());
    publish(RIG.replace("version: 1", "version: 2").replace("L2", "LEAN"));
    Map<String, String> states = Map.of("L2", "LEAN");
    assertThat(accepted(migrate("r", states)).states()).containsExactly("LEAN", "R1");
    accepted(migrate("s", states));
    send("s", "back", Map.of());
    assertThat(now("s").leaves()).containsExactly("LEAN", "R1");
  }

  @Test
  void two_states_that_exclude_each_other_strand_the_instance() {
    publish(RIG);
    start("rig", "r");
    send("r", "left", Map.of());
    publish(RIG.replace("version: 1", "version: 2").replace("L2", "LEAN"));
    assertThat(rejected(migrate("r", Map.of("L2", "R2"))).message()).contains("'LEFT'");
    assertThat(rejected(migrate("r", Map.of("L2", "DOWN"))).message()).contains("only one");
    assertThat(rejected(migrate("r", Map.of("L2", "UP"))).message()).contains("'UP'");
    assertThat(rejected(migrate("r", Map.of("L2", "R1"))).message()).contains("'LEFT'");
  }

  @Test
  void invariants_remember_what_they_have_seen() {
    String yaml =
        """
        machine: gate
        version: 1
        states:
          A: { waits: x, on: { look: B, leave: C } }
          B: { waits: x, on: { back: A } }
          C: { final: true }
        invariants:
          - { name: looked, before: { reaching: C, must_visit: B } }
        """;
    publish(yaml);
    start("gate", "g");
    send("g", "look", Map.of());
    send("g", "back", Map.of());
    start("gate", "h");
    publish(yaml.replace("version: 1", "version: 2").replace("B", "BB"));
    accepted(migrate("g", Map.of("B", "BB")));
    accepted(migrate("h", Map.of("B", "BB")));
    send("g", "leave", Map.of());
    assertThat(rejected(Command.Send.of("h", "leave", null)).code())
        .isEqualTo(Rejection.Code.INVARIANT_BROKEN);
  }

  @Test
  void a_child_goes_with_its_state_or_strands_it() {
    String kid =
        "{ machine: kid, states: { PLAYING: { waits: x, on: { stop: HOME } }, HOME: { final: true }"
            + " } }";
    String mum =
        """
        machine: mum
        version: 1
        states:
          PARK:
            invoke: { id: kid, machine: kid }
            on: { done.invoke.kid: HOME }
          HOME: { waits: x }
        """;
    publish(kid);
    publish(mum);
    start("mum", "m");
    publish(mum.replace("version: 1", "version: 2").replace("PARK", "WOOD"));
    publish(
        mum.replace("version: 1", "version: 3")
            .replace("    invoke: { id: kid, machine: kid }\n", ""));
    Rejection rejection = rejected(new Command.Migrate("m", 3, Map.of(), ANN, null));
    assertThat(rejection.message()).contains("its child 'm/kid").contains("'PARK'");
    assertThat(rejected(migrate("m", Map.of("PARK", "HOME"))).message()).contains("its child");
    accepted(migrate("m", Map.of("PARK", "WOOD")));
    String child = journal.query(Query.ALL.below("m")).getFirst().id();
    send(child, "stop", Map.of());
    assertThat(now("m").leaves()).containsExactly("HOME");
    Rejection back = rejected(new Command.Migrate("m", 1, Map.of("HOME", "PARK"), ANN, null));
    assertThat(back.message()).contains("nothing would start the child");
  }
}
