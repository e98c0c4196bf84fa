package dev.signalbox.services;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.yaml.YamlReader;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.approval.Action;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.services.approval.Asker;
import dev.signalbox.services.approval.Outcome;
import dev.signalbox.services.approval.Request;
import dev.signalbox.testkit.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What came with the program is the program's, whatever roles a caller brings to the door. */
class ClosedMachinesTest {
  private static final List<String> ROLES =
      List.of("operator", "approver", "admin", "planner", "auditor", "queue", "worker", "sweep");
  private static final Actor ANN = new Actor(Actor.Kind.USER, "ann", ROLES);
  private static final Actor BOB = new Actor(Actor.Kind.USER, "bob", List.of("approver"));
  private static final Actor BOT = new Actor(Actor.Kind.AGENT, "bot", ROLES);

  private static final String WAITER =
      """
      machine: waiter
      context: { approver: { type: string, default: "" } }
      events:
        told: { data: { approver: string }, roles: ["machine:approval"] }
      states:
        WAITING:
          waits: for an answer
          on: { told: { to: HEARD, assign: { approver: event.approver } } }
        HEARD: { final: true }
      """;

  private static final String MEDDLER =
      """
      machine: meddler
      context: { at: { type: string, default: "" } }
      events: { go: { description: Meddle. }, error.communication: {} }
      states:
        IDLE:
          waits: for a word
          on:
            go:
              do:
                - send: { event: cancel, to: { instance: ctx.at }, data: { reason: "'mine'" } }
            error.communication: TOLD
        TOLD: { final: true }
      """;

  @TempDir Path folder;
  private final ManualClock clock = new ManualClock();
  private Signalbox box = open();

  private Signalbox open() {
    return Signalbox.open("memory:", Settings.DEFAULT, clock);
  }

  @BeforeEach
  void onDisk() {
    box.close();
    String url = "jdbc:sqlite:" + folder.resolve("box.db");
    box =
        Signalbox.open(
            url, Settings.DEFAULT, clock, Keyring.of(url), List.of(ServiceMachines.SHELF));
    ServiceMachines.SHELF.names().forEach(name -> box.publish(ServiceMachines.SHELF, name));
  }

  @AfterEach
  void close() {
    box.close();
  }

  private static void isReserved(Reply reply) {
    assertThat(reply)
        .isInstanceOfSatisfying(
            Reply.Rejected.class,
            r -> assertThat(r.rejection().code()).isEqualTo(Rejection.Code.RESERVED_MACHINE));
  }

  private String asked(String tell) {
    Request request =
        Request.of(Action.of("x", "deploy", Map.of()), Asker.of(BOT))
            .telling(tell, Outcome.GRANTED, "told");
    return Approvals.on(box).request(request);
  }

  private static Machine machine(String text) {
    return MachineReader.read(new Source("machine.yaml", text));
  }

  /** The machine without what asks for a role or a condition. */
  private static Machine weaker(String name) {
    String text = ServiceMachines.SHELF.source(name).text();
    String weak =
        text.replaceFirst("version: \\d+", "version: 97").replaceAll("roles: \\[approver]", "");
    return Objects.requireNonNull(YamlReader.read(new Source("weak.yaml", weak)).machine());
  }

  @Test
  void nobody_starts_an_instance_of_what_a_service_owns() {
    for (Actor actor : List.of(ANN, BOT)) {
      for (String name : ServiceMachines.SHELF.names()) {
        isReserved(box.submit(new Command.Start(name, null, Map.of(), actor, null)));
        String exact = name + "@" + ServiceMachines.SHELF.machine(name).version();
        isReserved(box.submit(new Command.Start(exact, "mine", Map.of(), actor, "k")));
        isReserved(box.submitAsync(new Command.Start(name, null, Map.of(), actor, null)).join());
      }
    }
  }

  @Test
  void nobody_sends_to_or_ends_what_a_service_owns() {
    String id = asked("nobody");
    String digest = Approvals.on(box).approval(id).digest();
    for (Actor actor : List.of(ANN, BOB, BOT)) {
      for (String event : List.of("approve", "executed", "orphaned", "remind", "nonsense")) {
        isReserved(
            box.submit(new Command.Send(id, event, Map.of("digest", digest), actor, event, null)));
      }
      isReserved(box.submit(new Command.Cancel(id, actor, null)));
    }
    assertThat(box.instance(id).leaves()).containsExactly("AWAITING_HUMAN");
    assertThat(Approvals.on(box).approve(id, BOB, digest)).isInstanceOf(Reply.Accepted.class);
  }

  @Test
  void a_key_that_came_by_the_wrong_door_is_not_spent() {
    String id = asked("nobody");
    String digest = Approvals.on(box).approval(id).digest();
    Command.Send yes = new Command.Send(id, "approve", Map.of("digest", digest), BOB, "once", null);

    isReserved(box.submit(yes));

    assertThat(box.submitForCaller("approval", yes).join()).isInstanceOf(Reply.Accepted.class);
  }

  @Test
  void nobody_forks_or_migrates_an_approval() {
    String id = asked("nobody");
    Approvals.on(box).approve(id, BOB, Approvals.on(box).approval(id).digest());
    long granted = box.instance(id).sequence();
    for (Actor actor : List.of(ANN, BOB, BOT)) {
      isReserved(box.submit(new Command.Fork(id, granted, "second", actor, null)));
      isReserved(box.submit(new Command.Fork(id, granted, null, actor, "k")));
      isReserved(box.submit(new Command.Migrate(id, 97, Map.of(), actor, null)));
    }
    assertThat(box.find("second")).isNull();
  }

