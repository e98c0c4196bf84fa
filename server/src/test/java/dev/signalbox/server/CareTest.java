package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.alert.AlertRule;
import dev.signalbox.services.retention.Archives;
import dev.signalbox.testkit.ManualClock;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What looks after the store, over HTTP: budgets, numbers, alerts, sweeps, notifications. */
class CareTest {
  @TempDir Path folder;

  private static final String TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  private Served served(Care care) {
    return new Served(folder, Served.SETTINGS.care(care), InstantSource.system(), List.of());
  }

  private static void start(Served served, String id) throws Exception {
    assertThat(
            served
                .post("/api/v1/instances", served.admin, Map.of("machine", "deploy", "id", id))
                .status())
        .isEqualTo(201);
  }

  @Test
  void what_ended_is_archived_by_an_admin_listed_and_read() throws Exception {
    try (Served served = served(Care.NONE)) {
      start(served, "d-1");
      start(served, "d-2");
      assertThat(served.post("/api/v1/instances/d-1/cancel", served.admin, Map.of()).status())
          .isEqualTo(200);
      Map<String, Object> all = Map.of("older_than_days", 0L);
      String operator = served.token("kim", "operator");
      assertThat(served.post("/api/v1/archives", operator, all).status()).isEqualTo(403);
      Served.Answer wrong =
          served.post("/api/v1/archives", served.admin, Map.of("older_than_days", -1L));
      assertThat(wrong.status()).isEqualTo(400);
      Served.Answer none = served.post("/api/v1/archives", served.admin, Map.of());
      assertThat(none.json().get("file")).isNull();
      // What ended in this millisecond has not ended before it.
      Served.Answer written;
      do {
        written = served.post("/api/v1/archives", served.admin, all);
      } while (written.json().get("file") == null);
      assertThat(written.at("instances")).isEqualTo(1L);
      String file = written.word("file");
      assertThat(served.get("/api/v1/archives", operator).text()).contains(file);
      assertThat(served.get("/api/v1/archives/" + file, operator).status()).isEqualTo(403);
      assertThat(served.get("/api/v1/archives/" + file, served.admin).text())
          .contains("signalbox-archive")
          .contains("d-1");
      assertThat(served.get("/api/v1/archives/signing.key", served.admin).status()).isEqualTo(404);
      assertThat(served.get("/api/v1/instances/d-1", served.admin).status()).isEqualTo(404);
      assertThat(served.get("/api/v1/instances/d-2", served.admin).status()).isEqualTo(200);
    }
  }

  @Test
  void what_ended_long_ago_is_archived_by_itself() throws Exception {
    String url = "jdbc:sqlite:" + folder.resolve("old.db");
    ManualClock clock = new ManualClock();
    try (Signalbox box = Signalbox.open(url, Settings.DEFAULT, clock)) {
      box.publish(MachineReader.read(new Source("deploy.yaml", Served.DEPLOY)));
      String id = box.start("deploy", Map.of()).id();
      assertThat(box.submit(new Command.Cancel(id, Actor.SYSTEM, null)))
          .isInstanceOf(Reply.Accepted.class);
      clock.advance(Duration.ofDays(91));
      Archives archives = new Archives(box, folder, clock);
      try (Caretaker caretaker =
          new Caretaker(
              box, Care.NONE.keeping(Duration.ofDays(90)), Care.NONE.secrets(), archives, clock)) {
        assertThat(caretaker.last()).isNull();
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (box.find(id) != null) {
          assertThat(System.nanoTime()).as("nothing was archived").isLessThan(end);
          Thread.onSpinWait();
        }
      }
      assertThat(archives.list()).hasSize(1);
    }
  }

