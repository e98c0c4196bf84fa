package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.Hashing;
import dev.signalbox.kernel.CanonicalJson;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Signature;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Somebody who knows the format, can write everything, and has every key but the one that counts:
 * after each change all hashes, roots and counts are made to fit again.
 */
final class Forger {
  private static final HexFormat HEX = HexFormat.of();

  private final Hashing hashing = new Hashing();
  private final KeyPair own;

  Forger() throws GeneralSecurityException {
    this.own = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
  }

  String key() {
    return Base64.getEncoder().encodeToString(own.getPublic().getEncoded());
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> parsed(String line) {
    try {
      return new TreeMap<>((Map<String, Object>) Objects.requireNonNull(Json.parse(line)));
    } catch (Json.SyntaxException e) {
      throw new AssertionError(line, e);
    }
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> part(Map<String, Object> of, String name) {
    Map<String, Object> part =
        new TreeMap<>((Map<String, Object>) Objects.requireNonNull(of.get(name)));
    of.put(name, part);
    return part;
  }

  static String text(Map<String, ?> value) {
    return CanonicalJson.text(value);
  }

  static int first(List<String> lines, String begins) {
    return index(lines, begins, 0);
  }

  static int index(List<String> lines, String begins, int which) {
    int seen = 0;
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).startsWith("{\"" + begins + "\"") && seen++ == which) {
        return i;
      }
    }
    throw new AssertionError("no " + begins + " number " + which);
  }

  static int last(List<String> lines, String begins) {
    for (int i = lines.size() - 1; i >= 0; i--) {
      if (lines.get(i).startsWith("{\"" + begins + "\"")) {
        return i;
      }
    }
    throw new AssertionError("no " + begins);
  }

  /** Changes one line. */
  static void change(List<String> lines, int at, Consumer<Map<String, Object>> change) {
    Map<String, Object> value = parsed(lines.get(at));
    change.accept(value);
    lines.set(at, text(value));
  }

  static void dropAll(List<String> lines, String begins) {
    lines.removeIf(line -> line.startsWith("{\"" + begins + "\""));
  }

  /** The entry of the instance with the sequence number. */
  static int entry(List<String> lines, String id, long sequence) {
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).startsWith("{\"body\"")) {
        Map<String, Object> body = part(parsed(lines.get(i)), "body");
        if (id.equals(body.get("instance"))
            && Long.valueOf(sequence).equals(body.get("sequence"))
            && !"refusal".equals(body.get("kind"))) {
          return i;
        }
      }
    }
    throw new AssertionError("no entry");
  }

  /** Makes every hash, count, root, instance and end fit the entries that are there. */
  void fit(List<String> lines) {
    Map<String, byte[]> heads = new HashMap<>();
    Map<String, Long> counts = new HashMap<>();
    Map<Object, byte[]> roots = new HashMap<>();
    List<byte[]> group = new ArrayList<>();
    long entries = 0;
    long groups = 0;
    long archived = 0;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      Map<String, Object> value = parsed(line);
      if (line.startsWith("{\"body\"")) {
        Map<String, Object> body = part(value, "body");
        String chain = body.get("instance") + ("refusal".equals(body.get("kind")) ? " no" : " yes");
        long sequence = counts.merge(chain, 1L, Long::sum);
        body.put("sequence", sequence);
        byte[] hash =
            hashing.chain(heads.getOrDefault(chain, Hashing.origin()), CanonicalJson.bytes(body));
        heads.put(chain, hash);
        value.put("hash", HEX.formatHex(hash));
        group.add(hash);
        entries++;
      } else if (line.startsWith("{\"archived\"")) {
        group.add(HEX.parseHex((String) Objects.requireNonNull(value.get("hash"))));
        entries++;
      } else if (line.startsWith("{\"tombstone\"")) {
        archived++;
      } else if (line.startsWith("{\"group\"")) {
        Map<String, Object> one = part(value, "group");
        Object writer = one.get("writer");
        byte[] root = hashing.root(roots.getOrDefault(writer, Hashing.origin()), group);
        roots.put(writer, root);
        one.put("count", (long) group.size());
        one.put("root", HEX.formatHex(root));
        group.clear();
        groups++;
      } else if (line.startsWith("{\"instance\"")) {
        Map<String, Object> one = part(value, "instance");
        one.put("sequence", counts.getOrDefault(one.get("id") + " yes", 0L));
        one.put("refusals", counts.getOrDefault(one.get("id") + " no", 0L));
        one.put(
            "head", HEX.formatHex(heads.getOrDefault(one.get("id") + " yes", Hashing.origin())));
        one.put(
            "refusal_head",
            HEX.formatHex(heads.getOrDefault(one.get("id") + " no", Hashing.origin())));
      } else if (line.startsWith("{\"end\"")) {
        Map<String, Object> end = part(value, "end");
        end.put("entries", entries);
        end.put("groups", groups);
        end.put(
            "instances",
            counts.keySet().stream().filter(c -> c.endsWith(" yes")).count() + archived);
      }
      lines.set(i, text(value));
    }
  }

  /** Ends the lines with a statement that fits, signed with a key of the forger's own. */
  void sign(List<String> lines) throws GeneralSecurityException {
    change(lines, 0, head -> head.put("public_key", key()));
    int at = last(lines, "checkpoint");
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    for (String line : lines.subList(0, at)) {
      digest.update((line + "\n").getBytes(StandardCharsets.UTF_8));
    }
    Map<Long, Map<String, Object>> heads = new TreeMap<>();
    for (String line : lines) {
      if (line.startsWith("{\"group\"")) {
        Map<String, Object> group = part(parsed(line), "group");
        Long writer = (Long) Objects.requireNonNull(group.get("writer"));
        heads.put(
            writer,
            Map.of(
                "group", Objects.requireNonNull(group.get("number")),
                "root", Objects.requireNonNull(group.get("root")),
                "writer", writer));
      }
    }
    Map<String, Object> body = new TreeMap<>();
    body.put("at", 1L);
    body.put("heads", List.copyOf(heads.values()));
    body.put("kind", "export");
    body.put("sha256", HEX.formatHex(digest.digest()));
    lines.set(at, text(Map.of("checkpoint", signed(body))));
  }

  /** A statement with the forger's signature. */
  Map<String, Object> signed(Map<String, ?> body) throws GeneralSecurityException {
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(own.getPrivate());
    signature.update(CanonicalJson.bytes(body));
    return Map.of(
        "body", body,
        "key", key(),
        "signature", Base64.getEncoder().encodeToString(signature.sign()));
  }

  /** Makes every hash, root and head of a SQLite store fit the texts that are there. */
  void fit(Connection connection) throws SQLException {
    Map<String, byte[]> heads = new HashMap<>();
    byte[] root = Hashing.origin();
    for (long[] group :
        longs(connection, "select number, first, count from commit_group order by number")) {
      List<byte[]> hashes = new ArrayList<>();
      for (long position = group[1]; position < group[1] + group[2]; position++) {
        try (PreparedStatement one =
            connection.prepareStatement(
                "select instance, chain, body, hash from entry where position = ?")) {
          one.setLong(1, position);
          try (ResultSet row = one.executeQuery()) {
            if (!row.next()) {
              continue;
            }
            String chain = row.getLong(1) + " " + row.getLong(2);
            byte[] body = row.getBytes(3);
            byte[] hash =
                body.length == 0
                    ? row.getBytes(4)
                    : hashing.chain(heads.getOrDefault(chain, Hashing.origin()), body);
            heads.put(chain, hash);
            hashes.add(hash);
            update(connection, "update entry set hash = ? where position = ?", hash, position);
          }
        }
      }
      root = hashing.root(root, hashes);
      update(connection, "update commit_group set root = ? where number = ?", root, group[0]);
    }
    for (Map.Entry<String, byte[]> head : heads.entrySet()) {
      String[] chain = head.getKey().split(" ");
      update(
          connection,
          "update instance set %s = ? where number = ?"
              .formatted(chain[1].equals("0") ? "head" : "refusal_head"),
          head.getValue(),
          Long.parseLong(chain[0]));
      update(
          connection,
          "update late set head = ? where instance = ? and 0 = ?",
          head.getValue(),
          Long.parseLong(chain[0]),
          Long.parseLong(chain[1]));
    }
  }

  static List<long[]> longs(Connection connection, String sql) throws SQLException {
    List<long[]> all = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      int columns = rows.getMetaData().getColumnCount();
      while (rows.next()) {
        long[] row = new long[columns];
        for (int i = 0; i < columns; i++) {
          row[i] = rows.getLong(i + 1);
        }
        all.add(row);
      }
    }
    return all;
  }

  static void update(Connection connection, String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      statement.executeUpdate();
    }
  }
}
