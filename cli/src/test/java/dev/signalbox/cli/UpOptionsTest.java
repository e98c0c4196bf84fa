package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code up} does with the files and options it is given, as a process of its own. */
class UpOptionsTest {
  private static final String LAMP =
      """
      machine: lamp
      states:
        DARK: { waits: for someone, on: { light: LIT } }
        LIT: { waits: for someone, on: { dim: DARK } }
      """;

  /** The second has no hysteresis: when it is over, the first was compared with the same number. */
  private static final String ALERTS =
      """
      alerts:
        - name: too-many-lit
          metric: signalbox.instances
          labels: [machine=lamp, state=LIT]
          above: 2
          clear: 0
          severity: page
        - name: plain
          metric: signalbox.instances
          labels: [machine=lamp, state=LIT]
          above: 2
      """;

  private static final String NOTIFICATIONS =
      """
      notifications:
        - name: called
          audience: user
          on: record
          names: [alert.*]
          text: "Look at {instance}: {what}"
      """;

  @TempDir Path folder;

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private static void send(Up up, int lamp, String event) throws Exception {
    assertThat(up.post("/instances/l-" + lamp + "/events", Map.of("event", event)).statusCode())
        .isEqualTo(200);
  }

  /** The next notification of the stream. */
  private static Map<?, ?> told(BufferedReader stream) throws Exception {
    String line = "";
    while (!line.startsWith("data: ")) {
      line = Objects.requireNonNull(stream.readLine(), "The stream has ended.");
    }
    return (Map<?, ?>) Objects.requireNonNull(Json.parse(line.substring("data: ".length())));
  }

  private static String state(Up up, String rule) throws Exception {
    Map<?, ?> answer = (Map<?, ?>) Objects.requireNonNull(Json.parse(up.get("/alerts").body()));
    return ((List<?>) Objects.requireNonNull(answer.get("alerts")))
        .stream()
            .map(each -> (Map<?, ?>) Objects.requireNonNull(each))
            .filter(each -> rule.equals(each.get("rule")))
            .map(each -> String.valueOf(each.get("state")))
            .findFirst()
            .orElseThrow();
  }

  @Test
  void alerts_of_a_file_fire_clear_with_hysteresis_and_are_told_by_the_rules_of_another()
      throws Exception {
    try (Up up =
            Up.in(
                folder,
                "--alerts",
                file("alerts.yaml", ALERTS),
                "--notifications",
                file("told.yaml", NOTIFICATIONS),
                "--look-every",
                "1");
        BufferedReader stream = up.stream("/notifications/stream?audience=user")) {
      assertThat(up.get("/alerts").body())
          .contains("too-many-lit", "\"clear\":0")
          .doesNotContain("commands-wait");
      up.publish(LAMP);
      for (int lamp = 0; lamp < 3; lamp++) {
        up.post("/instances", Map.of("machine", "lamp", "id", "l-" + lamp));
        send(up, lamp, "light");
      }
      assertThat(told(stream).toString())
          .contains("alert.firing", "Look at alert-too-many-lit", "severity=page");
      assertThat(told(stream).toString()).contains("alert.firing", "Look at alert-plain");
      assertThat(state(up, "too-many-lit")).isEqualTo("firing");
      assertThat(up.get("/overview").body()).contains("too-many-lit");

      send(up, 0, "dim");
      assertThat(told(stream).toString()).contains("alert.resolved", "Look at alert-plain");
      assertThat(state(up, "too-many-lit")).as("2 is not yet 0").isEqualTo("firing");
      send(up, 1, "dim");
      send(up, 2, "dim");
      assertThat(told(stream).toString()).contains("alert.resolved", "Look at alert-too-many-lit");
      assertThat(state(up, "too-many-lit")).isEqualTo("quiet");
      up.end();
    }
  }

  @Test
  void every_problem_of_every_file_is_told_with_its_place_and_nothing_is_begun() throws Exception {
    String alerts =
        file(
            "alerts.yaml",
            """
            alerts:
              - { name: a, metric: m, above: 1, below: 2 }
              - { name: b, metric: m, above: many, wrong: 1 }
            """);
    String told =
        file("told.yaml", "notifications:\n  - { name: x, audience: everyone, on: step }\n");

    Up.Refused refused = Up.refused(folder, "--alerts", alerts, "--notifications", told);

    assertThat(refused.code()).as(refused.err()).isEqualTo(1);
    assertThat(refused.out()).isEmpty();
    assertThat(refused.err())
        .contains(
            "alerts.yaml:2:34: error: Expected 'above' or 'below'",
            "alerts.yaml:3:34: error: Expected a number, but found 'many'.",
            "alerts.yaml:3:47: error: Expected one of",
            "told.yaml:2:26: error: ");
    assertThat(refused.err().lines().filter(line -> line.contains("error: "))).hasSize(4);
    assertThat(folder.resolve("data")).doesNotExist();
  }

  @Test
  void a_file_that_is_not_there_is_told_and_nothing_is_begun() throws Exception {
    Up.Refused refused =
        Up.refused(
            folder,
            "--alerts",
            folder.resolve("none.yaml").toString(),
            "--notifications",
            folder.toString());

    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err())
        .contains("none.yaml, but there is no such file", ", but it is a folder");
    assertThat(folder.resolve("data")).doesNotExist();
  }

  @Test
  void a_port_that_another_has_is_told_and_the_store_is_free_again() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Up.Refused refused = Up.refused(folder, "--port", "" + taken.getLocalPort());

      assertThat(refused.code()).as(refused.err()).isEqualTo(1);
      assertThat(refused.err()).contains("something else does. Give --port another number");
      assertThat(refused.err()).doesNotContain("WARNING", "Exception");
    }
    try (Up up = Up.in(folder)) {
      assertThat(up.get("/health").statusCode()).isEqualTo(200);
    }
  }
}
