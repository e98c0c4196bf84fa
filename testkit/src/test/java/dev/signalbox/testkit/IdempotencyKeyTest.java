package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.journal.postgres.PostgresJournal;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.ServiceKey;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an idempotency key answers for, on every store, before and after it was closed. */
class IdempotencyKeyTest {
  private static final Actor KIM = user("kim");
  private static final Actor LEE = user("lee");

  @TempDir Path folder;
  private final ManualClock clock = new ManualClock();
  private @Nullable MemoryJournal memory;
  private int databases;
  private String database = "";

  enum Store {
    MEMORY,
    SQLITE,
    POSTGRES
  }

  private static Actor user(String name, String... roles) {
    return new Actor(Actor.Kind.USER, name, List.of(roles));
  }

  private Signalbox open(Store store) throws IOException, SQLException {
    Journal journal =
        switch (store) {
          case MEMORY -> {
            if (memory == null) {
              memory = new MemoryJournal(clock);
            }
            MemoryJournal kept = memory;
            yield new ForwardingJournal(kept) {
              @Override
              public void close() {}
            };
          }
          case SQLITE -> SqliteJournal.open(folder.resolve("store.db"), clock);
          case POSTGRES -> {
            if (database.isEmpty()) {
              database =
                  FlushingPostgres.shared()
                      .database(
                          "keys_"
                              + Integer.toUnsignedString(folder.hashCode())
                              + "_"
                              + databases++);
            }
            yield PostgresJournal.open(database, null, null);
          }
        };
    Signalbox box =
        Signalbox.open(journal, Settings.DEFAULT, clock, Keyring.at(folder.resolve("keys")));
    for (int version = 1; version <= 2; version++) {
      box.publish(
          MachineReader.read(
              new Source(
                  "door.yaml",
                  """
                  machine: door
                  version: %d
                  context: { note: { type: string, default: "", personal: true } }
                  events: { lock: { roles: [keeper] } }
                  states:
                    OPEN: { waits: someone, on: { shut: { assign: { note: string(event.why) } }, lock: LOCKED } }
                    LOCKED: { waits: a key, on: { unlock: OPEN } }
                  """
                      .formatted(version))));
    }
    return box;
  }

  /** Sends it, closes the store, opens it, and sends the other. */
  private Reply later(Store store, Command first, Command second) throws Exception {
    Reply before;
    Reply now;
    try (Signalbox box = open(store)) {
      if (box.find("d") == null) {
        accepted(box.submit(new Command.Start("door", "d", Map.of(), KIM, "start")));
      }
      before = box.submit(first);
      now = box.submit(second);
    }
    try (Signalbox again = open(store)) {
      assertThat(again.submit(first)).as("repeated").isEqualTo(before);
      Reply then = again.submit(second);
      assertThat(code(then)).as("after a restart").isEqualTo(code(now));
    }
    return now;
  }

  private static Receipt accepted(Reply reply) {
    assertThat(reply).isInstanceOf(Reply.Accepted.class);
    return ((Reply.Accepted) reply).receipt();
  }

  private static Rejection.@Nullable Code code(Reply reply) {
    return reply instanceof Reply.Rejected(Rejection rejection) ? rejection.code() : null;
  }

  private static Command.Send shut(String why, Actor actor, String key) {
    return Command.Send.of("d", "shut", Map.of("why", why)).by(actor).key(key);
  }

  @ParameterizedTest
  @EnumSource
  void every_other_command_under_the_key_is_refused(Store store) throws Exception {
    Command.Send first = shut("wind", KIM, "k");
    List<Command> others =
        List.of(
            shut("rain", KIM, "k"),
            shut("wind", KIM, "k").expecting(1),
            Command.Send.of("d", "other", null).by(KIM).key("k"),
            new Command.Cancel("d", KIM, "k"),
            new Command.Cancel("d", KIM, "k", "enough"),
            new Command.Pause("d", Command.Clocks.STOPPED, KIM, "k"),
            new Command.Resume("d", KIM, "k"),
            new Command.Migrate("d", 2, Map.of(), KIM, "k"),
            new Command.Erase("d", KIM, "k"),
            new Command.Start("door", "d", Map.of(), KIM, "k"),
            new Command.Fork("d", 1, "d", KIM, "k"),
            new Command.Correct("d", "why", user("kim", "sweep"), "k"),
            new Command.GiveUp("d", "reply", "why", user("kim", "sweep"), "k"));
    for (Command other : others) {
      assertThat(code(later(store, first, other)))
          .as(other.toString())
          .isEqualTo(Rejection.Code.KEY_TAKEN);
    }
  }

  @ParameterizedTest
  @EnumSource
  void another_clock_reason_version_or_state_is_another_command(Store store) throws Exception {
    Command.Pause pause = new Command.Pause("d", Command.Clocks.STOPPED, KIM, "p");
    assertThat(code(later(store, pause, new Command.Pause("d", Command.Clocks.RUNNING, KIM, "p"))))
        .isEqualTo(Rejection.Code.KEY_TAKEN);
    Command.Migrate migrate = new Command.Migrate("d", 2, Map.of(), KIM, "m");
    Command.Migrate back = new Command.Migrate("d", 1, Map.of(), KIM, "m");
    assertThat(code(later(store, migrate, back))).isEqualTo(Rejection.Code.KEY_TAKEN);
    Command.Migrate mapped = new Command.Migrate("d", 2, Map.of("OPEN", "LOCKED"), KIM, "m");
    assertThat(code(later(store, migrate, mapped))).isEqualTo(Rejection.Code.KEY_TAKEN);
    Command.Cancel cancel = new Command.Cancel("d", KIM, "c", "done");
    assertThat(code(later(store, cancel, new Command.Cancel("d", KIM, "c", "over"))))
        .isEqualTo(Rejection.Code.KEY_TAKEN);
  }

