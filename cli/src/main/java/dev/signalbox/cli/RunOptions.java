package dev.signalbox.cli;

import dev.signalbox.journal.DurableFile;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.systems.runs.RunsSettings;
import dev.signalbox.systems.runs.RunsSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Where the runs are, and whose. */
@SuppressWarnings("NullAway.Init")
final class RunOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Mixin private StoreOptions store;
  @Mixin private SandboxOptions sandbox;

  /**
   * Works where the runs are.
   *
   * @param working whether this process does the work of the runs, where no server does
   */
  <T> T at(boolean working, Function<RunDesk, T> work) {
    store.partOf(spec);
    try (Remote remote = store.remote()) {
      if (remote != null) {
        return work.apply(new RunDesk.Served(remote));
      }
    } catch (Remote.Refused e) {
      throw new CommandFailure("%s (%s)".formatted(e.getMessage(), e.code()));
    }
    return store.making(box -> local(box, working, work));
  }

  /** As {@link #at} where this process does not do the work; the files show what was changed. */
  <T> T changing(Function<RunDesk, T> work) {
    return at(
        false,
        desk -> {
          if (desk instanceof RunDesk.Local) {
            make(store.runs());
          }
          return work.apply(desk);
        });
  }

  /**
   * As {@link #changing}, for what somebody else has to do then.
   *
   * @throws CommandFailure when there is nobody: a store in a file is opened by its server alone
   */
  <T> T leaving(Function<RunDesk, T> work) {
    return changing(desk -> {
      if (!desk.isServed() && store.url().startsWith(StoreOptions.SQLITE)) {
        throw new CommandFailure(
            "Expected a server on %s to do the work of the run, but none is up. Start one with 'signalbox up', or leave out --detach."
                .formatted(store.url()));
      }
      return work.apply(desk);
    });
  }

  private static void make(Path folder) {
    try {
      DurableFile.folders(folder);
    } catch (IOException e) {
      throw new CommandFailure(
          "Expected to keep the files of runs in %s, but %s. Give another folder with --runs."
              .formatted(folder, Unusable.folder(folder, e)));
    }
    if (!Files.isWritable(folder)) {
      throw new CommandFailure(
          "Expected to keep the files of runs in %s, but it can't be written. Give another folder with --runs."
              .formatted(folder));
    }
  }

  private <T> T local(Signalbox box, boolean working, Function<RunDesk, T> work) {
    try (RunsSystem system = new RunsSystem(settings())) {
      if (working) {
        make(store.runs());
      }
      system.publish(box);
      if (working) {
        system.attach(box);
      }
      return work.apply(new RunDesk.Local(system.runs(box), store.actor()));
    }
  }

  /** Whoever starts a run from the command line works where that person may. */
  private RunsSettings settings() {
    Path beside = store.folder();
    RunsSettings settings =
        sandbox.in(RunsSettings.in(store.runs(), beside.toAbsolutePath().getRoot()).apart(beside));
    for (Path each : StoreOptions.kept(store.url())) {
      settings = settings.apart(each);
    }
    return settings;
  }
}
