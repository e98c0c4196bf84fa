package dev.signalbox.runtime;

import dev.signalbox.journal.GroupHead;
import dev.signalbox.kernel.CanonicalJson;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
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
 * What is signed of a journal, by whom, and whether the groups are what was signed. A checkpoint's
 * root covers everything before it in the writer's chain, so the last signature of a key that
 * counts says how far the journal can't have been changed by anybody without that key.
 *
 * <p>A key counts when it was named, when the one before it signed that it comes next, or when the
 * one after it signed that it took its place; where none was named every key does. Checkpoints are
 * told before the groups that they cover.
 */
final class Signatures {
  private static final HexFormat HEX = HexFormat.of();

  /** Promises, and digests of checkpoints, that are in memory; more are in the file. */
  private static final int IN_MEMORY = 10_000;

  /** The most keys whose checkpoints are taken. */
  private static final int KEYS = 1_000;

  private final Scratch scratch;
  private final Demands demands;
  private final Findings findings;

  private final Map<String, Signer> signers = new LinkedHashMap<>();
  private final List<Rotation> rotations = new ArrayList<>();
  private final Map<Long, WriterChain> chains = new TreeMap<>();
  private final Map<GroupName, Promise> promised = new HashMap<>();
  private final Set<String> digests = new HashSet<>();
  private final Map<String, String> unmetBefore = new LinkedHashMap<>();
  private long promisedInFile;
  private boolean digestsInFile;

  Signatures(Scratch scratch, Demands demands, Findings findings) {
    this.scratch = scratch;
    this.demands = demands;
    this.findings = findings;
  }

  /** A key whose signatures are good. */
  private static final class Signer {
    final String fingerprint;
    final String key;
    final Map<Long, Long> until = new HashMap<>();
    final Map<String, String> machines = new TreeMap<>();
    boolean counts;
    long from = Long.MAX_VALUE;
    long checkpoints;
    long at;

    Signer(String fingerprint, String key) {
      this.fingerprint = fingerprint;
      this.key = key;
    }
  }

  /**
   * A statement about which key comes after which.
   *
   * @param byOld whether the old key signed it, otherwise the new one
   */
  private record Rotation(String old, String fresh, boolean byOld, Map<Long, Long> heads) {}

  private record GroupName(long writer, long number) {}

  /** What a checkpoint says of a group that is to come. */
  private record Promise(byte[] root, Set<String> signers, boolean published) {}

  /** One writer's chain of groups so far, and how far it was when each key signed it. */
  private static final class WriterChain {
    long number;
    byte[] root = new byte[0];
    long groups;
    long entries;
    final Map<String, long[]> signed = new HashMap<>();
  }

  /**
   * A checkpoint that a store keeps, an export has of its store, or was published.
   *
   * @param published whether it is from a second place
   */
  void checkpoint(String where, Map<?, ?> checkpoint, boolean published) {
    Map<?, ?> body = (Map<?, ?>) Objects.requireNonNull(checkpoint.get("body"));
    Object kind = body.get("kind");
    if (kind != null && !kind.equals(Statements.STORE)) {
      findings.add("signature-bad", where, "it is a statement of another kind: " + kind);
      return;
    }
    List<GroupHead> heads = heads(body);
    Signer signer = signed(where, checkpoint, body);
    if (signer == null) {
      return;
    }
    order(where, checkpoint, body);
    for (GroupHead head : heads) {
      signer.until.merge(head.writer(), head.group(), Math::max);
      signer.from = Math.min(signer.from, head.group());
      promise(where, head, signer.fingerprint, published);
    }
    if (body.get("machines") instanceof List<?> machines) {
      for (Object each : machines) {
        Map<?, ?> machine = (Map<?, ?>) Objects.requireNonNull(each);
        signer.machines.put(
            machine.get("name") + "@" + machine.get("version"),
            String.valueOf(machine.get("digest")));
      }
    }
    Map<Long, Long> ends = new HashMap<>();
    heads.forEach(head -> ends.put(head.writer(), head.group()));
    if (body.get("next") instanceof String next) {
      rotations.add(new Rotation(signer.fingerprint, SigningKey.fingerprintOf(next), true, ends));
    }
    if (body.get("replaces") instanceof String old) {
      rotations.add(new Rotation(SigningKey.fingerprintOf(old), signer.fingerprint, false, ends));
    }
  }

