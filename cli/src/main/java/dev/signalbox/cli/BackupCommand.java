package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.runtime.Why;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox backup}: a copy of the store, while a server works on it or not. */
@Command(
    name = "backup",
    mixinStandardHelpOptions = true,
    description = {
      "Copy the store, the keys of its instances, its archives and the evidence of its runs into "
          + "a new folder, as they are at one moment. A server that is up goes on.",
      "The operator's keys are not in it: keep a copy of them apart, or give --with-keys."
    })
@SuppressWarnings("NullAway.Init")
final class BackupCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FOLDER", description = "A folder that is empty or not there")
  private Path to;

  @Option(
      names = "--db",
      paramLabel = "URL",
      defaultValue = StoreOptions.USUAL,
      description = "The store (default ${DEFAULT-VALUE})")
  private String url;

  @Option(
      names = "--with-keys",
      description = {
        "Copy the operator's keys too: whoever has the backup can then read what is sealed",
        "and sign as the store does"
      })
  private boolean withKeys;

  @Option(names = "--json", description = "One line of JSON")
  private boolean json;

  @Override
  public Integer call() {
    Path store = RestoreCommand.file(url);
    if (store == null) {
      throw new CommandFailure(
          "Expected a store on SQLite, but found %s. PostgreSQL makes its own backups: run pg_dump --format=custom, and after pg_restore 'signalbox restore --db URL'; docs/operating.md tells how."
              .formatted(url));
    }
    try (Progress progress = Progress.show(!json)) {
      Path folder = StoreOptions.folder(url);
      Map<String, Path> extras = new LinkedHashMap<>();
      extras.put(Backup.ARCHIVES, folder.resolve(Backup.ARCHIVES));
      extras.put(Backup.RUNS, folder.resolve(Backup.RUNS));
      Path keys = RestoreCommand.keysOf(store);
      if (withKeys) {
        extras.put(SqliteJournal.KEYS, keys);
      }
      Backup backup =
          Backup.make(
              store,
              keys,
              extras,
              to.toAbsolutePath().normalize(),
              InstantSource.system().millis(),
              what -> progress.at(0, 1, what));
      progress.clear();
      tell(backup, keys);
      return 0;
    } catch (IOException e) {
      throw new CommandFailure(
          "Expected to write the backup to '%s', but it can't be written: %s."
              .formatted(to, Why.of(e)));
    } catch (JournalException e) {
      throw new CommandFailure(Why.of(e));
    }
  }

  private void tell(Backup backup, Path keys) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      Map<String, Object> fields = new LinkedHashMap<>(backup.fields());
      fields.put("folder", to.toString());
      out.println(Json.text(fields));
    } else {
      out.printf("%,d entries are in %s%n", backup.entries(), to);
      RestoreCommand.tellEffects(backup, out);
      if (backup.keyed() && !withKeys) {
        out.printf("The operator's keys are not: keep a copy of %s apart from it%n", keys);
      }
    }
    out.flush();
  }
}
