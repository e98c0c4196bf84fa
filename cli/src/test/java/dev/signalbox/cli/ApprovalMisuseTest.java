package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.yaml.YamlReader;
import dev.signalbox.journal.Query;
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
import dev.signalbox.server.access.Tokens;
import dev.signalbox.server.api.Catalog;
import dev.signalbox.server.api.Desk;
import dev.signalbox.services.approval.Action;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.services.approval.Asker;
import dev.signalbox.services.approval.Claim;
import dev.signalbox.services.approval.Request;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.tool.Program;
import dev.signalbox.services.tool.SecretSource;
import dev.signalbox.systems.SystemMachines;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random interleavings of everything that somebody without the right to approve tries, around an
 * honest yes that may come or not. Whatever was tried, an action is done exactly if the honest
 * person approved exactly it, and once. The number of walks is {@code -Dmisuse.walks}, the first
 * seed {@code -Dmisuse.seed}; {@code -Dmisuse.store=memory} is faster than the file.
 */
class ApprovalMisuseTest {
  private static final int WALKS = Integer.getInteger("misuse.walks", 300);
  private static final long SEED = Long.getLong("misuse.seed", 17L);
  private static final boolean FILE = !"memory".equals(System.getProperty("misuse.store"));

  private static final List<String> ROLES =
      List.of(
          "agent",
          "viewer",
          "operator",
          "approver",
          "admin",
          "planner",
          "auditor",
          "system",
          "queue",
          "worker",
          "sweep",
          "user",
          "machine:approval");
  private static final Actor KIM = new Actor(Actor.Kind.USER, "kim", List.of("approver"));

  private static final String OWN =
      """
      machine: mine
      context: { at: { type: string, default: "" }, digest: { type: string, default: "" } }
      events: { go: { description: Meddle. }, error.communication: {} }
      states:
        IDLE:
          waits: for a word
          on:
            go:
              do:
                - send: { event: approve, to: { instance: ctx.at }, data: { digest: ctx.digest } }
                - send: { event: executed, to: { instance: ctx.at }, data: { digest: ctx.digest } }
                - send: { event: cancel, to: { instance: ctx.at }, data: { reason: "'mine'" } }
            error.communication: {}
      """;

  @TempDir Path folder;

  /** A store with everything that ships, and the doors to it. */
  private record House(Signalbox box, Approvals approvals, Desk desk, Tokens tokens) {}

  private House house() {
    String url = FILE ? "jdbc:sqlite:" + folder.resolve("box.db") : "memory:";
    InstantSource clock = InstantSource.system();
    Signalbox box =
        Signalbox.open(url, Settings.DEFAULT, clock, Keyring.of(url), ShippedSystems.shelves());
    SystemMachines.names().forEach(name -> SystemMachines.publish(box, name));
    box.publish(MachineReader.read(new Source("mine.yaml", OWN)));
    return new House(
        box, Approvals.on(box), new Desk(box, new Catalog(box)), new Tokens(box, clock));
  }

  @Test
  void nothing_is_done_that_an_honest_person_did_not_approve() {
    House house = house();
    try (Signalbox _ = house.box) {
      for (int walk = 0; walk < WALKS; walk++) {
        long seed = SEED * 1_000_003 + walk;
        List<String> found = new Walk(house, seed).run();
        assertThat(found).as("walk with -Dmisuse.seed, seed %d", seed).isEmpty();
      }
    }
  }

  /** One interleaving around one request and one task. */
  private static final class Walk {
    final House house;
    final Random random;
    final long seed;
    final List<String> found = new ArrayList<>();
    final List<String> tried = new ArrayList<>();
    final Action action;
    String id = "";
    String task = "";
    boolean honest;

    Walk(House house, long seed) {
      this.house = house;
      this.seed = seed;
      this.random = new Random(seed);
      this.action = Action.of("walk-" + seed, "deploy", Map.of("n", seed));
    }

    List<String> run() {
      id =
          house.approvals.request(
              Request.of(
                  action,
                  Asker.of(new Actor(Actor.Kind.USER, "ann", List.of())),
                  Asker.of(new Actor(Actor.Kind.AGENT, "bot", List.of()))));
      task =
          accepted(
              house
                  .box
                  .submitForCaller("task", new Command.Start("task", null, Map.of(), KIM, null))
                  .join());
      int moves = 4 + random.nextInt(9);
      int yes = random.nextInt(2 * moves);
      for (int move = 0; move < moves; move++) {
        if (move == yes) {
          honest = house.approvals.approve(id, KIM, action.digest()) instanceof Reply.Accepted;
          expect(honest, "the honest yes was kept out");
        }
        misuse();
      }
      boolean _ = house.box.rest(Duration.ofMinutes(1));
      judge();
      return found.isEmpty() ? found : List.of(found + " after " + tried);
    }

