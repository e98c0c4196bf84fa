package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.signalbox.definition.Json;
import dev.signalbox.runtime.Instance;
import dev.signalbox.services.notification.UrlPolicy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plans whose tools are requests over HTTP and tools of MCP servers, on this very machine. */
class RunToolKindsTest {
  @TempDir Path folder;

  private final ConcurrentLinkedQueue<String> heard = new ConcurrentLinkedQueue<>();
  private HttpServer server;
  private String base = "";

  @BeforeEach
  void listen() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          heard.add(
              exchange.getRequestMethod()
                  + " "
                  + exchange.getRequestURI()
                  + " "
                  + new String(body, StandardCharsets.UTF_8));
          boolean fails = exchange.getRequestURI().getPath().startsWith("/fails");
          byte[] answer = (fails ? "no" : "it is done").getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(fails ? 500 : 200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
    base = "http://127.0.0.1:" + server.getAddress().getPort();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private RunHouse house() throws IOException {
    return RunHouse.in(
        folder, settings -> settings.hosts(Set.of("127.0.0.1"), UrlPolicy.LOOPBACK_AND_PRIVATE));
  }

  private String http(String method, String path) {
    return """
    project: demo
    tools:
      - { name: note, command: [touch, note.txt], writes: [note.txt] }
      - name: call
        http: { method: %s, url: "%s%s" }
        arguments: { item: seven }
        idempotent: true
    checks:
      - { name: ok, command: ["true"] }
    """
        .formatted(method, base, path);
  }

  @Test
  void a_request_over_http_is_a_tool_with_its_answer_as_evidence() throws IOException {
    try (RunHouse house = house()) {
      String run = house.start(http("POST", "/items/{item}"));

      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("COMPLETE");
      assertThat(heard).containsExactly("POST /items/seven {\"item\":\"seven\"}");
      assertThat(house.evidence(run)).anyMatch(text -> text.contains("it is done"));
    }
  }

  @Test
  void an_answer_that_is_no_success_rolls_the_run_back() throws IOException {
    try (RunHouse house = house()) {
      String before = house.tree();
      String run = house.start(http("POST", "/fails/{item}"));

      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).isEqualTo("ROLLED_BACK");
      assertThat(String.valueOf(ended.context().get("failure"))).contains("500");
      assertThat(house.tree()).isEqualTo(before);
    }
  }

  @Test
  void deleting_over_http_asks_a_person_first() throws IOException {
    try (RunHouse house = house()) {
      String run = house.start(http("DELETE", "/items/{item}"));
      house.approve(house.untilAsked(run).getFirst());
      assertThat(Runs.state(house.untilEnd(run))).isEqualTo("COMPLETE");
      assertThat(heard).hasSize(1).first().asString().startsWith("DELETE /items/seven");
    }
  }

  @Test
  void a_host_that_nobody_allowed_is_not_called() throws IOException {
    try (RunHouse house = RunHouse.in(folder)) {
      String run = house.start(http("POST", "/items/{item}"));

      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).isIn("HALTED_UNSAFE", "ROLLED_BACK");
      assertThat(String.valueOf(ended.context().get("failure")))
          .contains("an address that may be called");
      assertThat(heard).isEmpty();
    }
  }

  /** A house whose tools see what the server below is made of. */
  private RunHouse speaking() throws IOException {
    List<Path> parts =
        Stream.of(System.getProperty("java.class.path").split(":"))
            .map(Path::of)
            .filter(Files::exists)
            .toList();
    return RunHouse.in(folder, settings -> settings.sandbox(sandbox -> sandbox.reading(parts)));
  }

  private static String mcp(String tool) {
    List<String> server =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            SmallMcpServer.class.getName());
    return """
    project: demo
    tools:
      - { name: note, command: [touch, note.txt], writes: [note.txt] }
      - name: call
        mcp: { server: %s, tool: %s }
        arguments: { text: hello there }
        access: read
    checks:
      - { name: ok, command: ["true"] }
    """
        .formatted(Json.text(server), tool);
  }

  @Test
  void a_tool_of_an_mcp_server_is_a_tool() throws IOException {
    try (RunHouse house = speaking()) {
      String run = house.start(mcp("echo"));

      Instance ended = house.untilEnd(run);

      assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("COMPLETE");
      assertThat(house.evidence(run)).anyMatch(text -> text.contains("hello there"));
    }
  }

  @Test
  void a_tool_of_an_mcp_server_that_fails_rolls_the_run_back() throws IOException {
    try (RunHouse house = speaking()) {
      String before = house.tree();
      String run = house.start(mcp("broken"));

      assertThat(Runs.state(house.untilEnd(run))).isEqualTo("ROLLED_BACK");
      assertThat(house.tree()).isEqualTo(before);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "http: { url: \"https://example.invalid/{q}\", method: POST }|the argument 'q'",
        "mcp: { server: \":::\", tool: t }|no address of an MCP server. Write one such as"
      })
  void what_people_can_not_be_asked_about_halts_the_run_with_the_reason(String tool, String told)
      throws Exception {
    try (RunHouse house = RunHouse.in(folder)) {
      Instance ended =
          house.ended(RunPlans.of("name: t, risks: [merge_to_main], %s".formatted(tool)));

      assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("HALTED_UNSAFE");
      assertThat(String.valueOf(ended.context().get("failure"))).contains(told);
    }
  }
}
