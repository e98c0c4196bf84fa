package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Children that instances invoke, and messages between instances, on a clock that is moved. */
class FamilyTest extends SteppedFixture {
  private static final String FAMILY =
      """
      machine: parent
      context:
        result: { type: any, default: null, optional: true }
      states:
        ALONE:
          on: { marry: BUSY }
        BUSY:
          waits: for the child
          invoke: { machine: child, id: kid, with: { task: "'sweep'" } }
          on:
            done.invoke.kid: { to: HAPPY, assign: { result: event.made } }
            error.communication: SAD
            leave: ALONE
            tell: { do: [ { send: { event: hurry, to: { child: kid } } } ] }
        HAPPY: { final: true }
        SAD: { final: true }
      ---
      machine: child
      context:
        task: { type: string, default: "" }
        hurried: { type: bool, default: false }
      states:
        WORKING:
          after: { 1h: MADE }
          on:
            hurry: { to: MADE, assign: { hurried: true } }
        MADE: { final: true, done: { made: ctx.task } }
      """;

  private void family() {
    MachineReader.readAll(new Source("test.yaml", FAMILY), null)
        .forEach(definition -> box.publish(Objects.requireNonNull(definition.machine())));
    start("parent", "p");
  }

  @Test
  void a_child_lives_and_its_end_reaches_the_parent() {
    family();
    accepted(Command.Send.of("p", "marry", null));
    assertThat(journal.query(Query.ALL.below("p"))).hasSize(1);
    clock.advance(Duration.ofHours(1));
    box.rest();
    assertThat(states("p")).containsExactly("HAPPY");
    assertThat(journal.messages(0, 10)).isEmpty();
  }

  @Test
  void a_message_to_a_child_reaches_it() {
    family();
    accepted(Command.Send.of("p", "marry", null));
    accepted(Command.Send.of("p", "tell", null));
    assertThat(states("p")).containsExactly("HAPPY");
  }

  @Test
  void leaving_the_state_cancels_the_child() {
    family();
    accepted(Command.Send.of("p", "marry", null));
    accepted(Command.Send.of("p", "leave", null));
    InstanceRow child = journal.query(Query.ALL.below("p")).getFirst();
    assertThat(child.status()).isEqualTo(InstanceRow.Status.ENDED);
    accepted(Command.Send.of("p", "marry", null));
    assertThat(journal.query(Query.ALL.below("p"))).hasSize(2);
    clock.advance(Duration.ofHours(1));
    box.rest();
    assertThat(states("p")).containsExactly("HAPPY");
  }

  @Test
  void who_invokes_its_like_for_ever_is_stopped_and_told() {
    publish(
        """
        machine: mirror
        states:
          SHOWING:
            waits: for the one within
            invoke: { machine: mirror, id: within }
            on: { done.invoke.within: DONE, error.communication: DARK }
          DARK: { waits: for light }
          DONE: { final: true }
        """);
    start("mirror", "m");
    String id = "m";
    int levels = 1;
    List<InstanceRow> below = journal.query(Query.ALL.below(id));
    while (!below.isEmpty()) {
      assertThat(states(id)).containsExactly("SHOWING");
      id = below.getFirst().id();
      levels++;
      below = journal.query(Query.ALL.below(id));
    }
    assertThat(levels).isEqualTo(Deliveries.MOST_LEVELS);
    assertThat(states(id)).containsExactly("DARK");
    assertThat(journal.messages(0, 10)).isEmpty();
  }

  @Test
  void strokes_in_an_id_are_no_levels_and_a_child_whose_id_grows_too_long_is_not_born() {
    family();
    start("parent", "a/".repeat(100));
    accepted(Command.Send.of("a/".repeat(100), "marry", null));
    assertThat(states("a/".repeat(100))).containsExactly("BUSY");
    start("parent", "b".repeat(499));
    accepted(Command.Send.of("b".repeat(499), "marry", null));
    assertThat(states("b".repeat(499))).containsExactly("SAD");
  }

