package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.DefinitionException;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is offered to a caller is what is taken from it, over HTTP and over MCP. */
class PermittedEventsTest {
  private static final String PURCHASE =
      """
      machine: purchase
      context: { note: { type: string, default: "" } }
      events:
        approve: { roles: [approver] }
        ask: { data: { why: string } }
        reset: { roles: [operator] }
        tell: { roles: [system] }
        work: { roles: [agent] }
        note.added: { roles: [approver, agent] }
      states:
        ASKED:
          waits: for somebody
          on: { approve: PAYING, ask: {}, reset: ENDED, tell: ENDED, work: {}, note.*: {} }
        PAYING:
          waits: for the payment
          entry: [ { perform: { effect: pay } } ]
          on: { pay.*: ENDED, reset: ENDED }
        ENDED: { final: true }
      """;

  /** The same words, taken as SCXML takes them: any name may come. */
  private static final String LOOSE =
      """
      machine: loose
      mode: scxml
      events:
        approve: { roles: [approver] }
        pay: { roles: [operator] }
        pay.refund: { roles: [approver] }
      states:
        ASKED:
          on: { approve: {}, pay: {}, "*": {} }
      """;

  private static final List<String> SUFFIXES = List.of(".x", ".", "..", ".approve", ".*", "x", " ");

  @TempDir Path folder;
  private Served served;
  private String agent;

  @BeforeEach
  void start() {
    served = new Served(folder);
    served.box.publish(MachineReader.read(new Source("purchase.yaml", PURCHASE)));
    served.box.publish(MachineReader.read(new Source("loose.yaml", LOOSE)));
    agent = served.token("robin", "agent");
  }

  @AfterEach
  void stop() {
    served.close();
  }

  private void started(String machine, String id) throws Exception {
    assertThat(
            served
                .post("/api/v1/instances", served.admin, Map.of("machine", machine, "id", id))
                .status())
        .isEqualTo(201);
  }

  private int sent(String id, String token, String event) throws Exception {
    return served
        .post("/api/v1/instances/" + id + "/events", token, Map.of("event", event))
        .status();
  }

  private List<Map<?, ?>> permitted(String id, String token) throws Exception {
    List<Map<?, ?>> events = new ArrayList<>();
    for (Object one :
        served.get("/api/v1/instances/" + id + "/permitted", token).list("permitted")) {
      events.add((Map<?, ?>) one);
    }
    return events;
  }

  private Set<String> allowed(String id, String token) throws Exception {
    Set<String> names = new LinkedHashSet<>();
    for (Map<?, ?> event : permitted(id, token)) {
      if (Boolean.TRUE.equals(event.get("allowed"))) {
        names.add(String.valueOf(event.get("event")));
      }
    }
    return names;
  }

  @Test
  void no_suffix_leads_past_a_role_or_a_reserved_name_over_http() throws Exception {
    started("purchase", "p-1");
    started("loose", "l-1");
    for (String suffix : SUFFIXES) {
      for (String event : List.of("approve", "reset", "tell", "pay.succeeded", "pay")) {
        assertThat(sent("p-1", agent, event + suffix)).as(event + suffix).isIn(403, 409, 422);
      }
      if (suffix.startsWith(".")) {
        assertThat(sent("l-1", agent, "approve" + suffix)).as("approve" + suffix).isEqualTo(403);
        assertThat(sent("l-1", agent, "pay.refund" + suffix)).isEqualTo(403);
      }
    }
    assertThat(served.box.instance("p-1").leaves()).containsExactly("ASKED");

    assertThat(sent("p-1", served.person("paul", "approver"), "approve")).isEqualTo(200);
    for (String suffix : SUFFIXES) {
      assertThat(sent("p-1", served.admin, "pay.succeeded" + suffix)).isIn(403, 409, 422);
    }
    assertThat(sent("p-1", served.admin, "pay.refund")).isIn(403, 409, 422);
    assertThat(permitted("p-1", served.admin)).extracting("event").containsExactly("reset");
  }

  @Test
  void a_role_above_a_name_binds_whoever_sends_it_and_is_told() throws Exception {
    started("loose", "l-1");
    String operator = served.token("olga", "operator");
    String approver = served.person("paul", "approver");
    String both = served.person("bea", "operator", "approver");

    assertThat(sent("l-1", operator, "pay.refund")).isEqualTo(403);
    assertThat(sent("l-1", approver, "pay.refund")).isEqualTo(403);
    assertThat(sent("l-1", both, "pay.refund")).isEqualTo(200);

    assertThat(allowed("l-1", operator)).containsExactly("pay");
    assertThat(allowed("l-1", approver)).containsExactly("approve");
    assertThat(allowed("l-1", both)).containsExactlyInAnyOrder("approve", "pay", "pay.refund");
  }

