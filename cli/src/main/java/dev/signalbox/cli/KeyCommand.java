package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.postgres.PostgresJournal;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Demands;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.runtime.SigningKey;
import dev.signalbox.runtime.Verification;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox key}: the one key that signs for a store. */
@Command(
    name = "key",
    mixinStandardHelpOptions = true,
    description = {
      "Show the key that signs for a store, sign where it ends, or let another key take its place.",
      "sign and rotate verify the store first, and sign nothing that is not as it was written. No",
      "server may be up on it."
    })
@SuppressWarnings("NullAway.Init")
final class KeyCommand implements Callable<Integer> {
  /** What is done. */
  enum Deed {
    show,
    sign,
    rotate
  }

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "show|sign|rotate",
      arity = "0..1",
      defaultValue = "show",
      description = "What to do (default ${DEFAULT-VALUE})")
  private Deed deed;

  @Option(
      names = "--db",
      paramLabel = "URL",
      defaultValue = StoreOptions.USUAL,
      description = "The store (default ${DEFAULT-VALUE}); also jdbc:postgresql://HOST/DATABASE")
  private String url;

  @Option(
      names = "--keys",
      paramLabel = "FOLDER",
      description = "The operator's keys (default: as the store is opened)")
  private @Nullable Path keys;

  @Option(names = "--json", description = "One line of JSON")
  private boolean json;

  @Override
  public Integer call() {
    Keyring keyring = keys == null ? StoreOptions.keyring(url) : Keyring.at(keys);
    SigningKey before = keyring == null ? null : keyring.known();
    if (keyring == null || before == null) {
      throw new CommandFailure(
          "Expected the key that signs the store, but there is none where its keys are. Give --keys"
              + " FOLDER.");
    }
    try {
      if (deed == Deed.show) {
        tell(before, null);
        return 0;
      }
      sign(keyring, before);
      tell(Objects.requireNonNull(keyring.known()), deed == Deed.rotate ? before : null);
      return 0;
    } catch (IOException | JournalException | IllegalArgumentException e) {
      throw new CommandFailure(String.valueOf(e.getMessage()));
    }
  }

  private void sign(Keyring keyring, SigningKey before) throws IOException {
    try (Journal journal = open();
        Progress progress = Progress.show(!json)) {
      Verification verification =
          Audit.sign(
              journal,
              keyring,
              Demands.NONE.signedBy(before.publicText()).allowingOpenEnd(),
              deed == Deed.rotate,
              n -> progress.at(0, 1, "group %,d".formatted(n)));
      if (!verification.isSound()) {
        Verification.Finding first = verification.findings().getFirst();
        throw new CommandFailure(
            "Expected the store as it was written, but: %s: %s: %s. Nothing was signed."
                .formatted(first.code(), first.where(), first.message()));
      }
    }
  }

  private Journal open() {
    StoreOptions.refuseLost(url);
    if (url.startsWith("jdbc:postgresql:")) {
      return PostgresJournal.open(url, null, null);
    }
    return url.startsWith(StoreOptions.SQLITE)
        ? SqliteJournal.open(
            Path.of(url.substring(StoreOptions.SQLITE.length())), InstantSource.system())
        : Signalbox.read(url);
  }

  private void tell(SigningKey key, @Nullable SigningKey replaced) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("fingerprint", key.fingerprint());
      line.put("public_key", key.publicText());
      if (replaced != null) {
        line.put("replaced", replaced.fingerprint());
      }
      out.println(Json.text(line));
    } else {
      out.printf("%s  %s%n", key.fingerprint(), key.publicText());
      if (replaced != null) {
        out.printf("It takes the place of %s.%n", replaced.fingerprint());
      }
    }
    out.flush();
  }
}
