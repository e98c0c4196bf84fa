package dev.signalbox.cli;

import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.approval.Action;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.services.approval.Asker;
import dev.signalbox.services.approval.Request;
import dev.signalbox.services.approval.Risk;
import dev.signalbox.systems.SystemMachines;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A few instances of the machines, so that there is something to see. Each goes some steps along
 * its way; where it may go is found by a rehearsal, so that nothing is refused but once, on
 * purpose.
 */
final class Demo {
  /** How many steps each instance of a machine takes. */
  private static final List<Integer> STEPS = List.of(1, 3, 5);

  /**
   * What others start when there is a reason: deliveries, alerts and subscriptions by the
   * notifications, workers by themselves, and runs by a plan.
   */
  private static final Set<String> NOT_BY_HAND =
      Set.of("alert", "delivery", "subscription", "worker", "approval", "runs.run");

  private static final String TOOL = "agents.tool";

  private static final Actor ACTOR = new Actor(Actor.Kind.USER, "demo", List.of("operator"));

  private Demo() {}

  /** Starts them, with keys, so that a second start changes nothing. */
  static void start(Signalbox box, InstantSource clock) {
    try (Signalbox stage = Signalbox.open("memory:", Settings.DEFAULT, clock)) {
      SystemMachines.names().forEach(name -> SystemMachines.publish(stage, name));
      for (String machine : SystemMachines.names()) {
        if (NOT_BY_HAND.contains(machine)) {
          continue;
        }
        List<Rehearsal.Move> way =
            new Rehearsal(stage, SystemMachines.machine(machine)).way(STEPS.getLast());
        for (int i = 0; i < STEPS.size(); i++) {
          Reply reply =
              box.carryOutForCaller(
                  machine, new Command.Start(machine, null, Map.of(), ACTOR, key(machine, i + 1)));
          if (reply instanceof Reply.Accepted(Receipt receipt)) {
            walk(
                box,
                machine,
                receipt.instance(),
                way.subList(0, Math.min(STEPS.get(i), way.size())));
          }
        }
      }
    }
    Reply tool = box.submit(new Command.Start(TOOL, null, Map.of(), ACTOR, key(TOOL, 1)));
    if (tool instanceof Reply.Accepted(Receipt receipt)) {
      askTwice(box, receipt.instance());
      refuseOnce(box, receipt.instance());
    }
  }

  private static String key(String machine, int number) {
    return "demo-%s-%d".formatted(machine, number);
  }

  private static void walk(Signalbox box, String machine, String id, List<Rehearsal.Move> way) {
    for (int step = 0; step < way.size(); step++) {
      Rehearsal.Move move = way.get(step);
      String key = "demo-" + step;
      Reply reply =
          box.carryOutForCaller(
              machine, new Command.Send(id, move.event(), move.data(), move.actor(), key, null));
      if (reply instanceof Reply.Rejected) {
        return;
      }
    }
  }

  private static void askTwice(Signalbox box, String tool) {
    Approvals approvals = Approvals.on(box);
    Asker person = new Asker(Actor.Kind.USER, "demo", "");
    Asker agent = new Asker(Actor.Kind.AGENT, "agent-1", tool);
    Map<String, Object> push = Map.of("branch", "main", "commits", 3L);
    approvals.request(
        Request.of(Action.of(tool, "git.push", push), person, agent).key("demo-approval-1"));
    Map<String, Object> drop = Map.of("table", "sessions_old");
    approvals.request(
        Request.of(Action.of(tool, "database.drop_table", drop), person, agent)
            .risk(Risk.CRITICAL)
            .key("demo-approval-2"));
  }

  /** Too early for a tool that nobody has let begin, so that the page has a refusal to show. */
  private static void refuseOnce(Signalbox box, String tool) {
    if (box.instance(tool).refusals() == 0) {
      box.submit(new Command.Send(tool, "execution_success", null, ACTOR, null, null));
    }
  }
}
