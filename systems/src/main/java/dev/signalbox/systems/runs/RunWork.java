package dev.signalbox.systems.runs;

import dev.signalbox.journal.EntryRow;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.runtime.EffectHandler;
import dev.signalbox.runtime.EffectHandler.Call;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.services.approval.Claim;
import dev.signalbox.services.approval.Risk;
import dev.signalbox.services.workspace.WorkspaceException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What is done for runs before their first tool: taking them up, judging their plans, asking. */
final class RunWork {
  /** How often something is tried that a folder or a tool refuses. */
  static final int ATTEMPTS = 3;

  private final Host host;
  private final RunsSettings settings;
  private final PlanConsent plans;
  private final Consent consent;
  private final ToolWork tools;
  private final CheckWork checks;
  private final UndoWork undos;
  private final AuditWork audits;

  RunWork(Host host, RunsSettings settings) {
    this.host = host;
    this.settings = settings;
    Approvals approvals = Approvals.on(host);
    Asking asking = new Asking(approvals);
    this.plans = new PlanConsent(settings, approvals, asking);
    Toolbox toolbox = new Toolbox(settings);
    FolderTurns turns = new FolderTurns();
    Trees trees = new Trees(host, settings, approvals);
    this.consent = new Consent(host, settings, approvals, asking, toolbox, trees);
    this.tools = new ToolWork(host, settings, consent, plans, trees, toolbox, turns);
    this.checks = new CheckWork(host, settings, plans, trees, toolbox, turns);
    this.undos = new UndoWork(host, settings, plans, toolbox, turns, checks);
    this.audits = new AuditWork(host, settings, plans, trees, toolbox, turns);
  }

  /** Lets the effects of runs be done here. */
  void attach(BiConsumer<String, EffectHandler> handle) {
    handle.accept("runs.begin", this::begin);
    handle.accept("runs.plan", firm(this::plan));
    handle.accept("runs.adopt", this::adopt);
    handle.accept("runs.ask", firm(consent::ask));
    handle.accept("runs.tool", tools::run);
    handle.accept("runs.tool_once", tools::run);
    handle.accept("runs.accept", tools::accept);
    handle.accept("runs.check", firm(checks::check));
    handle.accept("runs.undo", undos::undo);
    handle.accept("runs.audit", firm(audits::audit));
  }

  /**
   * What a folder or a tool refuses again and again is refused, with the reason: trying on until
   * the state's time is over would say nothing but that.
   */
  private static EffectHandler firm(EffectHandler handler) {
    return call -> {
      try {
        return handler.handle(call);
      } catch (WorkspaceException | IllegalArgumentException e) {
        if (call.attempt() < ATTEMPTS) {
          throw e;
        }
        return refused(String.valueOf(e.getMessage()));
      }
    };
  }

  private Outcome begin(Call call) throws IOException {
    if (!RunFolder.isPlain(call.instance())) {
      return Outcome.failed(Map.of("why", "the run's id is no plain name"));
    }
    RunFolder.of(settings, call.instance()).make();
    return Outcome.succeeded();
  }

  /**
   * Judges the plan anew: whoever started the run by another door than {@link Runs#start} must not
   * get milder risks, another requester or another folder than the policy allows.
   */
  private Outcome plan(Call call) throws Exception {
    Map<String, Object> input = Form.map(call.input(), "input");
    Map<String, Object> frozen = Form.map(input, "plan");
    Plan plan;
    try {
      plan = Plan.of(frozen);
      String fault = fault(call.instance(), input, frozen, plan);
      if (fault != null) {
        return refused(fault);
      }
    } catch (IllegalArgumentException e) {
      return refused(
          "Expected a frozen plan, but it is none: %s Start the run with a plan."
              .formatted(e.getMessage()));
    }
    String tree = tools.before(call.instance(), plan);
    List<String> critical = Form.texts(frozen, "critical");
    if (Form.text(frozen, "risk").equals(Risk.CRITICAL.word())) {
      return planned(
          plan, frozen, "critical", tree, "critical risk: " + String.join("; ", critical), "");
    }
    boolean asks =
        plans.isUnconfined(plan)
            && settings.sandbox().unconfined() == SandboxSettings.Unconfined.ASK;
    return plan.approvedByPolicy() && !asks
        ? planned(plan, frozen, "ready", tree, "", "")
        : planned(
            plan,
            frozen,
            "ask",
            tree,
            "",
            plans.ask(call.instance(), plan, frozen, Form.map(input, "requested_by"), tree));
  }

