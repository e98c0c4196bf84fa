package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Change;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.Turn;
import dev.signalbox.journal.postgres.PostgresJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** However often another node is faster, what has to be written is written in the end. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LostRacesTest {
  private static final int LOST = 1_100;

  private static final String JOB =
      """
      machine: job
      context: { n: { type: int, default: 0 } }
      states:
        WORKING:
          entry: [ { perform: { effect: work } } ]
          waits: for the work
          on:
            hit: { assign: { n: ctx.n + 1 } }
            call: { do: [ { send: { event: hit, to: { instance: "'k'" } } } ] }
            work.succeeded: DONE
            work.failed: FAILED
            work.unknown: UNKNOWN
        DONE: { final: true }
        FAILED: { final: true }
        UNKNOWN: { final: true }
      """;

  /** A real PostgreSQL on which someone else is always faster with some changes. */
  private static final class Contended extends ForwardingJournal {
    final AtomicInteger races = new AtomicInteger();
    private final Predicate<Change> outrun;
    volatile int most = LOST;

    /**
     * @param outrun with what the other is faster
     */
    Contended(String url, Predicate<Change> outrun) {
      super(PostgresJournal.open(url, null, null));
      this.outrun = outrun;
    }

    private boolean isLost(Group group) {
      return group.changes().stream().anyMatch(outrun) && races.incrementAndGet() <= most;
    }

    @Override
    public Appended append(Group group) {
      return isLost(group) ? new Appended(0, group.changes()) : super.append(group);
    }

    @Override
    public Turn turn(long instance) {
      Turn turn = Objects.requireNonNull(super.turn(instance));
      return new Turn() {
        @Override
        public Appended append(Group group) {
          return isLost(group) ? new Appended(0, group.changes()) : turn.append(group);
        }

        @Override
        public void close() {
          turn.close();
        }
      };
    }
  }

  private static Contended contended(String name, Predicate<Change> outrun) throws Exception {
    return new Contended(FlushingPostgres.shared().database(name), outrun);
  }

  private static Signalbox open(Contended journal) {
    Signalbox box = Signalbox.open(journal, Settings.DEFAULT, InstantSource.system(), null);
    box.publish(MachineReader.read(new Source("job.yaml", JOB)));
    return box;
  }

  private static void start(Signalbox box, String id) {
    accepted(box.submit(new Command.Start("job", id, Map.of(), Actor.SYSTEM, null)));
  }

  private static void accepted(Reply reply) {
    assertThat(reply).isInstanceOf(Reply.Accepted.class);
  }

  @Test
  void a_result_that_loses_more_than_a_thousand_races_is_applied() throws Exception {
    Contended journal = contended("races", change -> !change.ended().isEmpty());
    try (Signalbox box = open(journal)) {
      box.handle("work", _ -> new Outcome.Succeeded(null));
      start(box, "j");
      LongWork.eventually(() -> !box.instance("j").leaf().equals("WORKING"));
      assertThat(box.instance("j").leaf()).isEqualTo("DONE");
      assertThat(journal.races.get()).isEqualTo(LOST + 1);
    }
  }

  @Test
  void a_callers_command_that_loses_more_than_a_thousand_races_is_carried_out() throws Exception {
    Contended journal = contended("callers_races", change -> !change.isCreation());
    try (Signalbox box = open(journal)) {
      start(box, "j");
      accepted(box.send("j", "hit"));
      assertThat(box.instance("j").context()).containsEntry("n", 1L);
      assertThat(journal.races.get()).isEqualTo(LOST + 1);
    }
  }

  @Test
  void a_caller_does_not_lose_its_turn_with_a_message_that_another_takes() throws Exception {
    Contended journal = contended("shared_turns", change -> !change.delivered().isEmpty());
    journal.most = Integer.MAX_VALUE;
    try (Signalbox box = open(journal)) {
      start(box, "j");
      start(box, "k");
      accepted(box.send("j", "call"));
      LongWork.eventually(() -> journal.races.get() > 10);
      for (int i = 0; i < 20; i++) {
        accepted(box.send("k", "hit"));
      }
      assertThat(box.instance("k").context()).containsEntry("n", 20L);
      journal.most = 0;
      LongWork.eventually(() -> Long.valueOf(21).equals(box.instance("k").context().get("n")));
    }
  }
}