  /** The key whose good signature the statement has, or null. */
  private @Nullable Signer signed(String where, Map<?, ?> statement, Map<?, ?> body) {
    String key = (String) Objects.requireNonNull(statement.get("key"));
    byte[] signature =
        Base64.getDecoder().decode((String) Objects.requireNonNull(statement.get("signature")));
    if (!SigningKey.hasSigned(key, CanonicalJson.bytes(body), signature)) {
      findings.add("signature-bad", where, "the signature is not of its text");
      return null;
    }
    String fingerprint = SigningKey.fingerprint(key);
    Signer signer = signers.get(fingerprint);
    if (signer == null) {
      if (signers.size() == KEYS) {
        findings.add("signer-unknown", where, "more than %,d keys have signed".formatted(KEYS));
        return null;
      }
      signer = new Signer(fingerprint, key);
      signers.put(fingerprint, signer);
    }
    signer.checkpoints++;
    signer.at = Math.max(signer.at, (Long) Objects.requireNonNull(body.get("at")));
    return signer;
  }

  /** Notes the checkpoint, and the one that it says came before it. */
  private void order(String where, Map<?, ?> checkpoint, Map<?, ?> body) {
    String digest = Statements.digest(CanonicalJson.bytes(checkpoint));
    if (digests.size() < IN_MEMORY) {
      digests.add(digest);
    } else {
      digestsInFile = true;
      int _ = scratch.update("insert or ignore into checkpoint values (?)", digest);
    }
    if (body.get("after") instanceof String before && !isMet(before) && unmetBefore.size() < KEYS) {
      unmetBefore.put(before, where);
    }
  }

  private boolean isMet(String digest) {
    return digests.contains(digest)
        || (digestsInFile
            && scratch.first(
                    "select digest from checkpoint where digest = ?",
                    row -> row.getString(1),
                    digest)
                != null);
  }

  private void promise(String where, GroupHead head, String signer, boolean published) {
    GroupName name = new GroupName(head.writer(), head.group());
    Promise before = promiseOf(name);
    if (before != null && !Arrays.equals(before.root(), head.root())) {
      findings.add(
          "root-mismatch",
          where,
          "another checkpoint says another root of group %d".formatted(head.group()));
      return;
    }
    Set<String> by = new HashSet<>(Set.of(signer));
    if (before != null) {
      by.addAll(before.signers());
    }
    Promise promise =
        new Promise(head.root(), by, published || (before != null && before.published()));
    if (promised.size() < IN_MEMORY || promised.containsKey(name)) {
      promised.put(name, promise);
      return;
    }
    promisedInFile += before == null ? 1 : 0;
    int _ =
        scratch.update(
            "insert or replace into promise values (?, ?, ?, ?, ?)",
            name.writer(),
            name.number(),
            promise.root(),
            String.join(" ", by),
            promise.published() ? 1L : 0L);
  }

  private @Nullable Promise promiseOf(GroupName name) {
    Promise known = promised.get(name);
    if (known != null || promisedInFile == 0) {
      return known;
    }
    return scratch.first(
        "select root, signers, published from promise where writer = ? and number = ?",
        row ->
            new Promise(row.getBytes(1), Set.of(row.getString(2).split(" ")), row.getLong(3) != 0),
        name.writer(),
        name.number());
  }

  private void forget(GroupName name) {
    if (promised.remove(name) == null && promisedInFile > 0) {
      promisedInFile -=
          scratch.update(
              "delete from promise where writer = ? and number = ?", name.writer(), name.number());
    }
  }

  /** A group, in the order of its writer's chain. */
  void group(String where, GroupHead head, int entries) {
    WriterChain chain = chains.computeIfAbsent(head.writer(), _ -> new WriterChain());
    chain.number = head.group();
    chain.root = head.root();
    chain.groups++;
    chain.entries += entries;
    GroupName name = new GroupName(head.writer(), head.group());
    Promise told = promiseOf(name);
    if (told == null) {
      return;
    }
    forget(name);
    if (Arrays.equals(told.root(), head.root())) {
      told.signers().forEach(by -> sign(chain, by));
    } else {
      findings.add(
          "root-mismatch",
          where,
          told.published()
              ? "a checkpoint that was published says another root"
              : "a checkpoint that was signed then says another root");
    }
  }

