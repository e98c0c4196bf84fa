package dev.signalbox.testkit;

import static dev.signalbox.testkit.LongWork.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** Two nodes of a real PostgreSQL are one door: either takes any command, and both say the same. */
@SuppressWarnings("NullAway.Init")
class SharedDoorTest {
  private static final List<Machine> MACHINES =
      MachineReader.readAll(
              new Source(
                  "tree.yaml",
                  """
                  machine: tree
                  context: { left: { type: int, default: 0 } }
                  events:
                    call: { data: { whom: string } }
                  states:
                    BARE:
                      on:
                        grow: GROWING
                        shake: { assign: { left: ctx.left + 1 }, when: ctx.left < 1 }
                        call: { do: [ { send: { event: hello, to: { instance: event.whom } } } ] }
                        error.communication: ALONE
                    GROWING:
                      waits: for the branch
                      invoke: { machine: branch, id: branch }
                      on: { done.invoke.branch: BARE, error.communication: ALONE }
                    ALONE: { waits: for nobody, on: { grow: GROWING } }
                  ---
                  machine: branch
                  states:
                    GROWING:
                      waits: for the leaf
                      invoke: { machine: leaf, id: leaf }
                      on: { done.invoke.leaf: OLD, error.communication: OLD }
                    OLD: { final: true }
                  ---
                  machine: leaf
                  states:
                    GREEN: { waits: for autumn, on: { fall: FALLEN } }
                    FALLEN: { final: true }
                  """),
              null)
          .stream()
          .map(Definition::machine)
          .map(Objects::requireNonNull)
          .toList();

  private Signalbox one;
  private Signalbox two;

  @BeforeEach
  void two_nodes_are_up(TestInfo test) throws Exception {
    String name = "door_" + Integer.toHexString(test.getDisplayName().hashCode());
    String url = FlushingPostgres.shared().database(name);
    one = Signalbox.open(url, Settings.DEFAULT, InstantSource.system());
    two = Signalbox.open(url, Settings.DEFAULT, InstantSource.system());
    MACHINES.forEach(one::publish);
    MACHINES.forEach(two::publish);
  }

  @AfterEach
  void the_journal_can_be_verified_and_replayed() {
    assertThat(Audit.verify(one.journal(), _ -> {}).findings()).isEmpty();
    one.close();
    two.close();
  }

  private static Reply start(Signalbox box, String id) {
    return box.submit(new Command.Start("tree", id, Map.of(), Actor.SYSTEM, null));
  }

  private static Receipt accepted(Reply reply) {
    assertThat(reply).isInstanceOf(Reply.Accepted.class);
    return ((Reply.Accepted) reply).receipt();
  }

  private static Rejection.Code rejected(Reply reply) {
    assertThat(reply).isInstanceOf(Reply.Rejected.class);
    return ((Reply.Rejected) reply).rejection().code();
  }

  @Test
  void the_same_key_gets_the_same_answer_on_either_node() {
    accepted(start(one, "t"));
    Command.Send shake = Command.Send.of("t", "shake", null).key("first");
    Command.Send again = Command.Send.of("t", "shake", null).key("second");
    Receipt receipt = accepted(one.submit(shake));
    assertThat(accepted(two.submit(shake))).isEqualTo(receipt);
    assertThat(rejected(two.submit(again))).isEqualTo(Rejection.Code.GUARD_REFUSED);
    assertThat(rejected(one.submit(again))).isEqualTo(Rejection.Code.GUARD_REFUSED);
    InstanceRow row = Objects.requireNonNull(one.journal().load("t"));
    assertThat(row.sequence()).isEqualTo(2);
    assertThat(row.refusals()).isEqualTo(1);
  }

  @Test
  void who_expects_what_the_other_node_has_changed_is_refused() {
    accepted(start(one, "t"));
    Receipt seen = accepted(one.submit(Command.Send.of("t", "shake", null)));
    accepted(two.submit(Command.Send.of("t", "grow", null).expecting(seen.sequence())));
    assertThat(rejected(one.submit(Command.Send.of("t", "grow", null).expecting(seen.sequence()))))
        .isEqualTo(Rejection.Code.STALE_SEQUENCE);
  }

  @Test
  void a_cancellation_on_one_node_ends_a_tree_that_the_other_grew() throws Exception {
    accepted(start(one, "t"));
    accepted(one.submit(Command.Send.of("t", "grow", null)));
    eventually(() -> one.instances(Query.ALL.ofMachine("leaf")).size() == 1);
    accepted(two.submit(new Command.Cancel("t", Actor.SYSTEM, null)));
    eventually(() -> two.instances(Query.ALL).stream().allMatch(i -> i.status().equals("ended")));
    assertThat(one.instances(Query.ALL)).hasSize(3);
  }

  @Test
  void a_message_to_what_can_be_no_id_spoils_nobody_s_commit() throws Exception {
    accepted(start(one, "lost"));
    List<CompletableFuture<Reply>> others = new ArrayList<>();
    others.add(one.submitAsync(Command.Send.of("lost", "call", Map.of("whom", "n\u0000body"))));
    for (int i = 0; i < 50; i++) {
      Command start = new Command.Start("tree", "t-" + i, Map.of(), Actor.SYSTEM, null);
      others.add(one.submitAsync(start));
    }
    others.forEach(reply -> accepted(reply.join()));
    eventually(() -> one.instance("lost").leaves().contains("ALONE"));
    assertThat(rejected(start(one, "t\u0000"))).isEqualTo(Rejection.Code.BAD_DATA);
    assertThat(two.find("t\u0000")).isNull();
    assertThat(two.instances(Query.ALL)).hasSize(51);
  }
}
