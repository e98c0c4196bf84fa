package dev.signalbox.cli;

import com.microsoft.playwright.Page;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.budget.Account;
import dev.signalbox.services.budget.Budgets;
import dev.signalbox.services.budget.Grant;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Lives to look at: what a working day leaves on the page. */
final class Scenes {
  /** Every page, with something on it. */
  static final List<String> PAGES =
      List.of(
          "",
          "instances",
          "instances/run-7",
          "approvals",
          "machines",
          "machines/runs.run",
          "machines/task?tab=checks",
          "machines/gate?tab=difference",
          "machines/gate?tab=play",
          "machines/publish",
          "work/tasks",
          "work/workers",
          "work/locks",
          "work/budgets",
          "metrics",
          "notifications",
          "audit");

  private static final Actor ENGINE =
      new Actor(
          Actor.Kind.SYSTEM, "engine", List.of("system", "planner", "queue", "worker", "auditor"));

  private static final Actor AGENT = new Actor(Actor.Kind.AGENT, "agent-7", List.of("agent"));

  private Scenes() {}

  /** Goes to a page and waits until it has begun to show it. */
  static void go(Page page, String path) {
    page.evaluate(
        """
        async hash => {
          location.hash = hash;
          await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
        }
        """,
        "#/" + path);
  }

  /** Something for every page; a second time changes nothing. */
  static void fill(Signalbox box) {
    runs(box);
    work(box);
    for (int i = 1; i <= 3; i++) {
      start(box, "research.hypothesis", "hypothesis-" + i, Map.of());
      start(box, "coordinator.plan", "plan-" + i, Map.of());
    }
    budget(box);
    telling(box);
    start(box, "conversations.session", "conversation-1", Map.of());
    for (String id : List.of("agent-3", "agent-7")) {
      if (start(box, "agents.agent", id, Map.of())) {
        send(box, id, "init_complete", null);
      }
    }
    approval(
        box,
        "approval-1",
        Map.of(
            "action", "shell.run",
            "subject", "run-7",
            "arguments",
                Map.of(
                    "command", "terraform apply -auto-approve",
                    "directory", "infra/production",
                    "timeout_s", 600),
            "risk", "critical",
            "quorum", 2,
            "requester", "agent-7",
            "chain", List.of("ada", "coordinator", "agent-3")));
    approval(
        box,
        "approval-2",
        Map.of(
            "action", "mail.send",
            "subject", "conversation-1",
            "arguments",
                Map.of("to", List.of("all@example.org"), "subject", "Maintenance on Sunday"),
            "risk", "medium",
            "requester", "agent-3",
            "chain", List.of("grace"),
            "expires_in_ms", 2_700_000));
  }

