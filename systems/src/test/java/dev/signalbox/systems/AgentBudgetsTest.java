package dev.signalbox.systems;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.budget.Account;
import dev.signalbox.services.budget.Budgets;
import dev.signalbox.services.budget.Grant;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the end of a budget does to the machines of agents, on a real SQLite file. */
class AgentBudgetsTest {
  @TempDir Path folder;

  private static void taken(Signalbox box, Command command) {
    assertThat(box.submit(command)).isInstanceOf(Reply.Accepted.class);
  }

  private static void started(Signalbox box, String machine, String id) {
    box.publish(SystemMachines.machine(machine));
    taken(box, new Command.Start(machine, id, Map.of(), Actor.SYSTEM, null));
  }

  private static void sent(Signalbox box, String id, String event, Map<String, ?> data) {
    Actor actor = new Actor(Actor.Kind.SYSTEM, "test", List.of("system", "planner"));
    taken(box, Command.Send.of(id, event, data.isEmpty() ? null : data).by(actor));
  }

  @Test
  void one_reservation_suspends_the_session_terminates_the_agent_and_stops_the_goal() {
    try (Signalbox box = Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"))) {
      box.publish(SystemMachines.machine("agents.turn"));
      started(box, "agents.session", "s-1");
      sent(box, "s-1", "first_message", Map.of("root_agent_id", "a-1"));
      started(box, "agents.autonomy", "g-1");
      sent(box, "g-1", "decompose_goal", Map.of());
      sent(box, "g-1", "plan_created", Map.of("plan_id", "p-1", "tasks", List.of("t-1")));
      sent(box, "g-1", "auto_start", Map.of());
      started(box, "agents.agent", "a-1");
      sent(box, "a-1", "init_complete", Map.of());
      Budgets budgets = Budgets.on(box);
      String id =
          budgets.open(
              "s-1",
              Account.of("session", Map.of("tokens", 500_000L))
                  .telling("s-1", "budget_exhausted", ""),
              Account.of("session/goal", Map.of("tokens", 400_000L))
                  .telling("g-1", "budget_exhausted", ""),
              Account.of("session/goal/agent", Map.of("tokens", 300_000L))
                  .telling("a-1", "budget_exhausted", ""));

      Map<String, Long> tokens = Map.of("tokens", 500_001L);
      assertThat(budgets.reserve(id, "session/goal/agent", tokens, Duration.ofMinutes(1)))
          .isInstanceOf(Grant.Refused.class);
      assertThat(box.rest(Duration.ofMinutes(1))).isTrue();
      assertThat(box.instance("s-1").leaves()).containsExactly("suspended");
      assertThat(box.instance("g-1").leaves()).containsExactly("stopped");
      assertThat(box.instance("a-1").leaves()).containsExactly("terminated");
      assertThat(Audit.verify(box.journal(), _ -> {}).findings()).isEmpty();
    }
  }
}
