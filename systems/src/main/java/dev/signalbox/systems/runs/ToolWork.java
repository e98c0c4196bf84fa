package dev.signalbox.systems.runs;

import dev.signalbox.definition.Json;
import dev.signalbox.runtime.EffectHandler.Call;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.NotStartedException;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.services.approval.Claim;
import dev.signalbox.services.approval.Risk;
import dev.signalbox.services.evidence.Evidence;
import dev.signalbox.services.evidence.EvidenceStore;
import dev.signalbox.services.tool.ToolResult;
import dev.signalbox.services.tool.ToolStatus;
import dev.signalbox.services.tool.ToolUsage;
import dev.signalbox.services.workspace.Backup;
import dev.signalbox.services.workspace.WorkspaceException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Does the tools of runs.
 *
 * <p>A tool runs on a copy of the folder, made of the bytes that were looked at, compared with what
 * people approved and kept on the disk; then a mark says that it was started. What it changed is
 * brought into the folder when it has passed, all of it or nothing. So whoever finds no mark has
 * nothing to undo, and whoever finds one can put the folder back to what it was. A tool that is
 * tried again begins on the folder as it was before its first attempt. Tools that only read may be
 * done together, see {@link Ahead}.
 */
final class ToolWork {
  private static final int SAME_CALLS = 5;

  /** How often people are asked about one tool because the folder was changed meanwhile. */
  private static final long ASKED_AGAIN = 3;

  private final Host host;
  private final RunsSettings settings;
  private final Consent consent;
  private final PlanConsent plans;
  private final Trees trees;
  private final Toolbox toolbox;
  private final FolderTurns turns;
  private final Ahead ahead;

  ToolWork(
      Host host,
      RunsSettings settings,
      Consent consent,
      PlanConsent plans,
      Trees trees,
      Toolbox toolbox,
      FolderTurns turns) {
    this.host = host;
    this.settings = settings;
    this.consent = consent;
    this.plans = plans;
    this.trees = trees;
    this.toolbox = toolbox;
    this.turns = turns;
    this.ahead = new Ahead(host, toolbox);
  }

  /** Why the plan's tools can't be called here, or null. */
  @Nullable String fault(Plan plan) {
    List<ToolPlan> all = new ArrayList<>(plan.tools());
    all.addAll(plan.checks());
    all.addAll(plan.auditors().values());
    for (ToolPlan tool : all) {
      try {
        toolbox.tool(tool);
        toolbox.fit(tool);
      } catch (IllegalArgumentException e) {
        return "Expected to be able to call '%s', but %s".formatted(tool.name(), e.getMessage());
      }
    }
    return null;
  }

  /** Remembers the folder as it is before the run; its hash. */
  String before(String run, Plan plan) {
    return folder(run).look(plan.folder()).before().treeHash();
  }

  private RunFolder folder(String run) {
    return RunFolder.of(settings, run);
  }

  /** How often the current tool was begun. */
  static long attempts(Instance run) {
    return run.context().get("tool_attempts") instanceof Long number ? number : 0;
  }

  /**
   * Runs the current tool, if it is still wanted and everything it needs was said. What fails
   * before a tool is called has begun nothing, so it is tried again whatever the tool is.
   */
  Outcome run(Call call) throws Exception {
    AtomicBoolean begun = new AtomicBoolean();
    try {
      return turns.alone(call.instance(), () -> runAlone(call, begun));
    } catch (Exception e) {
      if (begun.get()) {
        throw e;
      }
      throw new NotStartedException("No tool was called: " + e, e);
    }
  }

