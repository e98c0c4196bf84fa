package dev.signalbox.systems.runs;

import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.RejectedException;
import dev.signalbox.services.approval.Action;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.services.approval.Claim;
import dev.signalbox.services.approval.Outcome;
import dev.signalbox.services.approval.Risk;
import dev.signalbox.services.approval.Terms;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * People's word on a whole plan: everything in it, the folder as it was when they were asked, and
 * whether anything keeps its processes.
 *
 * <p>What people approve has a form, by number. The first, which has no number, holds the plan
 * alone; requests that were made in it are claimed in it.
 */
final class PlanConsent {
  private static final long FORM = 2;

  private final RunsSettings settings;
  private final Approvals approvals;
  private final Asking asking;

  PlanConsent(RunsSettings settings, Approvals approvals, Asking asking) {
    this.settings = settings;
    this.approvals = approvals;
    this.asking = asking;
  }

  /** Whether the plan starts processes that nothing here would keep. */
  boolean isUnconfined(Plan plan) {
    return plan.startsProcesses() && !settings.sandbox().sandbox().isConfining();
  }

  /**
   * Asks.
   *
   * @param frozen the plan as the run has it, in the form of its time
   * @param tree the hash of the folder as it is now
   * @return the id of the approval
   */
  String ask(
      String run,
      Plan plan,
      Map<String, Object> frozen,
      Map<String, Object> requester,
      String tree) {
    return ask(
        run, plan, requester, action(run, plan, frozen, tree), "%s plan %s".formatted(run, tree));
  }

  private String ask(
      String run, Plan plan, Map<String, Object> requester, Action action, String key) {
    return asking.ask(
        run,
        action,
        Risk.HIGH,
        Asking.requester(requester),
        plan.approvers(),
        Map.of(
            Outcome.GRANTED, "plan_approved",
            Outcome.REJECTED, "plan_refused",
            Outcome.ESCALATED, "plan_refused"),
        key);
  }

  /** The plan as people approve it. */
  private Action action(String run, Plan plan, Map<String, Object> frozen, String tree) {
    Map<String, Object> identity = new LinkedHashMap<>();
    identity.put("form", FORM);
    identity.put("tree", tree);
    identity.put("folder", real(plan.folder()).toString());
    if (isUnconfined(plan)) {
      identity.put("unconfined", settings.sandbox().sandbox().why());
    }
    return new Action(run, "plan", frozen, identity);
  }

  static Path real(Path folder) {
    try {
      return folder.toRealPath();
    } catch (IOException e) {
      return folder;
    }
  }

  /**
   * Uses the approval of the run's plan.
   *
   * @param key the same for the same use
   */
  Claim claim(
      String run,
      Plan plan,
      Map<String, Object> frozen,
      Map<String, Object> requester,
      String id,
      String key) {
    Approval approval = approvals.approval(id);
    boolean former = !approval.action().identity().containsKey("form");
    String tree = tree(approval);
    Action action = former ? Action.of(run, "plan", frozen) : action(run, plan, frozen, tree);
    if (!isAsked(run, plan, requester, action, id, former ? "" : " " + tree)) {
      return new Claim.Rejected(
          Claim.Reason.MISMATCH,
          "Expected the approval that '%s' asked for, for its plan as it is now, but '%s' is another."
              .formatted(run, id));
    }
    return approvals.claim(id, action, Terms.NONE.key(key));
  }

  private boolean isAsked(
      String run, Plan plan, Map<String, Object> requester, Action action, String id, String more) {
    try {
      return id.equals(ask(run, plan, requester, action, run + " plan" + more));
    } catch (RejectedException e) {
      return false;
    }
  }

  /** The tree that people saw; empty where they were shown none. */
  static String tree(Approval approval) {
    return approval.action().identity().get("tree") instanceof String tree ? tree : "";
  }

  /** Whether nothing would keep the plan's processes, and nobody has decided that they may run. */
  boolean isUnkept(Instance run, Plan plan) {
    return isUnconfined(plan)
        && switch (settings.sandbox().unconfined()) {
          case ALLOW -> false;
          case REFUSE -> true;
          case ASK -> !hasConsent(run.id(), String.valueOf(run.context().get("plan_approval")));
        };
  }

  /**
   * Makes sure that what a plan starts is kept, or that somebody has decided that it may run.
   *
   * @throws IllegalArgumentException when neither is so
   */
  void requireKept(Instance run, Plan plan) {
    if (isUnkept(run, plan)) {
      throw new IllegalArgumentException(
          "Expected a sandbox for what the plan of '%s' starts, but there is none here, and nobody approved the plan without one. Nothing ran. %s"
              .formatted(run.id(), settings.sandbox().sandbox().why()));
    }
  }

  /**
   * Whether a person has approved that the run's processes are kept by nothing.
   *
   * @param approval of its plan; empty where policy approved it
   */
  private boolean hasConsent(String run, String approval) {
    if (approval.isEmpty()) {
      return false;
    }
    Approval given = approvals.approval(approval);
    return given.owner().equals(run)
        && given.state().equals("EXECUTED")
        && given.action().identity().containsKey("unconfined");
  }
}
