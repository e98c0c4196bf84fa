package dev.signalbox.cli;

import dev.signalbox.runtime.Signalbox;
import dev.signalbox.systems.runs.RunsSettings;
import dev.signalbox.systems.runs.RunsSystem;
import java.nio.file.Path;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where the runs are, and whose. */
@SuppressWarnings("NullAway.Init")
final class RunOptions {
  @Mixin private StoreOptions store;

  @Option(
      names = "--runs",
      paramLabel = "FOLDER",
      description = "The folders of the runs (default: runs, beside the store)")
  private @Nullable Path folder;

  /**
   * Works where the runs are.
   *
   * @param working whether this process does the work of the runs, where no server does
   */
  <T> T at(boolean working, Function<RunDesk, T> work) {
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
          T result = work.apply(desk);
          if (desk instanceof RunDesk.Local local) {
            local.writeFiles(settings().folder());
          }
          return result;
        });
  }

  private <T> T local(Signalbox box, boolean working, Function<RunDesk, T> work) {
    try (RunsSystem system = new RunsSystem(settings())) {
      system.publish(box);
      if (working) {
        system.attach(box);
      }
      return work.apply(new RunDesk.Local(box, system.runs(box), store.actor()));
    }
  }

  /** Whoever starts a run from the command line works where that person may. */
  private RunsSettings settings() {
    Path beside = store.folder();
    Path root = beside.toAbsolutePath().getRoot();
    return RunsSettings.in(folder == null ? beside.resolve("runs") : folder, root).apart(beside);
  }
}
