package dev.signalbox.services.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.runtime.Host;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the journal of a task with eyes of its own: who held it when, and what counted. */
final class TaskJudge {
  private TaskJudge() {}

  /**
   * One holder at a time, under fences that only grow; a report counts while its lease holds; an
   * end is the end.
   *
   * @param accepted reports that were accepted: the sequence number of the entry, and the fence
   *     that it came with
   */
  static void judge(Host host, String task, Map<Long, Long> accepted) throws Json.SyntaxException {
    long fence = 0;
    boolean held = false;
    boolean ended = false;
    for (EntryRow row : host.history(task, 1, 1_000)) {
      Map<?, ?> entry = map(Json.parse(new String(row.body(), StandardCharsets.UTF_8)));
      Map<?, ?> event = map(entry.get("event"));
      Map<?, ?> data = map(event.get("data"));
      Long report = accepted.get(row.sequence());
      if (report != null) {
        assertThat(held).as("%s: a report is accepted while it is held", task).isTrue();
        assertThat(report).as("%s: under the newest fence", task).isEqualTo(fence);
      }
      if ("assigned".equals(event.get("name"))) {
        assertThat(held).as("%s: leased while someone holds it", task).isFalse();
        long given = data.get("fence") instanceof Long number ? number : 0;
        assertThat(given).isGreaterThan(fence);
        fence = given;
      }
      String state = entry.get("states") instanceof List<?> l ? "" + l.getFirst() : "";
      held = state.equals("ASSIGNED") || state.equals("RUNNING");
      assertThat(held && ended).as("%s: taken up after its end", task).isFalse();
      ended |=
          state.equals("COMPLETED")
              || state.equals("PERMANENTLY_FAILED")
              || state.equals("ARCHIVED");
    }
  }

  private static Map<?, ?> map(@Nullable Object value) {
    return value instanceof Map<?, ?> map ? map : Map.of();
  }
}