  /**
   * @param begun becomes true right before a tool is called
   */
  private Outcome runAlone(Call call, AtomicBoolean begun) throws Exception {
    Instance run = RunWork.wanting(host, call.instance(), "EXECUTING");
    Map<String, Object> input = Form.map(call.input(), "input");
    String name = Form.text(input, "tool");
    long attempt = Form.whole(input, "attempt");
    if (run == null
        || !name.equals(run.context().get("current_tool"))
        || attempts(run) != attempt) {
      return ToolOutcome.unwanted(call);
    }
    ToolJob job = ToolJob.of(run, "tools", name, attempt);
    if (plans.isUnkept(run, job.plan())) {
      return ToolOutcome.halted(
          job,
          "Expected a sandbox for '%s' of '%s', but there is none here, and nobody approved the plan without one. Nothing ran. %s"
              .formatted(name, run.id(), settings.sandbox().sandbox().why()));
    }
    String approval = Form.text(input, "approval");
    Ahead.Kept kept = null;
    boolean first = attempt == 1 && approval.isEmpty();
    if (approval.isEmpty()) {
      Outcome forbidden = forbidden(job, false, 0);
      if (forbidden != null) {
        return forbidden;
      }
      kept = first ? ahead.kept(job, folder(job.run()).evidence()) : null;
      if (kept != null && kept.isFresh()) {
        return ended(
            job, false, kept.result(), RunFolder.Changes.NONE, ToolUsage.NONE, kept.times(), "");
      }
    }
    job.clear(toolbox, attempt);
    Looked looked = look(run, job, approval);
    if (looked.refused() != null) {
      return looked.refused();
    }
    Backup seen = Objects.requireNonNull(looked.seen());
    if (!approval.isEmpty()) {
      boolean repeat = Form.flag(input, "repeat");
      Claim claim =
          consent.claim(job, approval, repeat ? Consent.REPEAT : "", seen.before().treeHash());
      switch (claim) {
        case Claim.Claimed _ -> {}
        case Claim.Rejected rejected when rejected.reason() == Claim.Reason.NOT_NOW -> {
          return new Outcome.RetryAfter(Duration.ofSeconds(1), rejected.message());
        }
        case Claim.Rejected rejected -> {
          return ToolOutcome.halted(job, rejected.message());
        }
      }
      Outcome forbidden = forbidden(job, true, 0);
      if (forbidden != null) {
        return forbidden;
      }
    }
    List<ToolJob> beside = first ? beside(job, run) : List.of();
    return beside.isEmpty()
        ? execute(job, !approval.isEmpty(), kept, begun, seen)
        : executeTogether(job, beside, kept, begun, seen);
  }

  /** What was seen, or why nothing may run on it. */
  private record Looked(@Nullable Backup seen, @Nullable Outcome refused) {}

  /**
   * Looks at the folder and keeps what it holds, so that what is compared, claimed and run is one
   * and the same. What an attempt of the same number brought in, before its process died, is taken
   * back first.
   */
  private Looked look(Instance run, ToolJob job, String approval) {
    RunFolder folder = folder(job.run());
    Path work = job.plan().folder();
    for (int attempt = 1; ; attempt++) {
      try {
        folder.takeBack(RunFolder.attempt(job.name(), job.attempt()), work);
        Backup seen = folder.look(work);
        String asked = approval.isEmpty() ? trees.expected(run) : consent.tree(approval);
        return asked.isEmpty() || asked.equals(seen.before().treeHash())
            ? new Looked(seen, null)
            : new Looked(null, another(job, approval, asked, seen));
      } catch (WorkspaceException e) {
        if (attempt == RunWork.ATTEMPTS) {
          return new Looked(null, Outcome.failed(Map.of("why", String.valueOf(e.getMessage()))));
        }
      }
    }
  }

  /**
   * The folder is another one than people approved, or than the tool before left: nothing runs, and
   * people are asked about the tool in the folder as it is, with the difference. After some times
   * that is the end.
   */
  private Outcome another(ToolJob job, String approval, String asked, Backup seen) {
    Path work = job.plan().folder();
    if (!approval.isEmpty()) {
      consent.close(approval);
    }
    String changed = String.join(", ", trees.difference(job.run(), work, asked, seen));
    long times = trees.times(job.run(), job.name());
    if (times >= ASKED_AGAIN) {
      return ToolOutcome.halted(
          job,
          "Expected the folder for '%s' as it was approved, but it was changed %d times while people were asked, the last time: %s. Nothing ran."
              .formatted(job.name(), times + 1, changed));
    }
    return ToolOutcome.asking(
        job,
        "the folder was changed since: " + changed,
        Map.of("another_tree", seen.before().treeHash(), "expected_tree", asked),
        trees.evidence(job.run(), work, asked, seen));
  }

