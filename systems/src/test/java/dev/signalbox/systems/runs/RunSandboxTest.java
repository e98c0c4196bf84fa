package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Instance;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Inbox;
import dev.signalbox.services.sandbox.Unconfined;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a plan's processes reach, and what happens where nothing keeps them. */
class RunSandboxTest {
  private static final String SECRET = "the-admin-token-of-this-folder";

  @TempDir Path folder;

  private static String failure(Instance run) {
    return String.valueOf(run.context().get("failure"));
  }

  /** A house whose store and token lie in a folder of their own, as {@code up} keeps them. */
  private RunHouse house() throws IOException {
    Path data = Files.createDirectories(folder.toRealPath().resolve("data"));
    Files.writeString(data.resolve("token"), SECRET);
    return RunHouse.in(folder, settings -> settings.apart(data));
  }

  @Test
  void a_plan_can_not_print_the_token_by_any_of_its_processes() throws IOException {
    try (RunHouse house = house()) {
      String cat = "[sh, -c, 'cat %s/data/token; ls -R %s/runs; true']".formatted(folder, folder);
      String run =
          house.start(
              """
              project: demo
              environment: prod
              tools:
                - { name: t, command: %s, access: read }
              checks:
                - { name: c, command: %s, access: read }
              auditors:
                drift: { command: %s }
              """
                  .formatted(cat, cat, cat));

      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("COMPLETE");
      List<String> all = house.evidence(run);
      assertThat(all).noneMatch(text -> text.contains(SECRET));
      assertThat(all).anyMatch(text -> text.contains("data/token: No such file"));
    }
  }

  @Test
  void an_undo_can_not_print_the_token_either() throws IOException {
    try (RunHouse house = house()) {
      String run =
          house.start(
              RunPlans.of(
                  "name: t, command: [touch, t], writes: [t], undo: { command: [cat, %s/data/token] }"
                      .formatted(folder),
                  "name: bad, command: [\"false\"], access: read"));

      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(house.evidence(run)).noneMatch(text -> text.contains(SECRET));
    }
  }

  @Test
  void another_run_s_folder_is_not_there_and_an_auditor_sees_its_own() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      String first = house.start(RunPlans.of("name: t, command: [echo, private], access: read"));
      house.untilEnd(first);
      Path other = house.settings.folder().resolve(first);
      assertThat(other.resolve("evidence")).isDirectory();
      String run =
          house.start(
              RunPlans.of("name: t, command: [ls, %s], access: read".formatted(other))
                  .replace("name: ok, command: [\"true\"]", "name: ok, command: [\"true\"]"));
      assertThat(Runs.state(house.untilEnd(run))).isEqualTo("ROLLED_BACK");
      assertThat(house.evidence(run)).anyMatch(text -> text.contains("No such file"));
      String audited =
          house.start(
              RunPlans.of("name: t, command: [\"true\"], access: read")
                  + """
                  auditors:
                    drift: { command: [sh, -c, 'test -d "$1/evidence" && ! test -e %s', sh, "{run_folder}"] }
                  """
                      .formatted(other));
      Instance ended = house.untilEnd(audited);
      assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("COMPLETE");
    }
  }

  @Test
  void a_network_is_there_where_the_plan_says_so_and_the_policy_sees_it() throws IOException {
    String look = "command: [sh, -c, 'test $(wc -l < /proc/net/dev) -gt 3'], access: read";
    try (RunHouse house = RunHouse.in(folder)) {
      String without = RunPlans.of("name: t, " + look);
      String with = RunPlans.of("name: t, network: true, " + look);
      assertThat(Runs.state(house.ended(without))).isEqualTo("ROLLED_BACK");
      assertThat(Runs.state(house.ended(with))).isEqualTo("COMPLETE");
      String judged =
          RunPlans.with(
              with,
              "policy:\n  - { name: n, when: call.network, risk: critical, because: it talks }");
      assertThat(failure(house.ended(judged))).contains("it talks");
    }
  }

  @Test
  void a_folder_that_holds_the_store_is_refused() throws IOException {
    try (RunHouse house =
        RunHouse.in(folder, settings -> settings.apart(folder.resolve("work/.signalbox")))) {
      Instance ended = house.ended(RunPlans.of("name: t, command: [touch, t], writes: [t]"));
      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(failure(ended)).contains("holds nothing of the store");
      assertThat(house.work.resolve("t")).doesNotExist();
    }
  }

  private RunHouse bare(SandboxSettings.Unconfined rule) throws IOException {
    return RunHouse.in(
        folder,
        settings ->
            settings.sandbox(sandbox ->
                sandbox.in(new Unconfined("There is no sandbox here.")).unconfined(rule)));
  }

  private static final String TOUCH =
      RunPlans.of(
          "name: a, command: [touch, a], writes: [a]", "name: b, command: [touch, b], writes: [b]");

  @Test
  void without_a_sandbox_people_are_asked_once_for_the_plan() throws IOException {
    try (RunHouse house = bare(SandboxSettings.Unconfined.ASK)) {
      String run = house.start(TOUCH);
      house.until(run, i -> !"".equals(i.context().get("plan_approval")));
      Approval asked = house.approvals.pending(Inbox.ALL.about(run)).getFirst();
      assertThat(asked.action().name()).isEqualTo("plan");
      assertThat(asked.action().identity())
          .containsEntry("unconfined", "There is no sandbox here.");
      assertThat(house.work).isEmptyDirectory();

      house.approve(asked);

      assertThat(Runs.state(house.untilEnd(run))).isEqualTo("COMPLETE");
      assertThat(house.approvals.pending(Inbox.ALL.about(run))).isEmpty();
    }
  }

  @Test
  void without_a_sandbox_plans_are_refused_where_the_settings_say_so() throws IOException {
    try (RunHouse house = bare(SandboxSettings.Unconfined.REFUSE)) {
      Instance ended = house.ended(TOUCH);
      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(failure(ended)).contains("Expected a sandbox", "There is no sandbox here.");
      assertThat(house.work).isEmptyDirectory();
    }
  }

  @Test
  void without_a_sandbox_plans_run_where_the_settings_allow_it() throws IOException {
    try (RunHouse house = bare(SandboxSettings.Unconfined.ALLOW)) {
      assertThat(Runs.state(house.ended(TOUCH))).isEqualTo("COMPLETE");
    }
  }

  /** It was planned where there was a sandbox, and goes on where there is none. */
  @Test
  void a_node_without_a_sandbox_does_not_go_on_with_a_plan_that_nobody_approved_without()
      throws IOException {
    String run;
    String plan = RunPlans.of("name: t, command: [touch, t], risks: [merge_to_main]");
    Approval asked;
    try (RunHouse house = RunHouse.in(folder)) {
      run = house.start(plan);
      asked = house.untilAsked(run).getFirst();
    }
    try (RunHouse house = bare(SandboxSettings.Unconfined.ASK)) {
      Actor bob = RunHouse.BOB;
      house.approvals.approve(asked.id(), bob, asked.digest());
      Instance ended = house.untilEnd(run);
      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(failure(ended)).contains("nobody approved the plan without one");
      assertThat(house.work).isEmptyDirectory();
    }
  }
}
