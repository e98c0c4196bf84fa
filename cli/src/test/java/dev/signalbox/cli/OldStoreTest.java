package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Demands;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.runtime.Verification;
import dev.signalbox.server.access.Tokens;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.services.approval.Inbox;
import dev.signalbox.systems.runs.RunsSettings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What an older version wrote keeps its meaning: its store opens, goes on and verifies, as do its
 * export and its archive. The store in {@code old/store.zip} holds a suffixed event that passed a
 * role, an empty correlation key, a large context, a step that waits for an effect, a family, a
 * pause, a fork, a migration, personal data, an erased instance, keys, refusals, waiting approvals,
 * a run, tokens and what {@code up --demo} starts.
 */
class OldStoreTest {
  /** Shortly after the store was written, so that nothing in it is overdue. */
  private final InstantSource then =
      Clock.offset(
          Clock.systemUTC(),
          Duration.between(
              InstantSource.system().instant(), Instant.parse("2026-11-18T01:30:00Z")));

  /** The export's signer, as the older version printed it. */
  private static final String SIGNER =
      "MCowBQYDK2VwAyEAYl+2V0QxKXBg8y5gc7XpV6a0fs/YvLQq9hU+NS0v53o=";

  private static final Actor KIM = new Actor(Actor.Kind.USER, "kim", List.of("approver"));
  private static final Actor ANN = new Actor(Actor.Kind.USER, "ann", List.of());

  @TempDir Path folder;

