package dev.signalbox.runtime;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.MachineIdentity;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.expression.CelExpressions;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.GroupHead;
import dev.signalbox.journal.Hashing;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Tombstone;
import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.machine.Machine;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Checks a journal from its beginning: every hash, every chain, every group's root, and that every
 * entry is what its machine gives. It is told the records in their order and never stops at the
 * first finding.
 *
 * <p>What it holds does not grow with the journal: what is known of each instance is in {@link
 * Lives}, and what does not fit there, and all of the archived ones, in a {@link Scratch} file. In
 * memory are the machines, where each writer's groups end, and the findings.
 */
final class Verifier implements AutoCloseable {
  private static final HexFormat HEX = HexFormat.of();

  /** The most instances without a row that are named. */
  private static final int ROWLESS = 1_000;

  private final Hashing hashing = new Hashing();
  private final Map<String, Chart> charts = new HashMap<>();
  private final EntryWriter writer = new EntryWriter();
  private final Scratch scratch = new Scratch();
  private final Lives lives =
      new Lives(scratch, state -> new Replay(charts::get, writer).at(state));

  private final Map<Long, Writer> writers = new HashMap<>();

  private final Findings findings = new Findings();
  private final Demands demands;

  /** The machines that were told, by name and version. */
  private final Map<String, String> published = new TreeMap<>();

  final Signatures signatures;
  private final ArchivedTexts archives;
  private final LongFunction<@Nullable Seal> seals;
  private long buried;
  private long sealed;
  private long erased;
  private long entries;
  private long groups;

  /**
   * @param seals gives the seal of the instance with the number, or null
   */
  Verifier(LongFunction<@Nullable Seal> seals, Demands demands) {
    this.seals = seals;
    this.demands = demands;
    this.signatures = new Signatures(scratch, demands, findings);
    this.archives = new ArchivedTexts(scratch, demands, findings);
  }

  /** One writer's chain of groups so far. */
  private static final class Writer {
    byte[] root = Hashing.origin();
    long number;
  }

  void machine(String name, int version, String digest, String definition) {
    if (published.put(name + "@" + version, digest) != null) {
      found("machine-changed", name + "@" + version, "it is there twice");
    }
    List<Definition> read = MachineReader.readAll(new Source(name + ".yaml", definition), null);
    Machine machine = read.getFirst().machine();
    if (machine == null || read.getFirst().hasErrors()) {
      found("machine-unreadable", name + "@" + version, "its definition can't be read");
    } else if (!MachineIdentity.digest(machine).equals(digest)) {
      found(
          "machine-changed",
          name + "@" + version,
          "its definition has digest %s, not %s"
              .formatted(MachineIdentity.digest(machine), digest));
    } else if (!machine.name().equals(name) || machine.version() != version) {
      found(
          "machine-changed",
          name + "@" + version,
          "its definition is of %s@%d".formatted(machine.name(), machine.version()));
    } else {
      charts.put(digest, Chart.compile(machine, CelExpressions.of(machine)));
    }
  }

  /** An entry of a store, whose row says some of it again. */
  void entry(EntryRow row) {
    Map<?, ?> read = entry(row.hash(), row.body());
    if (read == null) {
      return;
    }
    Lives.Life life = lives.find(String.valueOf(read.get("instance")));
    if (life != null && row.sequence() == 1 && row.chain() == Chain.STEPS) {
      life.row = row.instance();
    }
    boolean refusal = "refusal".equals(read.get("kind"));
    if (refusal != (row.chain() == Chain.REFUSALS)
        || !Objects.equals(read.get("sequence"), row.sequence())
        || !(Objects.equals(read.get("key"), row.key()) || (refusal && row.key() == null))
        || (life != null && life.row != row.instance())) {
      found(
          "entry-misplaced",
          "position " + row.position(),
          "its row says another instance, chain, number or key than its text");
    }
  }

  /** Entries that nothing leads to, or that lead elsewhere. */
  void misplaced(List<Long> positions) {
    positions.forEach(position ->
        found(
            "entry-misplaced",
            "position " + position,
            "it is in no group, or does not lead to the entry before it"));
  }

  /** An entry, in the order in which its instance's were written; null when it can't be read. */
  @Nullable Map<?, ?> entry(byte[] hash, byte[] body) {
    entries++;
    Map<?, ?> read;
    try {
      read = Replay.read(body);
    } catch (Replay.Differs e) {
      found("entry-unreadable", "entry " + entries, String.valueOf(e.getMessage()));
      return null;
    }
    if (!(read.get("instance") instanceof String instance)
        || !(read.get("sequence") instanceof Long sequence)) {
      found("entry-unreadable", "entry " + entries, "it names no instance or no sequence");
      return null;
    }
    if ("refusal".equals(read.get("kind"))) {
      refusal(life(instance, Chain.REFUSALS, sequence), instance, sequence, hash, body, read);
    } else {
      step(life(instance, Chain.STEPS, sequence), instance, sequence, hash, body, read);
    }
    return read;
  }

