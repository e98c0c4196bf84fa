package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Demands;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.runtime.SigningKey;
import dev.signalbox.runtime.Verification;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.LongConsumer;
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
      description = {
        "The key that must have signed: as export printed it, its fingerprint, or a file with it;",
        "may be given several times. Without it the answer says who signed, and no more"
      })
  private List<String> named = List.of();

  @Option(
      names = "--checkpoints",
      paramLabel = "FILE",
      description = "Checkpoints that 'up --publish-checkpoints' published to a second place")
  private List<Path> published = List.of();

  @Option(
      names = "--archives",
      paramLabel = "FOLDER",
      description = "The files of archived instances (default: archives, beside the store or FILE)")
  private @Nullable Path archives;

  @Option(
      names = "--without-archives",
      description = "Count archived instances whose files are not there, and do not ask for them")
  private boolean withoutArchives;

  @Option(
      names = "--open-end",
      description = {
        "With --public-key: count what comes after the last signature, and do not ask that it is",
        "signed, as on a store in use"
      })
  private boolean openEnd;

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
              .formatted(
                  file == null ? "what was named" : file,
                  file == null || Files.exists(file) ? e.getMessage() : "there is none"));
    } catch (JournalException | IllegalArgumentException e) {
      throw new CommandFailure(String.valueOf(e.getMessage()));
    }
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.text(verification.fields()));
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
      words(verification, out);
    }
    out.flush();
    return verification.isSound() ? 0 : 1;
  }

  /** What was not checked, and what the signatures are worth. */
  private void words(Verification verification, PrintWriter out) {
    if (verification.erased() > 0) {
      out.printf("%,d instances were erased%n", verification.erased());
    }
    if (verification.sealed() > 0) {
      out.printf(
          "%,d entries are sealed and were not replayed: their keys were erased or not given%n",
          verification.sealed());
    }
    if (verification.archived() > 0) {
      out.printf(
          "%,d instances are in archives%s%n",
          verification.archived(),
          verification.missingArchives().isEmpty()
              ? ", which were read too"
              : ", of which %,d files were not there to be checked"
                  .formatted(verification.missingArchives().size()));
    }
    for (Verification.Signer signer : verification.signers()) {
      out.printf(
          "signed by key %s%s, last at %s%n",
          signer.fingerprint(),
          signer.named() ? "" : ", which you did not name",
          Instant.ofEpochMilli(signer.at()));
    }
    if (verification.signers().isEmpty()) {
      out.println("unsigned: whoever can write it could have written all of it");
    } else if (verification.unsignedGroups() > 0) {
      out.printf(
          "unsigned: %,d entries in the %,d groups after the last signature%n",
          verification.unsignedEntries(), verification.unsignedGroups());
    }
    if (named.isEmpty() && !verification.signers().isEmpty()) {
      out.println("Whoever can write it could have signed it with a key of their own: give");
      out.println("--public-key with the one you trust.");
    }
  }

  private Demands demands(@Nullable Path beside) throws IOException {
    Demands demands = Demands.NONE;
    for (String each : named) {
      demands = demands.signedBy(publicKey(each));
    }
    for (Path file : published) {
      demands = demands.published(file);
    }
    Path folder = archives != null || beside == null ? archives : beside.resolve("archives");
    if (folder != null) {
      demands = demands.archivesIn(folder);
    }
    demands = withoutArchives ? demands.countingArchives() : demands.withArchives();
    return openEnd ? demands.allowingOpenEnd() : demands;
  }

  /** The key, or the fingerprint, that was named by itself or by a file. */
  private static String publicKey(String given) throws IOException {
    try {
      Path file = Path.of(given);
      return Files.isRegularFile(file) ? SigningKey.publicTextIn(file) : given;
    } catch (InvalidPathException e) {
      return given;
    }
  }

  private Verification verify(Progress progress) throws IOException {
    if (file != null && url != null) {
      throw new ParameterException(
          spec.commandLine(), "Expected a FILE or --db URL, but found both.");
    }
    if (file != null) {
      Demands demands = demands(file.toAbsolutePath().getParent());
      LongConsumer lines = n -> progress.at(0, 1, "line %,d".formatted(n));
      if (keysOf == null) {
        return Audit.verify(file, demands, lines);
      }
      Keyring keyring = keyring(keysOf);
      if (keyring == null) {
        throw new CommandFailure(
            "Expected the operator's keys, but there are none. Give --keys FOLDER.");
      }
      try (Journal journal = Signalbox.read(keysOf)) {
        return Audit.verify(file, demands, journal, keyring, lines);
      }
    }
    String store = url == null ? StoreOptions.USUAL : url;
    try (Journal journal = Signalbox.read(store)) {
      return Audit.verify(
          journal,
          knownKeyring(journal, store),
          demands(StoreOptions.folder(store)),
          n -> progress.at(0, 1, "group %,d".formatted(n)));
    }
  }

  private @Nullable Keyring keyring(String store) {
    return keys == null ? StoreOptions.keyring(store) : Keyring.at(keys);
  }

  /** The keys of the store, where there are any; without them what is sealed is not replayed. */
  private @Nullable Keyring knownKeyring(Journal journal, String store) {
    Keyring keyring = keyring(store);
    return keys == null && keyring != null && !keyring.opens(journal) ? null : keyring;
  }
}