  @BeforeEach
  void unpack() throws IOException {
    try (InputStream raw =
            Objects.requireNonNull(OldStoreTest.class.getResourceAsStream("old/store.zip"));
        ZipInputStream zip = new ZipInputStream(raw)) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        Path file = folder.resolve(entry.getName()).normalize();
        assertThat(file).startsWithRaw(folder);
        if (entry.isDirectory()) {
          Files.createDirectories(file);
        } else {
          Files.createDirectories(Objects.requireNonNull(file.getParent()));
          Files.copy(zip, file);
        }
      }
    }
  }

  private String url() {
    return "jdbc:sqlite:" + folder.resolve("signalbox.db");
  }

  private Signalbox open() {
    Signalbox box = ShippedSystems.open(url(), then, Keyring.of(url()));
    ShippedSystems.all(RunsSettings.in(folder.resolve("runs"), folder))
        .forEach(system -> system.publish(box));
    return box;
  }

  private void stillVerifies() {
    try (var journal = Signalbox.read(url())) {
      Verification verification = Audit.verify(journal, Keyring.of(url()), _ -> {});
      assertThat(verification.findings()).isEmpty();
      assertThat(verification.isSound()).isTrue();
    }
  }

  @Test
  void it_verifies_before_anything_touches_it() {
    stillVerifies();
  }

  @Test
  void its_export_verifies() throws IOException {
    Verification verification = Audit.verify(folder.resolve("export.jsonl"), SIGNER, _ -> {});
    assertThat(verification.findings()).isEmpty();
    assertThat(verification.isSound()).isTrue();
    assertThat(verification.entries()).isGreaterThan(190);
  }

  @Test
  void its_archive_verifies() throws IOException {
    try (var archives = Files.list(folder.resolve("archives"))) {
      for (Path archive : archives.toList()) {
        assertThat(Audit.verify(archive, Demands.NONE, _ -> {}).isSound()).isTrue();
      }
    }
  }

  @Test
  void every_instance_can_be_read_and_replayed_to_every_entry() {
    try (Signalbox box = open()) {
      for (String id :
          List.of(
              "o-suffix",
              "o-empty",
              "o-large",
              "o-paid",
              "o-refused",
              "o-fork",
              "o-forked",
              "o-paused",
              "o-migrated",
              "o-first",
              "o-cancelled",
              "s-1",
              "p-1",
              "o-person")) {
        Instance now = box.instance(id);
        for (long at = 1; at <= now.sequence(); at++) {
          assertThat(box.at(id, at).sequence()).isEqualTo(at);
        }
      }
    }
    stillVerifies();
  }

  @Test
  void what_stood_where_goes_on_from_there() {
    try (Signalbox box = open()) {
      assertThat(box.instance("o-suffix").states()).containsExactly("APPROVED");
      goesOn(box, "o-suffix", "finish", null);
      assertThat(box.instance("s-1").states()).containsExactly("b");
      goesOn(box, "s-1", "end", null);
      goesOn(box, "o-refused", "back", null);
      goesOn(box, "o-empty", "order", Map.of("id", "b"));
      goesOn(box, "o-empty", "finish", null);
      goesOn(box, "o-person", "name", Map.of("customer", "Cleo"));
      goesOn(box, "o-forked", "add", Map.of("items", List.of("d")));
      goesOn(box, "o-first", "finish", null);
      goesOn(box, "p-1", "poke", null);
      assertThat(box.rest(Duration.ofMinutes(1))).isTrue();
      goesOn(box, "p-1/child~1", "finish", null);
      assertThat(box.rest(Duration.ofMinutes(1))).isTrue();
      assertThat(box.instance("p-1").states()).containsExactly("ENDED");
      assertThat(box.submit(new Command.Resume("o-paused", ANN, null)))
          .isInstanceOf(Reply.Accepted.class);
      goesOn(box, "o-paused", "finish", null);
    }
    stillVerifies();
  }

  @Test
  void a_large_context_goes_on() {
    try (Signalbox box = open()) {
      goesOn(box, "o-large", "order", Map.of("id", "x"));
      goesOn(box, "o-large", "finish", null);
    }
    stillVerifies();
  }

  @Test
  void an_effect_that_waited_is_done() throws Exception {
    CompletableFuture<String> charged = new CompletableFuture<>();
    try (Signalbox box = open()) {
      box.handle(
          "charge",
          call -> {
            charged.complete(call.instance());
            return Outcome.succeeded(Map.of());
          });
      assertThat(charged.get(1, TimeUnit.MINUTES)).isEqualTo("o-paid");
      for (int i = 0; i < 6_000 && !box.instance("o-paid").leaf().equals("DONE"); i++) {
        LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
      }
      assertThat(box.instance("o-paid").states()).containsExactly("DONE");
    }
    stillVerifies();
  }

  @Test
  void a_key_answers_as_it_did() {
    try (Signalbox box = open()) {
      Actor mallory = new Actor(Actor.Kind.USER, "mallory", List.of());
      Reply again =
          box.submit(new Command.Send("o-suffix", "approve.x", null, mallory, "k2", null));
      assertThat(again)
          .isInstanceOfSatisfying(
              Reply.Accepted.class, yes -> assertThat(yes.receipt().sequence()).isEqualTo(2));
    }
    stillVerifies();
  }

  @Test
  void a_version_that_lives_on_can_be_migrated() {
    try (Signalbox box = open()) {
      assertThat(box.submit(new Command.Migrate("o-migrated", 2, Map.of(), ANN, null)))
          .isInstanceOf(Reply.Accepted.class);
      goesOn(box, "o-migrated", "never", null);
    }
    stillVerifies();
  }

  @Test
  void a_waiting_approval_can_be_granted_and_a_waiting_run_is_known() {
    try (Signalbox box = open()) {
      Approvals approvals = Approvals.on(box);
      List<Approval> pending = approvals.pending(Inbox.ALL);
      assertThat(pending).hasSize(3);
      Approval push =
          pending.stream()
              .filter(a -> a.action().name().equals("git.push"))
              .findAny()
              .orElseThrow();
      assertThat(approvals.approve(push.id(), KIM, push.digest()))
          .isInstanceOf(Reply.Accepted.class);
      assertThat(approvals.approval(push.id()).state()).isEqualTo("APPROVED");
    }
    stillVerifies();
  }

  @Test
  void its_tokens_are_still_good() throws IOException {
    try (Signalbox box = open()) {
      Tokens tokens = new Tokens(box, then);
      assertThat(tokens.find(Files.readString(folder.resolve("token")).strip())).isNotNull();
      assertThat(tokens.list()).hasSizeGreaterThanOrEqualTo(4);
    }
  }

  private static void goesOn(
      Signalbox box, String id, String event, @Nullable Map<String, Object> data) {
    Reply reply = box.submit(new Command.Send(id, event, data, ANN, null, null));
    assertThat(reply).as("%s to %s", event, id).isInstanceOf(Reply.Accepted.class);
  }
}
