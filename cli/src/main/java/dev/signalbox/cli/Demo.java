package dev.signalbox.cli;

import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.server.access.Tokens;
import java.util.List;
import java.util.Map;

/** A few instances of every machine, so that there is something to see. */
final class Demo {
  private static final int EACH = 3;
  private static final int STEPS = 4;

  private static final Actor ACTOR =
      new Actor(
          Actor.Kind.USER, "demo", List.of("operator", "approver", "system", "worker", "queue"));

  private Demo() {}

  /** Starts them, with keys, so that a second start changes nothing. */
  static void start(Signalbox box) {
    for (Machine machine : box.machines()) {
      if (machine.name().equals(Tokens.MACHINE)) {
        continue;
      }
      for (int i = 1; i <= EACH; i++) {
        Reply reply =
            box.submit(
                new Command.Start(
                    machine.name(), null, Map.of(), ACTOR, "demo-" + machine.name() + "-" + i));
        if (reply instanceof Reply.Accepted(Receipt receipt) && receipt.sequence() == 1) {
          walk(box, receipt.instance(), i);
        }
      }
    }
  }

  /** Takes the instance some steps along its way; what is refused shows as a refusal. */
  private static void walk(Signalbox box, String id, int steps) {
    for (int step = 0; step < Math.min(steps, STEPS); step++) {
      Instance now = box.instance(id);
      List<String> events = now.awaited().stream().filter(event -> !event.contains("*")).toList();
      if (events.isEmpty()) {
        return;
      }
      String event = events.get(step % events.size());
      box.submit(new Command.Send(id, event, null, ACTOR, "demo-" + step, null));
    }
  }
}
