package dev.signalbox.systems.runs.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.services.Sha256;
import dev.signalbox.services.approval.Action;
import dev.signalbox.services.approval.Risk;
import dev.signalbox.services.evidence.Evidence;
import dev.signalbox.services.evidence.EvidenceStore;
import dev.signalbox.services.tool.Claim;
import dev.signalbox.services.tool.Program;
import dev.signalbox.services.tool.SubprocessTool;
import dev.signalbox.services.tool.ToolCall;
import dev.signalbox.services.tool.ToolResult;
import dev.signalbox.services.tool.ToolRisk;
import dev.signalbox.services.tool.ToolStatus;
import dev.signalbox.services.tool.ToolUsage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each rule finds the fault that is planted for it, and a clean run is cleared by all. */
class AuditorsTest {
  @TempDir Path temp;
  private EvidenceStore evidence;

  // A run that lints, changes a file, merges with an approval, and tests.
  private String environment = "dev";
  private String planDigest = "";
  private String planApprovedBy = "policy";
  private final List<PlannedStep> tools = new ArrayList<>();
  private final List<PlannedStep> checks = new ArrayList<>();
  private final List<AuditedRun.Started> started = new ArrayList<>();
  private final List<StepResult> results = new ArrayList<>();
  private final List<ApprovalRecord> approvals = new ArrayList<>();
  private final Map<String, Object> more = new HashMap<>();
  private final Map<String, String> before = new HashMap<>();
  private final Map<String, String> now = new HashMap<>();

  @BeforeEach
  void clean() {
    evidence = EvidenceStore.open(temp.resolve("evidence"));
    planDigest = Sha256.hex(CanonicalJson.text(plan()));
    tools.add(step("lint", "read", List.of(), false));
    tools.add(step("edit", "write", List.of("src/app.js"), false));
    tools.add(step("merge", "write", List.of(".git/**"), true));
    checks.add(new PlannedStep("test", true, "test", List.of(), false, false, Map.of()));
    before.putAll(Map.of("src/app.js", "old", ".git/HEAD", "old", "README", "same"));
    now.putAll(Map.of("src/app.js", "new", ".git/HEAD", "merged", "README", "same"));
    started.addAll(
        List.of(
            new AuditedRun.Started(3, "lint"),
            new AuditedRun.Started(4, "edit"),
            new AuditedRun.Started(8, "merge")));
    results.add(passed(4, "lint", Map.of()));
    results.add(passed(5, "edit", Map.of("src/app.js", "new")));
    results.add(passed(9, "merge", Map.of(".git/HEAD", "merged")));
    results.add(new StepResult(11, "test", true, "pass", result("test", "0", List.of()), Map.of()));
    approvals.add(approval("EXECUTED", List.of("kim")));
  }

  @Test
  void a_clean_run_is_cleared_by_all_five_in_their_order() throws Exception {
    List<Verdict> verdicts = Auditors.rules().lookAll(run());
    assertThat(verdicts)
        .extracting(Verdict::auditor)
        .containsExactly("hallucination", "amnesia", "drift", "privilege", "silent_failure");
    assertThat(verdicts)
        .allSatisfy(v -> assertThat(v.judgement()).as(v.toString()).isEqualTo(Judgement.CLEARED));
  }

  // Hallucination.

  @Test
  void evidence_that_is_gone_stops() throws Exception {
    Files.delete(evidence.file(Sha256.hex("edit did it")));
    assertFound("hallucination", Judgement.STOP, "evidence-missing", "edit");
  }

  @Test
  void evidence_that_was_altered_stops() throws Exception {
    Files.writeString(evidence.file(Sha256.hex("edit did it")), "edit dId it");
    assertFound("hallucination", Judgement.STOP, "evidence-altered", "edit");
  }

  @Test
  void evidence_of_another_length_than_recorded_stops() throws Exception {
    Evidence lies = new Evidence("stdout", Sha256.hex("edit did it"), 3);
    replace(
        1, with(results.get(1).result(), List.of(lies), List.of()), Map.of("src/app.js", "new"));
    assertFound("hallucination", Judgement.STOP, "evidence-altered", "edit");
  }

