package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.services.retention.Archives;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code signalbox archive}: what ended long ago leaves the store. */
@Command(
    name = "archive",
    mixinStandardHelpOptions = true,
    description = {
      "Take what ended long ago out of the store, into a file that verifies by itself.",
      "The file is in archives/ of the store's folder. It is written and verified before anything",
      "is deleted, and the store keeps a tombstone of each instance. Call it again until nothing",
      "is left; 'signalbox up --archive-after DAYS' does it by itself."
    })
@SuppressWarnings("NullAway.Init")
final class ArchiveCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private StoreOptions store;

  @Option(
      names = "--older-than",
      paramLabel = "DAYS",
      defaultValue = "30",
      converter = CareOptions.Days.class,
      description = "Only what ended longer ago than that (default ${DEFAULT-VALUE})")
  private int days;

  @Option(
      names = "--most",
      paramLabel = "N",
      defaultValue = "" + Archives.MOST,
      converter = Count.class,
      description = "About how many instances (default ${DEFAULT-VALUE})")
  private int most;

  @Option(names = "--json", description = "One line of JSON")
  private boolean json;

  @Override
  public Integer call() {
    Archives.Written written =
        store.at(
            false,
            desk -> {
              try {
                return desk.archive(days, most, store.folder(), store.actor());
              } catch (IOException e) {
                throw new CommandFailure(
                    "Expected to write an archive below %s, but: %s. Nothing was deleted."
                        .formatted(store.folder(), e.getMessage()));
              }
            });
    tell(written, spec.commandLine().getOut());
    return 0;
  }

  private void tell(Archives.@Nullable Written written, PrintWriter out) {
    if (json) {
      Map<String, @Nullable Object> line = new LinkedHashMap<>();
      line.put("file", written == null ? null : written.file().toString());
      line.put("sha256", written == null ? null : written.sha256());
      line.put("instances", written == null ? 0 : written.instances());
      line.put("kept", written == null ? 0 : written.kept());
      out.println(Json.text(line));
    } else if (written == null) {
      out.printf("Nothing ended more than %d days ago.%n", days);
    } else {
      out.printf(
          "%,d instances went into %s%s%n",
          written.instances(),
          written.file(),
          written.kept() == 0
              ? ""
              : "; %,d are in it and stay, because something is pending for them"
                  .formatted(written.kept()));
    }
    out.flush();
  }
}
