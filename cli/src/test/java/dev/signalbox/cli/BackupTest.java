package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.postgres.PostgresCopy;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups are whole, are made beside a server, and repeat nothing that must not be. */
class BackupTest {
  private static final String GUEST =
      """
      machine: guest
      context:
        name: { type: string, default: "", personal: true }
      states:
        IN: { waits: the guest, on: { sign: { assign: { name: event.name } }, leave: OUT } }
        OUT: { final: true }
      """;

  private static final String ORDER =
      """
      machine: order
      states:
        PAYING:
          entry:
            - perform: { effect: pay, idempotent: false }
            - perform: { effect: mail, idempotent: true }
          waits: the bank
          on:
            pay.succeeded: PAID
            pay.failed: REFUSED
            pay.unknown: UNSURE
            mail.succeeded: {}
            mail.failed: {}
            mail.unknown: {}
        PAID: { final: true }
        REFUSED: { final: true }
        UNSURE: { waits: someone, on: { mail.succeeded: {}, settle: PAID } }
      """;

  private static final Actor ANN = new Actor(Actor.Kind.USER, "ann", List.of());

  @TempDir Path folder;

  private static RecordedStore.Answer run(String... words) {
    RecordedStore.Answer answer = RecordedStore.run(words);
    assertThat(answer.code()).as(answer.out()).isZero();
    return answer;
  }

  /** Lets guests come, sign, leave and be forgotten, until it is told to stop. */
  private static void crowd(Up up, AtomicBoolean stop, CountDownLatch busy) throws Exception {
    for (int i = 0; !stop.get(); i++) {
      String id = "g-" + i;
      ok(up.post("/instances", Map.of("machine", "guest", "id", id)));
      ok(
          up.post(
              "/instances/" + id + "/events",
              Map.of("event", "sign", "data", Map.of("name", "Grace"))));
      if (i % 3 == 0) {
        ok(up.post("/instances/" + id + "/events", Map.of("event", "leave")));
        ok(up.post("/instances/" + id + "/erase", Map.of()));
      }
      busy.countDown();
    }
  }

  private static void ok(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
  }

