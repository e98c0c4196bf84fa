package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.definition.DefinitionException;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.services.approval.Escalation;
import dev.signalbox.services.approval.Risk;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlanReaderTest {
  @TempDir Path folder;

  private Plan read(String text) {
    return PlanReader.read(new Source("plan.yaml", text), folder);
  }

  private static final String WHOLE =
      """
      project: demo
      environment: staging
      approval: person
      approvers: { quorum: 2, roles: [release], assigned_to: [bob, eve], expires_in: 8h, remind_every: 1h, reassign_after: 4h, reassign_to: [lee, kim], escalate_after: 6h }
      limits: { tokens: 10, retries: 2, tools_at_a_time: 4 }
      policy:
        - { name: big, when: "call.arguments.size > 3", risk: critical, because: it is big }
      tools:
        - name: edit
          command: [sed, -i, "s/a/b/", "{file}"]
          arguments: { file: notes.txt, size: 3, deep: { list: [1, 2.5, true, text] } }
          env: [PATH]
          set: { CI: "1" }
          writes: [notes.txt, docs/**]
          undo: { command: [git, checkout, notes.txt], timeout: 10s }
          retries: 2
          timeout: 90s
          on_unknown: halt
        - { name: ping, http: { url: "https://example.com/{path}" }, arguments: { path: x, size: 1 }, access: read }
        - { name: tool, mcp: { server: [mcp-server], tool: search }, arguments: { size: 1 }, access: test }
        - { name: turn, handler: agent, arguments: { size: 1 }, risk: high, approvers: { assigned_to: [ida, lee], remind_every: 2h } }
      checks:
        - { name: tests, command: [mvn, test], arguments: { size: 0 } }
      auditors:
        drift: { command: [look] }
      """;

  @Test
  void a_plan_reads_and_its_frozen_form_gives_it_back() {
    Plan plan = read(WHOLE);
    Map<String, Object> frozen = plan.frozen(Policy.STANDARD);

    assertThat(plan.project()).isEqualTo("DEMO");
    assertThat(plan.limits()).isEqualTo(new RunLimits(100, 10, 20, 30, 2, 4));
    assertThat(Plan.of(frozen)).isEqualTo(plan);
    assertThat(CanonicalJson.text(Plan.of(frozen).frozen(Policy.STANDARD)))
        .isEqualTo(CanonicalJson.text(frozen));
  }

  @Test
  void what_a_tool_does_not_say_of_its_approvers_is_as_the_plan_says() {
    Plan plan = read(WHOLE);
    ToolPlan turn = plan.tools().getLast();

    assertThat(plan.approvers(plan.tools().getFirst())).isEqualTo(plan.approvers());
    assertThat(plan.approvers(turn))
        .isEqualTo(
            new Approvers(
                2,
                List.of("release"),
                List.of("ida", "lee"),
                Duration.ofHours(8),
                new Escalation(
                    Duration.ofHours(2),
                    Duration.ofHours(4),
                    List.of("lee", "kim"),
                    Duration.ofHours(6))));
    assertThat(read(WHOLE.replace("[ida, lee]", "[]")).tools().getLast().approvers())
        .extracting(Approvers::assignedTo)
        .isEqualTo(List.of());
  }

  @Test
  void what_is_wrong_with_the_approvers_of_a_tool_is_told_at_its_place() {
    assertThatThrownBy(() ->
            read(
                """
                project: demo
                approvers: { assigned_to: [bob], escalate_after: 8h }
                tools:
                  - { name: a, command: [ls], approvers: { quorum: 2 } }
                  - { name: b, command: [ls], approvers: { quorum: 3, assigned_to: [kim, lee] } }
                  - { name: c, command: [ls], approvers: { expires_in: 1h } }
                  - { name: d, command: [ls], approvers: { escalate_after: 30h } }
                  - { name: e, command: [ls], approvers: { reassign_to: [kim] } }
                  - { name: f, command: [ls], approvers: { people: [kim] } }
                  - { name: g, command: [ls], approvers: kim }
                  - { name: h, command: [ls], approvers: { quorum: none } }
                checks:
                  - { name: i, command: [ls], approvers: { quorum: 1 } }
                """))
        .isInstanceOfSatisfying(
            DefinitionException.class,
            e ->
                assertThat(e.problems())
                    .extracting(p -> p.code() + " " + p.place().line() + ":" + p.place().column())
                    .containsExactlyInAnyOrder(
                        "wrong-value 4:52",
                        "wrong-value 5:68",
                        "bad-duration 6:42",
                        "bad-duration 7:60",
                        "missing-key 8:42",
                        "unknown-key 9:52",
                        "wrong-type 10:42",
                        "bad-number 11:52",
                        "unknown-key 13:42"))
        .hasMessageContaining(
            "plan.yaml:4:52: error: Expected 'assigned_to' to name at least the 2 people");
  }

  @Test
  void only_what_reads_is_repeatable_and_needs_nobody_runs_beside_the_one_before() {
    Map<String, Object> frozen =
        read("""
        project: demo
        limits: { tools_at_a_time: 3 }
        tools:
          - { name: a, command: [ls], access: read }
          - { name: b, command: [ls], access: read }
          - { name: c, command: [ls], access: read }
          - { name: d, command: [ls], access: read }
          - { name: e, command: [ls] }
          - { name: f, command: [ls], access: read }
          - { name: g, command: [ls], access: test }
          - { name: h, command: [ls], access: read, risk: high }
          - { name: i, command: [ls], access: read, idempotent: false }
        checks: [ { name: z, command: [ls] } ]
        """)
            .frozen(Policy.STANDARD);

    assertThat(Ahead.beside(frozen, "a")).containsExactly("b", "c");
    assertThat(Ahead.beside(frozen, "b")).containsExactly("c", "d");
    assertThat(Ahead.beside(frozen, "c")).containsExactly("d");
    for (String alone : List.of("d", "e", "f", "g", "h", "i")) {
      assertThat(Ahead.beside(frozen, alone)).as(alone).isEmpty();
    }
    assertThatThrownBy(() -> read(RunPlans.with(RunPlans.MERGE, "limits: { tools_at_a_time: 9 }")))
        .hasMessageContaining("'tools_at_a_time' to be a whole number from 1 to 8");
  }

  @Test
  void reassigning_needs_a_time_and_people() {
    for (String half : List.of("reassign_after: 4h", "reassign_to: [lee]")) {
      assertThatThrownBy(() ->
              read(
                  """
                  project: demo
                  approvers: { %s }
                  tools: [ { name: a, command: ["true"] } ]
                  checks: [ { name: b, command: ["true"] } ]
                  """
                      .formatted(half)))
          .isInstanceOf(DefinitionException.class)
          .hasMessageContaining("'reassign_after' and 'reassign_to' together");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "expires_in: 25h|'expires_in'",
        "expires_in: 0s|'expires_in'",
        "escalate_after: 24h|'escalate_after'",
        "expires_in: 1h, escalate_after: 1h|'escalate_after'",
        "expires_in: 1h, remind_every: 2h|'remind_every'",
        "escalate_after: 1h, reassign_after: 1h, reassign_to: [lee]|'reassign_after'",
        "quorum: 2, assigned_to: [bob]|'assigned_to' to name at least the 2 people",
        "quorum: 2, reassign_after: 1h, reassign_to: [lee]|'reassign_to' to name at least the 2"
      })
  void what_would_never_come_is_told(String approvers, String told) {
    assertThatThrownBy(
            () -> read(RunPlans.with(RunPlans.MERGE, "approvers: { %s }".formatted(approvers))))
        .isInstanceOf(DefinitionException.class)
        .hasMessageContaining(told);
  }

  @Test
  void one_byte_more_is_another_plan() {
    assertThat(Plan.digest(read(WHOLE).frozen(Policy.STANDARD)))
        .isNotEqualTo(
            Plan.digest(
                read(WHOLE.replace("notes.txt, size: 3", "notes.txT, size: 3"))
                    .frozen(Policy.STANDARD)));
  }

  @Test
  void rules_of_a_plan_make_it_stricter_and_never_milder() {
    Plan plan =
        read(WHOLE.replace("call.arguments.size > 3\", risk: critical", "true\", risk: low"));

    List<Map<String, Object>> tools = Form.maps(plan.frozen(Policy.STANDARD), "tools");

    assertThat(tools)
        .extracting(tool -> tool.get("risk"))
        .containsExactly("high", "low", "low", "high");
    assertThat(tools.getFirst().get("why"))
        .isEqualTo("this environment does not let it happen by itself; it is big");
  }

  @Test
  void a_rule_that_can_not_be_decided_is_critical() {
    Policy policy =
        Policy.STANDARD.and(
            List.of(new PolicyRule("odd", "call.arguments.nothing > 1", Risk.HIGH, "odd")));

    assertThat(policy.assess("DEMO", "dev", read(WHOLE).tools().getFirst()).risk())
        .isEqualTo(Risk.CRITICAL);
  }

  @Test
  void the_high_risks_of_the_document_are_found() {
    for (String command :
        List.of(
            "[kubectl, rollout, --env, production]",
            "[ufw, allow, '22']",
            "[rm, old.txt]",
            "[vault, read, x]",
            "[flyway, migrate]",
            "[git, merge, topic]",
            "[sudo, ls]",
            "[sh, -c, 'cd x; git push origin main']",
            "[/usr/bin/git, push]")) {
      Plan plan =
          read(
              "project: demo\ntools:\n  - { name: t, command: %s }\nchecks:\n  - { name: c, command: [ls] }\n"
                  .formatted(command));
      assertThat(Form.maps(plan.frozen(Policy.STANDARD), "tools").getFirst().get("approval"))
          .as(command)
          .isEqualTo(true);
    }
  }

  @Test
  void environments_let_happen_by_itself_what_the_document_says() {
    for (String[] each :
        new String[][] {
          {"dev", "read", "false"}, {"dev", "write", "false"}, {"dev", "test", "false"},
          {"staging", "read", "false"}, {"staging", "write", "true"}, {"staging", "test", "false"},
          {"prod", "read", "false"}, {"prod", "write", "true"}, {"prod", "test", "true"}
        }) {
      Plan plan =
          read(
              "project: demo\nenvironment: %s\ntools:\n  - { name: t, command: [ls], access: %s }\nchecks:\n  - { name: c, command: [ls], access: read }\n"
                  .formatted(each[0], each[1]));
      assertThat(Form.maps(plan.frozen(Policy.STANDARD), "tools").getFirst().get("approval"))
          .as("%s in %s", each[1], each[0])
          .isEqualTo(Boolean.valueOf(each[2]));
    }
  }

  @Test
  void everything_that_is_wrong_is_told_at_once_with_its_place() {
    assertThatThrownBy(() ->
            read(
                """
                project: "no good"
                folder: nowhere
                environment: moon
                colour: red
                limits: { minutes: 31 }
                policy:
                  - { name: x, when: "call.name ==", risk: high }
                tools:
                  - { name: a, command: ls -la }
                  - { name: a, command: [ls], writes: [../out] }
                  - { name: b }
                  - { name: c, command: [ls], retries: 9, timeout: 2h }
                """))
        .isInstanceOfSatisfying(
            DefinitionException.class,
            e ->
                assertThat(e.problems())
                    .extracting(p -> p.code() + " " + p.place().line() + ":" + p.place().column())
                    .contains(
                        "bad-name 1:10",
                        "no-folder 2:9",
                        "wrong-type 3:14",
                        "unknown-key 4:9",
                        "bad-number 5:20",
                        "expression 7:22",
                        "wrong-type 9:25",
                        "duplicate-name 10:13",
                        "bad-value 10:39",
                        "missing-key 11:5",
                        "bad-number 12:40",
                        "bad-duration 12:52",
                        "missing-key 1:1"))
        .hasMessageContaining("plan.yaml:9:25: error: Expected 'command' to be a list");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "command: [echo, '{nope}']|3:25|the argument 'nope', but it is missing",
        "command: [echo, '{x}'], arguments: { x: [[1]] }|3:25|'x' to be a text, a number",
        "command: [echo, '{x}'], arguments: { x: -rf }|3:25|begins with a dash",
        "command: [echo, \"a\\0b\"]|3:25|without a null character",
        "command: [ls], writes: [\"a\\0b\"]|3:39|'writes' to be a path, but it can't be one",
        "command: [ls], undo: { command: [ls, '{y}'] }|3:48|the argument 'y', but it is missing",
        "command: [ls], undo: { command: [ls], timeout: 0s }|3:63|a timeout of more than nothing",
        "command: [ls], undo: { command: [ls], timeout: 2h }|3:63|a timeout of more than nothing"
      })
  void what_would_fail_in_the_middle_of_a_run_is_told_before_it(
      String tool, String place, String told) {
    assertThatThrownBy(() -> read(RunPlans.of("name: a, " + tool)))
        .isInstanceOf(DefinitionException.class)
        .hasMessageContaining("plan.yaml:%s: error: Expected".formatted(place))
        .hasMessageContaining(told);
  }

  @Test
  void a_folder_that_can_be_no_path_is_told() {
    assertThatThrownBy(() -> read(RunPlans.with(RunPlans.MERGE, "folder: \"w\\0x\"")))
        .isInstanceOf(DefinitionException.class)
        .hasMessageContaining("plan.yaml:2:9: error: Expected 'folder' to be a path");
  }

  @Test
  void an_auditor_has_places_for_what_it_is_told_besides_its_arguments() {
    String plan =
        RunPlans.with(
            RunPlans.of("name: a, command: [ls]"),
            "auditors: { drift: { command: [sh, look.sh, '{run_folder}', '{auditor}'] } }");

    assertThat(read(plan).auditors()).containsKey("drift");
    assertThatThrownBy(() -> read(plan.replace("{auditor}", "{audit}")))
        .hasMessageContaining("the argument 'audit', but it is missing");
  }

  @ParameterizedTest
  @CsvSource({"'name: check.ok, command: [ls]', check.ok", "'name: a.undo, command: [ls]', a.undo"})
  void a_name_that_something_else_is_kept_under_is_taken(String tool, String name) {
    String taking = "name: a, command: [ls], undo: { command: [ls] }";

    assertThatThrownBy(() -> read(RunPlans.of(taking, tool)))
        .isInstanceOf(DefinitionException.class)
        .hasMessageContaining("'%s' is there twice".formatted(name))
        .hasMessageContaining("A check 'x' is also 'check.x'");
  }
}
