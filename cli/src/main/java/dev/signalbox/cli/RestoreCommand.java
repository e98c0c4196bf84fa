package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.DurableFile;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.postgres.PostgresCopy;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Demands;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.runtime.Verification;
import dev.signalbox.runtime.Why;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox restore}: a store from its backup, where there is none. */
@Command(
    name = "restore",
    mixinStandardHelpOptions = true,
    description = {
      "Make a store from a backup, where there is none, and verify it. What happened after the "
          + "backup is not in it.",
      "Of what was to be done outside, what may be repeated is done again with its key when the "
          + "store is next opened; everything else ends as unknown."
    })
@SuppressWarnings("NullAway.Init")
final class RestoreCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "FOLDER",
      arity = "0..1",
      description = "What 'signalbox backup' wrote; none for PostgreSQL, after pg_restore")
  private @Nullable Path from;

  @Option(
      names = "--db",
      paramLabel = "URL",
      defaultValue = StoreOptions.USUAL,
      description = "The store to make (default ${DEFAULT-VALUE})")
  private String url;

  @Option(
      names = "--keys",
      paramLabel = "FOLDER",
      description = "The copy of the operator's keys, which is copied beside the store")
  private @Nullable Path keys;

  @Option(names = "--json", description = "One line of JSON")
  private boolean json;

  /** The file of a store on SQLite, or null for another. */
  static @Nullable Path file(String url) {
    return url.startsWith(StoreOptions.SQLITE)
        ? Path.of(url.substring(StoreOptions.SQLITE.length()))
        : null;
  }

  /** Where the operator's keys of a store on SQLite are. */
  static Path keysOf(Path store) {
    String named = System.getenv("SIGNALBOX_KEYS");
    return named == null || named.isBlank()
        ? SqliteJournal.located(store).resolveSibling(SqliteJournal.KEYS)
        : Path.of(named);
  }

  @Override
  public Integer call() {
    Path store = file(url);
    if ((store == null) != (from == null)) {
      throw new ParameterException(
          spec.commandLine(),
          store == null
              ? "Expected no FOLDER with PostgreSQL, whose backup pg_restore brings back, but found"
                  + " one."
              : "Expected the FOLDER of a backup, but there is none.");
    }
    try (Progress progress = Progress.show(!json)) {
      if (store == null || from == null) {
        return settle();
      }
      Backup backup = Backup.read(from, what -> progress.at(0, 1, what));
      bring(backup, from, store, progress);
      Verification verification = verify(progress);
      progress.clear();
      tell(backup, verification);
      return verification.isSound() ? 0 : 1;
    } catch (IOException e) {
      throw new CommandFailure(
          "Expected to restore to %s, but it can't be done: %s.".formatted(url, Why.of(e)));
    } catch (JournalException e) {
      throw new CommandFailure(Why.of(e));
    }
  }

  private int settle() {
    PostgresCopy settled = PostgresCopy.settle(url);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(
          Json.text(
              Map.of(
                  "effects_repeated", settled.repeated(), "effects_unknown", settled.unknown())));
    } else {
      tellEffects(settled.repeated(), settled.unknown(), out);
    }
    out.flush();
    return 0;
  }

  /** The store comes last: until it is there, the rest is what is left of one that is gone. */
  private void bring(Backup backup, Path folder, Path store, Progress progress) throws IOException {
    Path target = SqliteJournal.located(store);
    Path beside = Objects.requireNonNull(target.toAbsolutePath().getParent());
    for (String name : List.of("", "-wal", "-shm", "-journal")) {
      refuseFound(target.resolveSibling(target.getFileName() + name), "store");
    }
    Path storeKeys = target.resolveSibling(target.getFileName() + ".keys");
    Path operators = operators(backup, folder, target);
    DurableFile.folders(beside);
    if (operators != null) {
      bringFolder(operators, keysOf(target), progress);
    }
    for (String part : List.of(Backup.ARCHIVES, Backup.RUNS)) {
      if (backup.has(part)) {
        bringFolder(folder.resolve(part), beside.resolve(part), progress);
      }
    }
    if (backup.files().containsKey(Backup.STORE_KEYS)) {
      bringFile(folder.resolve(Backup.STORE_KEYS), storeKeys);
    } else {
      refuseFound(storeKeys, "store's keys");
    }
    progress.at(0, 1, "the store");
    Backup.copy(folder.resolve(Backup.STORE), target);
  }

  private static void refuseFound(Path file, String what) {
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new CommandFailure(
          "Expected no %s at '%s', but there is one, which a backup does not replace. Move it away, or name another place with --db."
              .formatted(what, file));
    }
  }

  /** From where the operator's keys are copied, or null when they are in their place already. */
  private @Nullable Path operators(Backup backup, Path folder, Path target) {
    Path from = keys;
    if (from == null && backup.has(SqliteJournal.KEYS)) {
      from = folder.resolve(SqliteJournal.KEYS);
    }
    if (from != null && !Files.isDirectory(from)) {
      throw new CommandFailure(
          "Expected a folder with the operator's keys at '%s', but there is none.".formatted(from));
    }
    Path usual = keysOf(target);
    if (from == null && backup.keyed() && !Files.isDirectory(usual)) {
      throw new CommandFailure(
          "Expected the operator's keys, without which nothing is signed and what is sealed can't be read, but they are neither in the backup nor at '%s'. Give --keys FOLDER with the copy that was kept apart."
              .formatted(usual));
    }
    return from;
  }

  private static void bringFolder(Path from, Path to, Progress progress) throws IOException {
    for (Path file : Backup.filesIn(from)) {
      progress.at(0, 1, file.getFileName().toString());
      Path target = to.resolve(from.relativize(file).toString());
      Backup.folders(target);
      bringFile(file, target);
    }
  }

  /** What a restore that was cut off has brought already stays; anything else is not replaced. */
  private static void bringFile(Path from, Path to) throws IOException {
    if (Files.notExists(to, LinkOption.NOFOLLOW_LINKS)) {
      Backup.copy(from, to);
    } else if (Files.mismatch(from, to) >= 0) {
      throw new CommandFailure(
          "Expected '%s' not to be there or to be as in the backup, but it is another. Move it away."
              .formatted(to));
    }
  }

  private Verification verify(Progress progress) throws IOException {
    try (Journal journal = Signalbox.read(url)) {
      Keyring keyring = StoreOptions.keyring(url);
      Demands demands =
          Demands.NONE
              .archivesIn(StoreOptions.folder(url).resolve(Backup.ARCHIVES))
              .withArchives()
              .allowingOpenEnd();
      return Audit.verify(
          journal,
          keyring != null && keyring.opens(journal) ? keyring : null,
          demands,
          n -> progress.at(0, 1, "verifying group %,d".formatted(n)));
    }
  }

  private void tell(Backup backup, Verification verification) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("db", url);
      fields.put("made", backup.made());
      fields.put("entries", verification.entries());
      fields.put("sound", verification.isSound());
      fields.put("effects_repeated", backup.repeated());
      fields.put("effects_unknown", backup.unknown());
      out.println(Json.text(fields));
    } else {
      for (Verification.Finding finding : verification.findings()) {
        out.printf("%s: %s: %s%n", finding.code(), finding.where(), finding.message());
      }
      out.printf(
          "%,d entries as of %s are in %s: %s%n",
          verification.entries(),
          Instant.ofEpochMilli(backup.made()),
          url,
          verification.isSound() ? "all as they were written" : "NOT as they were written");
      tellEffects(backup, out);
    }
    out.flush();
  }

  /** What becomes of what the backup has to be done outside. */
  static void tellEffects(Backup backup, PrintWriter out) {
    tellEffects(backup.repeated(), backup.unknown(), out);
  }

  private static void tellEffects(long repeated, long unknown, PrintWriter out) {
    out.printf(
        "Of what was to be done outside, %,d effects will be done again with their keys,%n"
            + "and %,d will end as unknown when it goes on%n",
        repeated, unknown);
    out.println("What instances ask for anew, because they do not know that they did since,");
    out.println("will be done again: stop the original first, and look at what has fallen due");
  }
}
