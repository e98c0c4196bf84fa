package dev.signalbox.cli;

import static dev.signalbox.cli.Forger.longs;
import static dev.signalbox.cli.Forger.update;
import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Signalbox;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever somebody does to a store who can write all of it and has not its key, or has its key and
 * not the second place, is found and named, by the verifier that ships and by an {@link Outsider}.
 */
class ForgedStoresTest {
  @TempDir static Path folder;

  private static RecordedStore store;
  private static RecordedStore older;
  private static RecordedStore rewritten;
  private static String key;

  @BeforeAll
  static void a_store_an_older_copy_and_one_that_its_owner_wrote_anew() throws Exception {
    older = new RecordedStore(folder.resolve("older"));
    Files.createDirectories(older.folder);
    try (Signalbox box = older.open()) {
      older.begin(box, "the truth");
    }
    store = older.copy(folder.resolve("newer"));
    try (Signalbox box = store.open()) {
      store.goOn(box, "the truth");
    }
    key = store.fingerprint();
    rewritten = new RecordedStore(folder.resolve("rewritten"));
    Files.createDirectories(rewritten.folder.resolve("signalbox-keys"));
    for (String name : List.of("signing.key", "wrapping.key")) {
      Files.copy(
          store.folder.resolve("signalbox-keys").resolve(name),
          rewritten.folder.resolve("signalbox-keys").resolve(name));
    }
    Path apart = folder.resolve("apart");
    Files.move(rewritten.folder.resolve("signalbox-keys"), apart);
    try (Signalbox box = rewritten.open(rewritten.url(), Keyring.at(apart))) {
      rewritten.begin(box, "a lie");
      rewritten.goOn(box, "a lie");
    }
    Files.move(apart, rewritten.folder.resolve("signalbox-keys"));
  }

  /** What is done to the tables. */
  private interface Forgery {
    void forge(Connection tables, Forger forger) throws Exception;
  }

  private record Case(String name, String code, Forgery forgery) {}

  private static Case named(String name, String code, Forgery forgery) {
    return new Case(name, code, forgery);
  }

  private static final String LIE =
      "update entry set body = cast(replace(cast(body as text), 'the truth of o-2', 'a lie of o-2')"
          + " as blob) where instance = (select number from instance where id = 'o-2')";