  @Test
  void a_budget_is_opened_reserved_settled_and_replenished_by_people_alone() throws Exception {
    try (Served served = new Served(folder)) {
      String agent = served.token("bot", "agent");
      Map<String, Object> order =
          Map.of(
              "subject",
              "session-7",
              "accounts",
              List.of(Map.of("account", "session", "limits", Map.of("tokens", 100L))));
      assertThat(served.post("/api/v1/budgets", agent, order).status()).isEqualTo(403);
      Served.Answer opened = served.post("/api/v1/budgets", served.admin, order);
      assertThat(opened.status()).isEqualTo(201);
      String base = "/api/v1/budgets/" + opened.word("id");
      Map<String, Object> wanted =
          Map.of(
              "reservation",
              "r-1",
              "account",
              "session",
              "amounts",
              Map.of("tokens", 80L),
              "lease_ms",
              60_000L);
      assertThat(served.post(base + "/reserve", agent, wanted).status()).isEqualTo(403);
      assertThat(served.post(base + "/reserve", served.admin, wanted).at("granted"))
          .isEqualTo(true);
      Map<String, Object> more =
          Map.of(
              "reservation",
              "r-2",
              "account",
              "session",
              "amounts",
              Map.of("tokens", 30L),
              "lease_ms",
              60_000L);
      Served.Answer refused = served.post(base + "/reserve", served.admin, more);
      assertThat(refused.at("granted")).isEqualTo(false);
      assertThat(refused.at("reason")).isEqualTo("exhausted");
      assertThat(
              served
                  .post(
                      base + "/settle",
                      served.admin,
                      Map.of(
                          "reservation",
                          "r-1",
                          "account",
                          "session",
                          "reserved",
                          Map.of("tokens", 80L),
                          "used",
                          Map.of("tokens", 50L)))
                  .status())
          .isEqualTo(200);
      assertThat(
              served
                  .post(
                      base + "/replenish",
                      served.admin,
                      Map.of(
                          "account", "session", "unit", "tokens", "amount", 10L, "reason", "due"))
                  .status())
          .isEqualTo(200);
      Map<?, ?> line = (Map<?, ?>) served.get(base, agent).list("lines").getFirst();
      assertThat(line.get("limit")).isEqualTo(110L);
      assertThat(line.get("used")).isEqualTo(50L);
      assertThat(line.get("left")).isEqualTo(60L);
      String history =
          served.get("/api/v1/instances/" + opened.word("id") + "/history", served.admin).text();
      assertThat(history).contains("\"ann\"").doesNotContain("\"kind\":\"system\"");
      assertThat(served.post(base + "/close", served.admin, null).status()).isEqualTo(200);
      assertThat(served.get("/api/v1/budgets", served.admin).list("budgets")).isEmpty();
      assertThat(served.post("/api/v1/instances", agent, Map.of("machine", "budget")).word("code"))
          .isEqualTo("forbidden");
    }
  }

  @Test
  void numbers_are_for_those_who_may_look_or_for_everybody_where_it_is_said() throws Exception {
    try (Served served = new Served(folder)) {
      start(served, "d-1");
      assertThat(served.get("/api/v1/metrics", null).status()).isEqualTo(401);
      assertThat(served.get("/api/v1/metrics", served.token("bot", "agent")).status())
          .isEqualTo(403);
      Served.Answer scraped = served.get("/api/v1/metrics", served.token("vera", "viewer"));
      assertThat(scraped.header("Content-Type")).startsWith("text/plain; version=0.0.4");
      assertThat(scraped.text())
          .contains("signalbox_instances{machine=\"deploy\",state=\"PLANNED\"} 1.0")
          .contains("signalbox_transitions_total{kind=\"start\",machine=\"deploy\"} 1.0");
    }
  }

  @Test
  void numbers_may_be_open() throws Exception {
    try (Served served = served(Care.NONE.openMetrics(true))) {
      assertThat(served.get("/api/v1/metrics", null).status()).isEqualTo(200);
      assertThat(served.get("/api/v1/alerts", null).status()).isEqualTo(401);
    }
  }

