package dev.signalbox.runtime;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.Tombstone;
import dev.signalbox.kernel.CanonicalJson;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Verifies an exported file, line by line. */
final class ExportReader implements AutoCloseable {
  private static final HexFormat HEX = HexFormat.of();

  private final Verifier verifier;
  private final @Nullable String trusted;
  private final List<byte[]> hashes = new ArrayList<>();
  private String signer = "";
  private boolean ended;
  private boolean signed;
  private boolean archive;
  private long number;

  /**
   * @param trusted the public key that must have signed; null trusts the one in the file
   */
  private ExportReader(@Nullable String trusted, LongFunction<@Nullable Seal> seals) {
    this.trusted = trusted;
    this.verifier = new Verifier(seals);
  }

  static Verification verify(
      BufferedReader lines,
      @Nullable String trusted,
      LongFunction<@Nullable Seal> seals,
      LongConsumer progress)
      throws IOException {
    try (ExportReader reader = new ExportReader(trusted, seals)) {
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
  }

  private void record(Map<?, ?> value, String where) {
    if (number == 1) {
      head(value, where);
    } else if (value.containsKey("body")) {
      byte[] hash = hex(value, "hash");
      inGroup(hash);
      verifier.entry(hash, CanonicalJson.bytes(value.get("body")));
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
      verifier.checkpoint(where, checkpoint);
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
    signer = String.valueOf(value.get("public_key"));
    if (trusted != null && !trusted.equals(signer)) {
      verifier.found("signature-bad", where, "it names another key than the one to be trusted");
    }
    archive = Archive.FORMAT.equals(value.get("format"));
    boolean known = archive || Export.FORMAT.equals(value.get("format"));
    if (!known || !Objects.equals(value.get("version"), 1L)) {
      verifier.found("line-unreadable", where, "it does not begin an export of version 1");
    }
  }

  private void checkpoint(Map<?, ?> checkpoint, String where) {
    String key = text(checkpoint, "key");
    byte[] body = CanonicalJson.bytes(checkpoint.get("body"));
    byte[] signature = Base64.getDecoder().decode(text(checkpoint, "signature"));
    String expected = trusted == null ? signer : trusted;
    if (!key.equals(expected)) {
      verifier.found("signature-bad", where, "another key signed it than the one to be trusted");
    } else if (!SigningKey.hasSigned(key, body, signature)) {
      verifier.found("signature-bad", where, "the signature is not of this text");
    } else {
      signed = true;
    }
    Map<?, ?> told = (Map<?, ?>) Objects.requireNonNull(checkpoint.get("body"));
    if (archive) {
      instances(told, where);
      return;
    }
    for (Object head : (List<?>) Objects.requireNonNull(told.get("heads"))) {
      Map<?, ?> chain = (Map<?, ?>) head;
      verifier.checkpoint(
          where, number(chain, "writer"), number(chain, "group"), hex(chain, "root"));
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
    verifier.instance(
        text(instance, "id"),
        number(instance, "sequence"),
        hex(instance, "head"),
        number(instance, "refusals"),
        hex(instance, "refusal_head"));
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

  private void finish() {
    if (!ended) {
      verifier.found("cut-off", "line " + number, "the export has no end");
    }
    if (!signed) {
      verifier.found("signature-bad", "the export", "no checkpoint with a good signature is there");
    }
    verifier.tombstones();
    verifier.checkpoints();
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
