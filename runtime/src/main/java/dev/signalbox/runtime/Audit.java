package dev.signalbox.runtime;

import dev.signalbox.journal.Checkpoint;
import dev.signalbox.journal.CommittedGroup;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.GroupHead;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.PublishedMachine;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.Tombstone;
import dev.signalbox.kernel.CanonicalJson;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Proof that a journal is what was written: exports, and checks of stores and of exported files.
 */
public final class Audit {
  private static final int PAGE = 200;
  private static final int PATIENCE = 5;

  /** Entries at wrong places that are named. */
  private static final int MISPLACED = 100;

  /** Rows of instances that are read at once; each has a snapshot. */
  private static final int ROWS = 50;

  private Audit() {}

  /**
   * Writes the journal as JSON lines that anyone can verify.
   *
   * @param progress is told how many entries were written so far
   */
  public static void export(
      Journal journal, SigningKey key, OutputStream out, LongConsumer progress) throws IOException {
    Export.write(journal, key, out, progress);
  }

  /**
   * Verifies an exported file with nothing but itself and the key.
   *
   * @param trusted the public key, as {@link SigningKey#publicText} writes it, that must have
   *     signed; null trusts the key in the file
   * @param progress is told how many lines were read so far
   */
  public static Verification verify(Path file, @Nullable String trusted, LongConsumer progress)
      throws IOException {
    return verify(file, trusted(trusted), progress);
  }

