package dev.signalbox.systems;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.sweep.SweepReport;
import dev.signalbox.services.sweep.SweepSettings;
import dev.signalbox.services.sweep.Sweeper;
import dev.signalbox.testkit.ManualClock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The corrections of research that only a sweep may make, with the standard sweeps. */
class ResearchSweepsTest {
  @TempDir Path folder;
  private final ManualClock clock = new ManualClock();
  private Signalbox box;

  @BeforeEach
  void opened() {
    box = open();
    box.publish(SystemMachines.machine("research.session"));
    box.publish(SystemMachines.machine("research.hypothesis"));
  }

  @AfterEach
  void closed() {
    assertThat(Audit.verify(box.journal(), _ -> {}).findings()).isEmpty();
    box.close();
  }

  private String url() {
    return "jdbc:sqlite:" + folder.resolve("box.db");
  }

  private Signalbox open() {
    return Signalbox.open(url(), Settings.DEFAULT, clock);
  }

  private SweepReport swept(boolean dryRun) {
    return new Sweeper(box, Sweeper.standard(), SweepSettings.DEFAULT).sweep(dryRun);
  }

  private void start(String machine, String id, Map<String, ?> input) {
    taken(new Command.Start(machine, id, input, Actor.SYSTEM, null));
  }

  private void send(String id, String event, String role, Map<String, ?> data) {
    taken(
        Command.Send.of(id, event, data.isEmpty() ? null : data)
            .by(new Actor(Actor.Kind.SYSTEM, "test", List.of(role))));
  }

  private void taken(Command command) {
    assertThat(box.submit(command)).isInstanceOf(Reply.Accepted.class);
  }

  /** A dry run finds it and changes nothing, one sweep corrects it, and the next finds nothing. */
  private void correctedOnce(String kind, String id, String to) {
    long before = box.instance(id).sequence();
    assertThat(swept(true).counts()).containsExactly(Map.entry(kind, 1L));
    assertThat(box.instance(id).sequence()).isEqualTo(before);
    assertThat(swept(false).corrected()).isEqualTo(1);
    assertThat(box.instance(id).leaves()).containsExactly(to);
    assertThat(String.valueOf(box.instance(id).context().get("reason"))).startsWith(kind + ": ");
    byte[] entry = box.history(id, before + 1, 1).getFirst().body();
    assertThat(new String(entry, StandardCharsets.UTF_8)).contains("\"sweep\"");
    assertThat(swept(false).isClean()).isTrue();
  }

  @Test
  void a_session_that_is_stuck_while_it_initializes_is_terminated() throws Exception {
    start("research.session", "s-1", Map.of("goal", "why is the sky blue"));
    box.close();
    try (Connection store = DriverManager.getConnection(url());
        Statement statement = store.createStatement()) {
      statement.executeUpdate("update instance set since = since - 300000 where id = 's-1'");
    }
    box = open();
    correctedOnce("stuck", "s-1", "TERMINATING");
  }

  @Test
  void a_hypothesis_whose_session_has_ended_is_discarded() {
    start("research.session", "s-1", Map.of("goal", "a bad one"));
    send("s-1", "goal_rejected", "supervisor", Map.of("reason", "prohibited"));
    clock.advance(Duration.ofDays(1));
    box.send("s-1", "resume");
    assertThat(box.instance("s-1").status()).isEqualTo("ended");
    start("research.hypothesis", "h-1", Map.of("session", "s-1", "content", "because"));
    send("h-1", "review_started", "reflection", Map.of());
    start("research.session", "s-2", Map.of("goal", "a good one"));
    send(
        "s-2",
        "goal_accepted",
        "supervisor",
        Map.of("summary", "s", "safe", true, "resources", true));
    start("research.hypothesis", "h-2", Map.of("session", "s-2", "content", "because"));
    send("h-2", "review_started", "reflection", Map.of());
    assertThat(swept(true).isClean()).as("what has just ended is left alone").isTrue();
    clock.advance(Duration.ofMinutes(2));

    correctedOnce("orphan", "h-1", "DISCARDED");
    assertThat(box.instance("h-2").states()).contains("UNDER_REVIEW");
  }
}