  /** The instance that the next entry belongs to. */
  private Lives.Life life(String instance, Chain chain, long sequence) {
    Lives.Life life = lives.of(instance);
    Tombstone tombstone = life.number == 0 ? null : unburied(life.number);
    if (tombstone == null
        || chain != Chain.STEPS
        || sequence != 1
        || !Arrays.equals(life.head, tombstone.head())
        || !Arrays.equals(life.refusalHead, tombstone.refusalHead())) {
      return life;
    }
    // The id of an archived instance was given to a new one.
    buried += scratch.update("update tombstone set buried = 1 where number = ?", life.number);
    return lives.begin(instance);
  }

  /** The tombstone of an archived instance whose id nobody else has by now. */
  private @Nullable Tombstone unburied(long number) {
    return scratch.first(
        "select " + Scratch.TOMBSTONE + " from tombstone where number = ? and buried = 0",
        Scratch::tombstone,
        number);
  }

  /** What is known of an instance that was archived; before its entries. */
  void tombstone(Tombstone tombstone) {
    scratch.keep(tombstone);
  }

  /** Whether it was told of the instance's tombstone. */
  boolean isBuried(long number) {
    return unburied(number) != null;
  }

  /** Tells of the instances that have entries, and whose row was not met. */
  void rowless(BiConsumer<String, Long> consumer) {
    Map<String, Long> rowless = new TreeMap<>();
    lives.each((id, life) -> {
      if (!life.met && life.number == 0 && rowless.size() < ROWLESS) {
        rowless.put(id, life.row);
      }
    });
    rowless.forEach(consumer);
  }

  /** An instance that has a row has no tombstone. */
  void unburied(InstanceRow row) {
    Lives.Life life = lives.find(row.id());
    if (life != null) {
      life.met = true;
    }
    if (isBuried(row.number())) {
      found("tombstone-differs", "tombstone of " + row.id(), "the instance is still in the store");
    }
  }

  /** An entry whose body is in an archive: its hash still has its place in chain and group. */
  void archived(long number, Chain chain, long sequence, byte[] hash) {
    entries++;
    Tombstone tombstone = unburied(number);
    if (tombstone == null) {
      found("tombstone-missing", "entry " + entries, "its text is gone, and no tombstone says why");
      return;
    }
    Lives.Life life = life(tombstone.id(), chain, sequence);
    life.number = number;
    life.broken = true;
    life.replay = null;
    long before = chain == Chain.STEPS ? life.sequence : life.refusals;
    if (sequence != before + 1) {
      found(
          "entry-missing",
          "archived %s %d of %s"
              .formatted(chain == Chain.STEPS ? "entry" : "refusal", sequence, tombstone.id()),
          "%d comes before it".formatted(before));
    }
    switch (chain) {
      case STEPS -> {
        life.sequence = sequence;
        life.head = hash;
      }
      case REFUSALS -> {
        life.refusals = sequence;
        life.refusalHead = hash;
      }
    }
  }

  /** Whether the entries lead to what the tombstones say; after all entries. */
  void tombstones() throws IOException {
    archives.conclude();
    scratch.each(
        "select " + Scratch.TOMBSTONE + " from tombstone where buried = 0 order by number",
        Scratch::tombstone,
        tombstone ->
            instance(
                tombstone.id(),
                tombstone.sequence(),
                tombstone.head(),
                tombstone.refusals(),
                tombstone.refusalHead()));
    scratch.each(
        "select e.place, e.number, e.instance, e.head, t.head from erasure e left join tombstone t"
            + " on t.number = e.number order by e.rowid",
        row ->
            new Erased(
                new ErasureRecord(
                    row.getString(1), row.getLong(2), row.getString(3), row.getString(4)),
                row.getBytes(5)),
        this::erased);
  }

  /** What says that an archived instance was erased, and where that one's chain ended. */
  private record Erased(ErasureRecord record, byte @Nullable [] head) {}

  private void erased(Erased erased) {
    ErasureRecord record = erased.record();
    Lives.Life life = lives.find(record.instance());
    // What was archived while it was read has entries and no tombstone here.
    if (!record.fits(erased.head()) && (life == null || !record.fits(life.head))) {
      found(
          "tombstone-missing",
          record.where(),
          "it says that archived instance %d was erased, and no such tombstone is there"
              .formatted(record.number()));
    }
  }