  @Test
  void an_alert_that_fires_is_shown() throws Exception {
    List<AlertRule> rules =
        AlertRule.read(
            new Source(
                "alerts.yaml",
                """
                alerts:
                  - { name: too-many, metric: signalbox.instances, labels: [machine=deploy], above: 0, severity: page }
                """));
    Care care =
        Care.NONE.every(Duration.ZERO, Duration.ZERO, Duration.ofMillis(20)).alerting(rules);
    try (Served served = served(care);
        StreamTest.Reader reader =
            StreamTest.Reader.open(served, "/api/v1/stream?machine=alert&state=FIRING", null)) {
      Map<?, ?> quiet =
          (Map<?, ?>) served.get("/api/v1/alerts", served.admin).list("alerts").get(0);
      assertThat(quiet.get("state")).isEqualTo("quiet");
      start(served, "d-1");
      reader.next();
      Map<?, ?> alert =
          (Map<?, ?>) served.get("/api/v1/alerts", served.admin).list("alerts").get(0);
      assertThat(alert.get("state")).isEqualTo("firing");
      assertThat(alert.get("value")).isEqualTo(1.0);
      Served.Answer overview = served.get("/api/v1/overview", served.admin);
      assertThat(overview.at("alerts")).isEqualTo(1L);
      assertThat(overview.list("troubles").getFirst().toString())
          .contains(
              "alert-too-many", "signalbox.instances of machine deploy is 1, which is above 0.");
      assertThat(served.get("/api/v1/activity", served.admin).text()).contains("tasks_queued");
    }
  }

  @Test
  void a_sweep_is_asked_for_and_a_dry_run_changes_nothing() throws Exception {
    try (Served served = new Served(folder)) {
      start(served, "d-1");
      assertThat(served.get("/api/v1/sweeps", served.admin).text()).isEqualTo("{\"last\":null}");
      String viewer = served.token("vera", "viewer");
      assertThat(served.post("/api/v1/sweeps", viewer, Map.of()).status()).isEqualTo(403);
      long end = served.box.feed().end();
      Served.Answer dry = served.post("/api/v1/sweeps", served.admin, Map.of("dry_run", true));
      assertThat((long) dry.at("scanned")).isPositive();
      assertThat(dry.list("findings")).isEmpty();
      assertThat(served.box.feed().end()).isEqualTo(end);
      assertThat(served.post("/api/v1/sweeps", served.admin, null).at("dry_run")).isEqualTo(false);
      assertThat(served.get("/api/v1/sweeps", viewer).at("last", "scanned"))
          .isEqualTo(dry.at("scanned"));
    }
  }

  @Test
  void notifications_are_read_and_streamed_behind_the_last_one() throws Exception {
    try (Served served = new Served(folder)) {
      start(served, "d-1");
      start(served, "d-2");
      String filter = "audience=audit&machine=deploy";
      Served.Answer page = served.get("/api/v1/notifications?most=1&" + filter, served.admin);
      assertThat(page.list("notifications")).hasSize(1);
      Served.Answer rest =
          served.get(
              "/api/v1/notifications?" + filter + "&after=" + page.word("next"), served.admin);
      assertThat(rest.list("notifications")).hasSize(1);
      assertThat(rest.at("end")).isEqualTo(true);
      try (StreamTest.Reader reader =
          StreamTest.Reader.open(
              served, "/api/v1/notifications/stream?" + filter, page.word("next"))) {
        assertThat(reader.next().get("instance")).isEqualTo("d-2");
        start(served, "d-3");
        assertThat(reader.next().get("instance")).isEqualTo("d-3");
      }
      assertThat(served.get("/api/v1/notifications", served.token("bot", "agent")).status())
          .isEqualTo(403);
      assertThat(served.get("/api/v1/notifications?audience=odd", served.admin).status())
          .isEqualTo(400);
    }
  }

  @Test
  void subscriptions_are_made_paused_and_removed() throws Exception {
    try (Served served = new Served(folder)) {
      Map<String, Object> log = Map.of("name", "night", "audiences", List.of("user"));
      assertThat(served.post("/api/v1/subscriptions", served.admin, log).status()).isEqualTo(201);
      Served.Answer inside =
          served.post(
              "/api/v1/subscriptions",
              served.admin,
              Map.of(
                  "name", "inside",
                  "audiences", List.of("audit"),
                  "url", "https://127.0.0.1/hook",
                  "secret", "key"));
      assertThat(inside.status()).isEqualTo(400);
      String base = "/api/v1/subscriptions/night";
      assertThat(served.post(base + "/pause", served.admin, Map.of("reason", "quiet")).status())
          .isEqualTo(200);
      Map<?, ?> one =
          (Map<?, ?>)
              served.get("/api/v1/subscriptions", served.admin).list("subscriptions").get(0);
      assertThat(one.get("state")).isEqualTo("PAUSED");
      assertThat(served.post(base + "/resume", served.admin, null).status()).isEqualTo(200);
      assertThat(served.post(base + "/remove", served.admin, null).status()).isEqualTo(200);
      assertThat(served.get("/api/v1/subscriptions", served.admin).list("subscriptions")).isEmpty();
      assertThat(served.get("/api/v1/dead-letters", served.admin).list("dead_letters")).isEmpty();
      assertThat(served.post("/api/v1/dead-letters/d-9/redeliver", served.admin, null).status())
          .isEqualTo(404);
    }
  }

