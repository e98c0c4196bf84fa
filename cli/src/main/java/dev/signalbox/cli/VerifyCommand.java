package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.runtime.Verification;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox verify}: whether a journal is what was written. */
@Command(
    name = "verify",
    mixinStandardHelpOptions = true,
    description = {
      "Check every hash, chain, root and signature of an exported file or of a store, and "
          + "replay every entry through its machine.",
      "What is not as it was written is named."
    })
@SuppressWarnings("NullAway.Init")
final class VerifyCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", arity = "0..1", description = "A file that export wrote")
  private @Nullable Path file;

  @Option(
      names = "--db",
      paramLabel = "URL",
      description = {
        "A store (without FILE: " + StoreOptions.USUAL + "); also",
        "jdbc:postgresql://HOST/DATABASE"
      })
  private @Nullable String url;

  @Option(
      names = "--public-key",
      paramLabel = "KEY",
      description = "The key that must have signed, as export printed it; else the file's own")
  private @Nullable String key;

  @Option(
      names = "--keys-of",
      paramLabel = "URL",
      description = "The store with the keys that open what is sealed in the FILE")
  private @Nullable String keysOf;

  @Option(
      names = "--keys",
      paramLabel = "FOLDER",
      description = "The operator's keys (default: as the store is opened)")
  private @Nullable Path keys;

  @Option(names = "--json", description = "One line of JSON")
  private boolean json;

  @Override
  public Integer call() {
    Verification verification;
    try (Progress progress = Progress.show(!json)) {
      verification = verify(progress);
    } catch (IOException e) {
      throw new CommandFailure(
          "Expected to read %s, but it can't be read: %s."
              .formatted(file, Files.exists(file) ? e.getMessage() : "there is none"));
    } catch (JournalException | IllegalArgumentException e) {
      throw new CommandFailure(String.valueOf(e.getMessage()));
    }
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.text(line(verification)));
    } else {
      for (Verification.Finding finding : verification.findings()) {
        out.printf("%s: %s: %s%n", finding.code(), finding.where(), finding.message());
      }
      if (verification.more() > 0) {
        out.printf("and %,d more%n", verification.more());
      }
      out.printf(
          "%,d entries of %,d instances in %,d groups: %s%n",
          verification.entries(),
          verification.instances(),
          verification.groups(),
          verification.isSound() ? "all as they were written" : "NOT as they were written");
      if (verification.erased() > 0) {
        out.printf("%,d instances were erased%n", verification.erased());
      }
      if (verification.sealed() > 0) {
        out.printf(
            "%,d entries are sealed and were not replayed: their keys were erased or not given%n",
            verification.sealed());
      }
      if (verification.isSound() && file != null && key == null) {
        out.println("The signature was checked with the file's own key; give --public-key to");
        out.println("check it with the one you trust.");
      }
    }
    out.flush();
    return verification.isSound() ? 0 : 1;
  }

  private Verification verify(Progress progress) throws IOException {
    if (file != null && url == null && keysOf != null) {
      Keyring keyring = keyring(keysOf);
      if (keyring == null) {
        throw new CommandFailure(
            "Expected the operator's keys, but there are none. Give --keys FOLDER.");
      }
      try (Journal journal = Signalbox.read(keysOf)) {
        return Audit.verify(
            file, key, journal, keyring, n -> progress.at(0, 1, "line %,d".formatted(n)));
      }
    }
    if (file != null && url == null) {
      return Audit.verify(file, key, n -> progress.at(0, 1, "line %,d".formatted(n)));
    }
    if (file != null) {
      throw new ParameterException(
          spec.commandLine(), "Expected a FILE or --db URL, but found both.");
    }
    String store = url == null ? StoreOptions.USUAL : url;
    try (Journal journal = Signalbox.read(store)) {
      return Audit.verify(
          journal, knownKeyring(journal, store), n -> progress.at(0, 1, "group %,d".formatted(n)));
    }
  }

  private @Nullable Keyring keyring(String store) {
    return keys == null ? Keyring.of(store) : Keyring.at(keys);
  }

  /** The keys of the store, where there are any; without them what is sealed is not replayed. */
  private @Nullable Keyring knownKeyring(Journal journal, String store) {
    Keyring keyring = keyring(store);
    return keys == null && keyring != null && !keyring.opens(journal) ? null : keyring;
  }

  private static Map<String, Object> line(Verification verification) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("sound", verification.isSound());
    line.put("entries", verification.entries());
    line.put("instances", verification.instances());
    line.put("groups", verification.groups());
    line.put("sealed", verification.sealed());
    line.put("erased", verification.erased());
    List<Map<String, String>> findings =
        verification.findings().stream()
            .map(f -> Map.of("code", f.code(), "where", f.where(), "message", f.message()))
            .toList();
    line.put("findings", findings);
    line.put("more", verification.more());
    return line;
  }
}
