package dev.signalbox.runtime;

import dev.signalbox.journal.GroupHead;
import dev.signalbox.journal.PublishedMachine;
import dev.signalbox.kernel.CanonicalJson;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What is signed: bodies as docs/journal-format.md has them, and the key's signature over each. */
final class Statements {
  private static final HexFormat HEX = HexFormat.of();

  /** A statement that the store keeps. */
  static final String STORE = "store";

  /** The statement that ends an export. */
  static final String EXPORT = "export";

  private Statements() {}

  /** Where chains of groups end. */
  static Map<String, Object> ends(String kind, Iterable<GroupHead> heads, long at) {
    List<GroupHead> sorted = new ArrayList<>();
    heads.forEach(sorted::add);
    sorted.sort(Comparator.comparingLong(GroupHead::writer));
    TreeMap<String, Object> body = new TreeMap<>();
    body.put("at", at);
    body.put(
        "heads",
        sorted.stream()
            .map(head ->
                Map.of(
                    "group", head.group(),
                    "root", HEX.formatHex(head.root()),
                    "writer", head.writer()))
            .toList());
    body.put("kind", kind);
    return body;
  }

  /** The machines that are published, each by name, version and digest. */
  static List<Map<String, Object>> machines(List<PublishedMachine> machines) {
    return machines.stream()
        .sorted(
            Comparator.comparing(PublishedMachine::name)
                .thenComparingInt(PublishedMachine::version))
        .map(machine ->
            Map.<String, Object>of(
                "digest", machine.digest(),
                "name", machine.name(),
                "version", (long) machine.version()))
        .toList();
  }

  static Map<String, @Nullable Object> signed(Map<String, Object> body, SigningKey key) {
    byte[] signature = key.sign(CanonicalJson.bytes(body));
    return Map.of(
        "body", body,
        "key", key.publicText(),
        "signature", Base64.getEncoder().encodeToString(signature));
  }

  /** By what the statement after it names it. */
  static String digest(byte[] text) {
    return HEX.formatHex(sha256().digest(text));
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256.", e);
    }
  }
}