  @Test
  void a_claim_without_proof_stops() throws Exception {
    ToolResult honest = results.get(1).result();
    replace(
        1,
        with(honest, honest.evidence(), List.of(Claim.of("all is well"))),
        Map.of("src/app.js", "new"));
    assertFound("hallucination", Judgement.STOP, "claim-without-proof", "edit");
    replace(
        1,
        with(honest, honest.evidence(), List.of(Claim.of("all is well", "report"))),
        Map.of("src/app.js", "new"));
    assertFound("hallucination", Judgement.STOP, "claim-without-proof", "edit");
    replace(
        1,
        with(honest, honest.evidence(), List.of(Claim.of("all is well", "stdout"))),
        Map.of("src/app.js", "new"));
    assertCleared("hallucination");
  }

  // Amnesia.

  @Test
  void a_plan_that_is_not_the_frozen_one_stops() throws Exception {
    planDigest = Sha256.hex("another");
    assertFound("amnesia", Judgement.STOP, "plan-changed", "");
  }

  @Test
  void another_order_than_planned_stops() throws Exception {
    StepResult lint = results.removeFirst();
    results.add(1, lint);
    assertFound("amnesia", Judgement.STOP, "order-changed", "");
  }

  @Test
  void a_step_that_is_repeated_after_its_result_stops() throws Exception {
    started.add(new AuditedRun.Started(10, "edit"));
    assertFound("amnesia", Judgement.STOP, "step-repeated", "edit");
    started.removeLast();
    results.add(passed(10, "edit", Map.of()));
    assertFound("amnesia", Judgement.STOP, "step-repeated", "edit");
  }

  @Test
  void a_failed_attempt_before_the_pass_is_no_repetition() throws Exception {
    results.add(
        1, new StepResult(4, "edit", false, "retry", ToolResult.fail(List.of(), "busy"), Map.of()));
    assertCleared("amnesia");
  }

  @Test
  void overwriting_earlier_work_without_being_planned_to_stops() throws Exception {
    results.set(2, passed(9, "merge", Map.of(".git/HEAD", "merged", "src/app.js", "old")));
    now.put("src/app.js", "old");
    assertFound("amnesia", Judgement.STOP, "work-overwritten", "merge");
    tools.set(2, step("merge", "write", List.of(".git/**", "src/**"), true));
    assertCleared("amnesia");
  }

  @Test
  void work_that_somebody_undid_since_stops() throws Exception {
    now.put("src/app.js", "old");
    assertFound("amnesia", Judgement.STOP, "work-undone", "edit");
    now.remove("src/app.js");
    assertFound("amnesia", Judgement.STOP, "work-undone", "edit");
  }

  // Drift.

  @Test
  void an_unplanned_change_stops_or_is_noted_by_rule() throws Exception {
    results.set(1, passed(5, "edit", Map.of("src/app.js", "new", "target/out", "x")));
    now.put("target/out", "x");
    assertFound("drift", Judgement.STOP, "unplanned-change", "edit");
    Verdict noted = new Auditors(List.of("target/**"), Map.of()).look("drift", run(), List.of());
    assertThat(noted.judgement()).isEqualTo(Judgement.CONTAMINATED);
    assertThat(noted.findings()).extracting(Finding::rule).containsExactly("unplanned-tolerated");
  }

  @Test
  void a_tool_that_was_to_change_nothing_and_did_stops() throws Exception {
    results.set(0, passed(4, "lint", Map.of("README", "fixed")));
    now.put("README", "fixed");
    assertFound("drift", Judgement.STOP, "unplanned-change", "lint");
  }

  @Test
  void what_was_planned_and_is_untouched_is_noted() throws Exception {
    tools.set(1, step("edit", "write", List.of("src/app.js", "src/other.js"), false));
    assertFound("drift", Judgement.CONTAMINATED, "planned-untouched", "edit");
  }

  @Test
  void a_change_that_no_tool_made_stops() throws Exception {
    now.put("README", "changed");
    assertFound("drift", Judgement.STOP, "changed-by-others", "");
    now.put("README", "same");
    now.put("new", "x");
    assertFound("drift", Judgement.STOP, "changed-by-others", "");
  }

