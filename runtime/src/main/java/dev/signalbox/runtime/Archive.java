package dev.signalbox.runtime;

import dev.signalbox.journal.Chain;
import dev.signalbox.journal.DurableFile;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.PublishedMachine;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.Tombstone;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Takes ended instances out of a store into a file that verifies by itself. The order is the point:
 * the file is written, flushed to the disk and verified before anything is deleted, so a failure at
 * any moment leaves the instances in the store, in the file, or in both.
 */
public final class Archive {
  static final String FORMAT = "signalbox-archive";
  private static final HexFormat HEX = HexFormat.of();
  private static final int PAGE = 500;

  private final Journal journal;
  private final SigningKey key;
  private long entries;

  private Archive(Journal journal, SigningKey key) {
    this.journal = journal;
    this.key = key;
  }

  /**
   * What was archived.
   *
   * @param instances that are in the file and not in the store any more
   * @param kept that are in the file and still in the store, because something happened to them
   *     meanwhile or is pending
   * @param file the SHA-256 of the file, in hexadecimal; empty when there was nothing to archive
   */
  public record Result(long instances, long kept, String file) {}

  /**
   * Archives instances that nobody invoked, with everything below them, where all of that has
   * ended. The journal does not say so: {@link Signalbox#archive} writes that down too.
   *
   * @param file that must not be there yet; it is not made when there is nothing to archive
   * @param endedBefore only what ended before this moment, in milliseconds since 1970
   * @param most about how many instances the file may have
   */
  public static Result write(Journal journal, SigningKey key, Path file, long endedBefore, int most)
      throws IOException {
    return write(journal, key, file, endedBefore, most, (_, _) -> {});
  }

  /** Writes down in the journal, before anything is deleted, what was archived into which file. */
  interface Recorder {
    void record(List<Tombstone> tombstones, String file);
  }

  /** Archives instances and has it written down. */
  static Result write(
      Journal journal, SigningKey key, Path file, long endedBefore, int most, Recorder recorder)
      throws IOException {
    if (Files.exists(file)) {
      throw new FileAlreadyExistsException(file.toString());
    }
    Archive archive = new Archive(journal, key);
    List<InstanceRow> rows = archive.closed(endedBefore, most);
    if (rows.isEmpty()) {
      return new Result(0, 0, "");
    }
    Path part = file.resolveSibling(file.getFileName() + ".part");
    archive.write(part, rows);
    verify(part, key);
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    DurableFile.force(Objects.requireNonNull(file.toAbsolutePath().getParent()));
    String digest = digest(file);
    // An erasure that was cut off is finished while the entry that says so can still be read.
    journal.destroyKeys(
        rows.stream()
            .filter(row -> Seal.isErased(row.snapshot()))
            .map(InstanceRow::number)
            .toList());
    long now = journal.now();
    List<Tombstone> tombstones = rows.stream().map(row -> Tombstone.of(row, now, digest)).toList();
    recorder.record(tombstones, digest);
    int kept = journal.archive(tombstones).size();
    return new Result(rows.size() - kept, kept, digest);
  }

  private List<InstanceRow> closed(long endedBefore, int most) {
    List<InstanceRow> closed = new ArrayList<>();
    long after = 0;
    List<InstanceRow> page;
    do {
      page = journal.query(Query.ALL.that(InstanceRow.Status.ENDED).page(after, PAGE));
      for (InstanceRow row : page) {
        after = row.number();
        String parent = row.parent();
        // What the engine says of the store as a whole stays in it.
        if (!OwnMachines.isOwn(row.id()) && (parent == null || journal.load(parent) == null)) {
          List<InstanceRow> tree = new ArrayList<>();
          if (collect(row, endedBefore, tree)) {
            closed.addAll(tree);
          }
        }
        if (closed.size() >= most) {
          return closed;
        }
      }
    } while (page.size() == PAGE);
    return closed;
  }

