package dev.signalbox.cli;

import static dev.signalbox.cli.Forger.change;
import static dev.signalbox.cli.Forger.dropAll;
import static dev.signalbox.cli.Forger.entry;
import static dev.signalbox.cli.Forger.first;
import static dev.signalbox.cli.Forger.index;
import static dev.signalbox.cli.Forger.last;
import static dev.signalbox.cli.Forger.parsed;
import static dev.signalbox.cli.Forger.part;
import static dev.signalbox.cli.Forger.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.runtime.Signalbox;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever somebody without the key does to an export, with all hashes made to fit again, is found
 * and named, by the verifier that ships and by an {@link Outsider}.
 */
class ForgedExportsTest {
  @TempDir static Path folder;

  private static RecordedStore store;
  private static RecordedStore older;
  private static List<String> truth;
  private static String key;

  @BeforeAll
  static void a_store_and_an_older_copy_of_it() throws Exception {
    RecordedStore first = new RecordedStore(folder.resolve("older"));
    Files.createDirectories(first.folder);
    try (Signalbox box = first.open()) {
      first.begin(box, "the truth");
    }
    first.exported();
    older = first;
    store = first.copy(folder.resolve("newer"));
    try (Signalbox box = store.open()) {
      store.goOn(box, "the truth");
    }
    store.exported();
    truth = store.lines();
    key = store.fingerprint();
  }

  /** What is done to the lines. */
  private interface Forgery {
    void forge(List<String> lines, Forger forger) throws Exception;
  }

  private record Case(String name, String code, Forgery forgery) {}

  private static Case named(String name, String code, Forgery forgery) {
    return new Case(name, code, forgery);
  }

  /** Renames, everywhere in the bodies. */
  private static void replace(List<String> lines, String from, String to) {
    lines.replaceAll(
        line -> line.startsWith("{\"stored_checkpoint\"") ? line : line.replace(from, to));
  }