  private void refusal(
      Lives.Life life, String instance, long sequence, byte[] hash, byte[] body, Map<?, ?> read) {
    String where = "refusal %d of %s".formatted(sequence, instance);
    if (sequence != life.refusals + 1) {
      found("entry-missing", where, "refusal %d comes before it".formatted(life.refusals));
    } else if (!Arrays.equals(hash, hashing.chain(life.refusalHead, body))) {
      found("hash-mismatch", where, "its hash is not that of its text and of the one before");
    }
    life.refusals = sequence;
    life.refusalHead = hash;
    byte[] _ = opened(life, where, body, read);
  }

  /** The entry's whole body; null when it can't be opened. */
  private byte @Nullable [] opened(Lives.Life life, String where, byte[] body, Map<?, ?> read) {
    long key = Seal.keyOf(read);
    if (key == 0) {
      return body;
    }
    if (life.key != key) {
      life.key = key;
      life.seal = seals.apply(key);
    }
    Seal seal = life.seal;
    if (seal == null) {
      sealed++;
      return null;
    }
    try {
      byte[] opened = seal.opened(read);
      if (!Arrays.equals(seal.entry(opened), body)) {
        found("seal-broken", where, "what is sealed does not say what its clear part says");
      }
      return opened;
    } catch (IllegalArgumentException | IllegalStateException e) {
      found("seal-broken", where, String.valueOf(e.getMessage()));
      return null;
    }
  }

  private void step(
      Lives.Life life, String instance, long sequence, byte[] hash, byte[] body, Map<?, ?> read) {
    String where = "entry %d of %s".formatted(sequence, instance);
    if (sequence != life.sequence + 1) {
      found("entry-missing", where, "entry %d comes before it".formatted(life.sequence));
      life.broken = true;
    } else if (!Arrays.equals(hash, hashing.chain(life.head, body))) {
      found("hash-mismatch", where, "its hash is not that of its text and of the one before");
    }
    life.sequence = sequence;
    life.head = hash;
    boolean ends = Boolean.TRUE.equals(read.get("ended"));
    life.ended |= ends;
    if ("erase".equals(read.get("kind"))) {
      erased++;
      return;
    }
    archives.recorded(read);
    ErasureRecord record = ErasureRecord.of(where, read);
    if (record != null) {
      erased++;
      int _ =
          scratch.update(
              "insert into erasure values (?, ?, ?, ?)",
              record.where(),
              record.number(),
              record.instance(),
              record.head());
    }
    byte[] opened = opened(life, where, body, read);
    life.broken |= opened == null;
    if (life.broken || opened == null) {
      return;
    }
    Replay replay = life.replay;
    if (replay == null) {
      replay = new Replay(charts::get, writer);
      life.replay = replay;
    }
    try {
      replay.next(opened);
    } catch (Replay.Differs e) {
      found("replay-differs", where, String.valueOf(e.getMessage()));
      life.broken = true;
    }
    if (ends) {
      // Nothing but an erasure can follow, so a million ended instances need no snapshots.
      life.replay = null;
      life.broken = true;
    }
    lives.grew(instance, life, opened.length);
  }

  /** A group, after its entries. */
  void group(long number, long writer, long previous, byte[] root, List<byte[]> hashes) {
    groups++;
    Writer chain = writers.computeIfAbsent(writer, _ -> new Writer());
    String where = "group " + number;
    if (previous != chain.number) {
      found(
          "group-missing",
          where,
          "group %d comes before it, and it follows group %d".formatted(chain.number, previous));
    } else if (!Arrays.equals(root, hashing.root(chain.root, hashes))) {
      found(
          "root-mismatch",
          where,
          "its root is not that of its %d entries and of the group before; an entry was changed,"
                  .formatted(hashes.size())
              + " removed, added or moved");
    }
    signatures.group(where, new GroupHead(writer, number, root), hashes.size());
    chain.number = number;
    chain.root = root;
  }

  /** Whether the entries so far lead exactly to the row. */
  boolean isAt(InstanceRow row) {
    Lives.Life life = lives.find(row.id());
    return life != null
        && Arrays.equals(life.head, row.head())
        && Arrays.equals(life.refusalHead, row.refusalHead());
  }

  /** What an instance should have come to. */
  void instance(String id, long sequence, byte[] head, long refusals, byte[] refusalHead) {
    Lives.Life life = lives.find(id);
    if (life == null) {
      found("instance-missing", id, "it has no entries");
    } else if (life.sequence != sequence || !Arrays.equals(life.head, head)) {
      found(
          "head-mismatch",
          id,
          "it should be at entry %d with hash %s, and its entries end at %d with %s"
              .formatted(sequence, HEX.formatHex(head), life.sequence, HEX.formatHex(life.head)));
    } else if (life.refusals != refusals || !Arrays.equals(life.refusalHead, refusalHead)) {
      found(
          "head-mismatch",
          id,
          "it should have %d refusals, and has %d or others".formatted(refusals, life.refusals));
    }
  }

