package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Wherever the store fails while a command is worked out, all of it happens, or nothing. */
class WholeDecisionsTest {
  @TempDir Path folder;

  /** A store of a real file that fails to set numbers aside once. */
  private static final class Failing extends ForwardingJournal {
    final AtomicInteger countdown = new AtomicInteger(Integer.MAX_VALUE);

    Failing(Journal to) {
      super(to);
    }

    @Override
    public long reserve(int count) {
      if (countdown.decrementAndGet() == 0) {
        throw new JournalException("Expected numbers, but the store fails.", null);
      }
      return super.reserve(count);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void a_refused_message_is_refused_once_and_its_sender_told(int failing) throws Exception {
    Failing store = new Failing(SqliteJournal.open(folder.resolve("s.db"), InstantSource.system()));
    try (Signalbox box = Signalbox.open(store, Settings.DEFAULT, InstantSource.system(), null)) {
      box.publish(
          MachineReader.read(
              new Source(
                  "gate.yaml",
                  """
                  machine: gate
                  events:
                    approve: { roles: [approver] }
                  states:
                    SHUT:
                      on:
                        approve: OPEN
                        ask: { do: [ { send: { event: approve, to: { instance: "'b'" } } } ] }
                        error.communication: TOLD
                    OPEN: { final: true }
                    TOLD: { final: true }
                  """)));
      for (String id : new String[] {"a", "b"}) {
        assertThat(box.submit(new Command.Start("gate", id, Map.of(), Actor.SYSTEM, null)))
            .isInstanceOf(Reply.Accepted.class);
      }
      store.countdown.set(failing);
      try {
        assertThat(box.send("a", "ask")).isInstanceOf(Reply.Accepted.class);
      } catch (JournalException e) {
        assertThat(box.send("a", "ask")).isInstanceOf(Reply.Accepted.class);
      }
      LongWork.eventually(() -> box.instance("a").leaf().equals("TOLD"));
      assertThat(box.instance("b").refusals()).isEqualTo(1);
      assertThat(box.instance("b").leaf()).isEqualTo("SHUT");
      assertThat(store.messages(0, 10)).isEmpty();
      assertThat(Audit.verify(store, _ -> {}).findings()).isEmpty();
    }
  }
}