  /** Those after the tool that are begun with it: up to the first that must not run. */
  private List<ToolJob> beside(ToolJob job, Instance run) {
    List<ToolJob> jobs = new ArrayList<>();
    for (String name : Ahead.beside(Form.map(run.context(), "plan"), job.name())) {
      ToolJob other = ToolJob.of(run, "tools", name, 1);
      String digest = Form.text(other.frozen(), "digest");
      long same = jobs.stream().filter(each -> digest.equals(each.frozen().get("digest"))).count();
      if (forbidden(other, false, same + 1) != null) {
        break;
      }
      jobs.add(other);
    }
    return jobs;
  }

  /**
   * Why the tool must not run although somebody asks for it, or null.
   *
   * @param more how often the same call is begun that the journal does not tell yet
   */
  private @Nullable Outcome forbidden(ToolJob job, boolean approved, long more) {
    if (!job.isJudgedBy(settings.policy())) {
      return ToolOutcome.halted(
          job,
          "Expected '%s' of '%s' with the risk that the policy gives it, but it has another. Nothing ran."
              .formatted(job.name(), job.run()));
    }
    if (Form.flag(job.frozen(), "approval") && !approved) {
      return ToolOutcome.halted(
          job,
          "Expected an approval for '%s' of '%s', but there is none. Nothing ran."
              .formatted(job.name(), job.run()));
    }
    if (job.plan().environment().equals("prod") && job.tool().isWriting() && !approved) {
      return ToolOutcome.halted(
          job, "emergency halt: production would be touched without approval, by " + job.name());
    }
    int begun = CallCount.of(host, job.run()).sameCalls(Form.text(job.frozen(), "digest"));
    if (begun + more >= SAME_CALLS) {
      return ToolOutcome.halted(
          job, "emergency halt: the same call five times, with " + job.name());
    }
    return null;
  }

  private Outcome execute(
      ToolJob job, boolean approved, Ahead.@Nullable Kept stale, AtomicBoolean begun, Backup seen)
      throws IOException, InterruptedException {
    RunFolder folder = folder(job.run());
    String attempt = RunFolder.attempt(job.name(), job.attempt());
    Path work = job.plan().folder();
    Backup from = seen;
    try {
      if (takeBackEarlier(job)) {
        from = folder.look(work);
      }
    } catch (WorkspaceException e) {
      return Outcome.failed(Map.of("why", String.valueOf(e.getMessage())));
    }
    Path copy = folder.prepare(attempt, work, from);
    EvidenceStore evidence = folder.evidence();
    begun.set(true);
    ToolResult result = counted(toolbox.run(job.tool(), job.call(), copy, evidence), stale);
    RunFolder.Changes changes;
    try {
      changes = folder.changes(attempt, work);
    } catch (WorkspaceException e) {
      return ToolOutcome.ended(
          "tool",
          job.name(),
          ToolStatus.FAIL.word(),
          "'%s' ran, but what it changed can't be told. %s".formatted(job.name(), e.getMessage()),
          last(job, result, ToolUsage.NONE),
          RunFolder.Changes.NONE,
          evidence);
    }
    folder.discard(attempt);
    return ended(
        job, approved, result, changes, ToolUsage.NONE, Map.of(), from.before().treeHash());
  }

  /** Takes back what earlier attempts brought in; whether there was something. */
  private boolean takeBackEarlier(ToolJob job) {
    boolean taken = false;
    for (long earlier = job.attempt() - 1; earlier >= 1; earlier--) {
      taken |=
          folder(job.run()).takeBack(RunFolder.attempt(job.name(), earlier), job.plan().folder());
    }
    return taken;
  }