  @Test
  void a_backup_of_a_busy_server_is_restored_elsewhere_verifies_and_goes_on() throws Exception {
    Path backup = folder.resolve("backup");
    Path here = Files.createDirectories(folder.resolve("here"));
    Path there = Files.createDirectories(folder.resolve("there"));
    String original = "jdbc:sqlite:" + here.resolve("data/signalbox.db");
    AtomicBoolean stop = new AtomicBoolean();
    AtomicReference<Throwable> fault = new AtomicReference<>();
    try (Up up = Up.in(here)) {
      up.publish(GUEST);
      CountDownLatch busy = new CountDownLatch(20);
      Thread crowd =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  crowd(up, stop, busy);
                } catch (Throwable e) {
                  fault.set(e);
                  while (busy.getCount() > 0) {
                    busy.countDown();
                  }
                }
              });
      assertThat(busy.await(2, TimeUnit.MINUTES)).isTrue();
      run("backup", backup.toString(), "--db", original);
      stop.set(true);
      crowd.join();
      assertThat(fault.get()).isNull();
      up.kill();
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(backup)))
        .isEqualTo("rwx------");
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(backup.resolve("signalbox.db"))))
        .isEqualTo("rw-------");
    assertThat(backup.resolve("signalbox-keys")).doesNotExist();

    String copy = "jdbc:sqlite:" + there.resolve("data/signalbox.db");
    RecordedStore.Answer without = RecordedStore.run("restore", backup.toString(), "--db", copy);
    assertThat(without.code()).isEqualTo(1);
    assertThat(without.out()).contains("Give --keys FOLDER");
    assertThat(there.resolve("data/signalbox.db")).doesNotExist();

    RecordedStore.Answer restored =
        run(
            "restore",
            backup.toString(),
            "--db",
            copy,
            "--keys",
            here.resolve("data/signalbox-keys").toString(),
            "--json");
    assertThat(restored.field("sound")).isEqualTo(true);
    try (Up up = Up.in(there)) {
      ok(up.post("/instances/g-1/events", Map.of("event", "leave")));
      assertThat(up.get("/instances/g-1").body()).contains("OUT", "Grace");
      assertThat(up.end()).isZero();
    }
    assertThat(RecordedStore.run("verify", "--db", copy).code()).isZero();
    // What is there is never replaced.
    assertThat(RecordedStore.run("restore", backup.toString(), "--db", copy).out())
        .contains("Expected no store at");
  }

  @Test
  void a_backup_that_was_cut_off_or_changed_is_not_restored() throws Exception {
    RecordedStore store = RecordedStore.made(folder.resolve("one"), "the truth");
    Path backup = folder.resolve("backup");
    Path runs = folder.resolve("one/runs/RUN-1");
    Files.createDirectories(runs.resolve("evidence"));
    Files.writeString(runs.resolve("evidence/ab"), "what a tool said");
    Files.writeString(runs.resolve("RUN_STATE.json"), "{}");
    run("backup", backup.toString(), "--db", store.url(), "--with-keys");
    String target = "jdbc:sqlite:" + folder.resolve("two/signalbox.db");

    byte[] manifest = Files.readAllBytes(backup.resolve("backup.json"));
    Files.delete(backup.resolve("backup.json"));
    assertThat(RecordedStore.run("restore", backup.toString(), "--db", target).out())
        .contains("which is written last");
    Files.write(backup.resolve("backup.json"), manifest);

    byte[] keys = Files.readAllBytes(backup.resolve("signalbox.db.keys"));
    Files.write(
        backup.resolve("signalbox.db.keys"), java.util.Arrays.copyOf(keys, keys.length - 1));
    assertThat(RecordedStore.run("restore", backup.toString(), "--db", target).out())
        .contains("is gone or was changed");
    Files.write(backup.resolve("signalbox.db.keys"), keys);

    // With its archives and keys it needs nothing else.
    run("restore", backup.toString(), "--db", target);
    run("verify", "--db", target, "--public-key", store.fingerprint());
    assertThat(folder.resolve("two/runs/RUN-1/evidence/ab")).hasContent("what a tool said");
    assertThat(folder.resolve("two/runs/RUN-1/RUN_STATE.json")).doesNotExist();
  }

  private static void publish(Signalbox box) {
    box.publish(MachineReader.read(new Source("order.yaml", ORDER)));
    assertThat(box.submit(new Command.Start("order", "o-1", Map.of(), ANN, null)))
        .isInstanceOf(dev.signalbox.runtime.Reply.Accepted.class);
  }

  /** Opens a store with handlers that note what they do, and waits until nothing is left. */
  private static String goOn(String url, Keyring keys, Queue<String> done) {
    try (Signalbox box = Signalbox.open(url, Settings.DEFAULT, InstantSource.system(), keys)) {
      for (String name : List.of("pay", "mail")) {
        box.handle(
            name,
            call -> {
              done.add(name + " " + call.key());
              return new Outcome.Succeeded(null);
            });
      }
      for (int i = 0; i < 6_000 && !hasGoneOn(box, done); i++) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
      }
      assertThat(box.rest(Duration.ofMinutes(1))).isTrue();
      return states(box);
    }
  }

  private static boolean hasGoneOn(Signalbox box, Queue<String> done) {
    return !states(box).equals("PAYING") && done.stream().anyMatch(it -> it.startsWith("mail"));
  }

  private static String states(Signalbox box) {
    return String.join(",", Objects.requireNonNull(box.find("o-1")).states());
  }

  @Test
  void what_the_original_did_after_the_backup_is_unknown_or_repeated_with_its_key()
      throws Exception {
    Path file = folder.resolve("one/signalbox.db");
    String url = "jdbc:sqlite:" + file;
    Keyring keys = Keyring.at(folder.resolve("one/signalbox-keys"));
    Path backup = folder.resolve("backup");
    try (Signalbox box = Signalbox.open(url, Settings.DEFAULT, InstantSource.system(), keys)) {
      publish(box);
      RecordedStore.Answer answer =
          run("backup", backup.toString(), "--db", url, "--with-keys", "--json");
      assertThat(answer.field("effects_unknown")).isEqualTo(1L);
      assertThat(answer.field("effects_repeated")).isEqualTo(1L);
    }
    Queue<String> done = new ConcurrentLinkedQueue<>();
    assertThat(goOn(url, keys, done)).isEqualTo("PAID");
    assertThat(done).hasSize(2);

    String copy = "jdbc:sqlite:" + folder.resolve("two/signalbox.db");
    run("restore", backup.toString(), "--db", copy);
    Queue<String> again = new ConcurrentLinkedQueue<>();
    assertThat(goOn(copy, Keyring.at(folder.resolve("two/signalbox-keys")), again))
        .isEqualTo("UNSURE");
    assertThat(again)
        .containsExactlyElementsOf(done.stream().filter(it -> it.startsWith("mail")).toList());
    run("verify", "--db", copy);
  }

  @Test
  void on_postgresql_the_same_is_said_after_pg_restore_and_not_while_a_node_is_up()
      throws Exception {
    try (EmbeddedPostgres postgres =
        EmbeddedPostgres.builder()
            .setServerConfig("fsync", "on")
            .setServerConfig("synchronous_commit", "on")
            .start()) {
      String url = postgres.getJdbcUrl("postgres", "postgres");
      Keyring keys = Keyring.at(folder.resolve("keys"));
      try (Signalbox box = Signalbox.open(url, Settings.DEFAULT, InstantSource.system(), keys)) {
        publish(box);
        RecordedStore.Answer refused = RecordedStore.run("restore", "--db", url);
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.out()).contains("Stop every node first");
      }
      assertThat(PostgresCopy.settle(url)).isEqualTo(new PostgresCopy(1, 1));
      Queue<String> done = new ConcurrentLinkedQueue<>();
      assertThat(goOn(url, keys, done)).isEqualTo("UNSURE");
      assertThat(done).singleElement().asString().startsWith("mail");
      assertThat(RecordedStore.run("backup", folder.resolve("b").toString(), "--db", url).out())
          .contains("pg_dump");
    }
  }
}