    private static String accepted(Reply reply) {
      return reply instanceof Reply.Accepted(Receipt receipt) ? receipt.instance() : "";
    }

    /** What is true at the end, whatever was answered on the way. */
    private void judge() {
      Approval now = house.approvals.approval(id);
      expect(
          now.approvers().equals(honest ? List.of("kim") : List.of()),
          "approved by " + now.approvers());
      expect(now.state().equals(honest ? "APPROVED" : "AWAITING_HUMAN"), "it is " + now.state());
      Claim first = house.approvals.claim(id, action);
      expect(first instanceof Claim.Claimed == honest, "the first claim got " + first);
      expect(!(house.approvals.claim(id, action) instanceof Claim.Claimed), "claimed twice");
      List<Instance> all =
          house.box.instances(
              Query.ALL.ofMachine("approval").with(Map.of("subject", action.subject())));
      expect(all.size() == 1, "there are %d of the request".formatted(all.size()));
      Instance still = house.box.instance(task);
      expect(still.leaves().equals(List.of("QUEUED")), "the task is in " + still.leaves());
      for (Machine machine : house.box.machines()) {
        expect(
            machine.version() < 90 || !SystemMachines.names().contains(machine.name()),
            "a version of %s was published".formatted(machine.name()));
      }
    }

    private void expect(boolean true_, String otherwise) {
      if (!true_) {
        found.add(otherwise);
      }
    }

    private <T> T any(List<T> of) {
      return of.get(random.nextInt(of.size()));
    }

    /** Somebody who has not the right: who asked, an agent with any role, an admin and the like. */
    private Actor actor() {
      List<String> roles = new ArrayList<>(ROLES);
      return switch (random.nextInt(5)) {
        case 0 -> new Actor(Actor.Kind.USER, "ann", roles);
        case 1 -> new Actor(Actor.Kind.AGENT, "bot", roles);
        case 2 -> new Actor(Actor.Kind.AGENT, "kim", roles);
        case 3 -> new Actor(Actor.Kind.USER, "eve", List.of("operator", "admin", "planner"));
        default -> new Actor(Actor.Kind.AGENT, "eve", List.of(any(ROLES), any(ROLES)));
      };
    }

    private Caller caller() {
      Actor actor = actor();
      return new Caller(actor.kind(), actor.name(), actor.roles(), Set.of(), "walk");
    }

    private @Nullable String key() {
      return random.nextBoolean()
          ? null
          : any(List.of("k", "once", "signalbox/orphaned", "settle r1", "signalbox/settle r1"));
    }

    private Object digest() {
      String digest = random.nextInt(4) == 0 ? "0".repeat(64) : action.digest();
      return Map.of("digest", digest);
    }

    private void misuse() {
      int kind = random.nextInt(16);
      tried.add(String.valueOf(kind));
      try {
        switch (kind) {
          case 0 -> forge("approve");
          case 1 -> forge(any(List.of("executed", "orphaned", "saved", "aborted", "approve.x")));
          case 2 -> viaDesk();
          case 3 -> answered();
          case 4 -> copied(new Command.Fork(id, 1, copy(), actor(), null));
          case 5 ->
              copied(new Command.Migrate(id, any(List.of(2, 90, 97)), Map.of(), actor(), null));
          case 6 -> house.box.publish(weaker(any(SystemMachines.names())));
          case 7 -> start();
          case 8 -> taken();
          case 9 -> submit(new Command.Cancel(any(List.of(id, task)), actor(), key()));
          case 10 -> cancelTask();
          case 11 -> meddle();
          case 12 -> tokens();
          case 13 -> secrets();
          case 14 -> counted();
          default -> otherService();
        }
      } catch (RuntimeException refused) {
        // Refused, which is what is wanted; what came of it is judged at the end.
        tried.add("refused");
      }
    }

    private void submit(Command command) {
      Reply _ =
          random.nextBoolean() ? house.box.submit(command) : house.box.submitAsync(command).join();
    }

    /** Refused for what it is, not because there happens to be no such version or entry. */
    private void copied(Command command) {
      Reply reply = house.box.submit(command);
      expect(
          reply instanceof Reply.Rejected(Rejection rejection)
              && rejection.code() == Rejection.Code.RESERVED_MACHINE,
          "%s got %s".formatted(command, reply));
    }