  /** Runs the tool and those beside it, which all only read, on one copy. */
  private Outcome executeTogether(
      ToolJob first,
      List<ToolJob> beside,
      Ahead.@Nullable Kept stale,
      AtomicBoolean begun,
      Backup seen)
      throws IOException, InterruptedException {
    List<ToolJob> all = new ArrayList<>();
    all.add(first);
    all.addAll(beside);
    RunFolder folder = folder(first.run());
    Path work = first.plan().folder();
    String attempt = RunFolder.attempt(first.name(), first.attempt());
    for (ToolJob job : beside) {
      job.clear(toolbox, job.attempt());
      folder.mark(RunFolder.attempt(job.name(), job.attempt()), work, seen);
    }
    Path copy = folder.prepare(attempt, work, seen);
    EvidenceStore evidence = folder.evidence();
    begun.set(true);
    List<Ahead.Ended> ended = ahead.run(all, copy, evidence);
    ToolResult result = counted(ended.getFirst().result(), stale);
    List<Ahead.Ended> others = ended.subList(1, ended.size());
    ToolUsage used = Ahead.Ended.used(others);
    RunFolder.Changes changes;
    try {
      changes = folder.changes(attempt, work);
    } catch (WorkspaceException e) {
      return ToolOutcome.ended(
          "tool",
          first.name(),
          ToolStatus.FAIL.word(),
          "'%s' and those beside it ran, but what they changed can't be told. %s"
              .formatted(first.name(), e.getMessage()),
          last(first, result, used),
          RunFolder.Changes.NONE,
          evidence);
    }
    folder.discard(attempt);
    if (!changes.touched().isEmpty()) {
      return ToolOutcome.ended(
          "tool",
          first.name(),
          ToolStatus.HALTED.word(),
          readOnly(first.plan(), all, changes),
          last(first, result, used),
          changes,
          evidence);
    }
    for (Ahead.Ended other : others) {
      if (other.isUnsafe()) {
        return ToolOutcome.ended(
            "tool",
            first.name(),
            ToolStatus.HALTED.word(),
            "'%s', which ran beside it, found that going on is unsafe: %s"
                .formatted(other.job().name(), other.why()),
            last(first, result, used),
            RunFolder.Changes.NONE,
            evidence);
      }
    }
    return ended(
        first,
        false,
        result,
        RunFolder.Changes.NONE,
        used,
        Ahead.told(ended, evidence),
        seen.before().treeHash());
  }

  /** The result, with what was used for an earlier one that is not taken. */
  private static ToolResult counted(ToolResult result, Ahead.@Nullable Kept stale) {
    return stale == null ? result : Ahead.with(result, stale.result().usage());
  }

  /** The result of the tool that ends the run, with what those used whose turn does not come. */
  private ToolResult last(ToolJob job, ToolResult result, ToolUsage beside) {
    ToolUsage earlier = ahead.used(job, folder(job.run()).evidence());
    return Ahead.with(result, beside.plus(earlier));
  }

  /** Why tools that only read are not trusted any more. */
  private static String readOnly(Plan plan, List<ToolJob> tools, RunFolder.Changes changes) {
    return "%sExpected '%s' to read only, but found changed: %s."
        .formatted(
            plan.environment().equals("prod")
                ? "emergency halt: production was touched without approval. "
                : "",
            String.join("' and '", tools.stream().map(ToolJob::name).toList()),
            RunFolder.told(changes.touched()));
  }