  @Test
  void a_step_that_the_plan_does_not_have_stops() throws Exception {
    results.add(passed(10, "deploy", Map.of()));
    assertFound("drift", Judgement.STOP, "step-unplanned", "deploy");
  }

  private void origin(String... actions) {
    List<Object> all = new ArrayList<>();
    for (String action : actions) {
      String[] parts = action.split(":");
      all.add(
          Map.of(
              "tool",
              parts[0],
              "node_id",
              "n-" + parts[0],
              "effects",
              List.of(parts[1].split(","))));
    }
    more.put("origin", Map.of("actions", all));
  }

  @Test
  void a_run_of_a_frozen_plan_does_what_its_graph_says() throws Exception {
    origin("lint:read,network", "edit:read,write", "merge:data");
    assertCleared("drift");
    origin("edit:write", "lint:read", "merge:data");
    assertFound("drift", Judgement.STOP, "graph-differs", "");
    origin("lint:read", "edit:write");
    assertFound("drift", Judgement.STOP, "graph-differs", "");
    origin("lint:read", "edit:network", "merge:data");
    assertFound("drift", Judgement.STOP, "effect-unplanned", "edit");
  }

  // Privilege.

  @Test
  void a_risky_tool_without_an_executed_approval_stops() throws Exception {
    for (String state : List.of("APPROVED", "ABORTED", "REJECTED", "AWAITING_HUMAN")) {
      approvals.set(0, approval(state, List.of("kim")));
      assertFound("privilege", Judgement.STOP, "approval-missing", "merge");
    }
    approvals.clear();
    assertFound("privilege", Judgement.STOP, "approval-missing", "merge");
  }

  @Test
  void an_approval_with_another_digest_run_or_arguments_stops() throws Exception {
    Action action = Action.of("r-1", "merge", Map.of("branch", "main"));
    approvals.set(
        0,
        new ApprovalRecord(
            "a-1", action, Sha256.hex("x"), "EXECUTED", List.of("agent"), List.of("kim"), 1));
    assertFound("privilege", Judgement.STOP, "digest-differs", "merge");
    Action other = Action.of("r-2", "merge", Map.of("branch", "main"));
    approvals.set(
        0,
        new ApprovalRecord(
            "a-1", other, other.digest(), "EXECUTED", List.of("agent"), List.of("kim"), 1));
    assertFound("privilege", Judgement.STOP, "approval-of-another", "merge");
    Action arguments = Action.of("r-1", "merge", Map.of("branch", "main "));
    approvals.set(
        0,
        new ApprovalRecord(
            "a-1", arguments, arguments.digest(), "EXECUTED", List.of("agent"), List.of("kim"), 1));
    assertFound("privilege", Judgement.STOP, "arguments-differ", "merge");
  }

  @Test
  void who_asked_may_not_approve() throws Exception {
    approvals.set(0, approval("EXECUTED", List.of("agent")));
    assertFound("privilege", Judgement.STOP, "self-approval", "merge");
    approvals.set(0, approval("EXECUTED", List.of("kim")));
    planApprovedBy = "agent";
    assertFound("privilege", Judgement.STOP, "self-approval", "");
    planApprovedBy = "";
    assertFound("privilege", Judgement.STOP, "plan-unapproved", "");
  }

  @Test
  void a_missed_quorum_stops() throws Exception {
    approvals.set(0, approval("EXECUTED", List.of()));
    assertFound("privilege", Judgement.STOP, "quorum-missed", "merge");
  }

  @Test
  void the_policy_of_an_environment_holds() throws Exception {
    environment = "staging";
    assertFound("privilege", Judgement.STOP, "policy-broken", "edit");
    tools.set(1, step("edit", "test", List.of("src/app.js"), false));
    assertCleared("privilege");
    environment = "prod";
    assertFound("privilege", Judgement.STOP, "policy-broken", "edit");
    environment = "elsewhere";
    assertFound("privilege", Judgement.STOP, "policy-broken", "lint");
  }

  // Silent failure.