  /** Something like a run, which nobody does the work of. */
  private static final String RELEASE =
      """
      machine: release
      description: A release, step by step, stopped for a person where it is risky.
      context:
        project_id: { type: string, default: "", searchable: true }
        environment: { type: string, values: [dev, staging, prod], default: dev }
        tools_planned: { type: list, items: string, default: [] }
        tools_completed: { type: list, items: string, default: [] }
        tools_remaining: { type: list, items: string, default: [] }
        current_tool: { type: string, default: "" }
        approvals_pending: { type: list, items: string, default: [] }
        undo_remaining: { type: list, items: string, default: [] }
        model_calls: { type: int, default: 0 }
        tokens: { type: int, default: 0 }
        failure: { type: string, default: "" }
      events:
        plan_ready: { data: { tools: { type: list, items: string } } }
        tool_started: { data: { tool: string } }
        tool_passed: { data: { tool: string, undo: string } }
        usage_recorded: { data: { model_calls: int, tokens: int } }
        high_risk_action: { data: { approval_id: string } }
        rejected: { data: { reason: string }, roles: [system] }
      states:
        INIT:
          waits: for somebody who plans
          on: { plan: PLANNING }
        PLANNING:
          after: { 5m: HALTED }
          on:
            plan_ready:
              to: EXECUTING
              when: size(event.tools) > 0
              assign: { tools_planned: event.tools, tools_remaining: event.tools }
        EXECUTING:
          after: { 30m: HALTED }
          on:
            tool_started: { when: event.tool in ctx.tools_remaining, assign: { current_tool: event.tool } }
            tool_passed:
              when: event.tool == ctx.current_tool
              assign:
                tools_completed: ctx.tools_completed + [event.tool]
                tools_remaining: "ctx.tools_remaining.filter(t, t != event.tool)"
                undo_remaining: "[event.undo] + ctx.undo_remaining"
            usage_recorded: { assign: { model_calls: ctx.model_calls + event.model_calls, tokens: ctx.tokens + event.tokens } }
            high_risk_action: { to: AWAITING_APPROVAL, assign: { approvals_pending: "[event.approval_id]" } }
            tool_failed: REVERTING
            all_tools_passed: { to: COMPLETE, when: size(ctx.tools_remaining) == 0 }
        AWAITING_APPROVAL:
          after: { 24h: HALTED }
          on:
            approved: EXECUTING
            rejected: { to: REVERTING, assign: { failure: event.reason } }
        REVERTING:
          after: { 10m: HALTED }
          on: { undone: ROLLED_BACK }
        COMPLETE: { final: true }
        ROLLED_BACK: { final: true }
        HALTED: { final: true }
      """;

  private static void runs(Signalbox box) {
    box.publish(MachineReader.read(new Source("release.yaml", RELEASE)));
    Map<String, Object> project = Map.of("project_id", "website", "environment", "prod");
    for (int i = 1; i <= 8; i++) {
      String id = "run-" + i;
      if (!start(box, "release", id, project)) {
        return;
      }
      if (i > 1) {
        send(box, id, "plan", null);
      }
      if (i > 2) {
        send(box, id, "plan_ready", Map.of("tools", List.of("lint", "migrate", "deploy")));
      }
      if (i > 4) {
        send(box, id, "tool_started", Map.of("tool", "lint"));
        send(box, id, "tool_passed", Map.of("tool", "lint", "undo", "git restore ."));
      }
      if (i > 6) {
        refused(box, id, "all_tools_passed");
        send(box, id, "tool_started", Map.of("tool", "migrate"));
        send(box, id, "usage_recorded", Map.of("model_calls", 4, "tokens", 9_120));
        send(box, id, "high_risk_action", Map.of("approval_id", "approval-1"));
      }
      if (i == 8) {
        send(box, id, "rejected", Map.of("reason", "not today"));
      }
    }
    box.submit(new Command.Pause("run-5", Command.Clocks.STOPPED, ENGINE, "pause"));
  }

  private static void work(Signalbox box) {
    List<String> kinds = List.of("review", "rank", "evolve");
    for (int i = 1; i <= 9; i++) {
      String id = "task-" + i;
      String priority = i % 4 == 0 ? "high" : "normal";
      Map<String, Object> input =
          Map.of("kind", kinds.get(i % 3), "priority", priority, "owner", "session-1");
      if (!start(box, "task", id, input)) {
        return;
      }
      if (i > 3) {
        send(box, id, "assigned", Map.of("worker", "worker-" + (i % 2 + 1), "fence", i));
        send(box, id, "started", Map.of("fence", i));
      }
      if (i > 6) {
        send(
            box,
            id,
            "failed",
            Map.of(
                "fence", i,
                "cause", i == 9 ? "invalid_input" : "temporary_error",
                "error", i == 9 ? "the hypothesis is empty" : "the model was busy"));
      }
    }
    for (int i = 1; i <= 3; i++) {
      String id = "worker-" + i;
      start(box, "worker", id, Map.of("name", id, "pool", "research"));
      if (i < 3) {
        send(box, id, "ready", null);
        send(box, id, "task_taken", Map.of("tasks", List.of("task-" + (i + 3))));
      }
    }
    for (String resource : List.of("repository:website", "index:papers")) {
      String id = "lock:" + resource;
      start(box, "lock", id, Map.of("resource", resource));
      send(box, id, "lock", Map.of("holder", "run-7"));
      send(box, id, "enqueue", Map.of("holder", "run-6"));
    }
  }

