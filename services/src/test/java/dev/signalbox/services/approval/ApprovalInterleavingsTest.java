package dev.signalbox.services.approval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.ManualSignalbox;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.testkit.ManualClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Two nodes on one store, people who answer, agents that try, claims that race, clocks that move
 * and nodes that die, in an order that a seed decides.
 */
class ApprovalInterleavingsTest {
  private static final int SEEDS = Integer.getInteger("approvals.seeds", 300);
  private static final Action RIGHT = Action.of("r-1", "deploy", Map.of("to", "prod"));
  private static final Action WRONG = Action.of("r-1", "deploy", Map.of("to", "moon"));
  private static final List<String> NAMES = List.of("ann", "planner", "bob", "eve", "kim", "sam");

  @Test
  void no_interleaving_breaks_a_promise() {
    int used = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      try {
        used += new Story(seed).live() ? 1 : 0;
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("with seed " + seed + ": " + e.getMessage(), e);
      }
    }
    assertThat(used).as("stories in which it was used at all").isBetween(SEEDS / 10, SEEDS);
  }

  /** One claim and how it was answered, if it was. */
  private record Attempt(Action action, CompletableFuture<Reply> reply) {}

  private static final class Story {
    private final Random random;
    private final ManualClock clock = new ManualClock();
    private final Journal journal = new MemoryJournal(clock, true);
    private final ManualSignalbox[] nodes = new ManualSignalbox[2];
    private final List<Attempt> attempts = new ArrayList<>();
    private final Approvals approvals;
    private final String id;
    private final int quorum;

    Story(long seed) {
      random = new Random(seed);
      nodes[0] = node();
      nodes[1] = node();
      approvals = Approvals.on(nodes[0]);
      quorum = 1 + random.nextInt(3);
      Request request =
          Request.of(
                  RIGHT,
                  new Asker(Actor.Kind.USER, "ann", ""),
                  new Asker(Actor.Kind.AGENT, "planner", ""))
              .quorum(quorum)
              .expiresIn(Duration.ofHours(1));
      CompletableFuture<Reply> reply =
          nodes[0].submit(
              new Command.Start(
                  Approvals.MACHINE, "a", request.input(request.chain()), Actor.SYSTEM, null));
      nodes[0].rest();
      id = ((Reply.Accepted) reply.join()).receipt().instance();
    }

    private ManualSignalbox node() {
      return new ManualSignalbox(journal, Settings.DEFAULT, clock, new Random(random.nextLong()));
    }

    /** Whether it was used in the end. */
    boolean live() {
      int most = 40 + random.nextInt(80);
      for (int i = 0; i < most; i++) {
        act(random.nextInt(2));
      }
      for (int i = 0; i < 3; i++) {
        for (ManualSignalbox node : nodes) {
          node.poll();
          node.rest();
        }
      }
      return promises();
    }

    private void act(int n) {
      ManualSignalbox node = nodes[n];
      switch (random.nextInt(16)) {
        case 0, 1, 2 ->
            send(
                node,
                "approve",
                Map.of("digest", (random.nextInt(8) == 0 ? WRONG : RIGHT).digest()),
                somebody());
        case 3 -> send(node, "delegate", Map.of("to", name()), somebody());
        case 4 -> {
          if (random.nextInt(4) == 0) {
            send(node, "reassign", Map.of("to", List.of(name(), name())), somebody());
          }
        }
        case 5 -> {
          if (random.nextInt(10) == 0) {
            send(node, "reject", Map.of("reason", "no"), somebody());
          }
        }
        case 6, 7, 8 -> claim(node, random.nextInt(10) == 0 ? WRONG : RIGHT);
        case 9 -> clock.advance(Duration.ofMinutes(random.nextInt(8)));
        case 10 -> node.poll();
        case 11 -> {
          if (random.nextInt(5) == 0) {
            nodes[n] = node();
          }
        }
        case 12 -> node.step();
        case 13 -> node.commit();
        case 14 -> node.step();
        default -> node.rest();
      }
    }

    private void send(ManualSignalbox node, String event, Object data, Actor actor) {
      var _ = node.submitForCaller("approval", Command.Send.of(id, event, data).by(actor));
    }

    private void claim(ManualSignalbox node, Action action) {
      Terms terms = random.nextBoolean() ? Terms.NONE : Terms.NONE.key("claim-" + attempts.size());
      attempts.add(new Attempt(action, node.submit(Approvals.claiming(id, action, terms))));
    }

    private String name() {
      return NAMES.get(random.nextInt(NAMES.size()));
    }

    private Actor somebody() {
      String name = name();
      boolean agent = name.equals("planner") || random.nextInt(6) == 0;
      List<String> roles = random.nextInt(8) == 0 ? List.of("operator") : List.of("approver");
      return new Actor(agent ? Actor.Kind.AGENT : Actor.Kind.USER, name, roles);
    }

    private boolean promises() {
      Instance instance = Objects.requireNonNull(nodes[0].find(id));
      Approval approval = Approval.of(instance);
      List<Claim> claims = new ArrayList<>();
      for (Attempt attempt : attempts) {
        Reply reply = attempt.reply().getNow(null);
        Claim claim = reply == null ? null : approvals.answer(id, Terms.NONE, reply);
        if (claim instanceof Claim.Claimed) {
          assertThat(attempt.action()).as("used for other arguments").isEqualTo(RIGHT);
          claims.add(claim);
        }
      }
      assertThat(claims).as("used twice").hasSizeLessThanOrEqualTo(1);
      if (!claims.isEmpty()) {
        assertThat(approval.state()).isEqualTo("EXECUTED");
      }
      assertThat(approval.approvers())
          .as("approved by who asked")
          .doesNotContain("ann", "planner")
          .doesNotHaveDuplicates();
      assertThat(new Fields(instance.context()).texts("delegated_from"))
          .as("approved with a say that was given away")
          .noneMatch(approval.approvers()::contains);
      assertThat(entriesAreLegal(approval)).isTrue();
      assertThat(Audit.verify(journal, _ -> {}).findings()).isEmpty();
      return approval.state().equals("EXECUTED");
    }

    /** Reads the journal itself: who approved as what, and when it was used. */
    private boolean entriesAreLegal(Approval approval) {
      int approvalsSeen = 0;
      for (EntryRow entry : nodes[0].history(id, 1, 1_000)) {
        Map<?, ?> body = body(entry);
        Map<?, ?> event = (Map<?, ?>) Objects.requireNonNull(body.get("event"));
        Map<?, ?> actor = event.get("actor") instanceof Map<?, ?> map ? map : Map.of();
        if ("approve".equals(event.get("name"))) {
          approvalsSeen++;
          assertThat(actor.get("kind")).isEqualTo("user");
          assertThat(at(body)).isLessThan(approval.expiresAt().toEpochMilli());
        }
        if ("reject".equals(event.get("name"))) {
          assertThat(actor.get("kind")).isEqualTo("user");
          assertThat(actor.get("name")).as("rejected by who asked").isNotIn("ann", "planner");
        }
        if (List.of("EXECUTED").equals(body.get("states"))) {
          assertThat(approvalsSeen).isGreaterThanOrEqualTo(quorum);
          assertThat(at(body)).as("used too late").isLessThan(approval.expiresAt().toEpochMilli());
          assertThat(event.get("data"))
              .isInstanceOfSatisfying(
                  Map.class, data -> assertThat(data.get("digest")).isEqualTo(RIGHT.digest()));
        }
      }
      return new HashSet<>(approval.approvers()).size() == approvalsSeen;
    }

    private static long at(Map<?, ?> body) {
      return ((Number) Objects.requireNonNull(body.get("at"))).longValue();
    }

    private static Map<?, ?> body(EntryRow entry) {
      try {
        @Nullable Object body = Json.parse(new String(entry.body(), StandardCharsets.UTF_8));
        return (Map<?, ?>) Objects.requireNonNull(body);
      } catch (Json.SyntaxException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
