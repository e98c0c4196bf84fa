package dev.signalbox.cli;

import dev.signalbox.cli.OutsiderJson.Node;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A verifier that somebody else could have written: from docs/journal-format.md alone, with the JDK
 * alone. It knows hashes, chains, groups, signatures, tombstones and archives, and not what a
 * machine does. It shares nothing with the one that ships, so that the two can be compared.
 */
final class Outsider {
  private static final HexFormat HEX = HexFormat.of();
  private static final String ORIGIN = "0".repeat(64);

  private final Set<String> named;
  private final @Nullable Path archives;
  private final List<String> problems = new ArrayList<>();

  private final Map<String, Life> lives = new LinkedHashMap<>();
  private final Map<Long, Node> stones = new TreeMap<>();
  private final Map<Long, Life> buried = new TreeMap<>();
  private final Map<Long, List<String>> claims = new HashMap<>();
  private final Map<Long, Ended> writers = new TreeMap<>();
  private final Map<String, Promise> promises = new LinkedHashMap<>();
  private final Map<String, String> keys = new LinkedHashMap<>();
  private final Map<String, Map<Long, Long>> until = new HashMap<>();
  private final List<Succession> successions = new ArrayList<>();
  private final Set<String> checkpoints = new HashSet<>();
  private final Set<String> before = new HashSet<>();
  private final Map<String, Map<String, String>> machines = new HashMap<>();
  private List<String> group = new ArrayList<>();
  private long entries;
  private long groups;

  private Outsider(Set<String> named, @Nullable Path archives) {
    this.named = named;
    this.archives = archives;
  }

  /** One instance's chains so far. */
  private static final class Life {
    long sequence;
    String head = ORIGIN;
    long refusals;
    String refusalHead = ORIGIN;
    boolean ended;

    String end() {
      return "%d %s %d %s".formatted(sequence, head, refusals, refusalHead);
    }
  }

  private static final class Ended {
    long number;
    String root = ORIGIN;
    long groups;
    final Map<String, Long> signed = new HashMap<>();
  }

  private record Promise(long writer, long group, String root, Set<String> by) {}

  private record Succession(String from, String to, Map<Long, Long> heads, boolean byOld) {}

  /** What is wrong with an export or an archive. */
  static List<String> export(
      List<String> lines, Set<String> named, @Nullable Path archives, List<Path> published)
      throws IOException {
    Outsider outsider = new Outsider(named, archives);
    outsider.published(published);
    outsider.lines(lines);
    return outsider.problems;
  }

  /** What is wrong with a store. */
  static List<String> store(
      String url, Set<String> named, @Nullable Path archives, List<Path> published)
      throws IOException, SQLException {
    Outsider outsider = new Outsider(named, archives);
    outsider.published(published);
    try (Connection connection = DriverManager.getConnection(url)) {
      outsider.tables(connection, url.startsWith("jdbc:postgresql:"));
    }
    return outsider.problems;
  }

  private void published(List<Path> files) throws IOException {
    for (Path file : files) {
      List<String> lines = Files.readAllLines(file);
      for (int i = 0; i < lines.size(); i++) {
        String line = lines.get(i);
        String next = i + 1 < lines.size() ? lines.get(i + 1) : "";
        if (next.length() <= line.length() || !next.startsWith(line)) {
          guarded("published", () -> stored(OutsiderJson.parse(line)));
        }
      }
    }
  }

