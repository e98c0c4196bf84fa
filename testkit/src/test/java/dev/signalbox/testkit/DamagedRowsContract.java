package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Scope;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/** A row that was changed past the runtime harms its own instance and no other. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("NullAway.Init")
abstract class DamagedRowsContract {
  private static final Actor ANN = new Actor(Actor.Kind.USER, "ann", List.of("sweep"));

  private String url;
  Signalbox box;

  /** The address of a new store. */
  abstract String store(String name) throws Exception;

  @BeforeEach
  void a_damaged_instance_beside_a_sound_one(TestInfo test) throws Exception {
    url = store("damaged_" + Integer.toHexString(test.getDisplayName().hashCode()));
    open();
    for (int version = 1; version <= 2; version++) {
      box.publish(lamp(version));
    }
    start("damaged");
    start("sound");
  }

  private static Machine lamp(int version) {
    return MachineReader.read(
        new Source(
            "lamp.yaml",
            """
            machine: lamp
            version: %d
            states:
              DARK:
                waits: for someone
                on:
                  light: LIT
                  call: { do: [ { send: { event: light, to: { instance: event.whom } } } ] }
              LIT: { after: { 100ms: DARK }, on: { off: DARK } }
            """
                .formatted(version)));
  }

  @AfterEach
  void it_closes() {
    box.close();
  }

  private void open() {
    box = Signalbox.open(url, Settings.DEFAULT, InstantSource.system());
  }

  private void start(String id) {
    accepted(new Command.Start("lamp@1", id, Map.of(), ANN, null));
  }

  private void accepted(Command command) {
    assertThat(box.submit(command)).isInstanceOf(Reply.Accepted.class);
  }

  /** Changes the store while nobody has it open. */
  void plant(String sql, Object... values) throws SQLException {
    box.close();
    try (Connection connection = DriverManager.getConnection(url);
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      assertThat(statement.executeUpdate()).isPositive();
    }
    open();
  }

  void light(String id) {
    accepted(Command.Send.of(id, "light", null));
  }

  /** Whoever waits behind the damaged one gets a turn, timers too. */
  void others_go_on() throws InterruptedException {
    long sequence = box.instance("sound").sequence();
    light("sound");
    LongWork.eventually(() -> box.instance("sound").sequence() == sequence + 2);
    assertThat(box.instances(Query.ALL)).hasSizeGreaterThanOrEqualTo(2);
  }

  private void refused(Command command) {
    assertThat(box.submit(command))
        .isInstanceOfSatisfying(
            Reply.Rejected.class,
            rejected ->
                assertThat(rejected.rejection().code()).isEqualTo(Rejection.Code.INSTANCE_HALTED));
  }

  private void corrected() throws InterruptedException {
    accepted(new Command.Correct("damaged", "its row was damaged", ANN, null));
    if (box.instance("damaged").status().equals("halted")) {
      accepted(new Command.Resume("damaged", ANN, null));
    }
    LongWork.eventually(() -> box.instance("damaged").leaf().equals("DARK"));
    light("damaged");
    LongWork.eventually(() -> box.instance("damaged").leaf().equals("DARK"));
  }

  @Test
  void a_pause_without_its_entry_is_not_looked_for_for_ever() throws Exception {
    plant("update instance set status = 1 where id = ?", "damaged");
    refused(new Command.Resume("damaged", ANN, null));
    refused(new Command.Migrate("damaged", 2, Map.of(), ANN, null));
    others_go_on();
    corrected();
  }

  @Test
  void a_pause_whose_entry_is_gone_is_not_looked_for_for_ever() throws Exception {
    accepted(new Command.Pause("damaged", Command.Clocks.STOPPED, ANN, null));
    long number = box.instance("damaged").number();
    plant("delete from entry where instance = ?", number);
    refused(new Command.Resume("damaged", ANN, null));
    others_go_on();
  }

  @Test
  void a_status_that_is_none_stands_still() throws Exception {
    light("damaged");
    plant("update instance set status = 9 where id = ?", "damaged");
    others_go_on();
    refused(Command.Send.of("damaged", "light", null));
    corrected();
  }

  @Test
  void a_snapshot_of_the_wrong_kind_halts_its_instance() throws Exception {
    for (String snapshot :
        List.of("", "[]", "{}", "{\"active\":3}", "{\"instance\":[],\"timers\":7}", "\0\u0001x")) {
      light("damaged");
      plant(
          "update instance set snapshot = ? where id = ?",
          snapshot.getBytes(StandardCharsets.UTF_8),
          "damaged");
      others_go_on();
      refused(Command.Send.of("damaged", "light", null));
      corrected();
    }
  }

  @Test
  void a_machine_that_is_none_halts_its_instance() throws Exception {
    light("damaged");
    plant("update instance set machine = 999 where id = ?", "damaged");
    others_go_on();
    refused(Command.Send.of("damaged", "light", null));
    corrected();
  }

  @Test
  void a_message_to_a_damaged_instance_waits_until_it_is_corrected() throws Exception {
    plant(
        "update instance set snapshot = ? where id = ?",
        "[]".getBytes(StandardCharsets.UTF_8),
        "damaged");
    accepted(Command.Send.of("sound", "call", Map.of("whom", "damaged")));
    others_go_on();
    assertThat(box.journal().messages(0, 10)).hasSize(1);
    accepted(new Command.Correct("damaged", "its row was damaged", ANN, null));
    LongWork.eventually(() -> box.journal().messages(0, 10).isEmpty());
    LongWork.eventually(() -> box.instance("damaged").sequence() == 4);
  }

  @Test
  void a_machine_stands_still_though_nobody_can_tell_who_paused_it() throws Exception {
    box.pause(new Scope.OfMachine("lamp"), Command.Clocks.STOPPED, ANN, null);
    plant(
        "update entry set body = ? where instance in (select number from instance where id like"
            + " '%standstill-lamp')",
        "[".getBytes(StandardCharsets.UTF_8));
    assertThat(box.submit(new Command.Start("lamp@1", "new", Map.of(), ANN, null)))
        .isInstanceOfSatisfying(
            Reply.Rejected.class,
            rejected ->
                assertThat(rejected.rejection().code()).isEqualTo(Rejection.Code.MACHINE_PAUSED));
  }

  @Test
  void an_instance_below_itself_is_paused_once() throws Exception {
    plant("update instance set parent = ? where id = ?", "damaged", "damaged");
    assertThat(box.pause(new Scope.Tree("damaged"), Command.Clocks.STOPPED, ANN, null).done())
        .isEqualTo(1);
    others_go_on();
  }
}
