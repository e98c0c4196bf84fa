package dev.signalbox.systems.runs;

import dev.signalbox.definition.Source;
import dev.signalbox.runtime.EffectHandler;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.services.sandbox.Unconfined;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * A program that takes a run of the example to its end, and does what a person would: it answers
 * what is asked. It is started again after it was killed, and goes on. It says how far the journal
 * is, a line for each look that finds something new.
 */
final class KilledExample {
  private KilledExample() {}

  /** Its arguments: the folder with everything, the plan's name there, and {@code reject}. */
  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]).toRealPath();
    boolean rejects = args.length > 2 && args[2].equals("reject");
    Files.writeString(folder.resolve("pid"), String.valueOf(ProcessHandle.current().pid()));
    try (Signalbox box =
            Signalbox.open(
                "jdbc:sqlite:" + folder.resolve("box.db"),
                Settings.DEFAULT,
                InstantSource.system());
        // Tools kill the process that started them, and outlive it: in a sandbox they could not.
        RunsSystem system =
            new RunsSystem(
                RunsSettings.in(folder.resolve("runs"), folder)
                    .sandbox(sandbox ->
                        sandbox
                            .in(Unconfined.WANTED)
                            .unconfined(SandboxSettings.Unconfined.ALLOW)))) {
      system.publish(box);
      String point = Files.readString(folder.resolve("effect"));
      box.around(handler -> mortal(handler, point));
      system.attach(box);
      Runs runs = system.runs(box);
      List<Instance> there = runs.list(null, null, false, 0, 10);
      String run =
          there.isEmpty()
              ? runs.start(
                  PlanReader.read(
                      new Source(args[1], Files.readString(folder.resolve(args[1]))), folder),
                  RunHouse.ANN)
              : there.getFirst().id();
      Approvals approvals = Approvals.on(box);
      long told = 0;
      while (true) {
        Instance now = runs.run(run);
        long position = box.journal().end();
        if (position > told) {
          told = position;
          System.out.println("at " + position);
        }
        if (now.status().equals("ended")) {
          System.out.println("ended");
          return;
        }
        if (now.leaves().contains("awaiting_decision")) {
          answer(approvals, now, rejects);
        }
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  /**
   * The handler in a process that ends itself with kill -9, {@code before} or {@code after} it does
   * the effect of the tool that the point names.
   */
  private static EffectHandler mortal(EffectHandler handler, String point) {
    return call -> {
      Object tool = RunEntry.map(call.input()).get("tool");
      if (point.equals("before " + tool)) {
        die();
      }
      Outcome outcome = handler.handle(call);
      if (point.equals("after " + tool)) {
        die();
      }
      return outcome;
    };
  }

  private static void die() throws IOException, InterruptedException {
    new ProcessBuilder("/bin/sh", "-c", "kill -9 " + ProcessHandle.current().pid()).start();
    new CountDownLatch(1).await();
  }

  /** Where two are asked, the first one is to repeat. */
  private static void answer(Approvals approvals, Instance run, boolean rejects) {
    for (Object pending : RunEntry.list(run.context().get("approvals_pending"))) {
      Approval asked = approvals.approval(String.valueOf(pending));
      if (asked.state().equals("AWAITING_HUMAN")) {
        if (rejects) {
          approvals.reject(asked.id(), RunHouse.BOB, "not today");
        } else {
          approvals.approve(asked.id(), RunHouse.BOB, asked.digest());
        }
      }
      return;
    }
  }
}
