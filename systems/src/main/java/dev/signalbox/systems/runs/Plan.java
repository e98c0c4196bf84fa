package dev.signalbox.systems.runs;

import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.services.Sha256;
import dev.signalbox.services.approval.Risk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What a run is to do.
 *
 * @param project in upper case, as run ids have it
 * @param folder where the tools work; absolute
 * @param environment dev, staging or prod
 * @param approvedByPolicy whether the plan needs no person's word as a whole; its risky tools still
 *     do, each
 * @param approvers who may approve what the run asks for, where a tool does not say others
 * @param auditors commands or handlers that look beside the rules of an auditor, by its name
 * @param origin from which frozen plan of the coordinator it was made, and by which of its actions;
 *     empty when it was written by hand. See {@link FrozenPlanReader}
 */
public record Plan(
    String project,
    Path folder,
    String environment,
    boolean approvedByPolicy,
    Approvers approvers,
    RunLimits limits,
    List<PolicyRule> policy,
    List<ToolPlan> tools,
    List<ToolPlan> checks,
    Map<String, ToolPlan> auditors,
    Map<String, Object> origin) {

  /** The auditors, in their order. */
  public static final List<String> AUDITORS =
      List.of("hallucination", "amnesia", "drift", "privilege", "silent_failure");

  /** How plans are frozen now; see {@link #form}. */
  private static final long FORM = 2;

  /** The most bytes of a frozen plan, so that it fits into an entry. */
  static final int LARGEST = 128 * 1024;

  public Plan {
    policy = List.copyOf(policy);
    tools = List.copyOf(tools);
    checks = List.copyOf(checks);
    auditors = Map.copyOf(auditors);
    origin = Map.copyOf(origin);
  }

  /** A plan that was written by hand. */
  public Plan(
      String project,
      Path folder,
      String environment,
      boolean approvedByPolicy,
      Approvers approvers,
      RunLimits limits,
      List<PolicyRule> policy,
      List<ToolPlan> tools,
      List<ToolPlan> checks,
      Map<String, ToolPlan> auditors) {
    this(
        project,
        folder,
        environment,
        approvedByPolicy,
        approvers,
        limits,
        policy,
        tools,
        checks,
        auditors,
        Map.of());
  }

  /** The plan with other tools, and where they come from. */
  Plan made(List<ToolPlan> from, Map<String, Object> where) {
    return new Plan(
        project,
        folder,
        environment,
        approvedByPolicy,
        approvers,
        limits,
        policy,
        from,
        checks,
        auditors,
        where);
  }

  /**
   * The plan as the journal keeps it: what it says and what the policy says of it. The same plan
   * under the same policy always gives the same.
   */
  public Map<String, Object> frozen(Policy standard) {
    return frozen(standard, FORM);
  }

  /**
   * Whether a frozen plan is what this one gives under the policy, in the form that it was frozen
   * in. A tool of which more was asked then than would be now is as good.
   */
  boolean isFrozenAs(Map<String, Object> frozen, Policy standard) {
    Map<String, Object> now = frozen(standard, form(frozen));
    List<Map<String, Object>> were = Form.maps(frozen, "tools");
    List<Map<String, Object>> are = Form.maps(now, "tools");
    if (were.size() != are.size()) {
      return false;
    }
    for (int i = 0; i < were.size(); i++) {
      if (!isJudgedAs(were.get(i), are.get(i))) {
        return false;
      }
    }
    return same(without(frozen), without(now));
  }

  /**
   * Whether a tool of a frozen plan has the risk that the policy gives it, or was asked more of.
   */
  static boolean isJudgedAs(Map<String, Object> frozen, Map<String, Object> now) {
    return same(frozen, now)
        || (Form.flag(frozen, "approval")
            && !Form.flag(now, "approval")
            && same(unjudged(frozen), unjudged(now)));
  }

  private static Map<String, Object> without(Map<String, Object> plan) {
    Map<String, Object> rest = new LinkedHashMap<>(plan);
    rest.keySet().removeAll(List.of("tools", "risk"));
    return rest;
  }

  private static Map<String, Object> unjudged(Map<String, Object> tool) {
    Map<String, Object> rest = new LinkedHashMap<>(tool);
    rest.keySet().removeAll(List.of("risk", "approval", "why"));
    return rest;
  }

  private static boolean same(Map<String, Object> one, Map<String, Object> other) {
    return CanonicalJson.text(one).equals(CanonicalJson.text(other));
  }

  /** In the first form neither auditors nor undos were judged, and no form was named. */
  static long form(Map<String, Object> frozen) {
    return frozen.containsKey("form") ? Form.whole(frozen, "form") : 1;
  }

  private Map<String, Object> frozen(Policy standard, long form) {
    Policy all = standard.and(policy);
    boolean whole = form >= FORM;
    Map<String, Object> fields = new LinkedHashMap<>();
    if (whole) {
      fields.put("form", FORM);
    }
    fields.put("project", project);
    fields.put("folder", folder.toString());
    fields.put("environment", environment);
    fields.put("approval", approvedByPolicy ? "policy" : "person");
    fields.put("approvers", approvers.fields());
    fields.put("limits", limits.fields());
    fields.put("policy", policy.stream().map(PolicyRule::fields).toList());
    List<Object> frozenTools = new ArrayList<>();
    Risk worst = Risk.LOW;
    List<String> critical = new ArrayList<>();
    for (ToolPlan tool : tools) {
      Policy.Assessment assessed =
          whole
              ? all.assessWhole(project, environment, tool)
              : all.assess(project, environment, tool);
      worst = assessed.risk().compareTo(worst) > 0 ? assessed.risk() : worst;
      if (assessed.risk() == Risk.CRITICAL) {
        critical.add(tool.name() + ": " + assessed.why());
      }
      frozenTools.add(frozen(tool, assessed));
    }
    fields.put("tools", frozenTools);
    List<Object> frozenChecks = new ArrayList<>();
    for (ToolPlan check : checks) {
      Policy.Assessment assessed = all.assess(project, environment, check);
      if (assessed.needsApproval()) {
        worst = Risk.CRITICAL;
        critical.add(check.name() + ": a check may not be risky, but " + assessed.why());
      }
      frozenChecks.add(frozen(check, assessed));
    }
    fields.put("checks", frozenChecks);
    Map<String, Object> frozenAuditors = new LinkedHashMap<>();
    for (String auditor : AUDITORS) {
      ToolPlan tool = auditors.get(auditor);
      if (tool != null && !whole) {
        frozenAuditors.put(auditor, tool.fields());
      } else if (tool != null) {
        Policy.Assessment assessed = all.assess(project, environment, tool);
        if (assessed.needsApproval()) {
          worst = Risk.CRITICAL;
          critical.add(
              "auditor %s: an auditor may not be risky, but %s".formatted(auditor, assessed.why()));
        }
        frozenAuditors.put(auditor, frozen(tool, assessed));
      }
    }
    fields.put("auditors", frozenAuditors);
    fields.put("risk", worst.word());
    fields.put("critical", critical);
    if (!origin.isEmpty()) {
      fields.put("origin", origin);
    }
    return fields;
  }

  /** What the policy says of one of its tools, as it is. */
  Policy.Assessment assessed(Policy standard, ToolPlan tool) {
    return standard.and(policy).assess(project, environment, tool);
  }

  private Map<String, Object> frozen(ToolPlan tool, Policy.Assessment assessed) {
    Map<String, Object> fields = tool.fields();
    fields.put("risk", assessed.risk().word());
    fields.put("approval", assessed.needsApproval());
    fields.put("why", assessed.why());
    fields.put("writing", tool.isWriting());
    fields.put("digest", tool.digest(folder.toString()));
    return fields;
  }

  /** Whether anything of it starts a process. */
  boolean startsProcesses() {
    return Stream.of(tools, checks, auditors.values())
        .flatMap(Collection::stream)
        .anyMatch(ToolPlan::startsProcesses);
  }

  /** Who may approve what the run asks about one of its tools. */
  Approvers approvers(ToolPlan tool) {
    return tool.approvers() == null ? approvers : tool.approvers();
  }

  /** The SHA-256 of a frozen plan's canonical JSON, in hexadecimal. */
  public static String digest(Map<String, Object> frozen) {
    return Sha256.hex(CanonicalJson.text(frozen));
  }

  /**
   * The plan that a frozen one was made of.
   *
   * @throws IllegalArgumentException when it is none
   */
  public static Plan of(Map<String, Object> frozen) {
    Map<String, ToolPlan> auditors = new LinkedHashMap<>();
    Form.map(frozen, "auditors")
        .forEach((name, tool) -> auditors.put(name, ToolPlan.of(Form.map(tool, name))));
    return new Plan(
        Form.text(frozen, "project"),
        Path.of(Form.text(frozen, "folder")),
        Form.text(frozen, "environment"),
        Form.text(frozen, "approval").equals("policy"),
        Approvers.of(Form.map(frozen, "approvers")),
        RunLimits.of(Form.map(frozen, "limits")),
        Form.maps(frozen, "policy").stream().map(PolicyRule::of).toList(),
        Form.maps(frozen, "tools").stream().map(ToolPlan::of).toList(),
        Form.maps(frozen, "checks").stream().map(ToolPlan::of).toList(),
        auditors,
        frozen.containsKey("origin") ? Form.map(frozen, "origin") : Map.of());
  }
}