  private void guarded(String where, Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      problems.add(where + ": " + e);
    }
  }

  private void check(boolean good, String problem) {
    if (!good) {
      problems.add(problem);
    }
  }

  private void lines(List<String> lines) throws IOException {
    MessageDigest digest = sha256();
    String signer = null;
    boolean signed = false;
    boolean ended = false;
    boolean archive = false;
    long version = 0;
    String first = "";
    Set<String> told = new HashSet<>();
    for (int i = 0; i < lines.size(); i++) {
      String where = "line " + (i + 1);
      String line = lines.get(i);
      check(!ended, where + ": after the end");
      Node node;
      try {
        node = OutsiderJson.parse(line);
        if (i == 0) {
          archive = "signalbox-archive".equals(node.text("format"));
          check(archive || "signalbox-journal".equals(node.text("format")), where + ": format");
          version = node.number("version");
          check(version == 1 || version == 2, where + ": version");
          first = node.text("public_key");
        } else if (node.find("end") != null) {
          ended = true;
          Node end = node.of("end");
          check(
              end.number("entries") == entries
                  && end.number("groups") == groups
                  && end.number("instances") == lives.size() + buried.size(),
              where + ": counts");
        } else if (signed) {
          problems.add(where + ": after the signature");
        } else if (node.find("body") != null) {
          entry(where, node.of("body").raw(), node.text("hash"), null);
        } else if (node.find("machine") != null) {
          String name =
              node.of("machine").text("name") + "@" + node.of("machine").number("version");
          check(told.add("machine " + name), where + ": machine twice");
        } else if (node.find("checkpoint") != null) {
          signed = true;
          Node checkpoint = node.of("checkpoint");
          Node body = checkpoint.of("body");
          check(checkpoint.text("key").equals(first), where + ": another key");
          String kind = body.textOrNull("kind");
          check(Objects.equals(kind, version == 2 && !archive ? "export" : null), where + ": kind");
          if (kind != null) {
            MessageDigest copy = (MessageDigest) digest.clone();
            check(HEX.formatHex(copy.digest()).equals(body.textOrNull("sha256")), where + ": file");
          }
          signer = signer(where, checkpoint);
          if (archive) {
            check(body.list("instances").size() == lives.size(), where + ": instances");
            for (Node each : body.list("instances")) {
              instance(where, each);
            }
          } else {
            end(where, body, signer);
          }
        } else if (archive) {
          problems.add(where + ": not of an archive");
        } else if (node.find("group") != null) {
          Node one = node.of("group");
          check(one.number("count") == group.size(), where + ": count");
          group(
              one.number("writer"), one.number("number"), one.number("previous"), one.text("root"));
        } else if (node.find("tombstone") != null) {
          stones.putIfAbsent(node.of("tombstone").number("number"), node.of("tombstone"));
        } else if (node.find("archived") != null) {
          archived(
              where,
              node.of("archived").number("number"),
              node.of("archived").text("chain"),
              node.of("archived").number("sequence"),
              node.text("hash"));
        } else if (node.find("stored_checkpoint") != null) {
          stored(node.of("stored_checkpoint"));
        } else if (node.find("instance") != null) {
          check(told.add(node.of("instance").text("id")), where + ": twice");
          instance(where, node.of("instance"));
        } else {
          problems.add(where + ": unknown");
        }
      } catch (RuntimeException | CloneNotSupportedException e) {
        problems.add(where + ": " + e);
      }
      digest.update(line.getBytes(StandardCharsets.UTF_8));
      digest.update((byte) '\n');
    }
    check(ended, "no end");
    check(signed, "no signature");
    check(group.isEmpty() || archive, "entries in no group");
    check(signer != null && counting().contains(signer), "signed by another");
    if (!archive) {
      for (String id : lives.keySet()) {
        check(told.contains(id), id + ": no line of its own");
      }
      tombs();
    }
    conclude(false);
  }

  private void entry(String where, String body, String hash, @Nullable Row row) {
    entries++;
    group.add(hash);
    Node node = OutsiderJson.parse(body);
    String id = node.text("instance");
    boolean refusal = "refusal".equals(node.textOrNull("kind"));
    long sequence = node.number("sequence");
    Life life = lives.computeIfAbsent(id, _ -> new Life());
    if (!refusal && sequence == 1 && buriedHas(id, life)) {
      life = new Life();
      lives.put(id, life);
    }
    String last = refusal ? life.refusalHead : life.head;
    check(sequence == (refusal ? life.refusals : life.sequence) + 1, where + ": sequence");
    String right = hash(HEX.parseHex(last), body.getBytes(StandardCharsets.UTF_8));
    check(right.equals(hash), where + ": hash");
    if (row != null) {
      check(
          row.sequence == sequence
              && row.refusal == refusal
              && (Objects.equals(row.key, node.textOrNull("key")) || (refusal && row.key == null)),
          where + ": row");
    }
    if (refusal) {
      life.refusals = sequence;
      life.refusalHead = hash;
    } else {
      life.sequence = sequence;
      life.head = hash;
      Node ended = node.find("ended");
      life.ended |= ended != null && Boolean.TRUE.equals(ended.value());
    }
    Node machine = node.find("machine");
    if ("start".equals(node.textOrNull("kind"))
        && machine != null
        && "signalbox.archive".equals(machine.textOrNull("name"))) {
      Node changes = node.of("changes");
      changes
          .map("instances")
          .forEach((number, digest) ->
              claims
                  .computeIfAbsent(Long.valueOf(number), _ -> new ArrayList<>())
                  .add(digest.value() + " " + changes.text("file")));
    }
  }

  private boolean buriedHas(String id, Life life) {
    return stones.values().stream()
        .anyMatch(stone -> stone.text("id").equals(id) && end(stone).equals(life.end()));
  }

  private static String end(Node stone) {
    return "%d %s %d %s"
        .formatted(
            stone.number("sequence"),
            stone.text("head"),
            stone.number("refusals"),
            stone.text("refusal_head"));
  }

  private void archived(String where, long number, String chain, long sequence, String hash) {
    entries++;
    group.add(hash);
    check(stones.containsKey(number), where + ": no tombstone");
    Life life = buried.computeIfAbsent(number, _ -> new Life());
    boolean refusal = chain.equals("refusals");
    check(sequence == (refusal ? life.refusals : life.sequence) + 1, where + ": sequence");
    if (refusal) {
      life.refusals = sequence;
      life.refusalHead = hash;
    } else {
      life.sequence = sequence;
      life.head = hash;
    }
  }

  private void group(long writer, long number, long previous, String root) {
    groups++;
    Ended ended = writers.computeIfAbsent(writer, _ -> new Ended());
    check(ended.number == previous, "group " + number + ": previous");
    byte[] tree = merkle(group);
    check(hash(HEX.parseHex(ended.root), tree).equals(root), "group " + number + ": root");
    ended.number = number;
    ended.root = root;
    ended.groups++;
    group = new ArrayList<>();
    Promise promise = promises.remove(writer + " " + number);
    if (promise != null) {
      check(promise.root.equals(root), "group " + number + ": signed otherwise");
      if (promise.root.equals(root)) {
        promise.by.forEach(by -> ended.signed.put(by, ended.groups));
      }
    }
  }

  private void instance(String where, Node told) {
    Life life = lives.get(told.text("id"));
    check(life != null && life.end().equals(end(told)), where + ": heads");
  }

  private @Nullable String signer(String where, Node statement) {
    String key = statement.text("key");
    byte[] signature = Base64.getDecoder().decode(statement.text("signature"));
    byte[] body = statement.of("body").raw().getBytes(StandardCharsets.UTF_8);
    if (!isSigned(key, body, signature)) {
      problems.add(where + ": signature");
      return null;
    }
    String fingerprint =
        HEX.formatHex(sha256().digest(Base64.getDecoder().decode(key))).substring(0, 32);
    keys.put(fingerprint, key);
    return fingerprint;
  }

  private void stored(Node checkpoint) {
    Node body = checkpoint.of("body");
    String kind = body.textOrNull("kind");
    check(kind == null || kind.equals("store"), "a checkpoint of another kind");
    String signer = signer("a checkpoint", checkpoint);
    if (signer == null) {
      return;
    }
    checkpoints.add(
        HEX.formatHex(sha256().digest(checkpoint.raw().getBytes(StandardCharsets.UTF_8))));
    String after = body.textOrNull("after");
    if (after != null) {
      before.add(after);
    }
    Map<Long, Long> heads = new HashMap<>();
    for (Node head : body.list("heads")) {
      long writer = head.number("writer");
      long number = head.number("group");
      heads.put(writer, number);
      until.computeIfAbsent(signer, _ -> new HashMap<>()).merge(writer, number, Math::max);
      Promise promise =
          promises.computeIfAbsent(
              writer + " " + number,
              _ -> new Promise(writer, number, head.text("root"), new HashSet<>()));
      check(promise.root.equals(head.text("root")), "two checkpoints of group " + number);
      promise.by.add(signer);
    }
    if (body.find("machines") != null) {
      for (Node machine : body.list("machines")) {
        machines
            .computeIfAbsent(signer, _ -> new TreeMap<>())
            .put(machine.text("name") + "@" + machine.number("version"), machine.text("digest"));
      }
    }
    String next = body.textOrNull("next");
    if (next != null) {
      successions.add(new Succession(signer, fingerprint(next), heads, true));
    }
    String replaces = body.textOrNull("replaces");
    if (replaces != null) {
      successions.add(new Succession(signer, fingerprint(replaces), heads, false));
    }
  }

  private static String fingerprint(String key) {
    return HEX.formatHex(sha256().digest(Base64.getDecoder().decode(key))).substring(0, 32);
  }

  private void end(String where, Node body, @Nullable String signer) {
    Set<Long> told = new HashSet<>();
    for (Node head : body.list("heads")) {
      Ended ended = writers.get(head.number("writer"));
      told.add(head.number("writer"));
      if (ended == null
          || ended.number != head.number("group")
          || !ended.root.equals(head.text("root"))) {
        problems.add(where + ": ends elsewhere");
      } else if (signer != null) {
        ended.signed.put(signer, ended.groups);
      }
    }
    check(told.equals(writers.keySet()), where + ": other writers");
  }

  private Set<String> counting() {
    Set<String> counting = new HashSet<>(named);
    boolean more = true;
    while (more) {
      more = false;
      for (Succession each : successions) {
        more |= counting.contains(each.from) && counting.add(each.to);
      }
    }
    return counting;
  }

  private void tombs() throws IOException {
    Map<String, Map<String, String>> files = new HashMap<>();
    if (archives != null && Files.isDirectory(archives)) {
      List<Path> there;
      try (var list = Files.list(archives)) {
        there = list.toList();
      }
      for (Path file : there) {
        byte[] bytes = Files.readAllBytes(file);
        Outsider inside = new Outsider(Set.of(), null);
        inside.lines(new String(bytes, StandardCharsets.UTF_8).lines().toList());
        // Whoever signed the file, its texts are held by the hashes in the store's groups.
        inside.problems.remove("signed by another");
        inside.problems.remove("signed by nobody who was named");
        Map<String, String> ends = new HashMap<>();
        inside.lives.forEach((id, life) -> ends.put(id, life.end()));
        if (stones.values().stream()
            .anyMatch(s -> s.text("file").equals(HEX.formatHex(sha256().digest(bytes))))) {
          inside.problems.forEach(p -> problems.add(file.getFileName() + ": " + p));
        }
        files.put(HEX.formatHex(sha256().digest(bytes)), ends);
      }
    }
    stones.forEach((number, stone) -> {
      Life life = buried.get(number);
      check(life != null && life.end().equals(end(stone)), "tombstone " + number + ": heads");
      String file = stone.text("file");
      Map<String, String> ends = files.get(file);
      check(ends != null, "archive " + file + ": missing");
      boolean proved = ends != null && end(stone).equals(ends.get(stone.text("id")));
      check(ends == null || proved, "tombstone " + number + ": not in its file");
      String canonical =
          "{\"head\":%s,\"id\":%s,\"number\":%d,\"refusal_head\":%s,\"refusals\":%d,\"sequence\":%d}"
              .formatted(
                  stone.of("head").raw(),
                  stone.of("id").raw(),
                  number,
                  stone.of("refusal_head").raw(),
                  stone.number("refusals"),
                  stone.number("sequence"));
      String claim =
          HEX.formatHex(sha256().digest(canonical.getBytes(StandardCharsets.UTF_8))) + " " + file;
      List<String> said = claims.getOrDefault(number, List.of());
      check(said.contains(claim) || (said.isEmpty() && proved), "tombstone " + number + ": record");
    });
  }

  private void conclude(boolean strangers) {
    Set<String> counting = counting();
    promises.values().forEach(p -> problems.add("group " + p.group + ": cut off"));
    before.removeAll(checkpoints);
    before.forEach(digest -> problems.add("checkpoint " + digest + ": missing"));
    if (strangers) {
      keys.keySet().stream()
          .filter(k -> !counting.contains(k))
          .forEach(k -> problems.add("stranger " + k));
    }
    check(keys.keySet().stream().anyMatch(counting::contains), "signed by nobody who was named");
    for (Succession each : successions) {
      if (each.byOld) {
        until
            .getOrDefault(each.from, Map.of())
            .forEach((writer, number) ->
                check(
                    number <= each.heads.getOrDefault(writer, 0L),
                    "retired " + each.from + " at " + number));
      }
    }
    writers.forEach((writer, ended) -> {
      long signed =
          ended.signed.entrySet().stream()
              .filter(e -> counting.contains(e.getKey()))
              .mapToLong(Map.Entry::getValue)
              .max()
              .orElse(0);
      check(signed == ended.groups, "writer " + writer + ": unsigned tail");
    });
  }

  /** A row of an entry, as far as it says again what its text says. */
  private record Row(long sequence, boolean refusal, @Nullable String key) {}

  private void tables(Connection connection, boolean postgres) throws SQLException, IOException {
    each(
        connection,
        "select body from checkpoint order by number",
        row -> {
          String text = new String(row.getBytes(1), StandardCharsets.UTF_8);
          guarded("checkpoint", () -> stored(OutsiderJson.parse(text)));
        });
    each(
        connection,
        "select number, id, sequence, head, refusals, refusal_head, file from tombstone",
        row ->
            stones.put(
                row.getLong(1),
                OutsiderJson.parse(
                    "{\"id\":\"%s\",\"sequence\":%d,\"head\":\"%s\",\"refusals\":%d,\"refusal_head\":\"%s\",\"file\":\"%s\"}"
                        .formatted(
                            row.getString(2),
                            row.getLong(3),
                            HEX.formatHex(row.getBytes(4)),
                            row.getLong(5),
                            HEX.formatHex(row.getBytes(6)),
                            row.getString(7)))));
    Map<String, String> published = new TreeMap<>();
    each(
        connection,
        "select name, version, digest from machine",
        row -> published.put(row.getString(1) + "@" + row.getLong(2), row.getString(3)));
    long[] seen = {0};
    each(
        connection,
        postgres
            ? "select number, writer, previous, root, number << 20, (number + 1) << 20 from"
                + " commit_group order by number"
            : "select number, 1, number - 1, root, first, first + count from commit_group order by"
                + " number",
        row -> {
          long from = row.getLong(5);
          long to = row.getLong(6);
          each(
              connection,
              "select instance, chain, sequence, key, hash, body, position, previous from entry"
                  + " where position >= %d and position < %d order by position".formatted(from, to),
              entry -> {
                seen[0]++;
                tableEntry(entry, postgres);
              });
          guarded(
              "group",
              () -> {
                try {
                  group(row.getLong(1), row.getLong(2), row.getLong(3), row.getBytes(4));
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
        });
    each(
        connection,
        "select count(*) from entry",
        row -> check(row.getLong(1) == seen[0], "entries in no group"));
    Set<String> rows = new HashSet<>();
    each(
        connection,
        "select id, sequence, head, refusals, refusal_head, status, number, newest from instance",
        row -> {
          String id = row.getString(1);
          rows.add(id);
          Life life = lives.get(id);
          String end =
              "%d %s %d %s"
                  .formatted(
                      row.getLong(2),
                      HEX.formatHex(row.getBytes(3)),
                      row.getLong(4),
                      HEX.formatHex(row.getBytes(5)));
          check(life != null && life.end().equals(end), id + ": row");
          check(life == null || life.ended == (row.getLong(6) == 3), id + ": status");
          check(!stones.containsKey(row.getLong(7)), id + ": has a tombstone");
        });
    lives.keySet().forEach(id -> check(rows.contains(id), id + ": no row"));
    each(
        connection,
        "select i.id from instance i left join entry e on e.position = i.newest where e.position is"
            + " null or e.instance <> i.number or e.chain <> 0",
        row -> problems.add(row.getString(1) + ": leads elsewhere"));
    Map<String, String> signed = new TreeMap<>();
    counting().forEach(key -> signed.putAll(machines.getOrDefault(key, Map.of())));
    if (!signed.isEmpty()) {
      check(signed.equals(published), "machines");
    }
    tombs();
    conclude(true);
  }

  private void group(long number, long writer, long previous, byte[] root) {
    group(writer, number, previous, HEX.formatHex(root));
  }

  private final Map<String, Long> newest = new HashMap<>();

  private void tableEntry(ResultSet row, boolean postgres) throws SQLException {
    long instance = row.getLong(1);
    boolean refusal = row.getLong(2) == 1;
    long sequence = row.getLong(3);
    byte[] rawKey = row.getBytes(4);
    String key =
        rawKey == null
            ? null
            : postgres ? new String(rawKey, StandardCharsets.UTF_8) : row.getString(4);
    String hash = HEX.formatHex(row.getBytes(5));
    String body = new String(row.getBytes(6), StandardCharsets.UTF_8);
    String where = "position " + row.getLong(7);
    Long last = newest.put(instance + " " + refusal, row.getLong(7));
    check(sequence == 1 || Objects.equals(last, row.getLong(8)), where + ": previous");
    guarded(
        where,
        () -> {
          if (body.isEmpty()) {
            archived(where, instance, refusal ? "refusals" : "steps", sequence, hash);
          } else {
            entry(where, body, hash, new Row(sequence, refusal, key));
          }
        });
  }

  private interface OfRow {
    void take(ResultSet row) throws SQLException;
  }

  private static void each(Connection connection, String sql, OfRow work) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        work.take(rows);
      }
    }
  }

  /** The tree of RFC 6962 over the hashes, level by level; an odd node goes up as it is. */
  private static byte[] merkle(List<String> hashes) {
    List<byte[]> level = new ArrayList<>();
    for (String hash : hashes) {
      level.add(joined(new byte[] {0}, HEX.parseHex(hash)));
    }
    while (level.size() > 1) {
      List<byte[]> above = new ArrayList<>();
      for (int i = 0; i + 1 < level.size(); i += 2) {
        above.add(joined(new byte[] {1}, level.get(i), level.get(i + 1)));
      }
      if (level.size() % 2 == 1) {
        above.add(level.getLast());
      }
      level = above;
    }
    return level.isEmpty() ? new byte[0] : level.getFirst();
  }

  private static byte[] joined(byte[]... parts) {
    MessageDigest digest = sha256();
    Arrays.stream(parts).forEach(digest::update);
    return digest.digest();
  }

  private static String hash(byte[] last, byte[] text) {
    return HEX.formatHex(joined(last, text));
  }

  private static boolean isSigned(String key, byte[] text, byte[] signature) {
    return isSigned(key, text, signature, "Ed25519", "Ed25519")
        || isSigned(key, text, signature, "EC", "SHA256withECDSA");
  }

  private static boolean isSigned(
      String key, byte[] text, byte[] signature, String family, String scheme) {
    try {
      PublicKey open =
          KeyFactory.getInstance(family)
              .generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(key)));
      Signature checked = Signature.getInstance(scheme);
      checked.initVerify(open);
      checked.update(text);
      return checked.verify(signature);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
