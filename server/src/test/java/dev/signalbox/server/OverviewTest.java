package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.server.access.Tokens;
import dev.signalbox.testkit.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the page asks for beyond instances and machines. */
class OverviewTest {
  private final ManualClock clock = new ManualClock();
  @TempDir Path folder;
  private Served served;

  @BeforeEach
  void start() {
    served = new Served(folder, Served.SETTINGS, clock, List.of());
    for (String id : List.of("d-1", "d-2", "d-3")) {
      served.box.submit(new Command.Start("deploy", id, Map.of(), Actor.SYSTEM, null));
    }
    Actor approver = new Actor(Actor.Kind.USER, "kim", List.of("reviewer"));
    for (int i = 0; i < 2; i++) {
      served.box.submit(Command.Send.of("d-1", "approve", null).by(approver));
    }
    served.box.send("d-1", "start");
    served.box.send("d-2", "start");
  }

  @AfterEach
  void stop() {
    served.close();
  }

  @Test
  void the_overview_has_what_lives_where_and_what_moved() throws Exception {
    Served.Answer answer = served.get("/api/v1/overview", served.admin);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.at("live")).isEqualTo(3L);
    assertThat(answer.at("refusals")).isEqualTo(1L);
    Map<?, ?> deploy = (Map<?, ?>) answer.list("machines").getFirst();
    assertThat(deploy.get("name")).isEqualTo("deploy");
    assertThat(deploy.get("system")).isEqualTo("others");
    assertThat(deploy.get("states")).isEqualTo(Map.of("PLANNED", 2L, "RUNNING", 1L));
    assertThat(new ArrayList<Object>((List<?>) deploy.get("flows")))
        .contains(
            Map.of("from", "PLANNED", "on", "start", "to", List.of("RUNNING"), "count", 1L),
            Map.of("from", "PLANNED", "on", "approve", "to", List.of(), "count", 2L));
  }

  private static Map<?, ?> machine(Served.Answer overview, long version) {
    return overview.list("machines").stream()
        .map(each -> (Map<?, ?>) each)
        .filter(each ->
            "deploy".equals(each.get("name")) && Long.valueOf(version).equals(each.get("version")))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void a_new_version_does_not_show_the_movement_of_the_old_one() throws Exception {
    served.box.publish(
        MachineReader.read(
            new Source(
                "deploy.yaml",
                Served.DEPLOY.replace("machine: deploy", "machine: deploy\nversion: 2"))));
    Served.Answer answer = served.get("/api/v1/overview", served.admin);
    assertThat((List<?>) machine(answer, 2).get("flows")).isEmpty();
    assertThat((List<?>) machine(answer, 1).get("flows")).isNotEmpty();
    served.box.submit(new Command.Start("deploy", "d-9", Map.of(), Actor.SYSTEM, null));
    served.box.send("d-9", "start");
    served.box.submit(
        Command.Send.of("d-9", "approve", null)
            .by(new Actor(Actor.Kind.USER, "kim", List.of("approver"))));
    Served.Answer later = served.get("/api/v1/overview", served.admin);
    assertThat((List<?>) machine(later, 2).get("flows")).isNotEmpty();
  }

  @Test
  void a_token_for_one_machine_hears_of_no_other_ones_totals() throws Exception {
    String narrow =
        served
            .server
            .tokens()
            .create(
                new Tokens.Order("narrow", List.of("viewer"), List.of("other"), Duration.ofDays(1)),
                Server.owner("owner"))
            .secret();
    clock.advance(Duration.ofSeconds(30));
    Served.Answer overview = served.get("/api/v1/overview", narrow);
    for (String figure : List.of("live", "steps", "refusals", "paused", "late", "approvals")) {
      assertThat(overview.at(figure)).as(figure).isEqualTo(0L);
    }
    for (Object each : served.get("/api/v1/activity", narrow).list("series")) {
      Map<?, ?> series = (Map<?, ?>) each;
      for (Object point : (List<?>) Objects.requireNonNull(series.get("points"))) {
        assertThat(((Number) Objects.requireNonNull(((List<?>) point).get(1))).doubleValue())
            .as("%s", series.get("name"))
            .isZero();
      }
      assertThat(series.get("name"))
          .isNotIn("effects_pending", "timer_lateness", "commands_waiting", "tasks_queued");
    }
    assertThat(served.get("/api/v1/metrics", narrow).status()).isEqualTo(403);
    assertThat(served.get("/api/v1/activity", served.admin).text()).contains("commands_waiting");
  }

  @Test
  void flow_is_forgotten_after_its_window() throws Exception {
    clock.advance(Duration.ofMinutes(4));
    assertThat(served.get("/api/v1/overview", served.admin).word("steps")).isNotEqualTo("0");
    clock.advance(Duration.ofMinutes(20));
    served.box.submit(new Command.Start("deploy", "d-4", Map.of(), Actor.SYSTEM, null));
    Served.Answer later = served.get("/api/v1/overview", served.admin);
    assertThat(later.at("refusals")).isEqualTo(0L);
  }

  @Test
  void all_who_are_late_are_counted_and_the_latest_named() throws Exception {
    served.close();
    Signalbox box =
        Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"), Settings.DEFAULT, clock);
    InstantSource ahead = InstantSource.offset(clock, Duration.ofMinutes(10));
    served = new Served(box, folder, Served.SETTINGS, ahead, List.of());
    started(box, 3, 30);
    Served.Answer some = served.get("/api/v1/overview", served.admin);
    assertThat(some.at("late")).isEqualTo(29L);
    assertThat(some.at("at_least")).isEqualTo(List.of());
    assertThat(((Map<?, ?>) some.list("machines").getFirst()).get("late")).isEqualTo(29L);
    assertThat(some.list("troubles")).hasSize(20);
    assertThat(some.list("troubles").getFirst().toString())
        .contains("kind=late", "fired 300 s ago");

    started(box, 30, 1_002);
    Served.Answer many = served.get("/api/v1/overview", served.admin);
    assertThat(many.at("late")).isEqualTo(1_000L);
    assertThat(many.at("at_least")).isEqualTo(List.of("late"));
    assertThat(many.list("troubles")).hasSize(20);
  }

  private static void started(Signalbox box, int after, int last) {
    List<CompletableFuture<Reply>> replies = new ArrayList<>();
    for (int i = after + 1; i <= last; i++) {
      replies.add(
          box.submitAsync(new Command.Start("deploy", "d-" + i, Map.of(), Actor.SYSTEM, null)));
    }
    replies.forEach(CompletableFuture::join);
  }

  @Test
  void activity_counts_every_span_and_those_that_lived_then() throws Exception {
    clock.advance(Duration.ofSeconds(30));
    Served.Answer answer = served.get("/api/v1/activity", served.admin);
    assertThat(answer.at("every")).isEqualTo(10_000L);
    assertThat(total(answer, "refusal")).isEqualTo(1);
    assertThat(total(answer, "start")).isGreaterThanOrEqualTo(3);
    List<?> live = points(answer, "live");
    assertThat(live).hasSize(90);
    assertThat(((List<?>) live.getFirst()).get(1)).isEqualTo(0L);
    assertThat(((List<?>) live.getLast()).get(1)).isEqualTo(4L);
  }

  private static List<?> points(Served.Answer answer, String name) {
    return answer.list("series").stream()
        .map(one -> (Map<?, ?>) one)
        .filter(one -> name.equals(one.get("name")))
        .map(one -> (List<?>) one.get("points"))
        .findFirst()
        .orElseThrow();
  }

  /** How many there were, from the rates of ten seconds each. */
  private static long total(Served.Answer answer, String name) {
    double sum = 0;
    for (Object point : points(answer, name)) {
      sum += ((Number) Objects.requireNonNull(((List<?>) point).get(1))).doubleValue() * 10;
    }
    return Math.round(sum);
  }

  @Test
  void a_machine_is_played_without_a_trace() throws Exception {
    Map<String, Object> actor = Map.of("name", "kim", "roles", List.of("reviewer"));
    Served.Answer stage =
        served.post(
            "/api/v1/machines/deploy/play",
            served.admin,
            Map.of(
                "stimuli",
                List.of(
                    Map.of("event", "start"),
                    Map.of("event", "approve", "actor", actor),
                    Map.of("after", "1m"))));
    assertThat(stage.status()).isEqualTo(200);
    assertThat(stage.at("leaves")).isEqualTo(List.of("PLANNED"));
    assertThat(stage.at("next_due")).isEqualTo(300_000L);
    assertThat(stage.at("now")).isEqualTo(60_000L);
    assertThat(stage.text()).contains("guard-refused");
    assertThat(stage.word("awaited")).contains("approve", "start", "reviewer");
    assertThat(served.get("/api/v1/overview", served.admin).at("live")).isEqualTo(3L);

    Served.Answer bad =
        served.post(
            "/api/v1/machines/deploy/play",
            served.admin,
            Map.of("stimuli", List.of(Map.of("evnt", "start"))));
    assertThat(bad.status()).isEqualTo(400);
    assertThat(bad.word("detail")).startsWith("Stimulus 1: Expected");
  }

  @Test
  void the_youngest_come_first_where_asked_for() throws Exception {
    Served.Answer newest =
        served.get("/api/v1/instances?machine=deploy&order=newest&most=2", served.admin);
    assertThat(newest.list("instances"))
        .extracting(one -> String.valueOf(((Map<?, ?>) one).get("id")))
        .containsExactly("d-3", "d-2");
    Served.Answer next =
        served.get(
            "/api/v1/instances?machine=deploy&order=newest&most=2&after=" + newest.word("next"),
            served.admin);
    assertThat(next.list("instances"))
        .extracting(one -> String.valueOf(((Map<?, ?>) one).get("id")))
        .containsExactly("d-1");
  }

  @Test
  void the_page_is_made_of_files_that_are_served() throws Exception {
    String index = served.get("/", served.admin).text();
    var address = java.util.regex.Pattern.compile("(?:src|href)=\"(/[^\"]+)\"").matcher(index);
    while (address.find()) {
      assertThat(served.get(address.group(1), served.admin).status())
          .as(address.group(1))
          .isEqualTo(200);
    }
    var library = java.util.regex.Pattern.compile("\"(/webjars/[^\"]+\\.js)\"").matcher(index);
    int found = 0;
    while (library.find()) {
      assertThat(served.get(library.group(1), served.admin).status())
          .as(library.group(1))
          .isEqualTo(200);
      found++;
    }
    assertThat(found).isEqualTo(3);
  }

  @Test
  void what_a_sweep_could_not_put_right_needs_a_look_until_somebody_has() throws Exception {
    served.box.publish(
        MachineReader.read(
            new Source(
                "alley.yaml",
                """
                machine: alley
                states:
                  STREET: { waits: somebody, on: { turn: BLIND } }
                  BLIND: { waits: nothing leads out }
                """)));
    served.box.submit(new Command.Start("alley", "a-1", Map.of(), Actor.SYSTEM, null));
    served.box.send("a-1", "turn");
    clock.advance(Duration.ofMinutes(3));
    assertThat(served.get("/api/v1/overview", served.admin).text()).doesNotContain("a-1");
    Served.Answer swept = served.post("/api/v1/sweeps", served.admin, Map.of());
    assertThat(swept.text()).contains("\"unattended\"", "\"a-1\"");

    Map<?, ?> trouble =
        (Map<?, ?>) served.get("/api/v1/overview", served.admin).list("troubles").getFirst();
    assertThat(trouble.get("kind")).isEqualTo("unattended");
    assertThat(trouble.get("instance")).isEqualTo("a-1");

    served.post("/api/v1/instances/a-1/cancel", served.admin, Map.of());
    assertThat(served.get("/api/v1/overview", served.admin).text()).doesNotContain("a-1");
  }
}