  @Test
  void a_planned_step_without_a_result_stops() throws Exception {
    results.remove(1);
    assertFound("silent_failure", Judgement.STOP, "step-without-result", "edit");
  }

  @Test
  void a_check_that_did_not_run_stops_and_a_plan_without_checks_is_noted() throws Exception {
    results.removeLast();
    assertFound("silent_failure", Judgement.STOP, "check-not-run", "test");
    checks.clear();
    assertFound("silent_failure", Judgement.CONTAMINATED, "nothing-verified", "");
  }

  @Test
  void a_hidden_exit_code_stops() throws Exception {
    replace(0, result("lint", "0", List.of()).exiting(2), Map.of());
    assertFound("silent_failure", Judgement.STOP, "exit-hidden", "lint");
    replace(0, result("lint", "3", List.of()), Map.of());
    assertFound("silent_failure", Judgement.STOP, "exit-hidden", "lint");
  }

  @Test
  void a_pass_that_the_tool_did_not_say_stops() throws Exception {
    replace(0, result("lint", "0", List.of()).as(ToolStatus.FAIL, "no"), Map.of());
    assertFound("silent_failure", Judgement.STOP, "status-hidden", "lint");
  }

  @Test
  void empty_evidence_stops() throws Exception {
    replace(0, ToolResult.pass(List.of(evidence.put("stdout", "")), "done"), Map.of());
    assertFound("silent_failure", Judgement.STOP, "evidence-empty", "lint");
  }

  @Test
  void what_is_left_open_is_noted() throws Exception {
    replace(0, result("lint", "0", List.of("the generated files")), Map.of());
    assertFound("silent_failure", Judgement.CONTAMINATED, "not-tested", "lint");
  }

  @Test
  void a_risk_that_was_passed_over_stops() throws Exception {
    replace(0, risky(Risk.HIGH), Map.of());
    assertFound("silent_failure", Judgement.STOP, "risk-passed-over", "lint");
    replace(0, risky(Risk.MEDIUM), Map.of());
    assertFound("silent_failure", Judgement.CONTAMINATED, "risk", "lint");
    results.set(
        2,
        new StepResult(9, "merge", false, "pass", risky(Risk.HIGH), Map.of(".git/HEAD", "merged")));
    replace(0, result("lint", "0", List.of()), Map.of());
    assertFound("silent_failure", Judgement.CONTAMINATED, "risk", "merge");
  }

  @Test
  void the_judge_hears_who_is_silent_or_soft() throws Exception {
    AuditedRun run = run();
    assertThat(Auditors.rules().look("silent_failure", run, List.of()).findings())
        .extracting(Finding::rule)
        .containsExactly("auditor-silent");
    Files.delete(evidence.file(Sha256.hex("edit did it")));
    List<Verdict> soft =
        Auditors.ORDER.subList(0, 4).stream()
            .map(name -> new Verdict(name, Judgement.CLEARED, List.of()))
            .toList();
    assertThat(Auditors.rules().look("silent_failure", run, soft).findings())
        .extracting(Finding::rule)
        .contains("auditor-soft");
  }

  // Who looks beside the rules.