  /**
   * What a tool that has ended comes to.
   *
   * @param beside what those used that ran with it
   * @param more what else the journal keeps with the result
   * @param tree the hash of the folder that it ran on; empty where it did not run now
   */
  private Outcome ended(
      ToolJob job,
      boolean approved,
      ToolResult result,
      RunFolder.Changes changes,
      ToolUsage beside,
      Map<String, Object> more,
      String tree) {
    ToolStatus status = result.status();
    String message = result.message();
    RunFolder.Changes shown =
        job.tool().isWriting() || !changes.touched().isEmpty() ? changes : RunFolder.Changes.NONE;
    if (!job.tool().isWriting() && !changes.touched().isEmpty()) {
      status = ToolStatus.HALTED;
      message = readOnly(job.plan(), List.of(job), changes);
    } else if (result.risk() == Risk.CRITICAL) {
      status = ToolStatus.HALTED;
      message = "critical risk found by '%s': %s".formatted(job.name(), ToolOutcome.risks(result));
    } else if (result.risk() == Risk.HIGH && !approved && status == ToolStatus.PASS) {
      status = ToolStatus.NEEDS_APPROVAL;
      message = "high risk found by '%s': %s".formatted(job.name(), ToolOutcome.risks(result));
    }
    String left = tree;
    if (status == ToolStatus.PASS && job.tool().isWriting() && !changes.tree().isEmpty()) {
      try {
        folder(job.run()).apply(RunFolder.attempt(job.name(), job.attempt()), job.plan().folder());
        left = changes.tree();
      } catch (WorkspaceException e) {
        status = ToolStatus.FAIL;
        message =
            "'%s' ran, but what it changed is not in the folder. %s"
                .formatted(job.name(), e.getMessage());
      }
    }
    if (status == ToolStatus.FAIL && CallCount.of(host, job.run()).isMostlyFailing()) {
      status = ToolStatus.HALTED;
      message = "emergency halt: more than half of the calls failed, the last one " + job.name();
    }
    boolean again = status == ToolStatus.FAIL && job.attempt() <= job.tool().retries();
    boolean ends = status == ToolStatus.HALTED || (status == ToolStatus.FAIL && !again);
    return ToolOutcome.ended(
        "tool",
        job.name(),
        again ? "retry" : status.word(),
        message,
        ends ? last(job, result, beside) : result,
        shown,
        folder(job.run()).evidence(),
        tree.isEmpty() ? more : with(more, Map.of("before", tree, "after", left)));
  }

  private static Map<String, Object> with(Map<String, Object> more, Map<String, Object> tree) {
    Map<String, Object> all = new LinkedHashMap<>(more);
    all.put("tree", tree);
    return all;
  }

  /** A person has said that the tool of unknown outcome is to be taken as done. */
  Outcome accept(Call call) throws Exception {
    Instance run = RunWork.wanting(host, call.instance(), "EXECUTING");
    if (run == null) {
      return ToolOutcome.unwanted(call);
    }
    Map<String, Object> input = Form.map(call.input(), "input");
    ToolJob job = ToolJob.of(run, "tools", Form.text(input, "tool"), Form.whole(input, "attempt"));
    RunFolder folder = folder(job.run());
    Path work = job.plan().folder();
    String attempt = RunFolder.attempt(job.name(), job.attempt());
    String tree = folder.look(work).before().treeHash();
    return switch (consent.claim(job, Form.text(input, "approval"), Consent.ACCEPT, tree)) {
      case Claim.Rejected rejected when rejected.reason() == Claim.Reason.NOT_NOW ->
          new Outcome.RetryAfter(Duration.ofSeconds(1), rejected.message());
      case Claim.Rejected rejected -> ToolOutcome.halted(job, rejected.message());
      case Claim.Claimed claimed -> {
        Evidence decision =
            folder.evidence().put("decision", Json.text(claimed.approval().asMap()));
        RunFolder.Changes changes = folder.changes(attempt, work);
        if (job.tool().isWriting() && !changes.tree().isEmpty()) {
          folder.apply(attempt, work);
        }
        folder.discard(attempt);
        ToolResult accepted =
            ToolResult.pass(
                List.of(decision),
                "accepted as done by " + String.join(", ", claimed.approval().approvers()));
        yield ToolOutcome.ended(
            "tool",
            job.name(),
            ToolStatus.PASS.word(),
            accepted.message(),
            accepted,
            changes,
            folder.evidence(),
            Map.of("tree", Map.of("before", tree, "after", folder.look(work).before().treeHash())));
      }
    };
  }
}
