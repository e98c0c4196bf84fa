package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.Query;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.FeedEntry;
import dev.signalbox.services.system.Route;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A caller's trace goes on through every route by which people and workers act. */
class TracedRoutesTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final List<String> SERVICES =
      List.of("/approvals", "/tasks", "/budgets", "/locks", "/workers");

  @TempDir Path folder;
  private final InMemorySpanExporter spans = InMemorySpanExporter.create();
  private final OpenTelemetrySdk telemetry =
      OpenTelemetrySdk.builder()
          .setTracerProvider(
              SdkTracerProvider.builder()
                  .addSpanProcessor(SimpleSpanProcessor.create(spans))
                  .build())
          .build();
  private final TreeSet<String> used = new TreeSet<>();
  private Served served;
  private String bot;
  private int calls;

  @BeforeEach
  void serve() {
    served =
        new Served(
            folder,
            Served.SETTINGS.care(Care.NONE.tracing(telemetry)),
            InstantSource.system(),
            List.of());
    bot = served.token("bot", "agent");
  }

  @AfterEach
  void end() {
    served.close();
    telemetry.close();
  }

  /** The id of the caller's span in the call with the number. */
  private static String caller(int call) {
    return "%016x".formatted(0xcafe_0000L + call);
  }

  private HttpRequest.Builder request(String path, Object body, int call) {
    return served
        .request("/api/v1" + path)
        .header("Content-Type", "application/json")
        .header("traceparent", "00-" + TRACE + "-" + caller(call) + "-01")
        .POST(HttpRequest.BodyPublishers.ofString(Json.text(body)));
  }

  /**
   * Asks with a trace of its own, and finds the call's steps in it.
   *
   * @param route its path, with {@code {}} for what the ids fill in
   * @param events the names of what the entries were caused by that are in the trace, in any order
   */
  private Served.Answer ask(
      String route, String token, Map<String, ?> body, List<String> ids, String... events)
      throws Exception {
    used.add(route);
    String path = route;
    for (String id : ids) {
      path = path.replaceFirst("\\{[a-z]+}", id);
    }
    int call = ++calls;
    long before = served.box.feed().end();
    Served.Answer answer = served.send(request(path, body, call), token);
    assertThat(answer.status()).as(route + " " + answer.text()).isBetween(200, 299);
    assertThat(traced(before, call)).as(route).containsExactlyInAnyOrder(events);
    return answer;
  }

  /** What the entries behind the position were caused by whose span is below the call's. */
  private List<String> traced(long after, int call) {
    Map<String, SpanData> byId =
        spans.getFinishedSpanItems().stream()
            .collect(Collectors.toMap(SpanData::getSpanId, span -> span));
    List<String> events = new ArrayList<>();
    for (FeedEntry entry : served.box.feed().read(after, 100)) {
      SpanData step = step(byId, entry);
      if (step != null && step.getParentSpanId().equals(caller(call))) {
        assertThat(step.getTraceId()).isEqualTo(TRACE);
        assertThat(step.getName()).isEqualTo("signalbox.step");
        events.add(entry.eventName());
      }
    }
    return events;
  }

  private static @Nullable SpanData step(Map<String, SpanData> byId, FeedEntry entry) {
    return entry.body().get("trace") instanceof String trace
        ? byId.get(trace.substring(36, 52))
        : null;
  }

  private Served.Answer approval() throws Exception {
    return ask(
        "/approvals", bot, Map.of("subject", "repo", "action", "merge"), List.of(), "(start)");
  }

  @Test
  void every_route_of_the_services_leads_to_steps_in_the_callers_trace() throws Exception {
    answers();
    tasks();
    locks();
    budgets();

    assertThat(used).isEqualTo(routes());
    assertThat(Audit.verify(served.box.journal(), _ -> {}).findings()).isEmpty();
  }

  /** The paths of the services that change something. */
  private Set<String> routes() {
    return served.server.routes().stream()
        .filter(route -> !route.isSafe() && SERVICES.stream().anyMatch(route.path()::startsWith))
        .map(Route::path)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private void answers() throws Exception {
    String kim = served.person("kim", "approver");
    Served.Answer asked = approval();
    String yes = "/approvals/{id}/approve";
    ask(yes, kim, Map.of("digest", asked.word("digest")), List.of(asked.word("id")), "approve");
    Map<String, String> reason = Map.of("reason", "no");
    String no = approval().word("id");
    ask("/approvals/{id}/reject", kim, reason, List.of(no), "reject");
    String up = approval().word("id");
    ask("/approvals/{id}/escalate", kim, reason, List.of(up), "escalate");
    String given = approval().word("id");
    ask("/approvals/{id}/delegate", kim, Map.of("to", "lee"), List.of(given), "delegate");
    List<String> moved = List.of(approval().word("id"));
    ask("/approvals/{id}/reassign", served.admin, Map.of("to", List.of("kim")), moved, "reassign");
  }

  private void tasks() throws Exception {
    Map<String, String> lint = Map.of("kind", "lint");
    String dropped = ask("/tasks", bot, lint, List.of(), "(start)").word("instance");
    ask("/tasks/{id}/cancel", served.admin, Map.of("reason", "r"), List.of(dropped), "cancel");
    ask("/tasks", bot, lint, List.of(), "(start)");

    List<String> worker =
        List.of(ask("/workers", bot, Map.of(), List.of(), "(start)").word("instance"));
    ask("/workers/{id}/ready", bot, Map.of(), worker, "ready");
    Map<String, ?> first = lease(worker, "task_taken");
    Map<String, ?> held = Map.of("tasks", List.of(first));
    ask("/workers/{id}/heartbeat", bot, held, worker, "heartbeat", "heartbeat");
    ask("/workers/{id}/succeeded", bot, first, worker, "succeeded");

    ask("/tasks", bot, lint, List.of(), "(start)");
    Map<String, Object> second = new HashMap<>(lease(worker, "task_done"));
    String failed = String.valueOf(second.get("task"));
    second.put("cause", "permanent_error");
    ask("/workers/{id}/failed", bot, second, worker, "failed");
    ask("/tasks/{id}/retry", served.admin, Map.of(), List.of(failed), "(start)");
    ask("/workers/{id}/drain", bot, Map.of(), worker, "drain");
    ask("/workers/{id}/stopped", bot, Map.of(), worker, "stopped");
  }

  /** Polls, and finds the task's lease and what the worker's own instance says of it. */
  private Map<String, ?> lease(List<String> worker, String taking) throws Exception {
    Map<?, ?> lease =
        (Map<?, ?>)
            ask("/workers/{id}/poll", bot, Map.of(), worker, "assigned", taking)
                .list("leases")
                .getFirst();
    return Map.of(
        "task", Objects.requireNonNull(lease.get("task")),
        "fence", Objects.requireNonNull(lease.get("fence")));
  }

  private void locks() throws Exception {
    List<String> repo = List.of("repo");
    ask("/locks/{name}/take", bot, Map.of(), repo, "(start)", "lock");
    ask("/locks/{name}/take", served.admin, Map.of(), repo, "enqueue");
    ask("/locks/{name}/leave", served.admin, Map.of(), repo, "leave");
    ask("/locks/{name}/release", bot, Map.of("token", 1L), repo, "release");
    ask("/locks/{name}/take", bot, Map.of(), repo, "lock");
    ask("/locks/{name}/break", served.admin, Map.of("reason", "r"), repo, "deadline");
  }

  private void budgets() throws Exception {
    Map<String, ?> account = Map.of("account", "team", "limits", Map.of("tokens", 100L));
    Map<String, ?> open = Map.of("subject", "s", "accounts", List.of(account));
    List<String> budget =
        List.of(ask("/budgets", served.admin, open, List.of(), "(start)").word("id"));
    Map<String, ?> more = Map.of("account", "team/ann", "limits", Map.of("tokens", 10L));
    ask("/budgets/{id}/accounts", served.admin, more, budget, "open_account");
    for (String reservation : List.of("r-1", "r-2")) {
      Map<String, ?> reserve =
          Map.of(
              "reservation",
              reservation,
              "account",
              "team",
              "amounts",
              Map.of("tokens", 5L),
              "lease_ms",
              60_000L);
      ask("/budgets/{id}/reserve", served.admin, reserve, budget, "reserve");
    }
    Map<String, ?> reserved = Map.of("tokens", 5L);
    Map<String, ?> settle =
        Map.of("reservation", "r-1", "account", "team", "reserved", reserved, "used", reserved);
    ask("/budgets/{id}/settle", served.admin, settle, budget, "settle");
    Map<String, ?> release = Map.of("reservation", "r-2", "account", "team", "reserved", reserved);
    ask("/budgets/{id}/release", served.admin, release, budget, "release");
    Map<String, ?> raise =
        Map.of("account", "team", "unit", "tokens", "amount", 5L, "reason", "more");
    ask("/budgets/{id}/replenish", served.admin, raise, budget, "replenish");
    ask("/budgets/{id}/close", served.admin, Map.of(), budget, "close");
  }

  @Test
  void what_is_done_to_an_instance_as_a_whole_is_in_the_callers_trace() throws Exception {
    List<String> one = List.of("d-1");
    ask("/instances", served.admin, Map.of("machine", "deploy", "id", "d-1"), List.of(), "(start)");
    ask("/instances/{id}/pause", served.admin, Map.of(), one, "(pause)");
    ask("/instances/{id}/resume", served.admin, Map.of(), one, "(resume)");
    ask("/instances/{id}/fork", served.admin, Map.of("sequence", 1L), one, "(fork)");
    ask("/instances/{id}/cancel", served.admin, Map.of(), one, "(cancel)");
    assertThat(Audit.verify(served.box.journal(), _ -> {}).findings()).isEmpty();
  }

  @Test
  void who_waits_is_told_in_its_own_trace_and_not_in_that_of_who_let_it_go_on() throws Exception {
    List<String> repo = List.of("repo");
    ask("/locks/{name}/take", bot, Map.of(), repo, "(start)", "lock");
    ask("/workers", bot, Map.of(), List.of(), "(start)");
    String worker = served.box.instances(Query.ALL.ofMachine("worker")).getFirst().id();
    ask("/workers/{id}/ready", bot, Map.of(), List.of(worker), "ready");

    long before = served.box.feed().end();
    Map<String, ?> patient = Map.of("wait_ms", 20_000L);
    int locking = ++calls;
    CompletableFuture<HttpResponse<String>> lock =
        later(request("/locks/repo/take", patient, locking), served.admin);
    int polling = ++calls;
    CompletableFuture<HttpResponse<String>> poll =
        later(request("/workers/" + worker + "/poll", patient, polling), bot);
    await(() ->
        served.box.feed().read(before, 100).stream()
            .anyMatch(entry -> entry.eventName().equals("enqueue")));

    ask("/locks/{name}/release", bot, Map.of("token", 1L), repo, "release");
    assertThat(lock.get().body()).contains("held");
    ask("/tasks", bot, Map.of("kind", "lint"), List.of(), "(start)");
    assertThat(poll.get().body()).contains("lint");
    assertThat(traced(before, locking)).contains("lock");
    assertThat(traced(before, polling)).containsExactlyInAnyOrder("assigned", "task_taken");
  }

  private CompletableFuture<HttpResponse<String>> later(HttpRequest.Builder request, String token) {
    HttpRequest whole = request.header("Authorization", "Bearer " + token).build();
    return served.client.sendAsync(whole, HttpResponse.BodyHandlers.ofString());
  }

  /** Waits for what the next commits bring. */
  private void await(BooleanSupplier condition) throws Exception {
    CompletableFuture<Boolean> met = new CompletableFuture<>();
    Runnable look =
        () -> {
          if (condition.getAsBoolean()) {
            met.complete(true);
          }
        };
    try (var _ = served.box.feed().onCommit(() -> Thread.ofVirtual().start(look))) {
      look.run();
      met.get(20, TimeUnit.SECONDS);
    }
  }
}