  /** Collects the instance and everything below it; false when some of that has not ended. */
  private boolean collect(InstanceRow row, long endedBefore, List<InstanceRow> tree) {
    if (row.status() != InstanceRow.Status.ENDED || row.at() >= endedBefore) {
      return false;
    }
    tree.add(row);
    long after = 0;
    List<InstanceRow> page;
    do {
      page = journal.query(Query.ALL.below(row.id()).page(after, PAGE));
      for (InstanceRow child : page) {
        after = child.number();
        if (!collect(child, endedBefore, tree)) {
          return false;
        }
      }
    } while (page.size() == PAGE);
    return true;
  }

  private void write(Path part, List<InstanceRow> rows) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            part,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16);
      write(out, rows);
      out.flush();
      channel.force(true);
    }
  }

  private void write(OutputStream out, List<InstanceRow> rows) throws IOException {
    Export.line(Map.of("format", FORMAT, "public_key", key.publicText(), "version", 1L), out);
    List<PublishedMachine> machines = journal.machines();
    Set<Long> numbers = rows.stream().map(InstanceRow::machine).collect(Collectors.toSet());
    // An instance may have had any version of its machine.
    Set<String> names =
        machines.stream()
            .filter(machine -> numbers.contains(machine.number()))
            .map(PublishedMachine::name)
            .collect(Collectors.toSet());
    for (PublishedMachine machine : machines) {
      if (names.contains(machine.name())) {
        Export.machine(machine, out);
      }
    }
    List<Map<String, Object>> instances = new ArrayList<>();
    for (InstanceRow row : rows) {
      chain(row, Chain.STEPS, row.sequence(), out);
      chain(row, Chain.REFUSALS, row.refusals(), out);
      instances.add(
          Map.of(
              "head", HEX.formatHex(row.head()),
              "id", row.id(),
              "refusal_head", HEX.formatHex(row.refusalHead()),
              "refusals", row.refusals(),
              "sequence", row.sequence()));
    }
    Map<String, Object> statement = Map.of("at", journal.now(), "instances", instances);
    Export.line(Map.of("checkpoint", Statements.signed(statement, key)), out);
    Export.line(
        Map.of("end", Map.of("entries", entries, "groups", 0L, "instances", (long) rows.size())),
        out);
  }

  private void chain(InstanceRow row, Chain chain, long until, OutputStream out)
      throws IOException {
    long next = 1;
    while (next <= until) {
      int most = (int) Math.min(PAGE, until - next + 1);
      List<EntryRow> page = journal.history(row.number(), chain, next, most);
      if (page.isEmpty()) {
        // The verification of the file tells what is missing.
        return;
      }
      for (EntryRow entry : page) {
        Export.entry(entry, out);
        entries++;
        next = entry.sequence() + 1;
      }
    }
  }

  private static void verify(Path part, SigningKey key) throws IOException {
    Verification verification = Audit.verify(part, key.publicText(), _ -> {});
    if (!verification.isSound()) {
      throw new IOException(
          "Expected the archive '%s' to verify before anything is deleted, but: %s"
              .formatted(part, verification.findings().getFirst()));
    }
  }

  /** Writes down through the door what was archived, by whom. */
  static Recorder through(Machines machines, Actor actor, Function<Command, Reply> door) {
    return (tombstones, file) -> {
      PublishedChart _ = machines.own(OwnMachines.ARCHIVE);
      for (int from = 0; from < tombstones.size(); from += ArchiveRecord.MOST) {
        List<Tombstone> page =
            tombstones.subList(from, Math.min(tombstones.size(), from + ArchiveRecord.MOST));
        Reply reply =
            door.apply(ArchiveRecord.of(page, file, from / ArchiveRecord.MOST + 1, actor));
        if (reply instanceof Reply.Rejected(Rejection rejection)
            && rejection.code() != Rejection.Code.INSTANCE_EXISTS) {
          throw new RejectedException(rejection);
        }
      }
    };
  }

  static String digest(Path file) throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
        in.transferTo(OutputStream.nullOutputStream());
      }
      return HEX.formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256.", e);
    }
  }
}