  /** Verifies an exported file with nothing but itself and what is demanded. */
  public static Verification verify(Path file, Demands demands, LongConsumer progress)
      throws IOException {
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      return ExportReader.verify(lines, demands, _ -> null, progress);
    }
  }

  private static Demands trusted(@Nullable String key) {
    return key == null ? Demands.NONE : Demands.NONE.signedBy(key);
  }

  /**
   * Verifies an exported file and replays what is sealed in it too.
   *
   * @param keys the store that has the keys of the instances
   * @param keyring with the key that wraps them
   */
  public static Verification verify(
      Path file, @Nullable String trusted, Journal keys, Keyring keyring, LongConsumer progress)
      throws IOException {
    return verify(file, trusted(trusted), keys, keyring, progress);
  }

  /** Verifies an exported file and replays what is sealed in it too. */
  public static Verification verify(
      Path file, Demands demands, Journal keys, Keyring keyring, LongConsumer progress)
      throws IOException {
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      return ExportReader.verify(lines, demands, seals(keys, keyring)::find, progress);
    }
  }

  private static Seals seals(Journal journal, @Nullable Keyring keyring) {
    // Nothing is sealed here, so nothing random is needed.
    Seals seals = new Seals(journal, keyring, RandomGenerator.getDefault());
    if (keyring != null) {
      seals.check();
    }
    return seals;
  }

  /**
   * Verifies a store: every hash and root, every entry replayed, and every instance where its
   * entries lead, with a row that says what they give.
   *
   * @param progress is told how many groups were read so far
   */
  public static Verification verify(Journal journal, LongConsumer progress) {
    return verify(journal, null, progress);
  }

  /**
   * Verifies a store and replays what is sealed in it too.
   *
   * @param keyring with the key that wraps those of the instances; null replays only what is not
   *     sealed
   */
  public static Verification verify(
      Journal journal, @Nullable Keyring keyring, LongConsumer progress) {
    try {
      return verify(journal, keyring, Demands.NONE, progress);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Verifies a store with what is demanded beyond that it fits itself.
   *
   * @throws IOException when a file that the demands name can't be read
   */
  public static Verification verify(
      Journal journal, @Nullable Keyring keyring, Demands demands, LongConsumer progress)
      throws IOException {
    try (Verifier verifier = new Verifier(seals(journal, keyring)::find, demands)) {
      return verified(journal, verifier, progress);
    }
  }

  /**
   * Verifies a store and, where everything is as it was written, signs where every chain of groups
   * ends: also those that a node left which crashed.
   *
   * @param succeeding whether another key, which is made, signs from here on; the keyring has it
   *     when this returns
   * @return what the verification gave; nothing was signed when it is not sound
   */
  public static Verification sign(
      Journal journal, Keyring keyring, Demands demands, boolean succeeding, LongConsumer progress)
      throws IOException {
    try (Verifier verifier = new Verifier(seals(journal, keyring)::find, demands)) {
      Verification verification = verified(journal, verifier, progress);
      List<GroupHead> ends = verifier.signatures.ends();
      if (!verification.isSound() || ends.isEmpty()) {
        return verification;
      }
      SigningKey key = keyring.signing(journal);
      Map<String, Object> body = Statements.ends(Statements.STORE, ends, journal.now());
      Checkpoint newest = journal.newestCheckpoint();
      if (newest != null) {
        body.put("after", Statements.digest(newest.text()));
      }
      body.put("machines", Statements.machines(journal.machines()));
      String next = succeeding ? keyring.successor().publicText() : null;
      if (next != null) {
        body.put("next", next);
      }
      journal.keepCheckpoint(CanonicalJson.bytes(Statements.signed(body, key)));
      if (next != null) {
        String _ = keyring.succeeded(next);
      }
      return verification;
    }
  }

  private static Verification verified(Journal journal, Verifier verifier, LongConsumer progress)
      throws IOException {
    Map<Long, String> digests = new HashMap<>();
    for (PublishedMachine machine : journal.machines()) {
      digests.put(machine.number(), machine.digest());
      verifier.machine(machine.name(), machine.version(), machine.digest(), machine.definition());
    }
    checkpoints(journal, checkpoint -> verifier.checkpoint(checkpoint.text()));
    verifier.publishedCheckpoints();
    verifier.machines();
    tombstones(journal, verifier::tombstone);
    Patience patience = new Patience(journal.isShared());
    Groups read = new Groups(journal, verifier, progress);
    read.rest();
    long after = 0;
    while (true) {
      List<InstanceRow> page = journal.query(Query.ALL.page(after, ROWS));
      for (InstanceRow found : page) {
        InstanceRow row = found;
        // Whoever writes meanwhile may be a little ahead on either side.
        for (int i = 0; row != null && !verifier.isAt(row) && patience.lasts(i); i++) {
          read.rest();
          row = verifier.isAt(row) ? row : journal.load(row.number());
        }
        if (row != null) {
          verifier.unburied(row);
          verifier.instance(
              row.id(), row.sequence(), row.head(), row.refusals(), row.refusalHead());
          verifier.row(row, digests.get(row.machine()));
        }
        after = found.number();
      }
      if (page.size() < ROWS) {
        for (int i = 0; verifier.signatures.isBehind() && patience.lasts(i); i++) {
          read.rest();
        }
        verifier.tombstones();
        verifier.rowless((id, number) -> {
          // One that began, or was archived, while the rows were read has a row or a tombstone now.
          if (journal.load(id) == null
              && journal.tombstones(number - 1, 1).stream().noneMatch(t -> t.number() == number)) {
            verifier.found("instance-missing", id, "it has entries, and no row");
          }
        });
        verifier.misplaced(journal.misplaced(MISPLACED));
        verifier.signatures.missing();
        verifier.signatures.conclude(true);
        return verifier.result();
      }
    }
  }

  /**
   * How long what is committed may be ahead of what can be read. Where others write too, nothing is
   * given from a transaction on that still runs, and one may run for a while: somebody's long one,
   * or that of a node that was killed. So there is a pause now and then, and an end to all of them.
   */
  private static final class Patience {
    private static final long PAUSE_NANOS = 50_000_000;
    private int pauses;

    Patience(boolean shared) {
      this.pauses = shared ? 600 : 0;
    }

    /** Whether it is worth looking again after so many times; it may wait. */
    boolean lasts(int times) {
      if (times < PATIENCE) {
        return true;
      }
      if (pauses == 0) {
        return false;
      }
      pauses--;
      LockSupport.parkNanos(PAUSE_NANOS);
      return true;
    }
  }

  /** Something done with each checkpoint. */
  interface OfCheckpoint {
    void take(Checkpoint checkpoint) throws IOException;
  }

  static void checkpoints(Journal journal, OfCheckpoint consumer) throws IOException {
    long after = 0;
    List<Checkpoint> page;
    do {
      page = journal.checkpoints(after, PAGE);
      for (Checkpoint checkpoint : page) {
        consumer.take(checkpoint);
        after = checkpoint.number();
      }
    } while (page.size() == PAGE);
  }

  static void tombstones(Journal journal, Consumer<Tombstone> consumer) {
    long after = 0;
    List<Tombstone> page;
    do {
      page = journal.tombstones(after, PAGE);
      for (Tombstone tombstone : page) {
        consumer.accept(tombstone);
        after = tombstone.number();
      }
    } while (page.size() == PAGE);
  }

  /** Reads the groups of a store one after the other, about so many bytes at a time. */
  private static final class Groups {
    private static final long BYTES = 2 << 20;

    private final Journal journal;
    private final Verifier verifier;
    private final LongConsumer progress;
    private int most = 8;
    private long after;

    Groups(Journal journal, Verifier verifier, LongConsumer progress) {
      this.journal = journal;
      this.verifier = verifier;
      this.progress = progress;
    }

    /** Tells the verifier of those that are there and were not read yet. */
    void rest() {
      int size;
      int asked;
      do {
        asked = most;
        List<CommittedGroup> page = journal.groups(after, asked);
        size = page.size();
        page.forEach(this::tell);
        progress.accept(after);
        long bytes =
            page.stream().flatMap(g -> g.entries().stream()).mapToLong(e -> e.body().length).sum();
        most = bytes > BYTES ? Math.max(1, most / 2) : Math.min(PAGE, most * 2);
      } while (size == asked);
    }

    private void tell(CommittedGroup group) {
      for (EntryRow entry : group.entries()) {
        if (entry.body().length > 0) {
          verifier.entry(entry);
          continue;
        }
        if (!verifier.isBuried(entry.instance())) {
          findTombstone(entry.instance());
        }
        verifier.archived(entry.instance(), entry.chain(), entry.sequence(), entry.hash());
      }
      verifier.group(
          group.number(),
          group.writer(),
          group.previous(),
          group.root(),
          group.entries().stream().map(EntryRow::hash).toList());
      after = group.number();
    }

    private void findTombstone(long number) {
      // It may have been archived just now.
      for (Tombstone tombstone : journal.tombstones(number - 1, 1)) {
        if (tombstone.number() == number) {
          verifier.tombstone(tombstone);
        }
      }
    }
  }
}
