package dev.signalbox.systems.runs.file;

import dev.signalbox.definition.Json;
import dev.signalbox.systems.Values;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Checks a {@code RUN_STATE.json}: its form, and whether it agrees with itself. */
final class StateCheck {
  private static final List<String> FIELDS =
      List.of(
          "run_id",
          "project_id",
          "current_state",
          "previous_state",
          "state_history",
          "tools_planned",
          "tools_completed",
          "tools_remaining",
          "current_tool",
          "approvals_pending",
          "approvals_granted",
          "created_at",
          "updated_at");

  private final String name;
  private final List<Fault> faults;

  StateCheck(String name, List<Fault> faults) {
    this.name = name;
    this.faults = faults;
  }

  /** The fields; null when the file is of another form. */
  @Nullable Map<String, @Nullable Object> read(Path file, String run) {
    Map<String, @Nullable Object> fields;
    try {
      fields = Values.map(Json.parse(Files.readString(file)));
    } catch (IOException e) {
      fault("file-missing", "It is not there, or can't be read.");
      return null;
    } catch (Json.SyntaxException e) {
      fault("state-unreadable", "It is no JSON.");
      return null;
    }
    if (!List.copyOf(fields.keySet()).equals(FIELDS)) {
      fault("state-form", "It has other fields than " + FIELDS + ", or in another order.");
      return null;
    }
    if (!run.equals(fields.get("run_id"))) {
      fault("run-mismatch", "It is of another run than its folder.");
    }
    lists(fields);
    history(fields);
    return fields;
  }

  private void lists(Map<String, @Nullable Object> fields) {
    List<String> planned = texts(fields, "tools_planned");
    List<String> completed = texts(fields, "tools_completed");
    List<String> remaining = texts(fields, "tools_remaining");
    texts(fields, "approvals_pending");
    texts(fields, "approvals_granted");
    List<String> both = new ArrayList<>(completed);
    both.addAll(remaining);
    if (!both.equals(planned)) {
      fault(
          "state-contradiction",
          "The tools completed and remaining are not those planned, in their order.");
    }
    Object current = fields.get("current_tool");
    if (current != null && !remaining.contains(String.valueOf(current))) {
      fault("state-contradiction", "The current tool is none of those that remain.");
    }
  }

  private List<String> texts(Map<String, @Nullable Object> fields, String field) {
    Object value = fields.get(field);
    if (value instanceof List<?> list && list.stream().allMatch(String.class::isInstance)) {
      List<String> texts = list.stream().map(String::valueOf).toList();
      if (Set.copyOf(texts).size() < texts.size()) {
        fault("state-contradiction", "'%s' names something twice.".formatted(field));
      }
      return texts;
    }
    fault("state-form", "'%s' is no list of texts.".formatted(field));
    return List.of();
  }

  private void history(Map<String, @Nullable Object> fields) {
    List<?> visits = Values.list(fields.get("state_history"));
    if (visits.isEmpty()) {
      fault("state-form", "'state_history' is empty or no list.");
      return;
    }
    String before = null;
    Instant left = time(fields.get("created_at"), "created_at");
    for (int i = 0; i < visits.size(); i++) {
      Map<String, @Nullable Object> visit = Values.map(visits.get(i));
      if (!List.copyOf(visit.keySet()).equals(List.of("state", "entered_at", "exited_at"))) {
        fault("state-form", "Visit %d of 'state_history' has other fields.".formatted(i + 1));
        return;
      }
      String state = Values.text(visit.get("state"));
      boolean follows = before == null ? state.equals("INIT") : RunStates.isWay(before, state);
      if (!follows) {
        fault(
            "transition-impossible",
            "Visit %d of 'state_history' goes from %s to %s."
                .formatted(i + 1, before == null ? "nothing" : before, state));
      }
      Instant entered = time(visit.get("entered_at"), "entered_at");
      boolean last = i == visits.size() - 1;
      Instant exited = last ? null : time(visit.get("exited_at"), "exited_at");
      if (last != (visit.get("exited_at") == null)
          || (left != null && !left.equals(entered))
          || (entered != null && exited != null && exited.isBefore(entered))) {
        fault("state-contradiction", "The times of visit %d do not fit.".formatted(i + 1));
      }
      left = exited;
      before = state;
    }
    Object previous =
        visits.size() < 2 ? null : Values.map(visits.get(visits.size() - 2)).get("state");
    if (!java.util.Objects.equals(before, fields.get("current_state"))
        || !java.util.Objects.equals(previous, fields.get("previous_state"))) {
      fault(
          "state-contradiction",
          "The current and the previous state are not the last two of 'state_history'.");
    }
    time(fields.get("updated_at"), "updated_at");
  }

  private @Nullable Instant time(@Nullable Object value, String field) {
    try {
      return Instant.parse(Values.text(value));
    } catch (DateTimeException e) {
      fault("state-form", "'%s' is no time.".formatted(field));
      return null;
    }
  }

  private void fault(String code, String message) {
    faults.add(new Fault(code, name, 0, message));
  }
}