  /**
   * Whether the row of an instance says what its entries give. Of one that has ended nothing is
   * known any more but that it has, and of one that could not be replayed nothing but that it has
   * not.
   *
   * @param machine the digest of the machine that the row names, or null when there is none
   */
  void row(InstanceRow row, @Nullable String machine) {
    Lives.Life life = lives.find(row.id());
    if (life != null && isAt(row)) {
      String fault = fault(life, row, machine);
      if (fault != null) {
        found("row-differs", row.id(), fault);
      }
    }
  }

  private @Nullable String fault(Lives.Life life, InstanceRow row, @Nullable String machine) {
    if (life.row != 0 && life.row != row.number()) {
      return "its row has another number than those of its entries";
    }
    if (life.ended != (row.status() == InstanceRow.Status.ENDED)) {
      return "its row is %s, and its entries %s"
          .formatted(
              Corrections.word(row.status()), life.ended ? "have ended it" : "have not ended it");
    }
    Replay replay = life.replay;
    Chart chart = replay == null ? null : charts.get(replay.digest());
    if (life.broken || replay == null || chart == null) {
      return null;
    }
    if (!replay.digest().equals(machine)) {
      return "its row names another machine than its entries";
    }
    Seal seal = Seal.isSealed(row.snapshot()) ? seals.apply(row.number()) : null;
    String fault = Corrections.snapshotFault(chart, row, seal, replay.snapshot());
    return fault != null
        ? fault
        : Corrections.standingFault(row, replay.snapshot(), replay.isPaused());
  }

  /** A checkpoint that was kept in the store; before the groups that it covers. */
  void checkpoint(byte[] text) {
    checkpoint("a checkpoint in the store", text, false);
  }

  /** A checkpoint, as its text; before the groups that it covers. */
  private void checkpoint(String where, byte[] text, boolean secondPlace) {
    try {
      Map<?, ?> checkpoint = ClearPart.read(text);
      if (!Arrays.equals(CanonicalJson.bytes(checkpoint), text)) {
        found("signature-bad", where, "it is not in canonical form, so it was changed");
      }
      signatures.checkpoint(where, checkpoint, secondPlace);
    } catch (IllegalStateException
        | ClassCastException
        | NullPointerException
        | IllegalArgumentException e) {
      found("signature-bad", where, "a field of it is missing or has another form");
    }
  }

  /** The checkpoints that were published to a second place; before the groups that they cover. */
  void publishedCheckpoints() throws IOException {
    for (Path file : demands.published()) {
      try (BufferedReader lines = Files.newBufferedReader(file)) {
        long number = 0;
        String line = lines.readLine();
        while (line != null) {
          number++;
          String next = lines.readLine();
          // What a crash cut off was published again as a whole.
          boolean torn = next != null && next.length() > line.length() && next.startsWith(line);
          if (!torn) {
            checkpoint(
                "line %d of %s".formatted(number, file.getFileName()),
                line.getBytes(StandardCharsets.UTF_8),
                true);
          }
          line = next;
        }
        if (number == 0) {
          found("checkpoint-missing", file.toString(), "it has no checkpoints");
        }
      }
    }
  }

  /**
   * Whether the machines are those that were signed; after all checkpoints. Machines may come and
   * never go, and an older store has signed for none.
   */
  void machines() {
    Map<String, String> signed = signatures.machines();
    signed.forEach((machine, digest) -> {
      String there = published.get(machine);
      if (there == null) {
        found("machine-missing", machine, "a checkpoint says that it was published");
      } else if (!there.equals(digest)) {
        found("machine-changed", machine, "a checkpoint says that it has digest " + digest);
      }
    });
    if (!demands.openEnd() && !signed.isEmpty()) {
      published.keySet().stream()
          .filter(machine -> !signed.containsKey(machine))
          .forEach(machine ->
              found("machine-unsigned", machine, "no checkpoint says that it was published"));
    }
  }

  void found(String code, String where, String message) {
    findings.add(code, where, message);
  }

  Verification result() {
    return new Verification(
        groups,
        entries,
        lives.count() + buried,
        sealed,
        erased,
        archives.archived(),
        archives.missing(),
        signatures.signers(),
        signatures.unsignedGroups(),
        signatures.unsignedEntries(),
        findings.list(),
        findings.more());
  }

  /** Lets go of the file. */
  @Override
  public void close() {
    scratch.close();
  }
}
