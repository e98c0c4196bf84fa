package dev.signalbox.services.notification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.budget.Account;
import dev.signalbox.services.budget.Budgets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whom the standard rules tell what, by the entries of a real SQLite file. */
class StandardRulesTest {
  private static final String HUNT =
      """
      machine: hunt.idea
      states:
        OPEN:
          waits: for someone
          on: { pause: PAUSED, choose: SELECTED, fail: FAILED_REVIEW, err: error, end: DONE }
        PAUSED: { waits: for someone, on: { go: OPEN } }
        SELECTED: { waits: for someone, on: { go: OPEN } }
        FAILED_REVIEW: { waits: for someone, on: { go: OPEN } }
        error: { waits: for someone, on: { go: OPEN } }
        DONE: { final: true }
      """;

  @TempDir Path folder;
  private Signalbox box;

  @BeforeEach
  void opened() {
    box = Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"));
    for (String name : List.of("hunt.session", "hunt.idea")) {
      String text = HUNT.replace("hunt.idea", name);
      box.publish(MachineReader.read(new Source("machine.yaml", text)));
    }
  }

  @AfterEach
  void closed() {
    box.close();
  }

  private List<Notification> told(Audience audience) {
    return box.feed().read(0, 1_000).stream()
        .flatMap(entry -> Rules.standard().of(entry).stream())
        .filter(n -> n.audience() == audience)
        .toList();
  }

  private String started(String machine, String... events) {
    String id = box.start(machine, Map.of()).id();
    for (String event : events) {
      box.send(id, event);
    }
    return id;
  }

  @Test
  void people_are_told_of_sessions_of_what_was_selected_and_of_errors() {
    String session = started("hunt.session", "pause", "go");
    String idea = started("hunt.idea", "pause", "go", "choose", "go", "fail", "go", "err");
    assertThat(told(Audience.USER))
        .extracting(Notification::text)
        .containsExactly(
            "The session " + session + " is in OPEN.",
            "The session " + session + " is in PAUSED.",
            "The session " + session + " is in OPEN.",
            idea + " was selected.",
            idea + " came into FAILED_REVIEW.",
            idea + " came into error.");
  }

  @Test
  void people_are_told_of_a_budget_that_runs_out_and_not_of_every_use() {
    Budgets budgets = Budgets.on(box);
    String id = budgets.open("s-1", Account.of("session", Map.of("seconds", 100L)));
    for (long amount : List.of(50L, 35L, 40L)) {
      budgets.reserve(id, "session", Map.of("seconds", amount), Duration.ofMinutes(1));
    }
    assertThat(told(Audience.USER))
        .extracting(Notification::type)
        .containsExactly("budget.warned", "budget.exhausted");
  }

  @Test
  void the_system_is_told_of_every_transition_and_of_limits_that_come_near() {
    started("hunt.idea", "pause", "nonsense");
    Budgets budgets = Budgets.on(box);
    String id = budgets.open("s-1", Account.of("session", Map.of("seconds", 100L)));
    budgets.reserve(id, "session", Map.of("seconds", 85L), Duration.ofMinutes(1));
    assertThat(told(Audience.SYSTEM))
        .extracting(Notification::type)
        .containsExactly("step", "step", "refused", "step", "step", "budget.warned");
  }

  @Test
  void the_audit_is_told_when_by_what_and_by_whom_of_every_entry() {
    started("hunt.idea", "pause", "nonsense");
    assertThat(told(Audience.AUDIT))
        .hasSize(3)
        .allSatisfy(n -> {
          assertThat(n.at()).isPositive();
          assertThat(n.data().get("actor")).isEqualTo(Map.of("kind", "system", "name", "system"));
        })
        .extracting(n -> n.data().get("event"))
        .containsExactly("(start)", "pause", "nonsense");
  }
}
