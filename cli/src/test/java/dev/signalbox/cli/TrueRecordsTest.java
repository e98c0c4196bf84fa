package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.checkpoint.CheckpointPublisher;
import dev.signalbox.services.checkpoint.GitRepository;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is true passes, by the verifier that ships and by the {@link Outsider}. */
class TrueRecordsTest {
  @TempDir Path folder;

  private static void passes(RecordedStore store, String url, String key) throws Exception {
    List<Path> published = List.of(store.published());
    List<String> words =
        new ArrayList<>(
            List.of(
                "verify",
                "--db",
                url,
                "--public-key",
                key,
                "--archives",
                store.archives().toString(),
                "--checkpoints",
                store.published().toString(),
                "--json"));
    RecordedStore.Answer answer = RecordedStore.run(words.toArray(String[]::new));
    assertThat(answer.code()).as(answer.out()).isZero();
    assertThat(answer.field("signed")).isEqualTo("named");
    assertThat(Outsider.store(url, Set.of(key), store.archives(), published)).isEmpty();
    RecordedStore.Answer exported =
        RecordedStore.run(
            "export",
            "--db",
            url,
            "--keys",
            store.folder.resolve("signalbox-keys").toString(),
            "-o",
            store.export().toString());
    assertThat(exported.code()).as(exported.out()).isZero();
    RecordedStore.Answer file =
        RecordedStore.run("verify", store.export().toString(), "--public-key", key, "--json");
    assertThat(file.code()).as(file.out()).isZero();
    assertThat(Outsider.export(store.lines(), Set.of(key), store.archives(), published)).isEmpty();
  }

  private static RecordedStore begun(Path at, @Nullable String url) throws Exception {
    RecordedStore store = new RecordedStore(at);
    Files.createDirectories(at);
    try (Signalbox box = store.open(url == null ? store.url() : url, store.keyring())) {
      store.begin(box, "the truth");
    }
    return store;
  }

  @Test
  void a_store_and_its_export_after_an_erasure() throws Exception {
    RecordedStore store = begun(folder.resolve("one"), null);
    passes(store, store.url(), store.fingerprint());
  }

  @Test
  void after_instances_were_archived() throws Exception {
    RecordedStore store = RecordedStore.made(folder.resolve("one"), "the truth");
    passes(store, store.url(), store.fingerprint());
  }

  @Test
  void after_an_archived_id_was_given_away_again_and_archived_again() throws Exception {
    RecordedStore store = RecordedStore.made(folder.resolve("one"), "the truth");
    try (Signalbox box = store.open()) {
      RecordedStore.accepted(
          box.submit(new Command.Start("order", "o-3", Map.of(), RecordedStore.ANN, null)));
      RecordedStore.send(box, "o-3", "finish", null);
      var _ =
          box.archive(
              store.archives().resolve("two.jsonl"), Long.MAX_VALUE, 100, RecordedStore.ANN);
    }
    passes(store, store.url(), store.fingerprint());
  }

  @Test
  void after_a_migration() throws Exception {
    RecordedStore store = begun(folder.resolve("one"), null);
    try (Signalbox box = store.open()) {
      box.publish(
          MachineReader.read(
              new Source("order.yaml", RecordedStore.ORDER.replace("version: 1", "version: 2"))));
      RecordedStore.accepted(
          box.submit(new Command.Migrate("o-1", 2, Map.of(), RecordedStore.ANN, null)));
    }
    passes(store, store.url(), store.fingerprint());
  }

  @Test
  void after_another_key_took_the_place_of_the_first_whichever_is_named() throws Exception {
    RecordedStore store = RecordedStore.made(folder.resolve("one"), "the truth");
    String before = store.fingerprint();
    assertThat(RecordedStore.run("key", "rotate", "--db", store.url()).code()).isZero();
    try (Signalbox box = store.open()) {
      RecordedStore.send(box, "o-1", "write", Map.of("text", "with the new key"));
    }
    assertThat(store.fingerprint()).isNotEqualTo(before);
    passes(store, store.url(), before);
    passes(store, store.url(), store.fingerprint());
  }

  @Test
  void after_a_crash_once_it_was_opened_again() throws Exception {
    RecordedStore running = begun(folder.resolve("one"), null);
    RecordedStore crashed;
    try (Signalbox box = running.open()) {
      RecordedStore.send(box, "o-1", "write", Map.of("text", "before the crash"));
      crashed = running.copy(folder.resolve("crashed"));
    }
    crashed.open().close();
    passes(crashed, crashed.url(), crashed.fingerprint());
  }

  @Test
  void an_archive_by_itself() throws Exception {
    RecordedStore store = RecordedStore.made(folder.resolve("one"), "the truth");
    Path archive = store.archives().resolve("one.jsonl");
    String key = store.fingerprint();
    assertThat(RecordedStore.run("verify", archive.toString(), "--public-key", key).code())
        .isZero();
    assertThat(Outsider.export(Files.readAllLines(archive), Set.of(key), null, List.of()))
        .isEmpty();
  }

  @Test
  void a_database_that_two_nodes_write_with_archives_and_another_key() throws Exception {
    try (EmbeddedPostgres postgres =
        EmbeddedPostgres.builder()
            .setServerConfig("fsync", "on")
            .setServerConfig("synchronous_commit", "on")
            .start()) {
      String url = postgres.getJdbcUrl("postgres", "postgres");
      RecordedStore store = begun(folder.resolve("shared"), url);
      try (Signalbox one = store.open(url, store.keyring());
          Signalbox two = store.open(url, store.keyring())) {
        store.goOn(one, "the truth");
        RecordedStore.send(two, "o-1", "write", Map.of("text", "by the other node"));
      }
      passes(store, url, store.fingerprint());
      String before = store.fingerprint();
      assertThat(
              RecordedStore.run(
                      "key",
                      "rotate",
                      "--db",
                      url,
                      "--keys",
                      store.folder.resolve("signalbox-keys").toString())
                  .code())
          .isZero();
      try (Signalbox box = store.open(url, store.keyring())) {
        RecordedStore.send(box, "o-1", "write", Map.of("text", "with the new key"));
      }
      passes(store, url, before);
      passes(store, url, store.fingerprint());
    }
  }

  @Test
  void what_is_published_to_a_git_repository_fits_and_is_caught_up() throws Exception {
    RecordedStore store = begun(folder.resolve("one"), null);
    Path repository = Files.createDirectories(folder.resolve("repository"));
    assertThat(new ProcessBuilder("git", "init", "-q", repository.toString()).start().waitFor())
        .isZero();
    try (CheckpointPublisher publisher =
            new CheckpointPublisher(List.of(new GitRepository(repository)));
        Signalbox box = store.open()) {
      publisher.follow(box);
      RecordedStore.send(box, "o-1", "write", Map.of("text", "published"));
    }
    Path file = repository.resolve("checkpoints.jsonl");
    assertThat(Files.readAllLines(file)).isEqualTo(Files.readAllLines(store.published()));
    assertThat(
            RecordedStore.run(
                    "verify",
                    "--db",
                    store.url(),
                    "--public-key",
                    store.fingerprint(),
                    "--checkpoints",
                    file.toString())
                .code())
        .isZero();
  }
}