    private void forge(String event) {
      submit(new Command.Send(id, event, digest(), actor(), key(), null));
    }

    /** As an agent's tools do. */
    private void viaDesk() {
      house.desk.send(id, any(List.of("approve", "executed")), digest(), caller(), null, null);
    }

    /** At the right door, by those who may not. */
    private void answered() {
      Actor actor =
          any(
              List.of(
                  new Actor(Actor.Kind.USER, "ann", ROLES),
                  new Actor(Actor.Kind.USER, "bot", ROLES),
                  new Actor(Actor.Kind.AGENT, "kim", ROLES),
                  new Actor(Actor.Kind.USER, "eve", List.of("operator", "admin"))));
      Reply _ = house.approvals.approve(id, actor, action.digest());
      if (!honest) {
        Reply _ = house.approvals.approve(id, KIM, "0".repeat(64));
      }
    }

    private @Nullable String copy() {
      return random.nextBoolean() ? null : "copy-" + seed + "-" + random.nextInt(100);
    }

    private static Machine weaker(String name) {
      String text = SystemMachines.source(name).text().replaceFirst("version: \\d+", "version: 97");
      String weak = text.replaceAll("roles: \\[[^]]*]", "roles: []");
      return Objects.requireNonNull(YamlReader.read(new Source("weak.yaml", weak)).machine());
    }

    /** A request of one's own making, about the same action. */
    private void start() {
      Map<String, Object> input = new LinkedHashMap<>();
      input.put("subject", action.subject());
      input.put("action", "deploy");
      input.put("digest", action.digest());
      input.put("requester", "nobody");
      String machine = any(List.of("approval", "approval@1"));
      if (random.nextBoolean()) {
        submit(new Command.Start(machine, copy(), input, actor(), key()));
      } else {
        house.desk.start(machine, copy(), new LinkedHashMap<>(input), caller(), null);
      }
    }

    /** Names that services compute. */
    private void taken() {
      String name =
          any(List.of("delivery-mail-", "approval-", "lock:", "budget-", "RUN-DEMO-", "task-"));
      Command start = new Command.Start("mine", name + seed, Map.of(), actor(), null);
      Reply reply = house.box.submit(start);
      expect(reply instanceof Reply.Rejected, "an id of a service was taken: " + name);
    }

    private void cancelTask() {
      Map<String, Object> data = Map.of("reason", "mine");
      if (random.nextBoolean()) {
        submit(new Command.Send(task, "cancel", data, actor(), key(), null));
      } else {
        house.desk.send(task, "cancel", data, caller(), null, null);
      }
    }

    /** Through a machine that somebody published. */
    private void meddle() {
      Map<String, Object> input = Map.of("at", any(List.of(id, task)), "digest", action.digest());
      Reply reply = house.box.submit(new Command.Start("mine", null, input, actor(), null));
      submit(new Command.Send(accepted(reply), "go", null, actor(), null, null));
    }

    private void tokens() {
      Tokens.Order order =
          new Tokens.Order(
              "bot",
              List.of("agent", any(List.of("planner", "auditor", "approver", "reviewer", "user"))),
              List.of(),
              Duration.ofDays(1));
      house.tokens.create(order, new Actor(Actor.Kind.USER, "ada", List.of("admin")));
      found.add("an agent's token has " + order.roles());
    }

    private void secrets() {
      String variable = "SIGNALBOX_SECRET_KIM";
      if (random.nextBoolean()) {
        SecretSource.environment(Map.of(variable, "whsec_0123456789")).named("kim");
      } else {
        Program.of(List.of("env")).handingOn(List.of(variable));
      }
      found.add("a tool has an approver's secret");
    }

    /** What counts in a run, given by who starts it. */
    private void counted() {
      Map<String, Object> input =
          any(
              List.of(
                  Map.<String, Object>of("tokens", -1_000_000_000L),
                  Map.<String, Object>of("plan_approved_by", "kim"),
                  Map.<String, Object>of("approvals_granted", List.of(id))));
      Actor by = random.nextBoolean() ? Actor.SYSTEM : actor();
      Reply reply = house.box.submit(new Command.Start("runs.run", null, input, by, null));
      expect(reply instanceof Reply.Rejected, "a run was started with " + input);
    }

    /** A service that is given the id of something else. */
    private void otherService() {
      Command claim = Command.Send.of(id, any(List.of("executed", "approve")), digest());
      Reply _ = house.box.submitForCaller(any(List.of("task", "lock", "worker")), claim).join();
    }
  }
}
