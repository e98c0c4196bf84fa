package dev.signalbox.systems.runs;

import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Approvals;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run as people and programs see it: where it stands, its tools as a timeline with their
 * evidence, the approvals, the checks, the verdicts and what was undone. It is made of the run's
 * history alone, so it is the same wherever and whenever it is asked for.
 */
public final class RunStory {
  private final Instance run;
  private final Map<String, @Nullable Object> context;
  private final Map<String, Map<String, @Nullable Object>> tools = new LinkedHashMap<>();
  private final Map<String, Map<String, @Nullable Object>> checks = new LinkedHashMap<>();
  private final List<Map<String, @Nullable Object>> states = new ArrayList<>();
  private final List<Map<String, @Nullable Object>> rollback = new ArrayList<>();
  private final List<Map<String, @Nullable Object>> verdicts = new ArrayList<>();
  private final List<String> approvals = new ArrayList<>();
  private final List<Map<String, @Nullable Object>> requests = new ArrayList<>();
  private long created;
  private long updated;

  private RunStory(Instance run) {
    this.run = run;
    this.context = run.context();
    Map<String, @Nullable Object> plan = RunEntry.map(context.get("plan"));
    planned(plan, "tools", tools);
    planned(plan, "checks", checks);
  }

  static RunStory of(Host host, Instance run) {
    RunStory story = new RunStory(run);
    RunEntry.of(host, run.id()).forEach(story::add);
    story.ahead();
    Approvals known = Approvals.on(host);
    for (String id : story.approvals) {
      if (host.find(id) != null) {
        story.requests.add(request(known.approval(id)));
      }
    }
    return story;
  }

  /** Those that were begun beside the current tool run too. */
  private void ahead() {
    Map<String, @Nullable Object> current = tools.get(String.valueOf(context.get("current_tool")));
    if (current != null
        && "running".equals(current.get("status"))
        && attempts(current).size() == 1
        && run.leaves().contains("executing_tools")) {
      for (String name :
          Ahead.beside(Form.map(context, "plan"), String.valueOf(current.get("name")))) {
        tools.computeIfPresent(
            name,
            (_, tool) -> {
              tool.put("status", "running");
              return tool;
            });
      }
    }
  }