  @ParameterizedTest
  @EnumSource
  void two_actors_may_use_the_same_key(Store store) throws Exception {
    Reply lees = later(store, shut("wind", KIM, "k"), shut("rain", LEE, "k"));

    assertThat(accepted(lees).sequence()).isEqualTo(3);
    Actor agent = new Actor(Actor.Kind.AGENT, "kim", List.of());
    assertThat(accepted(later(store, shut("wind", KIM, "k"), shut("sun", agent, "k"))).sequence())
        .isEqualTo(4);
  }

  @ParameterizedTest
  @EnumSource
  void a_start_without_an_id_belongs_to_its_actor(Store store) throws Exception {
    Command.Start kims = new Command.Start("door", null, Map.of("note", "a"), KIM, "s");
    String lees;
    String own;
    try (Signalbox box = open(store)) {
      own = accepted(box.submit(kims)).instance();
      Command.Start other = new Command.Start("door", null, Map.of("note", "b"), KIM, "s");
      assertThat(code(box.submit(other))).isEqualTo(Rejection.Code.KEY_TAKEN);
      Command.Start same = new Command.Start("door", null, Map.of("note", "a"), LEE, "s");
      lees = accepted(box.submit(same)).instance();
    }
    assertThat(lees).isNotEqualTo(own);
    try (Signalbox box = open(store)) {
      assertThat(accepted(box.submit(kims)).instance()).isEqualTo(own);
      Command.Start other = new Command.Start("door@1", null, Map.of("note", "a"), KIM, "s");
      assertThat(code(box.submit(other))).isEqualTo(Rejection.Code.KEY_TAKEN);
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_refusal_for_want_of_a_role_does_not_take_the_key(Store store) throws Exception {
    Command.Send lock = Command.Send.of("d", "lock", null).key("k");
    Reply keeper = later(store, lock.by(KIM), lock.by(KIM).by(KIM));
    assertThat(code(keeper)).isEqualTo(Rejection.Code.ROLE_REQUIRED);

    try (Signalbox box = open(store)) {
      long refusals = box.instance("d").refusals();
      assertThat(refusals).isEqualTo(4);
      EntryRow refusal = box.refusals("d", 1, 1).getFirst();
      assertThat(new String(refusal.body(), StandardCharsets.UTF_8))
          .contains("\"code\":\"role-required\"");
      assertThat(accepted(box.submit(lock.by(user("kim", "keeper")))).states())
          .containsExactly("LOCKED");
    }
  }

  @ParameterizedTest
  @EnumSource
  void other_refusals_keep_the_key(Store store) throws Exception {
    Command.Send unknown = Command.Send.of("d", "open", null).by(KIM).key("k");
    Reply other = later(store, unknown, shut("wind", KIM, "k"));

    assertThat(code(other)).isEqualTo(Rejection.Code.KEY_TAKEN);
  }

  @ParameterizedTest
  @EnumSource
  void keys_of_services_are_for_services(Store store) throws Exception {
    String key = ServiceKey.of("once");
    try (Signalbox box = open(store)) {
      accepted(box.submit(new Command.Start("door", "d", Map.of(), KIM, "start")));
      for (Command command :
          List.of(
              shut("wind", KIM, key),
              new Command.Start("door", null, Map.of(), KIM, key),
              new Command.Cancel("d", KIM, key),
              new Command.Pause("d", Command.Clocks.STOPPED, KIM, key),
              new Command.Resume("d", KIM, key),
              new Command.Migrate("d", 2, Map.of(), KIM, key),
              new Command.Erase("d", KIM, key),
              new Command.Fork("d", 1, null, KIM, key),
              new Command.Correct("d", "why", KIM, key),
              new Command.GiveUp("d", "reply", "why", KIM, key))) {
        assertThat(code(box.submit(command))).isEqualTo(Rejection.Code.RESERVED_KEY);
        assertThat(code(box.submitAsync(command).join())).isEqualTo(Rejection.Code.RESERVED_KEY);
      }
      Reply first = box.submitForService("door", shut("wind", KIM, key)).join();
      assertThat(accepted(first).sequence()).isEqualTo(2);
      assertThat(box.submitForService("door", shut("in other words", KIM, key)).join())
          .isEqualTo(first);
      assertThat(code(box.submitForService("door", new Command.Cancel("d", KIM, key)).join()))
          .isEqualTo(Rejection.Code.KEY_TAKEN);
    }
  }

  @ParameterizedTest
  @EnumSource
  void what_was_asked_can_not_be_guessed_from_a_sealed_entry(Store store) throws Exception {
    try (Signalbox box = open(store)) {
      accepted(box.submit(new Command.Start("door", "d", Map.of("note", "x"), KIM, "s")));
      accepted(box.submit(shut("wind", KIM, "k")));
      long number = box.instance("d").number();
      for (EntryRow raw : box.journal().history(number, dev.signalbox.journal.Chain.STEPS, 1, 10)) {
        assertThat(new String(raw.body(), StandardCharsets.UTF_8)).doesNotContain("\"command\"");
      }
      assertThat(new String(box.history("d", 2, 1).getFirst().body(), StandardCharsets.UTF_8))
          .contains("\"command\"");
      accepted(box.submit(new Command.Cancel("d", KIM, "c")));
      box.erase("d", KIM);
      assertThat(code(box.submit(new Command.Pause("d", Command.Clocks.STOPPED, KIM, "k"))))
          .isEqualTo(Rejection.Code.KEY_TAKEN);
      assertThat(accepted(box.submit(shut("wind", KIM, "k"))).sequence()).isEqualTo(2);
    }
  }
}