  private static List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    cases.add(named("an entry dropped", "root-mismatch", (l, _) -> l.remove(entry(l, "o-2", 2))));
    cases.add(
        named(
            "an entry dropped and all made to fit",
            "file-changed",
            (l, f) -> {
              l.remove(entry(l, "o-2", 2));
              f.fit(l);
            }));
    cases.add(
        named(
            "a refusal dropped and all made to fit",
            "file-changed",
            (l, f) -> {
              int at = 0;
              while (!l.get(at).contains("\"kind\":\"refusal\"")) {
                at++;
              }
              l.remove(at);
              f.fit(l);
            }));
    cases.add(
        named(
            "a group dropped",
            "group-missing",
            (l, _) -> {
              int group = index(l, "group", 4);
              l.remove(group);
              l.remove(group - 1);
            }));
    cases.add(
        named(
            "the last group dropped and all made to fit",
            "cut-off",
            (l, f) -> {
              int group = last(l, "group");
              l.subList(index(l, "group", groups(l) - 2) + 1, group + 1).clear();
              f.fit(l);
            }));
    cases.add(
        named("cut in the middle", "cut-off", (l, _) -> l.subList(l.size() / 2, l.size()).clear()));
    cases.add(named("the end cut off", "cut-off", (l, _) -> l.removeLast()));
    cases.add(
        named(
            "an entry inserted and all made to fit",
            "file-changed",
            (l, f) -> {
              int at = entry(l, "o-1", 2);
              l.add(at + 1, l.get(at));
              f.fit(l);
            }));
    cases.add(
        named(
            "a group inserted and all made to fit",
            "tail-unsigned",
            (l, f) -> {
              int at = last(l, "group");
              Map<String, Object> group = part(parsed(l.get(at)), "group");
              group.put("previous", group.get("number"));
              group.put("number", (Long) Objects.requireNonNull(group.get("number")) + 1);
              l.add(at + 1, l.get(entry(l, "o-1", 2)));
              l.add(at + 2, text(Map.of("group", group)));
              f.fit(l);
            }));
    cases.add(
        named(
            "a group duplicated",
            "group-missing",
            (l, _) -> {
              int at = index(l, "group", 3);
              l.add(at + 1, l.get(at));
              l.add(at + 1, l.get(at - 1));
            }));
    cases.add(
        named(
            "two groups swapped",
            "group-missing",
            (l, _) -> {
              int one = index(l, "group", 3);
              String group = l.get(one);
              int two = index(l, "group", 4);
              l.set(one, l.get(two));
              l.set(two, group);
            }));
    cases.add(
        named(
            "two entries swapped",
            "root-mismatch",
            (l, _) -> {
              int one = entry(l, "o-1", 2);
              int two = entry(l, "o-2", 2);
              String line = l.get(one);
              l.set(one, l.get(two));
              l.set(two, line);
            }));
    cases.add(
        named(
            "an instance renamed and all made to fit",
            "root-mismatch",
            (l, f) -> {
              replace(l, "\"o-1\"", "\"o-9\"");
              f.fit(l);
            }));
    cases.add(
        named(
            "an actor renamed and all made to fit",
            "root-mismatch",
            (l, f) -> {
              replace(l, "\"name\":\"ann\"", "\"name\":\"bob\"");
              f.fit(l);
            }));
    cases.add(
        named(
            "data changed",
            "hash-mismatch",
            (l, _) -> replace(l, "the truth of o-2", "a lie of o-2")));
    cases.add(
        named(
            "data changed and all made to fit",
            "root-mismatch",
            (l, f) -> {
              replace(l, "the truth of o-2", "a lie of o-2");
              f.fit(l);
            }));
    cases.add(
        named(
            "a time changed and all made to fit",
            "file-changed",
            (l, f) -> {
              change(l, last(l, "body"), e -> part(e, "body").put("at", 4_102_444_800_000L));
              f.fit(l);
            }));
    cases.add(
        named(
            "names changed, checkpoints dropped, the last group renumbered",
            "tail-unsigned",
            (l, f) -> {
              replace(l, "\"name\":\"ann\"", "\"name\":\"bob\"");
              dropAll(l, "stored_checkpoint");
              change(
                  l,
                  last(l, "group"),
                  g -> part(g, "group").merge("number", 1L, (a, b) -> (Long) a + (Long) b));
              f.fit(l);
            }));
    cases.add(
        named(
            "a group in the middle renumbered",
            "file-changed",
            (l, _) -> {
              change(l, index(l, "group", 2), g -> part(g, "group").put("number", 1_000L));
              change(l, index(l, "group", 3), g -> part(g, "group").put("previous", 1_000L));
            }));
    cases.add(
        named(
            "an entry renumbered",
            "entry-missing",
            (l, _) -> change(l, entry(l, "o-2", 2), e -> part(e, "body").put("sequence", 7L))));
    cases.add(
        named(
            "another writer",
            "tail-unsigned",
            (l, f) -> {
              l.replaceAll(line ->
                  line.startsWith("{\"group\"")
                      ? line.replace("\"writer\":1", "\"writer\":2")
                      : line);
              f.fit(l);
            }));
    cases.add(
        named(
            "the checkpoint dropped", "signature-bad", (l, _) -> l.remove(last(l, "checkpoint"))));
    cases.add(
        named(
            "the store's checkpoints dropped",
            "file-changed",
            (l, _) -> dropAll(l, "stored_checkpoint")));
    cases.add(
        named(
            "one of the store's checkpoints dropped",
            "checkpoint-missing",
            (l, _) -> l.remove(index(l, "stored_checkpoint", 1))));
    cases.add(
        named(
            "a checkpoint moved behind its groups",
            "cut-off",
            (l, _) -> {
              String moved = l.remove(index(l, "stored_checkpoint", 1));
              l.add(last(l, "group") + 1, moved);
            }));
    cases.add(
        named(
            "a checkpoint's root changed",
            "signature-bad",
            (l, _) -> {
              int at = index(l, "stored_checkpoint", 0);
              l.set(at, l.get(at).replaceFirst("\"root\":\"[0-9a-f]{4}", "\"root\":\"0000"));
            }));
    cases.add(
        named(
            "a checkpoint of the forger's inserted",
            "file-changed",
            (l, f) -> {
              Map<String, Object> body = new TreeMap<>();
              body.put("at", 1L);
              body.put("heads", List.of());
              body.put("kind", "store");
              l.add(first(l, "body"), text(Map.of("stored_checkpoint", f.signed(body))));
            }));
    cases.add(
        named(
            "data changed and signed with another key",
            "signature-bad",
            (l, f) -> {
              replace(l, "the truth of o-2", "a lie of o-2");
              dropAll(l, "stored_checkpoint");
              f.fit(l);
              f.sign(l);
            }));
    cases.add(
        named(
            "signed with another key under the true one's name",
            "signature-bad",
            (l, f) -> {
              String head = l.getFirst();
              f.sign(l);
              l.set(0, head);
            }));
    cases.add(
        named(
            "the checkpoint of an older export",
            "file-changed",
            (l, _) ->
                l.set(
                    last(l, "checkpoint"), older.lines().get(last(older.lines(), "checkpoint")))));
    cases.add(
        named(
            "cut at a checkpoint of the store, which is made the end",
            "signature-bad",
            (l, f) -> {
              Map<String, Object> stored =
                  part(parsed(l.get(index(l, "stored_checkpoint", 1))), "stored_checkpoint");
              Map<String, Object> body = part(stored, "body");
              Map<?, ?> head =
                  (Map<?, ?>) ((List<?>) Objects.requireNonNull(body.get("heads"))).getFirst();
              int until = 0;
              while (!l.get(until).startsWith("{\"group\"")
                  || !Objects.equals(
                      part(parsed(l.get(until)), "group").get("number"), head.get("group"))) {
                until++;
              }
              l.subList(until + 1, last(l, "checkpoint")).clear();
              dropAll(l, "stored_checkpoint");
              change(l, 0, h -> h.put("version", 1L));
              l.set(last(l, "checkpoint"), text(Map.of("checkpoint", stored)));
              f.fit(l);
            }));
    cases.add(
        named(
            "called an export of an earlier release",
            "signature-bad",
            (l, _) -> change(l, 0, h -> h.put("version", 1L))));
    cases.add(
        named(
            "another signature",
            "signature-bad",
            (l, _) -> {
              int at = last(l, "checkpoint");
              l.set(at, l.get(at).replaceFirst("\"signature\":\"....", "\"signature\":\"AAAA"));
            }));
    cases.add(
        named(
            "the time of the signature changed",
            "signature-bad",
            (l, _) ->
                change(
                    l,
                    last(l, "checkpoint"),
                    c -> part(part(c, "checkpoint"), "body").put("at", 7L))));
    cases.add(
        named(
            "a machine dropped",
            "file-changed",
            (l, _) ->
                l.removeIf(line -> line.startsWith("{\"machine\"") && line.contains("idle"))));
    cases.add(
        named(
            "a machine inserted",
            "file-changed",
            (l, _) ->
                l.add(
                    first(l, "machine"),
                    l.get(first(l, "machine")).replace("\"version\":1", "\"version\":2"))));
    cases.add(
        named(
            "an instance's line dropped",
            "file-changed",
            (l, f) -> {
              l.remove(last(l, "instance"));
              f.fit(l);
            }));
    cases.add(
        named(
            "an entry's text wiped by a false tombstone",
            "tombstone-unproved",
            (l, f) -> {
              wipe(l, "o-2", "0".repeat(64));
              f.fit(l);
            }));
    cases.add(
        named(
            "an entry's text wiped by a tombstone that names another's archive",
            "archive-differs",
            (l, f) -> {
              Map<String, Object> stone = part(parsed(l.get(first(l, "tombstone"))), "tombstone");
              wipe(l, "o-2", String.valueOf(stone.get("file")));
              f.fit(l);
            }));
    cases.add(
        named(
            "a tombstone that names another file",
            "tombstone-differs",
            (l, _) ->
                change(
                    l,
                    first(l, "tombstone"),
                    t -> part(t, "tombstone").put("file", "1".repeat(64)))));
    cases.add(
        named(
            "a tombstone of another id",
            "archive-differs",
            (l, _) ->
                change(l, first(l, "tombstone"), t -> part(t, "tombstone").put("id", "o-77"))));
    cases.add(
        named(
            "a tombstone dropped", "tombstone-missing", (l, _) -> l.remove(first(l, "tombstone"))));
    cases.add(
        named(
            "an archived entry dropped and all made to fit",
            "file-changed",
            (l, f) -> {
              l.remove(first(l, "archived"));
              f.fit(l);
            }));
    cases.add(named("a line after the end", "line-after-end", (l, _) -> l.add(l.getFirst())));
    cases.add(
        named(
            "an entry after the signature",
            "line-after-end",
            (l, _) -> l.add(last(l, "end"), l.get(entry(l, "o-1", 2)))));
    cases.add(
        named(
            "other counts at the end",
            "cut-off",
            (l, _) -> change(l, last(l, "end"), e -> part(e, "end").put("entries", 1L))));
    cases.add(
        named(
            "a line in another form",
            "line-changed",
            (l, _) -> l.set(first(l, "group"), l.get(first(l, "group")).replace(",", ", "))));
    return cases;
  }

  private static int groups(List<String> lines) {
    return (int) lines.stream().filter(line -> line.startsWith("{\"group\"")).count();
  }

  /** Takes the texts of an instance away, and says that they were archived. */
  private static void wipe(List<String> lines, String id, String file) {
    Map<String, Object> stone = new TreeMap<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (line.startsWith("{\"body\"") && line.contains("\"instance\":\"" + id + "\"")) {
        Map<String, Object> value = parsed(line);
        Map<String, Object> body = part(value, "body");
        boolean refusal = "refusal".equals(body.get("kind"));
        lines.set(
            i,
            text(
                Map.of(
                    "archived",
                    Map.of(
                        "chain",
                        refusal ? "refusals" : "steps",
                        "number",
                        900L,
                        "sequence",
                        Objects.requireNonNull(body.get("sequence"))),
                    "hash",
                    Objects.requireNonNull(value.get("hash")))));
        stone.put(refusal ? "refusal_head" : "head", Objects.requireNonNull(value.get("hash")));
        stone.put(refusal ? "refusals" : "sequence", Objects.requireNonNull(body.get("sequence")));
      }
    }
    stone.putAll(Map.of("at", 1L, "file", file, "id", id, "machine", 1L, "number", 900L));
    lines.removeIf(
        line -> line.startsWith("{\"instance\"") && line.contains("\"id\":\"" + id + "\""));
    lines.add(first(lines, "archived"), text(Map.of("tombstone", stone)));
  }

  @TestFactory
  Stream<DynamicTest> each_is_found_and_named() {
    return cases().stream().map(each -> DynamicTest.dynamicTest(each.name, () -> found(each)));
  }

  private static void found(Case each) throws Exception {
    List<String> lines = new ArrayList<>(truth);
    each.forgery.forge(lines, new Forger());
    assertThat(lines).isNotEqualTo(truth);
    Path file = Files.createTempFile(folder, "forged", ".jsonl");
    Files.write(file, lines);
    RecordedStore.Answer answer =
        RecordedStore.run(
            "verify",
            file.toString(),
            "--public-key",
            key,
            "--archives",
            store.archives().toString(),
            "--json");
    assertThat(answer.code()).as(answer.out()).isEqualTo(1);
    assertThat(answer.codes()).as(answer.out()).contains(each.code);
    assertThat(Outsider.export(lines, Set.of(key), store.archives(), List.of()))
        .as("the outsider on: " + each.name)
        .isNotEmpty();
  }

  @Test
  void the_true_one_passes() throws Exception {
    RecordedStore.Answer answer =
        RecordedStore.run("verify", store.export().toString(), "--public-key", key, "--json");
    assertThat(answer.code()).as(answer.out()).isZero();
    assertThat(answer.field("signed")).isEqualTo("named");
    assertThat(Outsider.export(truth, Set.of(key), store.archives(), List.of())).isEmpty();
  }

  @Test
  void there_are_enough() {
    assertThat(cases()).hasSizeGreaterThanOrEqualTo(45);
  }

  @Test
  void an_older_export_is_found_through_what_was_published_since() throws Exception {
    assertThat(RecordedStore.run("verify", older.export().toString(), "--public-key", key).code())
        .isZero();
    RecordedStore.Answer answer =
        RecordedStore.run(
            "verify",
            older.export().toString(),
            "--public-key",
            key,
            "--checkpoints",
            store.published().toString(),
            "--json");
    assertThat(answer.code()).isEqualTo(1);
    assertThat(answer.codes()).contains("cut-off");
    assertThat(Outsider.export(older.lines(), Set.of(key), null, List.of(store.published())))
        .isNotEmpty();
  }

  @Test
  void an_archive_that_is_gone_or_changed_is_found() throws Exception {
    RecordedStore copy = store.copy(folder.resolve("without"));
    Path archive = copy.archives().resolve("one.jsonl");
    String whole = Files.readString(archive);
    Files.delete(archive);
    assertThat(verified(copy).codes()).contains("archive-missing");
    assertThat(Outsider.export(copy.lines(), Set.of(key), copy.archives(), List.of())).isNotEmpty();
    Files.writeString(archive, whole.replace("the truth", "a lie"));
    assertThat(verified(copy).codes()).contains("archive-missing");
    RecordedStore.Answer counted =
        RecordedStore.run(
            "verify",
            copy.export().toString(),
            "--public-key",
            key,
            "--without-archives",
            "--json");
    assertThat(counted.code()).isZero();
    assertThat((List<?>) counted.field("missing_archives")).hasSize(1);
  }

  private static RecordedStore.Answer verified(RecordedStore of) {
    return RecordedStore.run("verify", of.export().toString(), "--public-key", key, "--json");
  }
}