  private static void sign(WriterChain chain, String signer) {
    chain.signed.put(signer, new long[] {chain.groups, chain.entries});
  }

  /** Where the chains end that were told. */
  List<GroupHead> ends() {
    List<GroupHead> ends = new ArrayList<>();
    chains.forEach((writer, chain) -> ends.add(new GroupHead(writer, chain.number, chain.root)));
    return ends;
  }

  /**
   * The statement that ends an export, which must be of exactly where its chains end.
   *
   * @return the key that signed it, or null
   */
  @Nullable String end(String where, Map<?, ?> checkpoint) {
    Map<?, ?> body = (Map<?, ?>) Objects.requireNonNull(checkpoint.get("body"));
    List<GroupHead> heads = heads(body);
    Signer signer = signed(where, checkpoint, body);
    if (signer == null) {
      return null;
    }
    Set<Long> told = new HashSet<>();
    for (GroupHead head : heads) {
      told.add(head.writer());
      WriterChain chain = chains.get(head.writer());
      if (chain == null || chain.number < head.group()) {
        findings.add(
            "cut-off",
            where,
            "it covers group %d of writer %d, and the groups end at %d"
                .formatted(head.group(), head.writer(), chain == null ? 0 : chain.number));
      } else if (chain.number > head.group()) {
        findings.add(
            "tail-unsigned",
            where,
            "it covers writer %d up to group %d, and the groups go on to %d"
                .formatted(head.writer(), head.group(), chain.number));
      } else if (!Arrays.equals(chain.root, head.root())) {
        findings.add("root-mismatch", where, "group %d has another root".formatted(head.group()));
      } else {
        sign(chain, signer.fingerprint);
      }
    }
    for (long writer : chains.keySet()) {
      if (!told.contains(writer)) {
        findings.add(
            "tail-unsigned", where, "it does not cover the groups of writer %d".formatted(writer));
      }
    }
    return signer.fingerprint;
  }

  /** The statement that ends an archive. */
  @Nullable String statement(String where, Map<?, ?> checkpoint) {
    Map<?, ?> body = (Map<?, ?>) Objects.requireNonNull(checkpoint.get("body"));
    Signer signer = signed(where, checkpoint, body);
    return signer == null ? null : signer.fingerprint;
  }

  private static List<GroupHead> heads(Map<?, ?> body) {
    List<GroupHead> heads = new ArrayList<>();
    for (Object each : (List<?>) Objects.requireNonNull(body.get("heads"))) {
      Map<?, ?> head = (Map<?, ?>) Objects.requireNonNull(each);
      heads.add(
          new GroupHead(
              (Long) Objects.requireNonNull(head.get("writer")),
              (Long) Objects.requireNonNull(head.get("group")),
              HEX.parseHex((String) Objects.requireNonNull(head.get("root")))));
    }
    return heads;
  }

  /** Whether checkpoints cover groups that were not told yet. */
  boolean isBehind() {
    return !promised.isEmpty() || promisedInFile > 0;
  }

  /** Whether everything that checkpoints cover is there; after all groups. */
  void missing() {
    promised.entrySet().stream()
        .sorted(Comparator.comparingLong(e -> e.getKey().number()))
        .forEach(e -> missing(e.getKey(), e.getValue().published()));
    record Left(GroupName name, boolean published) {}
    scratch.each(
        "select writer, number, published from promise order by number",
        row -> new Left(new GroupName(row.getLong(1), row.getLong(2)), row.getLong(3) != 0),
        left -> missing(left.name(), left.published()));
    unmetBefore.forEach((digest, where) -> {
      if (!isMet(digest)) {
        findings.add(
            "checkpoint-missing",
            where,
            "it says that checkpoint %s came before it, which is not there".formatted(digest));
      }
    });
  }

