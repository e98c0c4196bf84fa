package dev.signalbox.runtime;

import dev.signalbox.journal.CommittedGroup;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.GroupHead;
import dev.signalbox.journal.Hashing;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.PublishedMachine;
import dev.signalbox.journal.Tombstone;
import dev.signalbox.kernel.CanonicalJson;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * Writes a journal as JSON lines that a stranger can verify with nothing but the file and the
 * public key: machines, groups with their entries, what each instance came to, and a signed
 * checkpoint over it all. docs/journal-format.md describes the lines.
 */
final class Export {
  static final String FORMAT = "signalbox-journal";
  private static final HexFormat HEX = HexFormat.of();

  /** Of the lines; since the second the last statement covers every line before it. */
  static final long VERSION = 2;

  private static final int PAGE = 200;

  private final OutputStream out;
  private final Map<String, Life> lives = new LinkedHashMap<>();
  private final Map<Long, GroupHead> heads = new LinkedHashMap<>();
  private final Map<Long, Tombstone> tombstones = new HashMap<>();
  private final Set<Long> buried = new HashSet<>();
  private long entries;
  private long groups;

  private final MessageDigest digest = Statements.sha256();

  private Export(OutputStream out) {
    this.out = new DigestOutputStream(out, digest);
  }

  /** Where an instance's chains end in this export. */
  private static final class Life {
    long sequence;
    byte[] head = Hashing.origin();
    long refusals;
    byte[] refusalHead = Hashing.origin();
  }

  /**
   * Writes everything that is committed.
   *
   * @param progress is told how many entries were written so far
   */
  static void write(Journal journal, SigningKey key, OutputStream out, LongConsumer progress)
      throws IOException {
    Export export = new Export(out);
    export.line(Map.of("format", FORMAT, "public_key", key.publicText(), "version", VERSION));
    for (PublishedMachine machine : journal.machines()) {
      machine(machine, export.out);
    }
    // Before the groups: whatever these cover, the groups that follow have.
    Audit.checkpoints(journal, checkpoint -> export.stored(checkpoint.text()));
    long after = 0;
    while (true) {
      List<CommittedGroup> page = journal.groups(after, PAGE);
      for (CommittedGroup group : page) {
        export.tombstones(journal, group);
        export.group(group);
        after = group.number();
      }
      progress.accept(export.entries);
      if (page.size() < PAGE) {
        break;
      }
    }
    export.instances();
    Map<String, Object> statement =
        Statements.ends(Statements.EXPORT, export.heads.values(), journal.now());
    statement.put("sha256", HEX.formatHex(export.digest.digest()));
    export.line(Map.of("checkpoint", Statements.signed(statement, key)));
    export.line(
        Map.of(
            "end",
            Map.of(
                "entries", export.entries,
                "groups", export.groups,
                "instances", (long) export.lives.size() + export.buried.size())));
  }

  private void stored(byte[] checkpoint) throws IOException {
    out.write("{\"stored_checkpoint\":".getBytes(StandardCharsets.US_ASCII));
    out.write(checkpoint);
    out.write("}\n".getBytes(StandardCharsets.US_ASCII));
  }

  /** Writes the tombstones that the group's entries need and that were not written yet. */
  private void tombstones(Journal journal, CommittedGroup group) throws IOException {
    boolean known =
        group.entries().stream()
            .allMatch(e -> e.body().length > 0 || tombstones.containsKey(e.instance()));
    if (known) {
      return;
    }
    List<Tombstone> fresh = new ArrayList<>();
    Audit.tombstones(
        journal,
        tombstone -> {
          if (tombstones.put(tombstone.number(), tombstone) == null) {
            fresh.add(tombstone);
          }
        });
    for (Tombstone tombstone : fresh) {
      line(
          Map.of(
              "tombstone",
              Map.of(
                  "at", tombstone.at(),
                  "file", tombstone.file(),
                  "head", HEX.formatHex(tombstone.head()),
                  "id", tombstone.id(),
                  "machine", tombstone.machine(),
                  "number", tombstone.number(),
                  "refusal_head", HEX.formatHex(tombstone.refusalHead()),
                  "refusals", tombstone.refusals(),
                  "sequence", tombstone.sequence())));
    }
  }

  private void archived(EntryRow entry) throws IOException {
    line(
        Map.of(
            "archived",
            Map.of(
                "chain", entry.chain().name().toLowerCase(Locale.ROOT),
                "number", entry.instance(),
                "sequence", entry.sequence()),
            "hash",
            HEX.formatHex(entry.hash())));
    Tombstone tombstone = tombstones.get(entry.instance());
    if (tombstone != null && buried.add(tombstone.number())) {
      // Whoever has the id now has a line of its own.
      lives.remove(tombstone.id());
    }
  }

  static void entry(EntryRow entry, OutputStream out) throws IOException {
    // The body is canonical JSON already, so the line is too.
    out.write("{\"body\":".getBytes(StandardCharsets.US_ASCII));
    out.write(entry.body());
    out.write(",\"hash\":\"".getBytes(StandardCharsets.US_ASCII));
    out.write(HEX.formatHex(entry.hash()).getBytes(StandardCharsets.US_ASCII));
    out.write("\"}\n".getBytes(StandardCharsets.US_ASCII));
  }

  static void machine(PublishedMachine machine, OutputStream out) throws IOException {
    line(
        Map.of(
            "machine",
            Map.of(
                "definition", machine.definition(),
                "digest", machine.digest(),
                "name", machine.name(),
                "version", (long) machine.version())),
        out);
  }

  private void group(CommittedGroup group) throws IOException {
    for (EntryRow entry : group.entries()) {
      if (entry.body().length > 0) {
        entry(entry, out);
        remember(entry);
      } else {
        archived(entry);
      }
      entries++;
    }
    heads.put(group.writer(), new GroupHead(group.writer(), group.number(), group.root()));
    groups++;
    line(
        Map.of(
            "group",
            Map.of(
                "count", (long) group.entries().size(),
                "number", group.number(),
                "previous", group.previous(),
                "root", HEX.formatHex(group.root()),
                "writer", group.writer())));
  }

  private void remember(EntryRow entry) {
    String id = String.valueOf(Ledger.body(entry).get("instance"));
    Life life = lives.computeIfAbsent(id, _ -> new Life());
    switch (entry.chain()) {
      case STEPS -> {
        life.sequence = entry.sequence();
        life.head = entry.hash();
      }
      case REFUSALS -> {
        life.refusals = entry.sequence();
        life.refusalHead = entry.hash();
      }
    }
  }

  private void instances() throws IOException {
    for (Map.Entry<String, Life> entry : lives.entrySet()) {
      Life life = entry.getValue();
      line(
          Map.of(
              "instance",
              Map.of(
                  "head", HEX.formatHex(life.head),
                  "id", entry.getKey(),
                  "refusal_head", HEX.formatHex(life.refusalHead),
                  "refusals", life.refusals,
                  "sequence", life.sequence)));
    }
  }

  private void line(Map<String, ?> value) throws IOException {
    line(value, out);
  }

  static void line(Map<String, ?> value, OutputStream out) throws IOException {
    out.write(CanonicalJson.bytes(value));
    out.write('\n');
  }
}