  private @Nullable String fault(
      String run, Map<String, Object> input, Map<String, Object> frozen, Plan plan) {
    if (!RunFolder.isPlain(run)) {
      return "Expected a run whose id is a plain name, but this one's is none.";
    }
    if (!plan.isFrozenAs(frozen, settings.policy())
        || !Plan.digest(frozen).equals(input.get("plan_digest"))) {
      return "Expected the plan of '%s' with the risks that the policy gives it, but it has others."
          .formatted(run);
    }
    if (!plan.project().equals(input.get("project_id"))
        || !plan.environment().equals(input.get("environment"))
        || !same(plan.limits().fields(), input.get("limits"))) {
      return "Expected '%s' to have the project, the environment and the limits of its plan, but it has others."
          .formatted(run);
    }
    Actor starter = starter(run);
    Map<String, Object> requester = Form.map(input, "requested_by");
    if (!starter.name().equals(requester.get("name"))
        || !starter.kind().name().toLowerCase(Locale.ROOT).equals(requester.get("kind"))) {
      return "Expected '%s' to be asked for by '%s', who started it, but it names another."
          .formatted(run, starter.name());
    }
    if (starter.kind() == Actor.Kind.AGENT && plan.approvedByPolicy()) {
      return "Expected a person to approve a plan that an agent starts, but '%s' says approval: policy. Say approval: person."
          .formatted(run);
    }
    if (plan.approvers().named().contains(starter.name())) {
      return "Expected others than '%s', who started '%s', to be named as approvers, but the plan names them. Name others."
          .formatted(starter.name(), run);
    }
    for (ToolPlan tool : plan.tools()) {
      if (plan.approvers(tool).named().contains(starter.name())) {
        return "Expected others than '%s', who started '%s', to be named as approvers of '%s', but the plan names them. Name others."
            .formatted(starter.name(), run, tool.name());
      }
    }
    if (plans.isUnconfined(plan)
        && settings.sandbox().unconfined() == SandboxSettings.Unconfined.REFUSE) {
      return "Expected a sandbox for what the plan of '%s' starts, but there is none, and without one nothing is started here. %s"
          .formatted(run, settings.sandbox().sandbox().why());
    }
    String folder = settings.fault(plan.folder());
    return folder != null ? folder : tools.fault(plan);
  }

  /** Who started the run, as its first entry says. */
  private Actor starter(String run) {
    List<EntryRow> first = host.history(run, 1, 1);
    Map<String, @Nullable Object> actor =
        RunEntry.map(RunEntry.of(first.getFirst()).event("actor"));
    return new Actor(
        Actor.Kind.valueOf(String.valueOf(actor.get("kind")).toUpperCase(Locale.ROOT)),
        String.valueOf(actor.get("name")),
        List.of());
  }

  private static boolean same(@Nullable Object one, @Nullable Object other) {
    return CanonicalJson.text(one).equals(CanonicalJson.text(other));
  }

  private static Outcome refused(String why) {
    return Outcome.failed(Map.of("why", why));
  }

  private static Outcome planned(
      Plan plan,
      Map<String, Object> frozen,
      String verdict,
      String tree,
      String reason,
      String approval) {
    Map<String, Object> data = ready(plan, frozen);
    data.put("verdict", verdict);
    data.put("tree", tree);
    data.put("reason", reason);
    data.put("approval_id", approval);
    return Outcome.succeeded(data);
  }

  /** What the machine has to know of the tools. */
  private static Map<String, Object> ready(Plan plan, Map<String, Object> frozen) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("tools", names(plan.tools(), _ -> true));
    data.put("checks", names(plan.checks(), _ -> true));
    data.put(
        "risky",
        Form.maps(frozen, "tools").stream()
            .filter(tool -> Form.flag(tool, "approval"))
            .map(tool -> Form.text(tool, "name"))
            .toList());
    data.put("once", names(plan.tools(), tool -> !tool.idempotent()));
    data.put("writing", names(plan.tools(), ToolPlan::isWriting));
    data.put("asking", names(plan.tools(), ToolPlan::asksWhenUnknown));
    return data;
  }

  private static List<String> names(List<ToolPlan> tools, Predicate<ToolPlan> which) {
    return tools.stream().filter(which).map(ToolPlan::name).toList();
  }

  private Outcome adopt(Call call) {
    Map<String, Object> input = Form.map(call.input(), "input");
    Map<String, Object> frozen = Form.map(input, "plan");
    Plan plan = Plan.of(frozen);
    if (!plan.isFrozenAs(frozen, settings.policy())) {
      return refused(
          "Expected the plan of '%s' with the risks that the policy gives it, but it has others."
              .formatted(call.instance()));
    }
    Claim claim =
        plans.claim(
            call.instance(),
            plan,
            frozen,
            Form.map(input, "requested_by"),
            Form.text(input, "approval_id"),
            call.key());
    return switch (claim) {
      case Claim.Claimed claimed -> {
        Map<String, Object> data = ready(plan, Form.map(input, "plan"));
        data.put("approver", claimed.approval().decisionBy());
        yield Outcome.succeeded(data);
      }
      case Claim.Rejected rejected when rejected.reason() == Claim.Reason.NOT_NOW ->
          new Outcome.RetryAfter(java.time.Duration.ofSeconds(1), rejected.message());
      case Claim.Rejected rejected -> refused(rejected.message());
    };
  }

  /** The run, while it still wants what the effect is for; otherwise null. */
  static @Nullable Instance wanting(Host host, String run, String state) {
    Instance instance = host.find(run);
    return instance != null && instance.status().equals("live") && instance.states().contains(state)
        ? instance
        : null;
  }
}