  @Test
  void over_mcp_it_is_neither_offered_nor_taken() throws Exception {
    started("purchase", "p-1");
    try (McpSyncClient client =
        McpTest.unopened(served, agent, "?instance=p-1", new LinkedBlockingQueue<>())) {
      client.initialize();
      List<String> titles =
          client.listTools().tools().stream().map(Tool::title).filter(Objects::nonNull).toList();
      assertThat(titles).contains("ask", "work", "note.added");
      assertThat(titles).doesNotContain("approve", "reset", "tell").noneMatch(t -> t.contains("*"));
      for (String event : List.of("approve", "reset", "tell", "pay.succeeded")) {
        CallToolResult refused = McpTest.call(client, event + ".x", Map.of());
        assertThat(refused.isError()).as(event).isTrue();
      }
    }
    try (McpSyncClient client = McpTest.unopened(served, agent, "", new LinkedBlockingQueue<>())) {
      client.initialize();
      for (String event : List.of("approve", "reset", "tell", "pay.succeeded")) {
        for (String suffix : SUFFIXES) {
          CallToolResult refused =
              McpTest.call(
                  client, "send_event", Map.of("instance", "p-1", "event", event + suffix));
          assertThat(refused.isError()).as(event + suffix).isTrue();
        }
      }
    }
    assertThat(served.box.instance("p-1").leaves()).containsExactly("ASKED");
  }

  /** From a seed: machines, callers and names; each event is judged in an instance of its own. */
  @Test
  void the_door_and_the_catalogue_agree() throws Exception {
    long seed = Long.getLong("permitted.seed", 16);
    Random random = new Random(seed);
    List<String> words = List.of("a", "a.b", "a.b.c", "b", "b.c", "error", "done", "r", "r.x");
    List<String> roles = List.of("approver", "operator", "agent", "user", "system", "clerk");
    List<String> tokens =
        List.of(
            agent,
            served.person("paul", "approver"),
            served.token("olga", "operator", "clerk"),
            served.token("vic", "viewer", "clerk"));
    int published = 0;
    for (int round = 0; published < 12; round++) {
      assertThat(round).as("machines that can't be published").isLessThan(200);
      String machine = "m" + round;
      StringBuilder text = new StringBuilder("machine: " + machine + "\n");
      if (random.nextBoolean()) {
        text.append("mode: scxml\n");
      }
      text.append("events:\n  zzz: {}\n");
      Set<String> written = new LinkedHashSet<>();
      Set<String> heard = new LinkedHashSet<>();
      for (String word : words) {
        if (random.nextInt(3) == 0) {
          String role = roles.get(random.nextInt(roles.size()));
          text.append("  %s: { roles: [%s] }\n".formatted(word, role));
          written.add(word);
        }
      }
      text.append("states:\n  S:\n    waits: for ever\n    on:\n      never:\n");
      text.append("        do: [ { perform: { effect: call, reply: r, idempotent: true } } ]\n");
      for (String word : words.reversed()) {
        if (random.nextInt(2) == 0) {
          boolean pattern = random.nextInt(3) == 0;
          text.append("      %s%s: {}\n".formatted(word, pattern ? ".*" : ""));
          heard.add(word);
          if (!pattern) {
            written.add(word);
          }
        }
      }
      try {
        served.box.publish(MachineReader.read(new Source(machine + ".yaml", text.toString())));
      } catch (DefinitionException e) {
        // A transition that nothing ever takes, for instance.
        continue;
      }
      published++;
      String id = machine + "-1";
      started(machine, id);
      for (String token : tokens) {
        Set<String> allowed = allowed(id, token);
        Set<String> known = new LinkedHashSet<>();
        permitted(id, token).forEach(event -> known.add(String.valueOf(event.get("event"))));
        for (String word : words) {
          int status = sent(id, token, word);
          String what = "seed %d: %s in%n%s".formatted(seed, word, text);
          if (allowed.contains(word)) {
            assertThat(status).as(what).isEqualTo(200);
          } else if (known.contains(word)) {
            assertThat(status).as(what).isEqualTo(403);
          } else if (status == 200) {
            // Either nobody wrote the name, or nothing waits for it and SCXML throws it away.
            assertThat(
                    written.contains(word)
                        && heard.stream().anyMatch(h -> (word + ".").startsWith(h + ".")))
                .as(what)
                .isFalse();
          }
        }
      }
    }
  }
}