  @Test
  void an_extension_makes_it_worse_and_never_better() throws Exception {
    Extension note = (_, _) -> List.of(new Finding(Judgement.CONTAMINATED, "model", "", "hm"));
    Extension nothing = (_, _) -> List.of();
    Extension broken =
        (_, _) -> {
          throw new IOException("secret");
        };
    assertThat(extended(nothing).judgement()).isEqualTo(Judgement.CLEARED);
    assertThat(extended(note).judgement()).isEqualTo(Judgement.CONTAMINATED);
    assertThat(extended(broken).judgement()).isEqualTo(Judgement.STOP);
    assertThat(extended(broken).notes().toString()).doesNotContain("secret");
    planDigest = "another";
    assertThat(extended(nothing).judgement()).isEqualTo(Judgement.STOP);
    assertThat(extended(note).judgement()).isEqualTo(Judgement.STOP);
    assertThatThrownBy(() -> new Auditors(List.of(), Map.of("nobody", List.of(note))))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_command_looks_too() throws Exception {
    assertThat(extended(command("exit 0")).judgement()).isEqualTo(Judgement.CLEARED);
    assertThat(extended(command("exit 1")).judgement()).isEqualTo(Judgement.STOP);
    assertThat(
            extended(
                    command(
                        "echo '{\"status\":\"pass\",\"risks\":[{\"level\":\"low\",\"text\":\"hm\"}]}'"
                            + " > \"$SIGNALBOX_RESULT\""))
                .judgement())
        .isEqualTo(Judgement.CONTAMINATED);
  }

  private Extension command(String script) {
    return Extension.command(
        SubprocessTool.of(Program.of("sh", "-c", script)),
        ToolCall.of("k", "look", Map.of(), temp));
  }

  private Verdict extended(Extension extension) throws InterruptedException {
    return new Auditors(List.of(), Map.of("amnesia", List.of(extension)))
        .look("amnesia", run(), List.of());
  }

  private void assertFound(String auditor, Judgement judgement, String rule, String step)
      throws InterruptedException {
    List<Verdict> all = Auditors.rules().lookAll(run());
    Verdict verdict = all.get(Auditors.ORDER.indexOf(auditor));
    assertThat(verdict.findings())
        .as(verdict.toString())
        .anyMatch(
            f -> f.rule().equals(rule) && f.step().equals(step) && f.judgement() == judgement);
    assertThat(verdict.judgement()).as(verdict.toString()).isEqualTo(judgement);
  }

  private void assertCleared(String auditor) throws InterruptedException {
    Verdict verdict = Auditors.rules().look(auditor, run(), List.of());
    assertThat(verdict.judgement()).as(verdict.toString()).isEqualTo(Judgement.CLEARED);
  }

  private AuditedRun run() {
    return new AuditedRun(
        "r-1",
        environment,
        "agent",
        plan(),
        planDigest,
        planApprovedBy,
        tools,
        checks,
        started,
        results,
        approvals,
        evidence,
        before,
        now);
  }

  private Map<String, Object> plan() {
    Map<String, Object> plan = new HashMap<>(more);
    plan.putAll(Map.of("project", "DEMO", "tools", List.of("lint", "edit", "merge")));
    return plan;
  }

  private static PlannedStep step(
      String name, String access, List<String> writes, boolean approval) {
    return new PlannedStep(
        name,
        false,
        access,
        writes,
        access.equals("write"),
        approval,
        approval ? Map.of("branch", "main") : Map.of());
  }

  private static ApprovalRecord approval(String state, List<String> approvers) {
    Action action = Action.of("r-1", "merge", Map.of("branch", "main"));
    return new ApprovalRecord(
        "a-1", action, action.digest(), state, List.of("agent"), approvers, 1);
  }

  private StepResult passed(long sequence, String step, Map<String, String> changed) {
    return new StepResult(sequence, step, false, "pass", result(step, "0", List.of()), changed);
  }

  private ToolResult result(String step, String exit, List<String> notTested) {
    return new ToolResult(
        ToolStatus.PASS,
        List.of(evidence.put("stdout", step + " did it"), evidence.put("exit_code", exit + "\n")),
        List.of(Claim.of("it is done", "stdout")),
        List.of(),
        notTested,
        List.of(),
        List.of(),
        ToolUsage.NONE,
        null,
        "done");
  }

  private ToolResult risky(Risk risk) {
    ToolResult honest = result("lint", "0", List.of());
    return new ToolResult(
        honest.status(),
        honest.evidence(),
        honest.checked(),
        List.of(),
        List.of(),
        List.of(new ToolRisk(risk, "it may break")),
        List.of(),
        ToolUsage.NONE,
        (@Nullable Integer) null,
        "done");
  }

  private static ToolResult with(ToolResult result, List<Evidence> evidence, List<Claim> checked) {
    return new ToolResult(
        result.status(),
        evidence,
        checked,
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        ToolUsage.NONE,
        null,
        "done");
  }

  private void replace(int index, ToolResult result, Map<String, String> changed) {
    StepResult old = results.get(index);
    results.set(
        index, new StepResult(old.sequence(), old.step(), old.isCheck(), "pass", result, changed));
  }
}
