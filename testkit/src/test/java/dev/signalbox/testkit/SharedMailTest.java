package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.journal.postgres.PostgresJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What waits in a real PostgreSQL for an instance that stands still costs the nodes nothing. */
class SharedMailTest {
  private static final int MESSAGES = 2_000;
  private static final int LOOKS = 3;

  /** Counts what a node reads. */
  private static final class Counting extends ForwardingJournal {
    final AtomicInteger looks = new AtomicInteger();
    final AtomicLong loads = new AtomicLong();
    final AtomicLong messages = new AtomicLong();

    Counting(Journal to) {
      super(to);
    }

    @Override
    public @Nullable InstanceRow load(String id) {
      loads.incrementAndGet();
      return super.load(id);
    }

    @Override
    public @Nullable InstanceRow load(long number) {
      loads.incrementAndGet();
      return super.load(number);
    }

    @Override
    public List<MessageRow> messages(long after, int most) {
      return counted(super.messages(after, most));
    }

    @Override
    public List<MessageRow> deliverable(long after, int most) {
      return counted(super.deliverable(after, most));
    }

    private List<MessageRow> counted(List<MessageRow> page) {
      messages.addAndGet(page.size());
      looks.incrementAndGet();
      return page;
    }

    void reset() {
      looks.set(0);
      loads.set(0);
      messages.set(0);
    }
  }

  private static Signalbox open(Journal journal) {
    return Signalbox.open(journal, Settings.DEFAULT, InstantSource.system(), null);
  }

  private static void accepted(Reply reply) {
    assertThat(reply).isInstanceOf(Reply.Accepted.class);
  }

  @Test
  void what_waits_is_not_read_again_and_its_instance_not_loaded() throws Exception {
    String url = FlushingPostgres.shared().database("mail");
    Counting here = new Counting(PostgresJournal.open(url, null, null));
    Counting there = new Counting(PostgresJournal.open(url, null, null));
    try (Signalbox one = open(here);
        Signalbox two = open(there)) {
      one.publish(
          MachineReader.read(
              new Source(
                  "box.yaml",
                  """
                  machine: box
                  context: { n: { type: int, default: 0 } }
                  states:
                    ON:
                      waits: for mail
                      on:
                        hello: { assign: { n: ctx.n + 1 } }
                        call: { do: [ { send: { event: hello, to: { instance: "'b'" } } } ] }
                  """)));
      for (String id : List.of("a", "b")) {
        accepted(one.submit(new Command.Start("box", id, Map.of(), Actor.SYSTEM, null)));
      }
      accepted(one.submit(new Command.Pause("b", Command.Clocks.STOPPED, Actor.SYSTEM, null)));
      here.reset();
      List<CompletableFuture<Reply>> calls = new ArrayList<>();
      for (int i = 0; i < MESSAGES; i++) {
        calls.add(one.submitAsync(Command.Send.of("a", "call", null)));
      }
      calls.forEach(call -> accepted(call.join()));
      LongWork.eventually(() -> here.looks.get() >= 1 && there.looks.get() >= 2);
      assertThat(here.loads.get()).as("while it came").isLessThan(100);

      here.reset();
      there.reset();
      LongWork.eventually(() -> here.looks.get() >= LOOKS && there.looks.get() >= LOOKS);
      for (Counting node : List.of(here, there)) {
        assertThat(node.loads.get()).as("instances loaded").isLessThan(20);
        assertThat(node.messages.get()).as("messages read").isLessThan(20);
      }
      assertThat(here.messages(0, MESSAGES + 1)).hasSize(MESSAGES);

      // Nothing of it is lost: whoever resumes it, all of it arrives.
      accepted(two.submit(new Command.Resume("b", Actor.SYSTEM, null)));
      LongWork.eventually(
          () -> Long.valueOf(MESSAGES).equals(one.instance("b").context().get("n")));
      assertThat(here.messages(0, 10)).isEmpty();
    }
  }
}
