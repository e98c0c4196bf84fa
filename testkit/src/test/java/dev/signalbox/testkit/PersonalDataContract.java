package dev.signalbox.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.Tombstone;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Archive;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Erasure;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.RejectedException;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.runtime.SigningKey;
import dev.signalbox.runtime.Verification;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What holds of personal data in every store that has files. */
abstract class PersonalDataContract {
  private static final String NAME = "Zaphod-Beeblebrox-4711";
  private static final Actor CLERK = new Actor(Actor.Kind.USER, "clerk", List.of());

  private static final String MACHINES =
      """
      machine: consult
      context:
        subject: { type: string, default: "" }
      states:
        OPEN: { waits: the doctor, on: { close: DONE } }
        DONE: { final: true, done: { said: ctx.subject } }
      ---
      machine: patient
      context:
        name: { type: string, default: "", personal: true }
        ward: { type: string, default: "", searchable: true }
        answer: { type: any }
      events:
        register: { data: { name: string, ward: string } }
      states:
        NEW:
          waits: the clerk
          on:
            register:
              to: ADMITTED
              assign: { name: event.name, ward: event.ward }
              emit: { record: registered, data: { who: event.name } }
              do:
                - log: event.name
                - perform: { effect: letter, idempotent: true, with: { to: event.name } }
                - send: { event: remind, after: 1h, data: { who: event.name } }
        ADMITTED:
          waits: the clerk
          on:
            letter.succeeded: { assign: { answer: event.to } }
            letter.failed: { }
            remind: { }
            doubt: { when: ctx.name == 'nobody', guard: is-nobody }
            refer: CONSULTING
        CONSULTING:
          invoke: { id: doctor, machine: consult, with: { subject: ctx.name } }
          on: { done.invoke.doctor: LEFT }
        LEFT: { final: true, done: { name: ctx.name } }
      invariants:
        - { name: named, severity: warn, always: "size(ctx.name) < 3" }
      ---
      machine: plain
      states:
        ON: { waits: anyone, on: { stop: OFF } }
        OFF: { final: true }
      """;

  @TempDir Path folder;

  private final BlockingQueue<Object> letters = new LinkedBlockingQueue<>();
  private final Queue<String> logged = new ConcurrentLinkedQueue<>();
  private final Handler listener = new Listener();
  private Signalbox box;

  private final class Listener extends Handler {
    @Override
    public void publish(LogRecord record) {
      logged.add(record.getMessage() + List.of(params(record)) + record.getThrown());
    }

    private static Object[] params(LogRecord record) {
      return record.getParameters() == null ? new Object[0] : record.getParameters();
    }

    @Override
    public void flush() {
      // Nothing is held back.
    }

    @Override
    public void close() {
      // There is nothing to close.
    }
  }

  /** The store's address; the store is empty before the first use. */
  abstract String url() throws Exception;

  /** Where everything is that the store writes. */
  abstract Path files();

  /** Lets the store write to its files what it has in memory. */
  abstract void flush() throws Exception;

  private Keyring keyring() {
    return Keyring.at(folder.resolve("operator"));
  }

  private Signalbox open() throws Exception {
    Signalbox opened = Signalbox.open(url(), Settings.DEFAULT, InstantSource.system(), keyring());
    MachineReader.readAll(new Source("m.yaml", MACHINES), null)
        .forEach(d -> opened.publish(Objects.requireNonNull(d.machine())));
    opened.handle(
        "letter",
        call -> {
          letters.add(Objects.requireNonNull(call.input()));
          return Outcome.succeeded(call.input());
        });
    return opened;
  }

  @BeforeEach
  void opened() throws Exception {
    Logger.getLogger("").addHandler(listener);
    Logger.getLogger("dev.signalbox").setLevel(Level.ALL);
    box = open();
  }

  @AfterEach
  void closed() {
    box.close();
    Logger.getLogger("").removeHandler(listener);
  }

  private void accepted(Reply reply) {
    assertThat(reply).isInstanceOf(Reply.Accepted.class);
  }

  private Instance await(String id, String state) {
    Instance found = box.instance(id);
    while (!found.leaves().contains(state)) {
      Thread.onSpinWait();
      found = box.instance(id);
    }
    return found;
  }

