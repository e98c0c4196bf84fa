package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.Journal;
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
import org.junit.jupiter.api.Test;

/** However often another node is faster, what an effect reports is written in the end. */
class LostRacesTest {
  private static final int LOST = 1_100;

  /** A real PostgreSQL on which someone else is always faster with what ends an effect. */
  private static final class Contended extends ForwardingJournal {
    final AtomicInteger races = new AtomicInteger();

    Contended(Journal to) {
      super(to);
    }

    private boolean isLost(Group group) {
      boolean ends = group.changes().stream().anyMatch(change -> !change.ended().isEmpty());
      return ends && races.incrementAndGet() <= LOST;
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

  @Test
  void a_result_that_loses_more_races_than_a_caller_may_is_applied() throws Exception {
    String url = FlushingPostgres.shared().database("races");
    Contended journal = new Contended(PostgresJournal.open(url, null, null));
    try (Signalbox box = Signalbox.open(journal, Settings.DEFAULT, InstantSource.system(), null)) {
      box.publish(
          MachineReader.read(
              new Source(
                  "job.yaml",
                  """
                  machine: job
                  states:
                    WORKING:
                      entry: [ { perform: { effect: work } } ]
                      waits: for the work
                      on: { work.succeeded: DONE, work.failed: FAILED, work.unknown: UNKNOWN }
                    DONE: { final: true }
                    FAILED: { final: true }
                    UNKNOWN: { final: true }
                  """)));
      box.handle("work", _ -> new Outcome.Succeeded(null));
      assertThat(box.submit(new Command.Start("job", "j", Map.of(), Actor.SYSTEM, null)))
          .isInstanceOf(Reply.Accepted.class);
      LongWork.eventually(() -> !box.instance("j").leaf().equals("WORKING"));
      assertThat(box.instance("j").leaf()).isEqualTo("DONE");
      assertThat(journal.races.get()).isEqualTo(LOST + 1);
    }
  }
}