  private static List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    cases.add(named("a text changed", "hash-mismatch", (t, _) -> update(t, LIE)));
    cases.add(
        named(
            "a text changed and all made to fit",
            "root-mismatch",
            (t, f) -> {
              update(t, LIE);
              f.fit(t);
            }));
    cases.add(
        named(
            "a text changed, all made to fit, and no checkpoints left",
            "signature-bad",
            (t, f) -> {
              update(t, LIE);
              f.fit(t);
              update(t, "delete from checkpoint");
            }));
    cases.add(
        named(
            "a text changed, all made to fit, and the checkpoints signed by another",
            "signer-unknown",
            (t, f) -> {
              update(t, LIE);
              f.fit(t);
              update(t, "delete from checkpoint");
              checkpoint(t, f);
            }));
    cases.add(
        named(
            "the last group cut off",
            "cut-off",
            (t, _) -> {
              update(t, "delete from entry where position = (select max(position) from entry)");
              update(
                  t,
                  "delete from commit_group where number = (select max(number) from commit_group)");
            }));
    cases.add(
        named(
            "the last group and the checkpoints over it cut off",
            "head-mismatch",
            (t, _) -> {
              update(
                  t, "delete from checkpoint where number = (select max(number) from checkpoint)");
              update(t, "delete from entry where position = (select max(position) from entry)");
              update(
                  t,
                  "delete from commit_group where number = (select max(number) from commit_group)");
            }));
    cases.add(
        named(
            "a group in the middle dropped",
            "group-missing",
            (t, _) -> update(t, "delete from commit_group where number = 5")));
    cases.add(
        named(
            "a group renumbered",
            "group-missing",
            (t, _) -> update(t, "update commit_group set number = 900 where number = 5")));
    cases.add(
        named(
            "a group's root changed",
            "root-mismatch",
            (t, _) -> update(t, "update commit_group set root = zeroblob(32) where number = 5")));
    cases.add(
        named(
            "an entry added behind the last signature",
            "tail-unsigned",
            (t, f) -> {
              long[] last =
                  longs(t, "select max(number), max(first + count) from commit_group").getFirst();
              append(t, last[1]);
              update(
                  t,
                  "insert into commit_group values (?, ?, 1, 0, zeroblob(32))",
                  last[0] + 1,
                  last[1]);
              f.fit(t);
            }));
    cases.add(
        named(
            "an entry put where no group has it",
            "entry-misplaced",
            (t, _) -> append(t, 5_000_000)));
    cases.add(
        named(
            "a history that passes over an entry",
            "entry-misplaced",
            (t, _) ->
                update(
                    t,
                    "update entry set previous = (select p.previous from entry p where p.position ="
                        + " entry.previous) where chain = 0 and sequence = 3 and instance = (select"
                        + " number from instance where id = 'o-1')")));
    cases.add(
        named(
            "an instance that leads to another's entry",
            "entry-misplaced",
            (t, _) ->
                update(
                    t,
                    "update instance set newest = (select newest from instance where id = 'o-2')"
                        + " where id = 'o-1'")));
    cases.add(
        named(
            "a key taken from its entry",
            "entry-misplaced",
            (t, _) -> update(t, "update entry set key = null where key = 'start-o-1'")));
    cases.add(
        named(
            "a key given to another entry",
            "entry-misplaced",
            (t, _) -> update(t, "update entry set key = 'start-o-9' where key = 'start-o-1'")));
    cases.add(
        named(
            "an entry's row renumbered",
            "entry-misplaced",
            (t, _) ->
                update(
                    t,
                    "update entry set sequence = 9 where chain = 0 and sequence = 3 and instance ="
                        + " (select number from instance where id = 'o-1')")));
    cases.add(
        named(
            "an entry given to another instance",
            "entry-misplaced",
            (t, _) ->
                update(
                    t,
                    "update entry set instance = (select number from instance where id = 'o-2')"
                        + " where chain = 0 and sequence = 3 and instance = (select number from"
                        + " instance where id = 'o-1')")));
    cases.add(
        named(
            "an instance's row dropped",
            "instance-missing",
            (t, _) -> update(t, "delete from instance where id = 'o-1'")));
    cases.add(
        named(
            "an instance's row renamed",
            "instance-missing",
            (t, _) -> update(t, "update instance set id = 'o-8' where id = 'o-1'")));
    cases.add(
        named(
            "an instance's row set back",
            "head-mismatch",
            (t, _) -> {
              update(t, "delete from late");
              update(t, "update instance set sequence = 1, head = zeroblob(32) where id = 'o-1'");
            }));
    cases.add(
        named(
            "an instance's row said to have ended",
            "row-differs",
            (t, _) -> update(t, "update instance set status = 3 where id = 'o-1'")));
    cases.add(
        named(
            "an ended instance's row said to live",
            "row-differs",
            (t, _) -> update(t, "update instance set status = 0 where id = 'o-4'")));
    cases.add(
        named(
            "a machine that nobody published",
            "machine-unsigned",
            (t, _) ->
                update(
                    t,
                    "insert into machine (name, version, digest, definition, at) select 'idle', 2,"
                        + " digest, definition, at from machine where name = 'idle'")));
    cases.add(
        named(
            "a machine dropped",
            "machine-missing",
            (t, _) -> update(t, "delete from machine where name = 'idle'")));
    cases.add(
        named(
            "a machine's digest changed",
            "machine-changed",
            (t, _) -> update(t, "update machine set digest = '00' where name = 'idle'")));
    cases.add(
        named(
            "a checkpoint dropped",
            "checkpoint-missing",
            (t, _) -> update(t, "delete from checkpoint where number = 2")));
    cases.add(
        named(
            "the last checkpoint dropped",
            "tail-unsigned",
            (t, _) ->
                update(
                    t,
                    "delete from checkpoint where number = (select max(number) from checkpoint)")));
    cases.add(
        named(
            "a checkpoint's text changed",
            "signature-bad",
            (t, _) ->
                update(
                    t,
                    "update checkpoint set body = cast(replace(cast(body as text), '\"at\":1',"
                        + " '\"at\":2') as blob) where number = 2")));
    cases.add(named("a checkpoint of a stranger's", "signer-unknown", (t, f) -> checkpoint(t, f)));
    cases.add(
        named(
            "a checkpoint of another store with the same key",
            "root-mismatch",
            (t, _) -> moved(t, rewritten, "select body from checkpoint order by number limit 1")));
    cases.add(
        named(
            "an instance wiped by a false tombstone",
            "tombstone-unproved",
            (t, _) -> wipe(t, "0".repeat(64))));
    cases.add(
        named(
            "an instance wiped by a tombstone that names another's archive",
            "archive-differs",
            (t, _) -> wipe(t, file(t))));
    cases.add(
        named(
            "a tombstone that names another file",
            "tombstone-differs",
            (t, _) -> update(t, "update tombstone set file = ? where id = 'o-3'", "1".repeat(64))));
    cases.add(
        named(
            "a tombstone of another id",
            "archive-differs",
            (t, _) -> update(t, "update tombstone set id = 'o-77' where id = 'o-3'")));
    cases.add(
        named(
            "a tombstone dropped",
            "tombstone-missing",
            (t, _) -> update(t, "delete from tombstone where id = 'o-3'")));
    cases.add(
        named(
            "a tombstone of somebody who lives",
            "tombstone-differs",
            (t, _) ->
                update(
                    t,
                    "insert into tombstone select number, id, machine, sequence, head, refusals,"
                        + " refusal_head, at, ? from instance where id = 'o-2'",
                    file(t))));
    return cases;
  }

  private static String file(Connection tables) throws Exception {
    try (var statement = tables.createStatement();
        var rows = statement.executeQuery("select file from tombstone where id = 'o-3'")) {
      assertThat(rows.next()).isTrue();
      return rows.getString(1);
    }
  }

  /** One more step of o-1, which nobody asked for. */
  private static void append(Connection tables, long position) throws Exception {
    update(
        tables,
        "insert into entry select ?, newest, number, 0, sequence + 1, null, zeroblob(32),"
            + " cast('{\"instance\":\"o-1\",\"kind\":\"event\",\"sequence\":' || (sequence + 1) ||"
            + " '}' as blob) from instance where id = 'o-1'",
        position);
  }

  private static void wipe(Connection tables, String file) throws Exception {
    update(
        tables,
        "insert into tombstone select number, id, machine, sequence, head, refusals, refusal_head,"
            + " at, ? from instance where id = 'o-2'",
        file);
    update(
        tables,
        "update entry set body = zeroblob(0), key = null where instance = (select number from"
            + " instance where id = 'o-2')");
    update(
        tables, "delete from late where instance = (select number from instance where id = 'o-2')");
    update(tables, "delete from instance where id = 'o-2'");
  }

  /** A checkpoint over where the store ends, with the forger's signature. */
  private static void checkpoint(Connection tables, Forger forger) throws Exception {
    try (var statement = tables.createStatement();
        var rows =
            statement.executeQuery(
                "select number, root from commit_group order by number desc limit 1")) {
      assertThat(rows.next()).isTrue();
      Map<String, Object> body = new TreeMap<>();
      body.put("at", 1L);
      body.put("kind", "store");
      body.put(
          "heads",
          List.of(
              Map.of(
                  "group", rows.getLong(1),
                  "root", java.util.HexFormat.of().formatHex(rows.getBytes(2)),
                  "writer", 1L)));
      update(
          tables,
          "insert into checkpoint (body) values (?)",
          CanonicalJson.bytes(forger.signed(body)));
    }
  }

  private static void moved(Connection tables, RecordedStore from, String sql) throws Exception {
    try (Connection other = DriverManager.getConnection(from.url());
        var statement = other.createStatement();
        var rows = statement.executeQuery(sql)) {
      assertThat(rows.next()).isTrue();
      update(tables, "insert into checkpoint (body) values (?)", rows.getBytes(1));
    }
  }

  @TestFactory
  Stream<DynamicTest> each_is_found_and_named() {
    return cases().stream().map(each -> DynamicTest.dynamicTest(each.name, () -> found(each)));
  }

  private static void found(Case each) throws Exception {
    RecordedStore copy = store.copy(Files.createTempDirectory(folder, "forged"));
    try (Connection tables = DriverManager.getConnection(copy.url())) {
      each.forgery.forge(tables, new Forger());
    }
    RecordedStore.Answer answer = verified(copy);
    assertThat(answer.code()).as(answer.out()).isEqualTo(1);
    assertThat(answer.codes()).as(answer.out()).contains(each.code);
    assertThat(Outsider.store(copy.url(), Set.of(key), copy.archives(), List.of()))
        .as("the outsider on: " + each.name)
        .isNotEmpty();
  }

  private static RecordedStore.Answer verified(RecordedStore of, String... more) {
    List<String> words =
        new ArrayList<>(List.of("verify", "--db", of.url(), "--public-key", key, "--json"));
    words.addAll(List.of(more));
    return RecordedStore.run(words.toArray(String[]::new));
  }

  @Test
  void the_true_one_passes() throws Exception {
    RecordedStore.Answer answer = verified(store, "--checkpoints", store.published().toString());
    assertThat(answer.code()).as(answer.out()).isZero();
    assertThat(answer.field("signed")).isEqualTo("named");
    assertThat(
            Outsider.store(store.url(), Set.of(key), store.archives(), List.of(store.published())))
        .isEmpty();
  }

  @Test
  void what_its_owner_wrote_anew_with_the_true_key_is_found_through_what_was_published()
      throws Exception {
    RecordedStore.Answer alone = verified(rewritten);
    assertThat(alone.code()).as("signed by the true key: " + alone.out()).isZero();
    RecordedStore.Answer answer =
        verified(rewritten, "--checkpoints", store.published().toString());
    assertThat(answer.code()).isEqualTo(1);
    assertThat(answer.codes()).contains("root-mismatch");
    assertThat(answer.out()).contains("published");
    assertThat(
            Outsider.store(
                rewritten.url(), Set.of(key), rewritten.archives(), List.of(store.published())))
        .isNotEmpty();
  }

  @Test
  void an_older_copy_is_found_through_what_was_published_since() throws Exception {
    assertThat(verified(older).code()).isZero();
    RecordedStore.Answer answer = verified(older, "--checkpoints", store.published().toString());
    assertThat(answer.codes()).contains("cut-off");
    assertThat(
            Outsider.store(older.url(), Set.of(key), older.archives(), List.of(store.published())))
        .isNotEmpty();
  }

  @Test
  void a_key_that_was_replaced_signs_nothing_any_more() throws Exception {
    RecordedStore copy = store.copy(folder.resolve("rotated"));
    Path old = folder.resolve("old.key");
    Files.copy(copy.folder.resolve("signalbox-keys/signing.key"), old);
    assertThat(RecordedStore.run("key", "rotate", "--db", copy.url()).code()).isZero();
    assertThat(copy.fingerprint()).isNotEqualTo(key);
    try (Signalbox box = copy.open()) {
      RecordedStore.send(box, "o-1", "write", Map.of("text", "with the new key"));
    }
    assertThat(verified(copy).code()).as(verified(copy).out()).isZero();
    // Whoever stole the old key goes on with it.
    Files.copy(
        old,
        copy.folder.resolve("signalbox-keys/signing.key"),
        StandardCopyOption.REPLACE_EXISTING);
    try (Signalbox box = copy.open()) {
      RecordedStore.send(box, "o-1", "write", Map.of("text", "with the stolen key"));
    }
    RecordedStore.Answer answer = verified(copy);
    assertThat(answer.codes()).as(answer.out()).contains("key-retired");
    assertThat(Outsider.store(copy.url(), Set.of(key), copy.archives(), List.of())).isNotEmpty();
  }

  @Test
  void without_a_named_key_the_answer_says_who_signed_and_that_nobody_named_them() {
    RecordedStore.Answer answer = RecordedStore.run("verify", "--db", store.url(), "--json");
    assertThat(answer.field("signed")).isEqualTo("unnamed");
    assertThat(RecordedStore.run("verify", "--db", store.url()).out())
        .contains("signed by key " + key + ", which you did not name");
    assertThat(
            RecordedStore.run(
                    "verify", "--db", store.url(), "--public-key", "0".repeat(32), "--json")
                .codes())
        .contains("signature-bad", "signer-unknown");
    assertThat(
            RecordedStore.run(
                    "verify",
                    "--db",
                    store.url(),
                    "--public-key",
                    store.folder.resolve("signalbox-keys/signing.key").toString())
                .code())
        .isZero();
  }

  @Test
  void what_comes_after_the_last_signature_is_named_as_unsigned() throws Exception {
    RecordedStore running = store.copy(folder.resolve("running"));
    RecordedStore copy;
    try (Signalbox box = running.open()) {
      RecordedStore.send(box, "o-1", "write", Map.of("text", "unsigned"));
      // As a crash leaves it.
      copy = running.copy(folder.resolve("tail"));
    }
    RecordedStore.Answer answer = verified(copy);
    assertThat(answer.codes()).containsExactly("tail-unsigned");
    RecordedStore.Answer open = verified(copy, "--open-end");
    assertThat(open.code()).as(open.out()).isZero();
    assertThat(open.field("signed")).isEqualTo("partly");
    assertThat(open.field("unsigned_entries")).isEqualTo(1L);
    assertThat(RecordedStore.run("verify", "--db", copy.url()).out())
        .contains("unsigned: 1 entries in the 1 groups after the last signature");
    // Whoever has the key opens and closes it, and signs that.
    copy.open().close();
    assertThat(verified(copy).code()).isZero();
  }

  @Test
  void an_export_leaves_no_key_behind_and_is_signed_by_the_store_s_own() throws Exception {
    Path out = Files.createDirectories(folder.resolve("out")).resolve("all.jsonl");
    RecordedStore.Answer answer =
        RecordedStore.run("export", "--db", store.url(), "-o", out.toString(), "--json");
    assertThat(answer.field("fingerprint")).isEqualTo(key);
    try (Stream<Path> files = Files.list(folder.resolve("out"))) {
      assertThat(files).containsExactly(out);
    }
    assertThat(Files.readString(store.archives().resolve("one.jsonl"), StandardCharsets.UTF_8))
        .contains(String.valueOf(answer.field("public_key")));
  }
}
