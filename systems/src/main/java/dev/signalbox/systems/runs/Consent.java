package dev.signalbox.systems.runs;

import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.ExpressionCompiler;
import dev.signalbox.runtime.EffectHandler.Call;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.services.approval.Action;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.services.approval.Claim;
import dev.signalbox.services.approval.Risk;
import dev.signalbox.services.approval.Terms;
import dev.signalbox.services.workspace.Backup;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * People's word on tools: asked for before a tool runs, and about one of which nobody knows whether
 * it happened; and used right before what they approved is done.
 */
final class Consent {
  /** A tool of unknown outcome is to run again. */
  static final String REPEAT = "repeat";

  /** A tool of unknown outcome is to be taken as done. */
  static final String ACCEPT = "accept";

  /** The form of what people approve; one without a number binds no tree. */
  private static final long FORM = 2;

  private final Host host;
  private final RunsSettings settings;
  private final Approvals approvals;
  private final Asking asking;
  private final Toolbox toolbox;
  private final Trees trees;

  Consent(
      Host host,
      RunsSettings settings,
      Approvals approvals,
      Asking asking,
      Toolbox toolbox,
      Trees trees) {
    this.host = host;
    this.settings = settings;
    this.trees = trees;
    this.approvals = approvals;
    this.asking = asking;
    this.toolbox = toolbox;
  }

  /** Asks whether the current tool may run; where its outcome is unknown, what to do about it. */
  Outcome ask(Call call) throws InterruptedException {
    Instance run = RunWork.wanting(host, call.instance(), "AWAITING_APPROVAL");
    if (run == null) {
      return ToolOutcome.unwanted(call);
    }
    Map<String, Object> input = Form.map(call.input(), "input");
    ToolJob job = ToolJob.of(run, "tools", Form.text(input, "tool"), Form.whole(input, "attempt"));
    boolean unknown = Form.flag(input, "outcome_unknown");
    Map<String, Object> data = new LinkedHashMap<>();
    if (unknown) {
      // What the dead process left running must have ended before anybody decides.
      toolbox.tool(job.tool()).clear(job.call());
      RunFolder.of(settings, job.run())
          .settle(RunFolder.attempt(job.name(), job.attempt()), job.plan().folder());
      data.put("approval_id", ask(run, job, input, REPEAT, call.key() + " repeat"));
      data.put("accept_id", ask(run, job, input, ACCEPT, call.key() + " accept"));
    } else {
      data.put("approval_id", ask(run, job, input, "", call.key()));
      data.put("accept_id", "");
    }
    return Outcome.succeeded(data);
  }

  private String ask(
      Instance run, ToolJob job, Map<String, Object> input, String decision, String key)
      throws InterruptedException {
    Path work = job.plan().folder();
    Backup seen = RunFolder.of(settings, job.run()).look(work);
    String tree = seen.before().treeHash();
    String expected = trees.expected(run);
    List<String> changed =
        expected.isEmpty() || expected.equals(tree)
            ? List.of()
            : trees.difference(job.run(), work, expected, seen);
    return asking.ask(
        job.run(),
        action(job, decision, tree, changed),
        Risk.HIGH,
        Asking.requester(Form.map(input, "requested_by")),
        job.plan().approvers(job.tool()),
        Map.of(
            dev.signalbox.services.approval.Outcome.GRANTED, "approved",
            dev.signalbox.services.approval.Outcome.REJECTED, "rejected",
            dev.signalbox.services.approval.Outcome.ESCALATED, "escalated"),
        key);
  }

  /**
   * The tool's call as people approve it: what is called, with what, by which tool, in which folder
   * as it is.
   *
   * @param decision what is decided about a tool of unknown outcome; empty for a tool that did not
   *     run yet
   * @param tree the hash of the folder
   * @param changed what is different in the folder from what the run expected
   */
  private Action action(ToolJob job, String decision, String tree, List<String> changed)
      throws InterruptedException {
    Map<String, Object> identity =
        identity(job, toolbox.tool(job.tool()).described(job.call()), decision);
    identity.put("form", FORM);
    identity.put("tree", tree);
    identity.put("place", PlanConsent.real(job.plan().folder()).toString());
    if (!changed.isEmpty()) {
      identity.put("changed", changed);
    }
    return new Action(job.run(), job.name(), job.tool().arguments(), identity);
  }

  private static Map<String, Object> identity(
      ToolJob job, Map<String, Object> tool, String decision) {
    Map<String, Object> identity = new LinkedHashMap<>();
    identity.put("tool", tool);
    identity.put("environment", job.plan().environment());
    identity.put("folder", job.plan().folder().toString());
    identity.put("access", job.tool().access().word());
    identity.put("writes", job.tool().writes());
    identity.put("retries", job.tool().retries());
    identity.put("why", String.valueOf(job.frozen().getOrDefault("why", "")));
    ToolPlan undo = job.tool().undo();
    if (undo != null && Plan.form(job.whole()) > 1) {
      identity.put("undo", undo.fields());
    }
    if (!decision.isEmpty()) {
      identity.put("decision", decision);
    }
    return identity;
  }

  /** The action that an approval has to be for, in the form in which it was asked for. */
  private Action action(ToolJob job, String decision, Approval asked, String tree)
      throws InterruptedException {
    Map<String, Object> shown = asked.action().identity();
    return shown.containsKey("form")
        ? action(
            job,
            decision,
            tree,
            RunEntry.list(shown.get("changed")).stream().map(String::valueOf).toList())
        : new Action(
            job.run(),
            job.name(),
            job.tool().arguments(),
            identity(job, toolbox.tool(job.tool()).identity(job.call()), decision));
  }

  /** The hash of the folder for which an approval was asked; empty where it is for any. */
  String tree(String approval) {
    return PlanConsent.tree(approvals.approval(approval));
  }

  /** Closes an approval that is for the folder as it was, and not as it is. */
  void close(String approval) {
    boolean _ = approvals.withdraw(approval);
  }

  /**
   * Uses the approval for this tool of this run. Its retries, which people approve with it, and its
   * repetition after a crash are the same use.
   *
   * @param tree the hash of the folder as it is now
   */
  Claim claim(ToolJob job, String approval, String decision, String tree)
      throws InterruptedException {
    Approval asked = approvals.approval(approval);
    Action action = action(job, decision, asked, tree);
    List<String> met = asked.conditions().stream().filter(c -> isMet(job, c)).toList();
    Claim claim =
        approvals.claim(
            approval,
            action,
            Terms.NONE.meeting(met.toArray(String[]::new)).key(job.run() + " " + job.name()));
    if (claim instanceof Claim.Claimed) {
      asking.closeOthers(job.run());
    }
    return claim;
  }

  /** Whether a condition holds: it is one in CEL over the call, as a policy's are. */
  private static boolean isMet(ToolJob job, String condition) {
    try {
      return Policy.test(
          Policy.compile(condition),
          Policy.call(job.plan().project(), job.plan().environment(), job.tool()));
    } catch (ExpressionCompiler.SyntaxException | EvaluationException e) {
      return false;
    }
  }
}