  @Test
  void personal_data_is_erased_by_an_admin() throws Exception {
    try (Served served = new Served(folder)) {
      served.box.publish(
          MachineReader.read(
              new Source(
                  "guest.yaml",
                  """
                  machine: guest
                  context:
                    name: { type: string, default: "", personal: true }
                  states:
                    HERE: { waits: for the end, on: { leave: GONE } }
                    GONE: { final: true }
                  """)));
      served.post(
          "/api/v1/instances",
          served.admin,
          Map.of("machine", "guest", "id", "g-1", "input", Map.of("name", "Ada Lovelace")));
      String erase = "/api/v1/instances/g-1/erase";
      assertThat(served.post(erase, served.admin, null).word("code")).isEqualTo("not-ended");
      served.post("/api/v1/instances/g-1/events", served.admin, Map.of("event", "leave"));
      assertThat(served.post(erase, served.token("bot", "agent"), null).status()).isEqualTo(403);
      assertThat(served.post(erase, served.admin, null).list("erased").toString())
          .isEqualTo("[g-1]");
      assertThat(served.get("/api/v1/instances/g-1/history", served.admin).text())
          .doesNotContain("Ada Lovelace");
    }
  }

  @Test
  void a_requests_trace_is_kept_and_continued() throws Exception {
    InMemorySpanExporter spans = InMemorySpanExporter.create();
    try (SdkTracerProvider provider =
            SdkTracerProvider.builder()
                .addSpanProcessor(SimpleSpanProcessor.create(spans))
                .build();
        io.opentelemetry.sdk.OpenTelemetrySdk telemetry =
            io.opentelemetry.sdk.OpenTelemetrySdk.builder().setTracerProvider(provider).build();
        Served served = served(Care.NONE.tracing(telemetry))) {
      served.send(
          served
              .request("/api/v1/instances")
              .header("Content-Type", "application/json")
              .header("traceparent", TRACE)
              .POST(HttpRequest.BodyPublishers.ofString("{\"machine\":\"deploy\",\"id\":\"d-1\"}")),
          served.admin);
      SpanData span = spans.getFinishedSpanItems().getFirst();
      assertThat(span.getTraceId()).isEqualTo("4bf92f3577b34da6a3ce929d0e0e4736");
      assertThat(span.getParentSpanId()).isEqualTo("00f067aa0ba902b7");
      Map<?, ?> entry =
          (Map<?, ?>)
              served.get("/api/v1/instances/d-1/history", served.admin).list("entries").get(0);
      assertThat(Objects.requireNonNull(entry.get("trace")).toString())
          .contains(span.getTraceId())
          .contains(span.getSpanId());
    }
  }

  @Test
  void without_tracing_the_entry_keeps_the_callers_trace() throws Exception {
    try (Served served = new Served(folder)) {
      served.send(
          served
              .request("/api/v1/events")
              .header("Content-Type", "application/x-ndjson")
              .header("traceparent", TRACE)
              .POST(HttpRequest.BodyPublishers.ofString("{\"start\":\"deploy\",\"id\":\"d-1\"}\n")),
          served.admin);
      Map<?, ?> entry =
          (Map<?, ?>)
              served.get("/api/v1/instances/d-1/history", served.admin).list("entries").get(0);
      assertThat(entry.get("trace")).isEqualTo(TRACE);
    }
  }

  @Test
  void roles_of_the_engines_own_parts_are_nobodys() throws Exception {
    try (Served served = new Served(folder)) {
      List<Integer> answers = new ArrayList<>();
      for (String role : List.of("worker", "courier", "alerts", "queue", "sweep", "system")) {
        answers.add(
            served
                .post(
                    "/api/v1/tokens",
                    served.admin,
                    Map.of("name", "sly", "roles", List.of("agent", role)))
                .status());
      }
      assertThat(answers).containsOnly(400);
    }
  }
}
