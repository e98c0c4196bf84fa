package dev.signalbox.runtime;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.Tombstone;
import dev.signalbox.kernel.CanonicalJson;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Verifies an exported file, line by line. */
final class ExportReader implements AutoCloseable {
  private static final HexFormat HEX = HexFormat.of();

  /** What an archive has besides entries: texts, and nothing that stands for one. */
  private static final Set<String> IN_ARCHIVE = Set.of("machine", "checkpoint", "end");

  private final Verifier verifier;
  private final List<byte[]> hashes = new ArrayList<>();
  private final MessageDigest digest = Statements.sha256();
  private String named = "";
  private @Nullable String signer;
  private Ending endings = (_, _, _, _, _) -> {};
  private boolean ended;
  private boolean signed;
  private boolean archive;
  private long version;
  private long number;

  private ExportReader(Demands demands, LongFunction<@Nullable Seal> seals) {
    this.verifier = new Verifier(seals, demands);
  }

  static Verification verify(
      BufferedReader lines,
      Demands demands,
      LongFunction<@Nullable Seal> seals,
      LongConsumer progress)
      throws IOException {
    try (ExportReader reader = new ExportReader(demands, seals)) {
      reader.verifier.publishedCheckpoints();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        reader.line(line);
        if (reader.number % 1_000 == 0) {
          progress.accept(reader.number);
        }
      }
      reader.finish();
      return reader.verifier.result();
    }
  }

  /** Is told where the chains of an archive's instance end. */
  interface Ending {
    void of(String id, long sequence, byte[] head, long refusals, byte[] refusalHead);
  }

  /** Verifies an archive, whoever signed it, and tells what is in it. */
  static Verification archive(Path file, Ending endings) throws IOException {
    try (BufferedReader lines = Files.newBufferedReader(file);
        ExportReader reader = new ExportReader(Demands.NONE, _ -> null)) {
      reader.endings = endings;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        reader.line(line);
      }
      reader.finish();
      return reader.verifier.result();
    }
  }

  private void line(String line) {
    number++;
    String where = "line " + number;
    if (ended) {
      verifier.found("line-after-end", where, "the export ended before it");
      return;
    }
    try {
      if (!(Json.parse(line) instanceof Map<?, ?> value)) {
        verifier.found("line-unreadable", where, "it is not a JSON object");
        return;
      }
      if (!CanonicalJson.text(value).equals(line)) {
        verifier.found("line-changed", where, "it is not in canonical form, so it was changed");
      }
      record(value, where);
    } catch (Json.SyntaxException e) {
      verifier.found("line-unreadable", where, "it is not JSON: " + e.getMessage());
    } catch (ClassCastException | NullPointerException | IllegalArgumentException e) {
      verifier.found("line-unreadable", where, "a field of it is missing or has another form");
    }
    digest.update(line.getBytes(StandardCharsets.UTF_8));
    digest.update((byte) '\n');
  }

  private void record(Map<?, ?> value, String where) {
    if (number == 1) {
      head(value, where);
    } else if (signed && !value.containsKey("end")) {
      verifier.found("line-after-end", where, "it comes after the signature");
    } else if (value.containsKey("body")) {
      byte[] hash = hex(value, "hash");
      inGroup(hash);
      verifier.entry(hash, CanonicalJson.bytes(value.get("body")));
    } else if (archive && !IN_ARCHIVE.containsAll(value.keySet())) {
      verifier.found("line-unreadable", where, "nothing of the kind is in an archive");
    } else if (value.get("archived") instanceof Map<?, ?> archived) {
      byte[] hash = hex(value, "hash");
      inGroup(hash);
      verifier.archived(
          number(archived, "number"),
          Chain.valueOf(text(archived, "chain").toUpperCase(Locale.ROOT)),
          number(archived, "sequence"),
          hash);
    } else if (value.get("tombstone") instanceof Map<?, ?> stone) {
      verifier.tombstone(
          new Tombstone(
              number(stone, "number"),
              text(stone, "id"),
              number(stone, "machine"),
              number(stone, "sequence"),
              hex(stone, "head"),
              number(stone, "refusals"),
              hex(stone, "refusal_head"),
              number(stone, "at"),
              text(stone, "file")));
    } else if (value.get("group") instanceof Map<?, ?> group) {
      if (number(group, "count") != hashes.size()) {
        verifier.found(
            "entry-missing",
            "group " + group.get("number"),
            "it has %d entries, and %d are there".formatted(number(group, "count"), hashes.size()));
      }
      verifier.group(
          number(group, "number"),
          number(group, "writer"),
          number(group, "previous"),
          hex(group, "root"),
          List.copyOf(hashes));
      hashes.clear();
    } else if (value.get("machine") instanceof Map<?, ?> machine) {
      verifier.machine(
          text(machine, "name"),
          (int) number(machine, "version"),
          text(machine, "digest"),
          text(machine, "definition"));
    } else if (value.get("instance") instanceof Map<?, ?> instance) {
      instance(instance);
    } else if (value.get("stored_checkpoint") instanceof Map<?, ?> checkpoint) {
      verifier.signatures.checkpoint(where, checkpoint, false);
    } else if (value.get("checkpoint") instanceof Map<?, ?> checkpoint) {
      checkpoint(checkpoint, where);
    } else if (value.get("end") instanceof Map<?, ?> end) {
      end(end, where);
    } else {
      verifier.found("line-unreadable", where, "nothing of the kind is known");
    }
  }

  /** An archive has no groups. */
  private void inGroup(byte[] hash) {
    if (!archive) {
      hashes.add(hash);
    }
  }

  @Override
  public void close() {
    verifier.close();
  }

  private void head(Map<?, ?> value, String where) {
    named = String.valueOf(value.get("public_key"));
    archive = Archive.FORMAT.equals(value.get("format"));
    boolean known = archive || Export.FORMAT.equals(value.get("format"));
    version = value.get("version") instanceof Long given ? given : 0;
    if (!known || version < 1 || version > Export.VERSION) {
      verifier.found(
          "line-unreadable",
          where,
          "it does not begin an export of version 1 to %d".formatted(Export.VERSION));
    }
  }

  private void checkpoint(Map<?, ?> checkpoint, String where) {
    Map<?, ?> told = (Map<?, ?>) Objects.requireNonNull(checkpoint.get("body"));
    signed = true;
    if (!text(checkpoint, "key").equals(named)) {
      verifier.found("signature-bad", where, "another key signed it than the first line names");
    }
    Object kind = told.get("kind");
    if (!Objects.equals(kind, version >= 2 && !archive ? Statements.EXPORT : null)) {
      verifier.found("signature-bad", where, "it is no statement that ends such a file");
    }
    if (kind != null && !HEX.formatHex(digestSoFar()).equals(told.get("sha256"))) {
      verifier.found("file-changed", where, "the lines before it are not those that were signed");
    }
    if (archive) {
      signer = verifier.signatures.statement(where, checkpoint);
      instances(told, where);
    } else {
      signer = verifier.signatures.end(where, checkpoint);
    }
  }

  private byte[] digestSoFar() {
    try {
      return ((MessageDigest) digest.clone()).digest();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("Every Java's SHA-256 can be cloned.", e);
    }
  }

  /** An archive has no groups; its statement says where each instance's chains end. */
  private void instances(Map<?, ?> told, String where) {
    List<?> instances = (List<?>) Objects.requireNonNull(told.get("instances"));
    instances.forEach(instance -> instance((Map<?, ?>) instance));
    if (instances.size() != verifier.result().instances()) {
      verifier.found(
          "entry-unsigned",
          where,
          "it tells of %d instances, and there are %d"
              .formatted(instances.size(), verifier.result().instances()));
    }
  }

  private void instance(Map<?, ?> instance) {
    String id = text(instance, "id");
    long sequence = number(instance, "sequence");
    byte[] head = hex(instance, "head");
    long refusals = number(instance, "refusals");
    byte[] refusalHead = hex(instance, "refusal_head");
    verifier.instance(id, sequence, head, refusals, refusalHead);
    endings.of(id, sequence, head, refusals, refusalHead);
  }

  private void end(Map<?, ?> end, String where) {
    ended = true;
    Verification so = verifier.result();
    if (number(end, "entries") != so.entries()
        || number(end, "groups") != so.groups()
        || number(end, "instances") != so.instances()) {
      verifier.found(
          "cut-off",
          where,
          "it counts %s, and there are %d entries in %d groups of %d instances"
              .formatted(end, so.entries(), so.groups(), so.instances()));
    }
  }

  private void finish() throws IOException {
    if (!ended) {
      verifier.found("cut-off", "line " + number, "the export has no end");
    }
    if (!signed) {
      verifier.found("signature-bad", "the export", "no checkpoint ends it");
    } else if (signer != null && !verifier.signatures.counts(signer)) {
      verifier.found(
          "signature-bad", "the export", "key %s signed it, which was not named".formatted(signer));
    }
    verifier.tombstones();
    verifier.signatures.missing();
    verifier.signatures.conclude(false);
    if (!hashes.isEmpty() && !archive) {
      verifier.found("group-missing", "the export", "its last entries are in no group");
    }
  }

  private static String text(Map<?, ?> value, String key) {
    return (String) Objects.requireNonNull(value.get(key));
  }

  private static long number(Map<?, ?> value, String key) {
    return (Long) Objects.requireNonNull(value.get(key));
  }

  private static byte[] hex(Map<?, ?> value, String key) {
    return HEX.parseHex(text(value, key));
  }
}
