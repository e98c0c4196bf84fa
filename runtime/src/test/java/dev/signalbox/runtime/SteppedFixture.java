package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;

/** A runtime on a clock that is moved, and a journal that must hold after every test. */
abstract class SteppedFixture {
  static final Actor ANN = new Actor(Actor.Kind.USER, "ann", List.of("approver"));

  final ManualClock clock = new ManualClock();
  final Journal journal = new MemoryJournal(clock);
  ManualSignalbox box = open();

  /** Another on the same journal, as after a restart. */
  final ManualSignalbox open() {
    return new ManualSignalbox(journal, Settings.DEFAULT, clock, new Random(1));
  }

  @AfterEach
  void the_journal_can_be_verified_and_replayed() {
    assertThat(Audit.verify(journal, _ -> {}).findings()).isEmpty();
  }

  final InstanceRow row(String id) {
    return Objects.requireNonNull(journal.load(id));
  }

  final Instance now(String id) {
    return box.at(id, row(id).sequence());
  }

  /** The states that the newest entry led to. */
  final List<String> states(String id) {
    InstanceRow row = row(id);
    EntryRow newest = journal.history(row.number(), Chain.STEPS, row.sequence(), 1).getFirst();
    return ((Reply.Accepted) Ledger.reply(newest, Ledger.body(newest), id)).receipt().states();
  }

  final void publish(String yaml) {
    box.publish(MachineReader.read(new Source("test.yaml", yaml)));
  }

  final Reply reply(Command command) {
    CompletableFuture<Reply> reply = box.submit(command);
    box.rest();
    return reply.join();
  }

  final Receipt accepted(Command command) {
    Reply reply = reply(command);
    assertThat(reply).isInstanceOf(Reply.Accepted.class);
    return ((Reply.Accepted) reply).receipt();
  }

  final Rejection rejected(Command command) {
    Reply reply = reply(command);
    assertThat(reply).isInstanceOf(Reply.Rejected.class);
    return ((Reply.Rejected) reply).rejection();
  }

  final Receipt start(String machine, String id) {
    return accepted(new Command.Start(machine, id, Map.of(), ANN, null));
  }

  final void send(String id, String event, Map<String, Object> data) {
    accepted(Command.Send.of(id, event, data));
  }
}
