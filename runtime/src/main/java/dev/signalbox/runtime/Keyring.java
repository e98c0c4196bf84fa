package dev.signalbox.runtime;

import dev.signalbox.journal.Checkpoint;
import dev.signalbox.journal.DurableFile;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.sqlite.SqliteJournal;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The operator's keys: one that signs checkpoints, and one that wraps the keys of instances. They
 * are made when they are first needed. Keep them where the store's backups are not.
 */
public final class Keyring {
  private static final Logger LOG = System.getLogger(Keyring.class.getName());
  private static final String FOLDER = "SIGNALBOX_KEYS";

  /** For stores in memory, which live no longer than this. */
  private static final Keyring OF_THIS_PROCESS = new Keyring(null);

  private static final String SIGNING = "signing.key";
  private static final String NEXT = "signing.key.next";

  private final @Nullable Path folder;
  private @Nullable SigningKey signing;
  private @Nullable WrappingKey wrapping;

  private Keyring(@Nullable Path folder) {
    this.folder = folder;
  }

  /** The keys {@code signing.key} and {@code wrapping.key} in the folder. */
  public static Keyring at(Path folder) {
    return new Keyring(folder);
  }

  /** These keys, but another signs: one that is kept elsewhere. */
  public Keyring signedWith(SigningKey key) {
    Keyring other = new Keyring(folder);
    other.signing = key;
    other.wrapping = wrapping;
    return other;
  }

  /** Keys that live as long as this process. */
  public static Keyring ofThisProcess() {
    return OF_THIS_PROCESS;
  }

  /**
   * The keys for a store whose keys nobody named: those in the folder that the environment names as
   * SIGNALBOX_KEYS, otherwise in the folder {@code signalbox-keys} beside a SQLite file, whatever
   * name leads to it, otherwise none.
   */
  public static @Nullable Keyring of(String url) {
    String given = System.getenv(FOLDER);
    if (url.startsWith("memory:")) {
      return OF_THIS_PROCESS;
    }
    if (given != null && !given.isBlank()) {
      return at(Path.of(given));
    }
    if (url.startsWith(Signalbox.SQLITE)) {
      Path named = Path.of(url.substring(Signalbox.SQLITE.length()));
      Path folder = SqliteJournal.located(named).resolveSibling(SqliteJournal.KEYS);
      // Where keys were made beside a link, they are there.
      Path besideLink = named.toAbsolutePath().resolveSibling(SqliteJournal.KEYS);
      return at(Files.notExists(folder) && Files.exists(besideLink) ? besideLink : folder);
    }
    return null;
  }

  /** The key that signs; it is made when there is none. */
  public synchronized SigningKey signing() {
    if (signing == null) {
      try {
        signing = folder == null ? SigningKey.fresh() : SigningKey.at(folder.resolve(SIGNING));
      } catch (IOException e) {
        throw fault(e);
      }
    }
    return signing;
  }

  /**
   * The key that signs for a store. It is made when there is none and the store was never signed:
   * one store has one key.
   *
   * @throws JournalException when the store is signed by a key and there is none here
   */
  public SigningKey signing(Journal journal) {
    Checkpoint newest = canSign() ? null : journal.newestCheckpoint();
    if (newest == null) {
      return signing();
    }
    String signer;
    try {
      signer = SigningKey.fingerprint(String.valueOf(ClearPart.read(newest.text()).get("key")));
    } catch (IllegalStateException | IllegalArgumentException e) {
      signer = "that can't be read";
    }
    throw new JournalException(
        "Expected the key that signs the store, %s, but there is none in '%s'. Name the folder with the store's keys in SIGNALBOX_KEYS, or the key with --signing-key."
            .formatted(signer, folder),
        null);
  }

  /** The key that signs, or null when none was made yet. */
  public @Nullable SigningKey known() {
    return canSign() ? signing() : null;
  }

  /** Whether there is a key that signs, so that none has to be made. */
  private synchronized boolean canSign() {
    return signing != null || folder == null || Files.exists(folder.resolve(SIGNING));
  }

  /** The key that will sign after this one; it is made when there is none. */
  SigningKey successor() {
    try {
      return folder == null ? SigningKey.fresh() : SigningKey.at(folder.resolve(NEXT));
    } catch (IOException e) {
      throw fault(e);
    }
  }

  /**
   * Lets the key sign from now on that the store says comes next. The one before is gone then: what
   * it signed is known by its public half, which is in the store.
   *
   * @return the public half of the key that signs now
   * @throws JournalException when that key is not here
   */
  synchronized String succeeded(String publicText) {
    try {
      Path in = folder;
      if (in != null && Files.exists(in.resolve(NEXT))) {
        SigningKey next = SigningKey.in(in.resolve(NEXT));
        if (next.publicText().equals(publicText)) {
          Files.move(in.resolve(NEXT), in.resolve(SIGNING), StandardCopyOption.ATOMIC_MOVE);
          DurableFile.force(in);
          signing = next;
          return publicText;
        }
      }
    } catch (IOException e) {
      throw fault(e);
    }
    throw new JournalException(
        "Expected key %s to sign, which the store says comes next, but key %s is here. Open the store with the newer key."
            .formatted(SigningKey.fingerprint(publicText), signing().fingerprint()),
        null);
  }

  /** The key that wraps; it is made when there is none. */
  synchronized WrappingKey wrapping() {
    WrappingKey known = knownWrapping();
    if (known == null) {
      try {
        if (folder == null) {
          known = WrappingKey.fresh();
        } else {
          Path file = folder.resolve("wrapping.key");
          known = WrappingKey.at(file);
          LOG.log(
              Logger.Level.INFO,
              "Made the key {0}, without which personal data cannot be read; keep a copy apart from"
                  + " the store.",
              file);
        }
        wrapping = known;
      } catch (IOException e) {
        throw fault(e);
      }
    }
    return known;
  }

  /** The key that wraps, or null when none was made yet. */
  synchronized @Nullable WrappingKey knownWrapping() {
    if (wrapping == null && folder != null && Files.exists(folder.resolve("wrapping.key"))) {
      try {
        wrapping = WrappingKey.at(folder.resolve("wrapping.key"));
      } catch (IOException e) {
        throw fault(e);
      }
    }
    return wrapping;
  }

  /** Whether it has the key that wraps those of the store's instances, or the store has none. */
  public boolean opens(Journal journal) {
    try {
      new Seals(journal, this, RandomGenerator.getDefault()).check();
      return true;
    } catch (JournalException e) {
      return false;
    }
  }

  private JournalException fault(IOException e) {
    return new JournalException(
        "Expected keys in '%s', but they can't be read or made: %s."
            .formatted(folder, e.getMessage()),
        e);
  }
}
