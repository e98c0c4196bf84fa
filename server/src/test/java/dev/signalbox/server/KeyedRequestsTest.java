package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Json;
import dev.signalbox.services.system.Route;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One meaning of an idempotency key, whatever is asked. */
class KeyedRequestsTest {
  @TempDir Path folder;

  private static Served.Answer post(
      Served served, String path, String token, String key, Map<String, ?> body) throws Exception {
    return served.send(
        served
            .request("/api/v1" + path)
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", key)
            .POST(HttpRequest.BodyPublishers.ofString(Json.text(body))),
        token);
  }

  private static String budget(Served served) throws Exception {
    return post(
            served,
            "/budgets",
            served.admin,
            "b",
            Map.of(
                "subject",
                "s",
                "accounts",
                List.of(Map.of("account", "all", "limits", Map.of("tokens", 100L)))))
        .word("id");
  }

  private static Map<String, Object> replenish(long amount) {
    return Map.of("account", "all", "unit", "tokens", "amount", amount, "reason", "more");
  }

  private static @Nullable Object limit(Served served, String budget) throws Exception {
    Object line = served.get("/api/v1/budgets/" + budget, served.admin).list("lines").getFirst();
    return ((Map<?, ?>) line).get("limit");
  }

  @Test
  void what_is_asked_three_times_with_one_key_happens_once_also_after_a_restart() throws Exception {
    String budget;
    String first;
    try (Served served = new Served(folder)) {
      budget = budget(served);
      String path = "/budgets/" + budget + "/replenish";
      Served.Answer answer = post(served, path, served.admin, "k-1", replenish(50));
      assertThat(answer.status()).as(answer.text()).isEqualTo(200);
      first = answer.text();
      for (int i = 0; i < 2; i++) {
        Served.Answer again = post(served, path, served.admin, "k-1", replenish(50));
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.text()).isEqualTo(first);
      }
      assertThat(limit(served, budget)).isEqualTo(150L);
      Served.Answer other = post(served, path, served.admin, "k-1", replenish(51));
      assertThat(other.status()).isEqualTo(422);
      assertThat(other.at("code")).isEqualTo("key-taken");
      String another = served.token("olga", "operator");
      assertThat(post(served, path, another, "k-1", replenish(50)).status()).isEqualTo(200);
      assertThat(limit(served, budget)).isEqualTo(200L);
    }
    try (Served served = new Served(folder)) {
      Served.Answer again =
          post(served, "/budgets/" + budget + "/replenish", served.admin, "k-1", replenish(50));
      assertThat(again.status()).isEqualTo(200);
      assertThat(again.text()).isEqualTo(first);
      assertThat(limit(served, budget)).isEqualTo(200L);
    }
  }

  @Test
  void a_refusal_is_the_same_again_and_one_for_want_of_a_role_takes_no_key() throws Exception {
    try (Served served = new Served(folder)) {
      String budget = budget(served);
      String path = "/budgets/" + budget + "/replenish";
      String both = served.token("bea", "viewer");
      assertThat(post(served, path, both, "k", replenish(1)).status()).isEqualTo(403);
      String bea = served.token("bea", "operator");
      assertThat(post(served, path, bea, "k", replenish(1)).status()).isEqualTo(200);
      Served.Answer missing = post(served, "/budgets/none/close", served.admin, "c", Map.of());
      assertThat(missing.status()).isEqualTo(404);
      Served.Answer again = post(served, "/budgets/none/close", served.admin, "c", Map.of());
      assertThat(again.status()).isEqualTo(404);
      assertThat(again.at("code")).isEqualTo(missing.at("code"));
    }
  }

  @Test
  void many_at_once_with_one_key_happen_once() throws Exception {
    try (Served served = new Served(folder)) {
      String budget = budget(served);
      String path = "/budgets/" + budget + "/replenish";
      List<CompletableFuture<Integer>> all = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        all.add(
            CompletableFuture.supplyAsync(
                () -> {
                  try {
                    return post(served, path, served.admin, "k", replenish(7)).status();
                  } catch (Exception e) {
                    throw new IllegalStateException(e);
                  }
                },
                McpTest.APART));
      }
      assertThat(all).allSatisfy(each -> assertThat(each.join()).isIn(200, 409)).isNotEmpty();
      assertThat(limit(served, budget)).isEqualTo(107L);
    }
  }

  @Test
  void every_post_takes_a_key_or_refuses_it() throws Exception {
    try (Served served = new Served(folder)) {
      List<String> refusing = new ArrayList<>();
      List<String> needless = new ArrayList<>();
      for (Route route : served.server.routes()) {
        if (!route.method().equals("POST")) {
          continue;
        }
        String name = route.path();
        boolean declared =
            route.parameters().stream().anyMatch(p -> p.name().equals("Idempotency-Key"));
        switch (route.keys()) {
          case OWN, KEPT -> assertThat(declared).as(name).isTrue();
          case REFUSED -> {
            refusing.add(name);
            Served.Answer refused =
                post(
                    served,
                    name.replaceAll("\\{[a-z_0-9]+}", "nothing"),
                    served.admin,
                    "k",
                    Map.of());
            assertThat(refused.status()).as(name).isEqualTo(400);
            assertThat(refused.at("code")).isEqualTo("key-not-taken");
          }
          case NEEDLESS -> needless.add(name);
        }
      }
      assertThat(refusing)
          .containsExactlyInAnyOrder(
              "/session",
              "/events",
              "/tokens",
              "/sign-in-links",
              "/subscriptions",
              "/workers/{id}/poll",
              "/workers/{id}/heartbeat");
      assertThat(needless)
          .containsExactlyInAnyOrder(
              "/machines/check", "/machines/{name}/migration", "/machines/{name}/play");
    }
  }
}
