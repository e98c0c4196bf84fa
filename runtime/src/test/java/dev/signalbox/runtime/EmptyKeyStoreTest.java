package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Correlation keys that are empty, in a file that is closed, opened and verified. */
class EmptyKeyStoreTest {
  private static final String SHOP =
      """
      machine: shop
      states:
        OPEN:
          waits: for customers
          on:
            pay: { emit: { record: paid, data: { id: event.id } } }
            ship: { emit: { record: shipped, data: { id: event.id } } }
      invariants:
        - name: paid-once
          severity: fatal
          at_most: { fact: { record: paid, by: id }, times: 1 }
        - name: paid-first
          severity: fatal
          before: { reaching: { record: shipped, by: id }, must_visit: { record: paid, by: id } }
      """;

  @TempDir Path folder;

  private Signalbox open() {
    return Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"));
  }

  private static Reply send(Signalbox box, String event, String id) {
    return box.submit(Command.Send.of("s", event, Map.of("id", id)));
  }

  private static void taken(Signalbox box, String event, String id) {
    assertThat(send(box, event, id)).as(event + id).isInstanceOf(Reply.Accepted.class);
  }

  private static void refused(Signalbox box, String event, String id) {
    assertThat(send(box, event, id))
        .isInstanceOfSatisfying(
            Reply.Rejected.class,
            reply ->
                assertThat(reply.rejection().code()).isEqualTo(Rejection.Code.INVARIANT_BROKEN));
  }

  @Test
  void an_empty_key_is_a_key_like_any_other_after_every_restart() {
    try (Signalbox box = open()) {
      // The door alone has to hold what the checker would refuse to publish.
      box.machines.publish(MachineReader.read(new Source("shop.yaml", SHOP)), false);
      assertThat(box.submit(new Command.Start("shop", "s", Map.of(), Actor.SYSTEM, null)))
          .isInstanceOf(Reply.Accepted.class);
      taken(box, "pay", "a");
      taken(box, "pay", "");
    }
    try (Signalbox box = open()) {
      refused(box, "pay", "a");
      refused(box, "pay", "");
      refused(box, "ship", "b");
      taken(box, "ship", "");
      refused(box, "ship", "b");
    }
    try (Signalbox box = open()) {
      taken(box, "ship", "a");
      refused(box, "pay", "a");
      List<String> bodies =
          box.history("s", 1, 10).stream()
              .map(EntryRow::body)
              .map(body -> new String(body, StandardCharsets.UTF_8))
              .toList();
      assertThat(bodies).filteredOn(body -> body.contains("\"keys\":\"distinct\"")).hasSize(2);
      assertThat(Audit.verify(box.journal(), _ -> {}).findings()).isEmpty();
      assertThat(box.at("s", 3).context()).isEqualTo(box.instance("s").context());
    }
  }
}
