package dev.signalbox.cli;

import dev.signalbox.journal.DurableFile;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.runtime.SigningKey;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code signalbox export}: the journal as a file that a stranger can verify. */
@Command(
    name = "export",
    mixinStandardHelpOptions = true,
    description = {
      "Write the journal as JSON lines that anyone can verify with nothing but the file and "
          + "the public key, which is printed."
    })
@SuppressWarnings("NullAway.Init")
final class ExportCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--db",
      paramLabel = "URL",
      defaultValue = StoreOptions.USUAL,
      description = "The store (default ${DEFAULT-VALUE}); also jdbc:postgresql://HOST/DATABASE")
  private String url;

  @Option(names = "-o", paramLabel = "FILE", required = true, description = "Where to write")
  private Path output;

  @Option(
      names = {"--signing-key", "--key"},
      paramLabel = "FILE",
      description = KeyPlace.DESCRIPTION)
  private @Nullable String keyPlace;

  @Option(
      names = "--keys",
      paramLabel = "FOLDER",
      description = "The operator's keys (default: as the store is opened)")
  private @Nullable Path keys;

  @Option(names = "--json", description = "One line of JSON")
  private boolean json;

  @Override
  public Integer call() {
    Path target = output.toAbsolutePath();
    Path partial = target.resolveSibling(target.getFileName() + ".part");
    AtomicLong entries = new AtomicLong();
    try (Journal journal = Signalbox.read(url);
        Progress progress = Progress.show(!json)) {
      SigningKey key = signing();
      try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(partial))) {
        Audit.export(
            journal,
            key,
            out,
            count -> {
              entries.set(count);
              progress.at(0, 1, "%,d entries".formatted(count));
            });
      }
      DurableFile.forceWhole(partial);
      Files.move(partial, target, StandardCopyOption.REPLACE_EXISTING);
      DurableFile.force(Objects.requireNonNull(target.getParent()));
      tell(key, entries.get());
      return 0;
    } catch (IOException e) {
      throw new CommandFailure(
          "Expected to write %s, but it can't be written: %s.".formatted(output, e.getMessage()));
    } catch (JournalException | IllegalArgumentException e) {
      throw new CommandFailure(String.valueOf(e.getMessage()));
    }
  }

  /** The store's one key; none is made for an export. */
  private SigningKey signing() throws IOException {
    if (keyPlace != null) {
      return KeyPlace.key(keyPlace);
    }
    Keyring keyring = keys == null ? StoreOptions.keyring(url) : Keyring.at(keys);
    SigningKey key = keyring == null ? null : keyring.known();
    if (key == null) {
      throw new CommandFailure(
          "Expected the key that signs the store, but there is none where its keys are. Give --keys"
              + " FOLDER or --signing-key FILE.");
    }
    return key;
  }

  private void tell(SigningKey key, long entries) {
    if (json) {
      spec.commandLine()
          .getOut()
          .println(
              dev.signalbox.definition.Json.text(
                  Map.of(
                      "file",
                      output.toString(),
                      "entries",
                      entries,
                      "public_key",
                      key.publicText(),
                      "fingerprint",
                      key.fingerprint())));
    } else {
      spec.commandLine()
          .getOut()
          .printf(
              "%,d entries in %s, signed by %s%nThe key's fingerprint is %s%n",
              entries, output, key.publicText(), key.fingerprint());
    }
  }
}