  @Test
  void a_message_to_what_can_be_no_id_comes_back() {
    publish(
        """
        machine: caller
        events: { call: { data: { whom: string } } }
        states:
          IDLE:
            on:
              call: { do: [ { send: { event: hello, to: { instance: event.whom } } } ] }
              error.communication: ALONE
          ALONE: { waits: for nobody, on: { call: IDLE } }
        """);
    start("caller", "c");
    accepted(Command.Send.of("c", "call", Map.of("whom", "n\u0000body")));
    assertThat(states("c")).containsExactly("ALONE");
    assertThat(journal.messages(0, 10)).isEmpty();
  }

  @Test
  void messages_that_were_not_delivered_are_delivered_after_a_restart() {
    family();
    CompletableFuture<Reply> _ = box.submit(Command.Send.of("p", "marry", null));
    box.step();
    box.commit();
    assertThat(journal.messages(0, 10)).hasSize(1);
    box = open();
    box.rest();
    assertThat(journal.query(Query.ALL.below("p"))).hasSize(1);
    assertThat(journal.messages(0, 10)).isEmpty();
  }

  @Test
  void a_child_whose_machine_is_missing_is_an_error_of_communication() {
    publish(FAMILY.substring(0, FAMILY.indexOf("---")));
    start("parent", "p");
    accepted(Command.Send.of("p", "marry", null));
    assertThat(states("p")).containsExactly("SAD");
  }

  @Test
  void mail_for_a_paused_instance_waits() {
    family();
    accepted(Command.Send.of("p", "marry", null));
    accepted(new Command.Pause("p", Command.Clocks.RUNNING, ANN, null));
    clock.advance(Duration.ofHours(1));
    box.rest();
    assertThat(states("p")).containsExactly("BUSY");
    assertThat(journal.messages(0, 10)).hasSize(1);
    accepted(new Command.Resume("p", ANN, null));
    assertThat(states("p")).containsExactly("HAPPY");
    assertThat(journal.messages(0, 10)).isEmpty();
  }

  @Test
  void an_instance_has_no_role_but_that_of_its_machine() {
    publish(
        """
        machine: safe
        events:
          open: { roles: [keeper] }
          log: { roles: [system, machine:visitor] }
        context: { opened: { type: int, default: 0 }, logged: { type: int, default: 0 } }
        states:
          SHUT:
            waits: for its keeper
            on:
              open: { assign: { opened: ctx.opened + 1 } }
              log: { assign: { logged: ctx.logged + 1 } }
        """);
    publish(
        """
        machine: visitor
        context: { told: { type: int, default: 0 } }
        states:
          THERE:
            waits: for orders
            invoke: { id: mine, machine: safe }
            on:
              own: { do: [ { send: { event: open, to: { child: mine } } } ] }
              other: { do: [ { send: { event: open, to: { instance: "'s'" } } } ] }
              named: { do: [ { send: { event: log, to: { instance: "'s'" } } } ] }
              forged: { do: [ { send: { event: done.state.x, to: { instance: "'s'" } } } ] }
              error.communication: { assign: { told: ctx.told + 1 } }
        """);
    start("safe", "s");
    start("visitor", "v");
    accepted(Command.Send.of("v", "own", null));
    accepted(Command.Send.of("v", "other", null));
    accepted(Command.Send.of("v", "named", null));
    accepted(Command.Send.of("v", "forged", null));

    Instance child = box.instances(Query.ALL.below("v")).getFirst();
    assertThat(child.context()).containsEntry("opened", 0L);
    assertThat(Objects.requireNonNull(box.find("s")).context())
        .containsEntry("opened", 0L)
        .containsEntry("logged", 1L);
    assertThat(Objects.requireNonNull(box.find("v")).context()).containsEntry("told", 3L);
    assertThat(
            journal.history(row("s").number(), Chain.REFUSALS, 1, 5).stream()
                .map(entry -> new String(entry.body(), StandardCharsets.UTF_8)))
        .satisfiesExactly(
            text -> assertThat(text).contains("role-required", "machine:visitor"),
            text -> assertThat(text).contains("reserved-event"));
    assertThat(journal.messages(0, 10)).isEmpty();
  }
}
