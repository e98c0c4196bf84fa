package dev.signalbox.services.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.runtime.Host;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the journal of a lock with a plain queue of its own. */
final class LockJudge {
  private LockJudge() {}

  /** One holder at a time, the first in the queue first, under tokens that grow by one. */
  static void judge(Host host, String name) throws Json.SyntaxException {
    List<String> queue = new ArrayList<>();
    String holder = "";
    long token = 0;
    for (EntryRow row : host.history(Locks.id(name), 1, 100_000)) {
      Map<?, ?> entry = map(Json.parse(new String(row.body(), StandardCharsets.UTF_8)));
      Map<?, ?> event = map(entry.get("event"));
      Map<?, ?> data = map(event.get("data"));
      String who = String.valueOf(data.get("holder"));
      if (String.valueOf(entry.get("kind")).equals("timer")) {
        if (holder.isEmpty()) {
          // A reservation is over; nobody may have been there to take it.
          if (!queue.isEmpty()) {
            queue.removeFirst();
          }
        } else {
          holder = "";
        }
        continue;
      }
      switch (String.valueOf(event.get("name"))) {
        case "enqueue" -> {
          assertThat(queue).doesNotContain(who);
          assertThat(holder).isNotEqualTo(who);
          queue.add(who);
        }
        case "leave" -> queue.remove(who);
        case "lock" -> {
          assertThat(holder).as("nobody has it").isEmpty();
          if (!queue.isEmpty()) {
            assertThat(who).as("the first in the queue").isEqualTo(queue.removeFirst());
          }
          holder = who;
          token++;
          assertThat(map(entry.get("changes")).get("token")).isEqualTo(token);
        }
        case "release" -> {
          assertThat(data.get("token")).isEqualTo(token);
          holder = "";
        }
        default -> {}
      }
    }
  }

  private static Map<?, ?> map(@Nullable Object value) {
    return value instanceof Map<?, ?> map ? map : Map.of();
  }
}