  @Test
  void a_machine_of_the_program_has_no_version_but_its_own() {
    for (String name : ServiceMachines.SHELF.names()) {
      assertThatThrownBy(() -> box.publish(weaker(name)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'%s'".formatted(name))
          .hasMessageContaining("came with the program");
      box.publish(ServiceMachines.SHELF.machine(name));
    }
  }

  @Test
  void a_version_that_somebody_published_before_is_nobody_s_approval() {
    Path file = folder.resolve("before.db");
    String url = "jdbc:sqlite:" + file;
    try (Signalbox old = Signalbox.open(url, Settings.DEFAULT, clock, Keyring.of(url))) {
      old.publish(machine(WAITER));
      old.publish(machine(FALSE_APPROVAL));
      old.submit(new Command.Start("waiter", "w", Map.of(), ANN, null));
      old.submit(new Command.Start("approval", "false", Map.of("tell", "w"), ANN, null));
    }
    try (Signalbox now =
        Signalbox.open(
            url, Settings.DEFAULT, clock, Keyring.of(url), List.of(ServiceMachines.SHELF))) {
      Approvals approvals = Approvals.on(now);
      isReserved(now.submit(Command.Send.of("false", "go", null).by(ANN)));
      now.send("false", "go", null);
      assertThat(now.rest(Duration.ofMinutes(1))).isTrue();

      assertThat(now.instance("w").leaves()).containsExactly("WAITING");
      assertThat(approvals.approve("false", BOB, ""))
          .isInstanceOfSatisfying(
              Reply.Rejected.class,
              r -> assertThat(r.rejection().code()).isEqualTo(Rejection.Code.UNKNOWN_INSTANCE));
      String id = approvals.request(Request.of(Action.of("x", "deploy", Map.of()), Asker.of(BOT)));
      assertThat(now.instance(id).version())
          .isEqualTo(ServiceMachines.SHELF.machine("approval").version());
    }
  }

  private static final String FALSE_APPROVAL =
      """
      machine: approval
      version: 96
      context: { tell: { type: string, default: "" } }
      events: { go: { description: Tell that somebody approved. } }
      states:
        OPEN:
          waits: for a word
          on:
            go:
              do:
                - send: { event: told, to: { instance: ctx.tell }, data: { approver: "'kim'" } }
      """;

  @Test
  void ids_as_the_services_compute_them_are_not_for_others() {
    box.publish(machine(WAITER));
    for (String id :
        List.of("delivery-mail-1", "lock:main", "approval-0123", "budget-b", "task-1")) {
      for (Actor actor : List.of(ANN, BOT)) {
        isReserved(box.submit(new Command.Start("waiter", id, Map.of(), actor, null)));
      }
    }
    Reply own = box.submit(new Command.Start("waiter", "deliveries", Map.of(), ANN, null));
    assertThat(own).isInstanceOf(Reply.Accepted.class);
    isReserved(box.submit(new Command.Fork("deliveries", 1, "delivery-mail-2", ANN, null)));
    assertThatThrownBy(() -> box.publish(machine(WAITER.replace("waiter", "lock-x"))))
        .hasMessageContaining("'lock-'");
  }

  @Test
  void a_stranger_s_machine_does_not_reach_what_a_service_owns() {
    box.publish(machine(MEDDLER));
    Reply task =
        box.submitForCaller("task", new Command.Start("task", null, Map.of(), ANN, null)).join();
    String id = ((Reply.Accepted) task).receipt().instance();
    box.submit(new Command.Start("meddler", "m", Map.of("at", id), BOT, null));

    box.submit(Command.Send.of("m", "go", null).by(BOT));
    assertThat(box.rest(Duration.ofMinutes(1))).isTrue();

    assertThat(box.instance(id).leaves()).containsExactly("QUEUED");
    assertThat(box.instance("m").leaves()).containsExactly("TOLD");
  }

  @Test
  void a_service_acts_on_instances_of_its_own_machine_alone() {
    String id = asked("nobody");
    String digest = Approvals.on(box).approval(id).digest();
    Command claim = Command.Send.of(id, "executed", Map.of("digest", digest));

    isReserved(box.submitForCaller("task", claim).join());
    isReserved(box.submitForService("lock", new Command.Cancel(id, Actor.SYSTEM, null)).join());
    isReserved(
        box.submitForCaller("task", new Command.Start("approval", null, Map.of(), ANN, null))
            .join());

    Instance still = box.instance(id);
    assertThat(still.leaves()).containsExactly("AWAITING_HUMAN");
  }

  @Test
  void an_approval_tells_the_one_it_was_asked_to_tell() {
    box.publish(machine(WAITER));
    Reply begun = box.submit(new Command.Start("waiter", "w", Map.of(), ANN, null));
    assertThat(begun)
        .isInstanceOfSatisfying(
            Reply.Accepted.class,
            a -> {
              Receipt receipt = a.receipt();
              assertThat(receipt.instance()).isEqualTo("w");
            });
    String id = asked("w");
    Approvals.on(box).approve(id, BOB, Approvals.on(box).approval(id).digest());
    assertThat(box.rest(Duration.ofMinutes(1))).isTrue();

    assertThat(box.instance("w").context()).containsEntry("approver", "bob");
  }
}