  /** A patient who came, was refused something, saw the doctor and left. */
  private String treated(String id) throws Exception {
    accepted(box.submit(new Command.Start("patient", id, Map.of(), CLERK, "s-" + id)));
    accepted(box.send(id, "register", Map.of("name", NAME, "ward", "W-7")));
    assertThat(letters.take()).isEqualTo(Map.of("to", NAME));
    while (box.instance(id).context().get("answer") == null) {
      Thread.onSpinWait();
    }
    assertThat(box.send(id, "doubt", Map.of("about", NAME))).isInstanceOf(Reply.Rejected.class);
    assertThat(
            box.submit(
                Command.Send.of(id, "nonsense", Map.of("secret", NAME)).by(CLERK).key("n-" + id)))
        .isInstanceOf(Reply.Rejected.class);
    accepted(box.send(id, "refer"));
    String doctor = child(id);
    assertThat(box.instance(doctor).context()).containsEntry("subject", NAME);
    accepted(box.send(doctor, "close"));
    assertThat(await(id, "LEFT").output()).isEqualTo(Map.of("name", NAME));
    while (box.journal().isPending(row(id).number(), id)) {
      Thread.onSpinWait();
    }
    return id;
  }

  private String child(String id) {
    List<Instance> below = box.instances(Query.ALL.below(id));
    while (below.isEmpty()) {
      Thread.onSpinWait();
      below = box.instances(Query.ALL.below(id));
    }
    return below.getFirst().id();
  }

  private InstanceRow row(String id) {
    return Objects.requireNonNull(box.journal().load(id));
  }

