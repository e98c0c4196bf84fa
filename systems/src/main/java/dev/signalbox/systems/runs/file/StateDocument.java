package dev.signalbox.systems.runs.file;

import dev.signalbox.definition.Json;
import dev.signalbox.systems.Values;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What {@code RUN_STATE.json} says, made of the run's entries one after the other. */
final class StateDocument {
  private static final List<String> LISTS =
      List.of(
          "tools_planned",
          "tools_completed",
          "tools_remaining",
          "approvals_pending",
          "approvals_granted");

  private final String run;
  private final Map<String, @Nullable Object> context = new LinkedHashMap<>();
  private final List<Map<String, @Nullable Object>> history = new ArrayList<>();
  private String created = "";
  private String updated = "";

  StateDocument(String run) {
    this.run = run;
  }

  /** Takes in the next entry of the run. */
  void apply(Map<String, @Nullable Object> entry) {
    String at = time(entry);
    if (created.isEmpty()) {
      created = at;
    }
    updated = at;
    context.putAll(Values.map(entry.get("changes")));
    Values.list(entry.get("cleared")).forEach(field -> context.remove(String.valueOf(field)));
    for (String state : entered(entry)) {
      if (!history.isEmpty()) {
        history.getLast().put("exited_at", at);
      }
      Map<String, @Nullable Object> visit = new LinkedHashMap<>();
      visit.put("state", state);
      visit.put("entered_at", at);
      visit.put("exited_at", null);
      history.add(visit);
    }
  }

  /** The state of the run; empty before its first entry. */
  String state() {
    return history.isEmpty() ? "" : String.valueOf(history.getLast().get("state"));
  }

  /** The ids of approvals that somebody is to decide now. */
  List<String> waiting() {
    List<String> ids = new ArrayList<>(texts("approvals_pending"));
    String plan = String.valueOf(context.getOrDefault("plan_approval", ""));
    if (state().equals("PLANNING") && !plan.isEmpty()) {
      ids.add(plan);
    }
    return ids;
  }

  /** The fields in the order of the seed, which is the order of the file. */
  Map<String, @Nullable Object> fields() {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("run_id", run);
    fields.put("project_id", String.valueOf(context.getOrDefault("project_id", "")));
    fields.put("current_state", state());
    fields.put(
        "previous_state", history.size() < 2 ? null : history.get(history.size() - 2).get("state"));
    fields.put("state_history", history);
    LISTS.subList(0, 3).forEach(name -> fields.put(name, texts(name)));
    Object tool = context.get("current_tool");
    fields.put("current_tool", tool instanceof String name && !name.isEmpty() ? name : null);
    LISTS.subList(3, 5).forEach(name -> fields.put(name, texts(name)));
    fields.put("created_at", created);
    fields.put("updated_at", updated);
    return fields;
  }

  byte[] bytes() {
    return (Json.pretty(fields()) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /** The states of a run that the entry entered, in order; what is inside them is left out. */
  static List<String> entered(Map<String, @Nullable Object> entry) {
    List<String> states = new ArrayList<>();
    for (Object step : Values.list(entry.get("microsteps"))) {
      for (Object state : Values.list(Values.map(step).get("entered"))) {
        if (RunStates.ALL.contains(String.valueOf(state))) {
          states.add(String.valueOf(state));
        }
      }
    }
    return states;
  }

  static String time(Map<String, @Nullable Object> entry) {
    return Instant.ofEpochMilli(entry.get("at") instanceof Long at ? at : 0).toString();
  }

  private List<String> texts(String field) {
    return Values.list(context.get(field)).stream().map(String::valueOf).toList();
  }
}