  /** What was asked and what people said to it. */
  private static Map<String, @Nullable Object> request(Approval approval) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("approval_id", approval.id());
    view.put("action", approval.action().name());
    view.put("decision", approval.action().identity().get("decision"));
    view.put("digest", approval.digest());
    view.put("state", approval.state());
    view.put("outcome", approval.outcome() == null ? null : approval.outcome().word());
    view.put("approvers", approval.approvers());
    view.put("decision_by", approval.decisionBy());
    view.put("reason", approval.reason());
    return view;
  }

  private static void planned(
      Map<String, @Nullable Object> plan,
      String key,
      Map<String, Map<String, @Nullable Object>> into) {
    for (Object each : RunEntry.list(plan.get(key))) {
      Map<String, @Nullable Object> tool = RunEntry.map(each);
      Map<String, @Nullable Object> view = new LinkedHashMap<>();
      for (String field :
          List.of(
              "name", "kind", "access", "risk", "approval", "why", "writes", "spec", "arguments")) {
        view.put(field, tool.get(field));
      }
      if (key.equals("tools")) {
        Object own = tool.get("approvers");
        view.put("approvers", own == null ? plan.get("approvers") : own);
      }
      view.put("status", "planned");
      view.put("attempts", new ArrayList<Map<String, @Nullable Object>>());
      into.put(String.valueOf(tool.get("name")), view);
    }
  }

  private void add(RunEntry entry) {
    if (entry.sequence() == 1) {
      created = entry.at();
    }
    updated = entry.at();
    for (String state : entry.entered()) {
      if (Runs.STATES.contains(state)) {
        enter(state, entry.at());
      }
    }
    ended(entry);
    for (Map<String, @Nullable Object> started : entry.records("run.tool_started")) {
      begin(tools.get(String.valueOf(started.get("tool"))), entry.at());
    }
    for (Map<String, @Nullable Object> asked : entry.effects("runs.check")) {
      begin(checks.get(String.valueOf(asked.get("check"))), entry.at());
    }
    for (Map<String, @Nullable Object> asked : entry.effects("runs.undo")) {
      Map<String, @Nullable Object> step = new LinkedHashMap<>();
      step.put("step", asked.get("step"));
      step.put("status", "running");
      step.put("started_at", time(entry.at()));
      rollback.add(step);
    }
  }

  private void enter(String state, long at) {
    if (!states.isEmpty()) {
      states.getLast().putIfAbsent("exited_at", time(at));
    }
    Map<String, @Nullable Object> entered = new LinkedHashMap<>();
    entered.put("state", state);
    entered.put("entered_at", time(at));
    states.add(entered);
  }

  private static void begin(@Nullable Map<String, @Nullable Object> tool, long at) {
    if (tool != null) {
      tool.put("status", "running");
      Map<String, @Nullable Object> attempt = new LinkedHashMap<>();
      attempt.put("attempt", (long) attempts(tool).size() + 1);
      attempt.put("status", "running");
      attempt.put("started_at", time(at));
      attempts(tool).add(attempt);
    }
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, @Nullable Object>> attempts(Map<String, @Nullable Object> tool) {
    return (List<Map<String, @Nullable Object>>)
        java.util.Objects.requireNonNull(tool.get("attempts"));
  }

  /** What came to an end by the entry's own event. */
  private void ended(RunEntry entry) {
    Map<String, @Nullable Object> data = entry.data();
    String why = String.valueOf(data.get("why"));
    switch (entry.event()) {
      case "tool.succeeded" -> end(tools.get(String.valueOf(data.get("tool"))), data, entry.at());
      case "tool.failed" -> failed(running(tools), "fail", why, entry.at());
      case "tool.unknown" -> failed(running(tools), "unknown", why, entry.at());
      case "check.succeeded" ->
          end(checks.get(String.valueOf(data.get("check"))), data, entry.at());
      case "check.failed" -> failed(running(checks), "fail", why, entry.at());
      case "undo.succeeded", "undo.failed" -> undone(entry, data, why);
      case "audited.succeeded" -> {
        Map<String, @Nullable Object> verdict = new LinkedHashMap<>(data);
        verdict.put("at", time(entry.at()));
        verdicts.add(verdict);
      }
      case "asked.succeeded" -> {
        approvals.add(String.valueOf(data.get("approval_id")));
        if (data.get("accept_id") instanceof String id && !id.isEmpty()) {
          approvals.add(id);
        }
      }
      case "planned.succeeded" -> {
        if (data.get("approval_id") instanceof String id && !id.isEmpty()) {
          approvals.add(id);
        }
      }
      default -> {}
    }
  }

  private void undone(RunEntry entry, Map<String, @Nullable Object> data, String why) {
    if (!rollback.isEmpty()) {
      Map<String, @Nullable Object> step = rollback.getLast();
      boolean done = entry.event().equals("undo.succeeded");
      step.put("status", done ? "done" : "failed");
      step.put("ended_at", time(entry.at()));
      step.put("evidence", RunEntry.list(data.get("evidence")));
      step.put("message", done ? "" : why);
      step.put("model_calls", data.get("model_calls"));
      step.put("tokens", data.get("tokens"));
      Map<String, @Nullable Object> tool = tools.get(String.valueOf(step.get("step")));
      if (tool != null) {
        tool.put("status", done ? "undone" : "not_undone");
      }
    }
  }

  private static @Nullable Map<String, @Nullable Object> running(
      Map<String, Map<String, @Nullable Object>> among) {
    return among.values().stream()
        .filter(tool -> "running".equals(tool.get("status")))
        .findFirst()
        .orElse(null);
  }

  private static void end(
      @Nullable Map<String, @Nullable Object> tool, Map<String, @Nullable Object> data, long at) {
    if (tool == null || attempts(tool).isEmpty()) {
      return;
    }
    tool.put("status", data.get("status"));
    Map<String, @Nullable Object> attempt = attempts(tool).getLast();
    attempt.put("status", data.get("status"));
    Map<String, @Nullable Object> ran = RunEntry.map(RunEntry.map(data.get("result")).get("ran"));
    if (ran.get("began") instanceof Long began && ran.get("ended") instanceof Long ended) {
      attempt.put("started_at", time(began));
      attempt.put("ended_at", time(ended));
    } else {
      attempt.put("ended_at", time(at));
    }
    attempt.put("evidence", RunEntry.list(data.get("evidence")));
    attempt.put("message", data.get("reason"));
    attempt.put("result", data.get("result"));
    attempt.put("model_calls", data.get("model_calls"));
    attempt.put("tokens", data.get("tokens"));
    attempt.put("files", data.get("files"));
  }

  private static void failed(
      @Nullable Map<String, @Nullable Object> tool, String status, String why, long at) {
    if (tool != null && !attempts(tool).isEmpty()) {
      tool.put("status", status);
      Map<String, @Nullable Object> attempt = attempts(tool).getLast();
      attempt.put("status", status);
      attempt.put("ended_at", time(at));
      attempt.put("message", why);
    }
  }

  private static String time(long millis) {
    return Instant.ofEpochMilli(millis).toString();
  }

  /** The run in short, as a list of runs shows it. */
  public static Map<String, @Nullable Object> summary(Instance run) {
    Map<String, @Nullable Object> context = run.context();
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("run_id", run.id());
    view.put("project_id", context.get("project_id"));
    view.put("environment", context.get("environment"));
    view.put("state", Runs.state(run));
    view.put("substate", run.leaves().isEmpty() ? "" : run.leaves().getFirst());
    view.put("status", run.status());
    view.put("final_status", context.get("final_status"));
    view.put("failure", context.get("failure"));
    view.put("current_tool", context.get("current_tool"));
    view.put("tools_planned", RunEntry.list(context.get("tools_planned")));
    view.put("tools_completed", RunEntry.list(context.get("tools_completed")));
    view.put("tools_remaining", RunEntry.list(context.get("tools_remaining")));
    view.put("approvals_pending", RunEntry.list(context.get("approvals_pending")));
    view.put("approvals_granted", RunEntry.list(context.get("approvals_granted")));
    view.put("since", time(run.since()));
    view.put("sequence", run.sequence());
    view.put("number", run.number());
    return view;
  }

  /** Everything, as JSON values. */
  public Map<String, @Nullable Object> asMap() {
    Map<String, @Nullable Object> view = summary(run);
    view.put("created_at", time(created));
    view.put("updated_at", time(updated));
    view.put("requested_by", context.get("requested_by"));
    view.put("plan_digest", context.get("plan_digest"));
    view.put("plan_approved_by", context.get("plan_approved_by"));
    view.put("plan", context.get("plan"));
    view.put("tree_before", context.get("tree_before"));
    view.put("asked_because", context.get("asked_because"));
    view.put("state_history", states);
    view.put("tools", List.copyOf(tools.values()));
    view.put("checks", List.copyOf(checks.values()));
    view.put("verdicts", verdicts);
    view.put("approvals", approvals);
    view.put("requests", requests);
    view.put("rollback", rollback);
    view.put("undo_remaining", RunEntry.list(context.get("undo_remaining")));
    view.put("limits", context.get("limits"));
    Map<String, @Nullable Object> usage = new LinkedHashMap<>();
    for (String each : List.of("model_calls", "tokens", "files")) {
      usage.put(each, context.get(each));
    }
    view.put("usage", usage);
    view.put(
        "deadlines",
        run.deadlines().stream()
            .filter(d -> d.due() < updated + 90L * 24 * 3_600_000)
            .map(d -> Map.of("state", String.valueOf(d.state()), "due", time(d.due())))
            .toList());
    return view;
  }
}
