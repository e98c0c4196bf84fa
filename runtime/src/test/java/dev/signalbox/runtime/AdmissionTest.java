package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the door lets in, on a store that is a file. */
class AdmissionTest {
  private static final Actor EVE = new Actor(Actor.Kind.AGENT, "eve", List.of());
  private static final Actor ANN = new Actor(Actor.Kind.USER, "ann", List.of("approver"));
  private static final String MACHINES =
      """
      machine: gate
      context:
        n: { type: int, default: 0 }
      events:
        approve: { roles: [approver], data: { n: int } }
        note: { data: { n: int } }
      states:
        SHUT:
          waits: for someone
          on:
            approve: { to: OPEN, assign: { n: event.n } }
            note: { assign: { n: event.n } }
        OPEN: { final: true }
      ---
      machine: scxml-gate
      mode: scxml
      events:
        approve: { roles: [approver], data: { n: int } }
      states:
        SHUT:
          waits: for someone
          on: { approve: OPEN }
        OPEN: { final: true }
      ---
      machine: pattern-gate
      events:
        approve: { roles: [approver] }
      states:
        SHUT:
          waits: for someone
          on:
            "*": OPEN
        OPEN: { final: true }
      ---
      machine: teller
      context:
        event: string
        data: any
        to: string
      states:
        READY:
          waits: for someone
          on:
            tell:
              do: [ { send: { event: { expr: ctx.event }, to: { instance: ctx.to }, data: { content: ctx.data } } } ]
            error.communication: BOUNCED
        BOUNCED: { final: true }
      ---
      machine: forwarder
      states:
        READY:
          waits: for someone
          invoke: { machine: gate, id: kid, autoforward: true }
          on:
            "*": { do: [ { log: "'heard'" } ] }
      ---
      machine: payer
      states:
        START:
          waits: for someone
          on: { begin: PAYING }
        PAYING:
          waits: for the end of the effect
          entry: [ { perform: { effect: charge, reply: pay } } ]
          on:
            pay.*: PAID
        PAID: { final: true }
      """;

  @TempDir Path folder;
  private Signalbox box;

  @BeforeEach
  void open() {
    box = Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"));
    MachineReader.readAll(new Source("test.yaml", MACHINES), null)
        .forEach(d -> {
          assertThat(d.problems()).isEmpty();
          box.publish(Objects.requireNonNull(d.machine()));
        });
  }

  @AfterEach
  void close() {
    box.close();
  }

  private void start(String machine, String id, Map<String, Object> input) {
    assertThat(box.submit(new Command.Start(machine, id, input, EVE, null)))
        .isInstanceOf(Reply.Accepted.class);
  }

  private Reply send(String id, String event, @Nullable Object data, Actor actor) {
    return box.submit(new Command.Send(id, event, data, actor, null, null));
  }

  private static Rejection.Code code(Reply reply) {
    assertThat(reply).isInstanceOf(Reply.Rejected.class);
    return ((Reply.Rejected) reply).rejection().code();
  }

  @ParameterizedTest
  @CsvSource({"approve.x", "approve.", "approve..x", "approve.x.y", ".approve", "approve.*"})
  void a_suffix_does_not_pass_the_roles(String event) {
    for (String machine : List.of("gate", "scxml-gate", "pattern-gate")) {
      start(machine, machine, Map.of());
      Reply reply = send(machine, event, Map.of("n", 1L), EVE);
      if (!(machine.equals("scxml-gate") && event.equals(".approve"))) {
        assertThat(reply).as("%s to %s", event, machine).isInstanceOf(Reply.Rejected.class);
      }
      assertThat(box.instance(machine).states()).containsExactly("SHUT");
    }
  }

  @Test
  void a_suffix_does_not_pass_the_form_of_the_data() {
    start("scxml-gate", "s", Map.of());
    assertThat(code(send("s", "approve.x", Map.of("n", "one"), ANN)))
        .isEqualTo(Rejection.Code.DATA_MISMATCH);
    assertThat(send("s", "approve.x", Map.of("n", 1L), ANN)).isInstanceOf(Reply.Accepted.class);
    start("gate", "g", Map.of());
    assertThat(code(send("g", "approve.x", Map.of("n", 1L), ANN)))
        .isEqualTo(Rejection.Code.NO_TRANSITION);
    assertThat(send("g", "approve", Map.of("n", 1L), ANN)).isInstanceOf(Reply.Accepted.class);
  }

  @ParameterizedTest
  @CsvSource({"pay.succeeded.x", "pay.x", "pay", "pay.succeeded"})
  void nobody_says_that_an_effect_has_ended(String event) {
    start("payer", "p", Map.of());
    assertThat(send("p", "begin", null, EVE)).isInstanceOf(Reply.Accepted.class);
    assertThat(code(send("p", event, null, ANN))).isEqualTo(Rejection.Code.RESERVED_EVENT);
    assertThat(box.instance("p").states()).containsExactly("PAYING");
  }

  @Test
  void nobody_gives_up_an_effect_that_is_none_to_send_an_event() {
    start("scxml-gate", "s", Map.of());
    Actor sweeper = new Actor(Actor.Kind.SYSTEM, "sweep", List.of(Corrections.ROLE));
    assertThat(box.submit(new Command.GiveUp("s", "approve", "lost", sweeper, null)))
        .isInstanceOf(Reply.Rejected.class);
    assertThat(box.instance("s").states()).containsExactly("SHUT");
  }

  @ParameterizedTest
  @CsvSource({"approve", "approve.x", "note.x", "done.x", "error.x"})
  void another_instance_passes_no_more_than_others(String event) throws Exception {
    start("gate", "g", Map.of());
    start("teller", "t", Map.of("event", event, "data", Map.of("n", 1L), "to", "g"));
    settle(() -> send("t", "tell", null, EVE));
    assertThat(box.instance("g").states()).containsExactly("SHUT");
    assertThat(box.instance("g").context()).containsEntry("n", 0L);
  }

  @Test
  void the_data_of_another_instance_has_the_declared_form_too() throws Exception {
    start("gate", "g", Map.of());
    start("teller", "t", Map.of("event", "note", "data", Map.of("n", "one"), "to", "g"));
    settle(() -> send("t", "tell", null, EVE));
    assertThat(box.instance("g").context()).containsEntry("n", 0L);
    assertThat(box.instance("t").states()).containsExactly("BOUNCED");
    start("teller", "u", Map.of("event", "note", "data", Map.of("n", 1L), "to", "g"));
    settle(() -> send("u", "tell", null, EVE));
    assertThat(box.instance("g").context()).containsEntry("n", 1L);
  }

  @Test
  void what_a_parent_passes_on_passes_no_role_of_the_child() throws Exception {
    settle(() -> start("forwarder", "f", Map.of()));
    settle(() -> send("f", "approve", Map.of("n", 1L), EVE));
    settle(() -> send("f", "approve.x", Map.of("n", 1L), EVE));
    assertThat(box.instance("f/kid~1").states()).containsExactly("SHUT");
    settle(() -> send("f", "approve", Map.of("n", 1L), ANN));
    assertThat(box.instance("f/kid~1").states()).containsExactly("OPEN");
  }

  /** Does something and waits until no message is on its way any more. */
  private void settle(Runnable act) throws InterruptedException {
    act.run();
    CountDownLatch never = new CountDownLatch(1);
    for (int i = 0; i < 1_000 && !box.journal().messages(0, 1).isEmpty(); i++) {
      assertThat(never.await(10, TimeUnit.MILLISECONDS)).isFalse();
    }
    assertThat(box.journal().messages(0, 1)).isEmpty();
  }
}