  private void assertNowhere(byte[] secret) throws Exception {
    flush();
    String needle = new String(secret, StandardCharsets.ISO_8859_1);
    try (Stream<Path> all = Files.walk(files())) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        String content;
        try {
          content = Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
          // A server's files come and go.
          continue;
        }
        assertThat(content.contains(needle)).as("found in %s", file).isFalse();
      }
    }
  }

  private Path exported(SigningKey key, String name) throws IOException {
    Path file = folder.resolve(name);
    try (OutputStream out = Files.newOutputStream(file)) {
      Audit.export(box.journal(), key, out, _ -> {});
    }
    return file;
  }

  @Test
  void a_personal_value_is_readable_here_and_in_no_file_export_archive_or_log() throws Exception {
    treated("p-1");
    assertThat(box.instance("p-1").context()).containsEntry("name", NAME);
    assertThat(box.instances(Query.ALL.with(Map.of("ward", "W-7")))).hasSize(1);
    assertThat(new String(box.history("p-1", 2, 1).getFirst().body(), StandardCharsets.UTF_8))
        .contains(NAME);
    assertThat(box.at("p-1", 2).context()).containsEntry("name", NAME);
    byte[] secret = NAME.getBytes(StandardCharsets.UTF_8);
    assertNowhere(secret);
    SigningKey key = SigningKey.fresh();
    Path export = exported(key, "all.jsonl");
    assertThat(Files.readString(export)).contains("\"sealed\"").doesNotContain(NAME);
    Path archive = folder.resolve("old.jsonl");
    assertThat(Archive.write(box.journal(), key, archive, Long.MAX_VALUE, 100).instances())
        .isEqualTo(2);
    assertThat(Files.readString(archive)).contains("\"sealed\"").doesNotContain(NAME);
    for (Path file : List.of(export, archive)) {
      Verification without = Audit.verify(file, key.publicText(), _ -> {});
      assertThat(without.findings()).isEmpty();
      assertThat(without.sealed()).isGreaterThan(6);
      Verification with = Audit.verify(file, key.publicText(), box.journal(), keyring(), _ -> {});
      assertThat(with.findings()).isEmpty();
      assertThat(with.sealed()).isZero();
    }
    box.close();
    assertNowhere(secret);
    assertThat(logged.toString()).doesNotContain(NAME);
    box = open();
  }

  @Test
  void what_was_erased_is_gone_and_everything_still_verifies() throws Exception {
    treated("p-1");
    treated("p-2");
    long number = row("p-1").number();
    byte[] wrapped = Objects.requireNonNull(box.journal().key(number));
    Reply.Accepted fork =
        (Reply.Accepted) box.submit(new Command.Fork("p-1", 2, "p-1-again", CLERK, null));
    Erasure erasure = box.erase("p-1", CLERK);
    assertThat(erasure.erased()).hasSize(2).contains("p-1");
    assertThat(erasure.clear()).isEmpty();
    assertThat(erasure.forks()).containsExactly(fork.receipt().instance());
    assertThat(box.instance("p-1").status()).isEqualTo("erased");
    assertThat(box.instance("p-1").leaves()).containsExactly("LEFT");
    assertThat(box.instance("p-1").context()).isEmpty();
    assertThat(box.instance("p-1").output()).isNull();
    assertThat(box.instances(Query.ALL.with(Map.of("ward", "W-7"))))
        .extracting(Instance::id)
        .containsExactlyInAnyOrder("p-2", "p-1-again");
    assertThatThrownBy(() -> box.at("p-1", 2))
        .isInstanceOfSatisfying(
            RejectedException.class,
            e -> assertThat(e.rejection().code()).isEqualTo(Rejection.Code.INSTANCE_ERASED));
    assertThat(box.submit(new Command.Fork("p-1", 2, "p-3", CLERK, null)))
        .isInstanceOfSatisfying(
            Reply.Rejected.class,
            r -> assertThat(r.rejection().code()).isEqualTo(Rejection.Code.INSTANCE_ERASED));
    assertThat(box.instance("p-1-again").context()).containsEntry("name", NAME);
    assertThat(box.instance("p-2").context()).containsEntry("name", NAME);
    // Asked again, it answers as it did, but for what it said.
    assertThat(
            box.submit(
                Command.Send.of("p-1", "nonsense", Map.of("secret", NAME)).by(CLERK).key("n-p-1")))
        .isInstanceOfSatisfying(
            Reply.Rejected.class, r -> assertThat(r.rejection().message()).doesNotContain(NAME));
    assertThat(box.send("p-1", "register", Map.of("name", NAME, "ward", "W")))
        .isInstanceOf(Reply.Rejected.class);
    assertThat(box.erase("p-1", CLERK).erased()).hasSize(2);
    assertThat(box.journal().key(number)).isNull();
    assertNowhere(NAME.getBytes(StandardCharsets.UTF_8));
    assertKeyGone(wrapped);

    box.close();
    assertKeyGone(wrapped);
    box = open();
    assertThat(box.journal().key(number)).isNull();
    assertThat(box.instance("p-1").status()).isEqualTo("erased");
    Verification store = Audit.verify(box.journal(), keyring(), _ -> {});
    assertThat(store.findings()).isEmpty();
    assertThat(store.erased()).isEqualTo(2);
    assertThat(store.sealed()).isPositive();
    SigningKey key = SigningKey.fresh();
    Verification file =
        Audit.verify(
            exported(key, "all.jsonl"), key.publicText(), box.journal(), keyring(), _ -> {});
    assertThat(file.findings()).isEmpty();
    assertThat(file.erased()).isEqualTo(2);
    assertThat(file.sealed()).isEqualTo(store.sealed());
  }

  /** Where the store can promise it, no file has the key any more. */
  abstract void assertKeyGone(byte[] wrapped) throws Exception;

  final void assertNoFileHas(byte[] wrapped) throws Exception {
    assertNowhere(wrapped);
  }

  @Test
  void an_archived_instance_can_be_erased_too() throws Exception {
    treated("p-1");
    SigningKey key = SigningKey.fresh();
    Path archive = folder.resolve("old.jsonl");
    Archive.write(box.journal(), key, archive, Long.MAX_VALUE, 100);
    assertThat(Audit.verify(box.journal(), keyring(), _ -> {}).erased()).isZero();
    assertThat(box.erase("p-1", CLERK).erased()).containsExactly("p-1");
    Verification with = Audit.verify(archive, key.publicText(), box.journal(), keyring(), _ -> {});
    assertThat(with.findings()).isEmpty();
    assertThat(with.sealed()).isPositive();
    // Asked for again, it is found done.
    assertThat(box.erase("p-1", CLERK).erased()).containsExactly("p-1");
  }

  @Test
  void that_an_archived_instance_was_erased_is_in_the_store_and_in_exports() throws Exception {
    treated("p-1");
    SigningKey key = SigningKey.fresh();
    Archive.Result archived =
        Archive.write(box.journal(), key, folder.resolve("old.jsonl"), Long.MAX_VALUE, 100);
    Tombstone tombstone =
        box.journal().tombstones(0, 10).stream()
            .filter(t -> t.id().equals("p-1"))
            .findFirst()
            .orElseThrow();
    box.erase("p-1", CLERK);
    Instance record =
        box.instances(Query.ALL.ofMachine("signalbox.erasure").with(Map.of("instance", "p-1")))
            .getFirst();
    assertThat(record.context())
        .containsEntry("number", tombstone.number())
        .containsEntry("head", HexFormat.of().formatHex(tombstone.head()))
        .containsEntry("file", archived.file());
    assertThat(record.status()).isEqualTo("ended");
    assertThat(new String(box.history(record.id(), 1, 1).getFirst().body(), UTF_8))
        .contains("\"name\":\"" + CLERK.name() + "\"");
    assertThat(Audit.verify(box.journal(), keyring(), _ -> {}).findings()).isEmpty();
    assertThat(Audit.verify(box.journal(), keyring(), _ -> {}).erased()).isEqualTo(1);
    Path export = folder.resolve("erased.jsonl");
    try (OutputStream out = Files.newOutputStream(export)) {
      Audit.export(box.journal(), key, out, _ -> {});
    }
    Verification of = Audit.verify(export, key.publicText(), _ -> {});
    assertThat(of.findings()).isEmpty();
    assertThat(of.erased()).isEqualTo(1);
    // The record stays where it is found, whatever else leaves the store.
    assertThat(
            Archive.write(box.journal(), key, folder.resolve("more.jsonl"), Long.MAX_VALUE, 100)
                .instances())
        .isZero();
    // Without its tombstone it says nothing.
    String forged =
        Files.readString(export)
            .lines()
            .map(l ->
                l.startsWith("{\"tombstone\"") && l.contains("\"p-1\"")
                    ? l.replaceFirst("\"number\":\\d+", "\"number\":999999")
                    : l)
            .collect(Collectors.joining("\n", "", "\n"));
    Files.writeString(export, forged);
    assertThat(Audit.verify(export, key.publicText(), _ -> {}).findings())
        .anyMatch(f -> f.code().equals("tombstone-missing") && f.message().contains("erased"));
  }

  @Test
  void what_has_not_ended_or_is_not_sealed_is_not_erased() throws Exception {
    accepted(box.submit(new Command.Start("patient", "p-1", Map.of(), CLERK, null)));
    assertThatThrownBy(() -> box.erase("p-1")).hasMessageContaining("has not ended");
    accepted(box.submit(new Command.Start("plain", "q-1", Map.of(), CLERK, null)));
    accepted(box.send("q-1", "stop"));
    assertThatThrownBy(() -> box.erase("q-1")).hasMessageContaining("no personal fields");
    assertThatThrownBy(() -> box.erase("nobody")).hasMessageContaining("nobody");
    assertThat(box.submit(new Command.Erase("q-1", CLERK, "e-1")))
        .isInstanceOfSatisfying(
            Reply.Rejected.class,
            r -> assertThat(r.rejection().code()).isEqualTo(Rejection.Code.NOT_SEALED));
  }

  @Test
  void a_store_with_keys_is_not_opened_without_the_key_that_wraps_them() throws Exception {
    treated("p-1");
    box.close();
    assertThatThrownBy(() ->
            Signalbox.open(
                url(),
                Settings.DEFAULT,
                InstantSource.system(),
                Keyring.at(folder.resolve("stranger"))))
        .isInstanceOf(JournalException.class)
        .hasMessageContaining("there is none");
    Keyring other = Keyring.at(folder.resolve("other"));
    try (Signalbox elsewhere =
        Signalbox.open(
            "jdbc:sqlite:" + folder.resolve("elsewhere.db"),
            Settings.DEFAULT,
            InstantSource.system(),
            other)) {
      elsewhere.publish(
          Objects.requireNonNull(
              MachineReader.readAll(new Source("m.yaml", MACHINES), null).get(1).machine()));
    }
    assertThatThrownBy(() -> Signalbox.open(url(), Settings.DEFAULT, InstantSource.system(), other))
        .isInstanceOf(JournalException.class)
        .hasMessageContaining("found another");
    box = open();
    assertThat(box.instance("p-1").context()).containsEntry("name", NAME);
  }

  @Test
  void a_store_opened_without_keys_takes_no_machine_with_personal_fields() throws Exception {
    String elsewhere = "jdbc:sqlite:" + folder.resolve("elsewhere.db");
    try (Signalbox keyless =
        Signalbox.open(elsewhere, Settings.DEFAULT, InstantSource.system(), null)) {
      assertThatThrownBy(() ->
              keyless.publish(
                  Objects.requireNonNull(
                      MachineReader.readAll(new Source("m.yaml", MACHINES), null)
                          .get(1)
                          .machine())))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("SIGNALBOX_KEYS");
      assertThat(keyless.machines()).isEmpty();
    }
  }
}