  private void missing(GroupName name, boolean published) {
    findings.add(
        "cut-off",
        "group " + name.number(),
        "a checkpoint%s covers it, and it is not in the chain of writer %d"
            .formatted(published ? " that was published" : "", name.writer()));
  }

  /** Finds out which keys count; after all checkpoints. */
  private void judge() {
    signers
        .values()
        .forEach(s ->
            s.counts = demands.signers().isEmpty() || demands.signers().contains(s.fingerprint));
    boolean more = true;
    while (more) {
      more = false;
      for (Rotation rotation : rotations) {
        Signer from = signers.get(rotation.byOld() ? rotation.old() : rotation.fresh());
        Signer to = signers.get(rotation.byOld() ? rotation.fresh() : rotation.old());
        if (from != null && to != null && from.counts && !to.counts) {
          to.counts = true;
          more = true;
        }
      }
    }
  }

  /** Whether the key counts. */
  boolean counts(@Nullable String fingerprint) {
    judge();
    Signer signer = fingerprint == null ? null : signers.get(fingerprint);
    return signer != null && signer.counts;
  }

  /**
   * Judges what is signed; after everything.
   *
   * @param strangers whether checkpoints of keys that do not count are told of
   */
  void conclude(boolean strangers) {
    judge();
    for (Signer signer : signers.values()) {
      if (strangers && !signer.counts) {
        findings.add(
            "signer-unknown",
            "key " + signer.fingerprint,
            "it signed %d checkpoints; it was not named, and no key that was vouches for it"
                .formatted(signer.checkpoints));
      }
    }
    for (Rotation rotation : rotations) {
      Signer old = signers.get(rotation.old());
      if (old != null && old.counts && rotation.byOld()) {
        old.until.forEach((writer, group) -> {
          if (group > rotation.heads().getOrDefault(writer, 0L)) {
            findings.add(
                "key-retired",
                "key " + old.fingerprint,
                "it signed group %d of writer %d after key %s took its place"
                    .formatted(group, writer, rotation.fresh()));
          }
        });
      }
    }
    if (!demands.signers().isEmpty() && signers.values().stream().noneMatch(s -> s.counts)) {
      findings.add(
          "signature-bad",
          "the journal",
          "nothing is signed by the key that was named"
              + (signers.isEmpty() ? "; nothing is signed at all" : ""));
    }
    if (!demands.openEnd()) {
      chains.forEach((writer, chain) -> {
        long unsigned = chain.groups - signed(chain)[0];
        if (unsigned > 0) {
          findings.add(
              "tail-unsigned",
              "writer " + writer,
              "its last %,d groups, up to %d, are signed by no key that counts"
                  .formatted(unsigned, chain.number));
        }
      });
    }
  }

  /** How many groups and entries of the chain are covered by a key that counts. */
  private long[] signed(WriterChain chain) {
    long[] most = {0, 0};
    for (Map.Entry<String, long[]> each : chain.signed.entrySet()) {
      if (Objects.requireNonNull(signers.get(each.getKey())).counts
          && each.getValue()[0] > most[0]) {
        most = each.getValue();
      }
    }
    return most;
  }

  /** The machines that a key that counts has signed for: name and version, and the digest. */
  Map<String, String> machines() {
    judge();
    Map<String, String> machines = new TreeMap<>();
    signers.values().stream().filter(s -> s.counts).forEach(s -> machines.putAll(s.machines));
    return machines;
  }

  long unsignedGroups() {
    judge();
    return chains.values().stream().mapToLong(c -> c.groups - signed(c)[0]).sum();
  }

  long unsignedEntries() {
    judge();
    return chains.values().stream().mapToLong(c -> c.entries - signed(c)[1]).sum();
  }

  List<Verification.Signer> signers() {
    judge();
    return signers.values().stream()
        .map(s ->
            new Verification.Signer(
                s.fingerprint,
                s.key,
                !demands.signers().isEmpty() && s.counts,
                s.checkpoints,
                s.from == Long.MAX_VALUE ? 0 : s.from,
                s.until.values().stream().mapToLong(Long::longValue).max().orElse(0),
                s.at))
        .toList();
  }
}