  /** A session's agents share what it may use; one of them has nearly used its own up. */
  private static void budget(Signalbox box) {
    Budgets budgets = Budgets.on(box);
    String id =
        budgets.open(
            "session-1",
            "scene",
            80,
            95,
            Account.of("session", Map.of("tokens", 500_000L, "calls", 200L)),
            Account.of("session/planner", Map.of("tokens", 40_000L)));
    if (budgets.line(id, "session", "tokens").used() == 0
        && budgets.reserve(
                id, "session/planner", Map.of("tokens", 37_000L, "calls", 9L), Duration.ofHours(1))
            instanceof Grant.Reserved held) {
      budgets.settle(held, Map.of("tokens", 36_420L, "calls", 9L));
      budgets.reserve(id, "session", Map.of("tokens", 12_000L), Duration.ofHours(1));
    }
  }

  /** A webhook, and something that its receiver never took. */
  private static void telling(Signalbox box) {
    if (!start(
        box,
        "subscription",
        "subscription-night-shift",
        Map.of(
            "name", "night-shift",
            "channel", "webhook",
            "audiences", List.of("user"),
            "rules", List.of("called-at-night"),
            "url", "https://127.0.0.1/hooks/night-shift",
            "secret", "night-key"))) {
      return;
    }
    start(
        box,
        "delivery",
        "delivery-1",
        Map.of(
            "subscription", "night-shift",
            "notification", "alert-tasks-given-up.2.firing",
            "body", "{}",
            "most_attempts", 0,
            "reason", "the receiver answered 503"));
  }

  /** A task that failed for good. */
  static void failedTask(Signalbox box, String id) {
    start(box, "task", id, Map.of("kind", "review", "priority", "normal", "owner", "session-1"));
    send(box, id, "assigned", Map.of("worker", "worker-2", "fence", 1));
    send(box, id, "started", Map.of("fence", 1));
    send(
        box,
        id,
        "failed",
        Map.of("fence", 1, "cause", "invalid_input", "error", "there is nothing to review"));
  }

  /** Asks people; gives the approval's id. */
  static String askForApproval(
      Signalbox box, String action, Map<String, Object> arguments, String requester) {
    String id = "approval-" + action;
    approval(
        box,
        id,
        Map.of(
            "action", action,
            "arguments", arguments,
            "requester", requester,
            "chain", List.of("ada", "coordinator")));
    return id;
  }

  private static void approval(Signalbox box, String id, Map<String, Object> fields) {
    Map<String, Object> input = new java.util.LinkedHashMap<>(fields);
    input.put("digest", Integer.toHexString(fields.toString().hashCode()).repeat(8));
    input.putIfAbsent("subject", "run-7");
    start(box, "approval", id, input);
  }

  private static boolean start(
      Signalbox box, String machine, String id, Map<String, Object> input) {
    if (box.find(id) != null) {
      return false;
    }
    expect(box.submitForCaller(machine, new Command.Start(machine, id, input, AGENT, null)).join());
    return true;
  }

  private static void send(
      Signalbox box, String id, String event, @Nullable Map<String, Object> data) {
    expect(
        box.submitForCaller(
                box.instance(id).machine(), new Command.Send(id, event, data, ENGINE, null, null))
            .join());
  }

  private static void refused(Signalbox box, String id, String event) {
    Reply reply =
        box.submitForCaller(
                box.instance(id).machine(), new Command.Send(id, event, null, ENGINE, null, null))
            .join();
    if (reply instanceof Reply.Accepted) {
      throw new AssertionError("Expected '%s' to be refused.".formatted(event));
    }
  }

  private static void expect(Reply reply) {
    switch (reply) {
      case Reply.Accepted(Receipt _) -> {}
      case Reply.Rejected(var rejection) -> throw new AssertionError(rejection.message());
    }
  }
}
