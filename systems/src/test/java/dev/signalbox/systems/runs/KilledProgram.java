package dev.signalbox.systems.runs;

import dev.signalbox.definition.Source;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Approvals;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A program that takes a run to its end, and does what a person would: it approves what waits. It
 * is started again after it was killed, and goes on.
 */
final class KilledProgram {
  private KilledProgram() {}

  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]).toRealPath();
    Path work = folder.resolve("work");
    try (Signalbox box =
            Signalbox.open(
                "jdbc:sqlite:" + folder.resolve("box.db"),
                Settings.DEFAULT,
                InstantSource.system());
        RunsSystem system = new RunsSystem(RunsSettings.in(folder.resolve("runs"), work))) {
      system.publish(box);
      system.attach(box);
      Runs runs = system.runs(box);
      System.out.println("up");
      List<Instance> there = runs.list(null, null, false, 0, 10);
      String run =
          there.isEmpty()
              ? runs.start(
                  PlanReader.read(
                      new Source("plan.yaml", Files.readString(folder.resolve("plan.yaml"))), work),
                  RunHouse.ANN)
              : there.getFirst().id();
      Approvals approvals = Approvals.on(box);
      while (true) {
        Instance now = runs.run(run);
        if (now.status().equals("ended")) {
          System.out.println("ended " + Runs.state(now));
          System.out.println("failure " + now.context().get("failure"));
          return;
        }
        if (now.leaves().contains("awaiting_decision")
            && now.context().get("approvals_pending") instanceof List<?> pending) {
          // Where two are asked, the first one is to repeat.
          Approval first = approvals.approval(String.valueOf(pending.getFirst()));
          if (first.state().equals("AWAITING_HUMAN")) {
            approvals.approve(first.id(), RunHouse.BOB, first.digest());
          }
        }
        LockSupport.parkNanos(1_000_000);
      }
    }
  }
}
