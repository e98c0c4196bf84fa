package dev.signalbox.services.approval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.RejectedException;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.testkit.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Asking, answering and using, on a real SQLite file. */
class ApprovalsTest {
  static final Actor ANN = person("ann");
  static final Actor BOB = person("bob");
  static final Actor EVE = person("eve");
  static final Actor OPERATOR = new Actor(Actor.Kind.USER, "olga", List.of("operator"));
  static final Actor PLANNER = new Actor(Actor.Kind.AGENT, "planner", List.of("approver"));
  static final Action DEPLOY =
      Action.of("r-1", "deploy", Map.of("to", "prod", "version", 7, "hosts", List.of("a", "b")));

  private static final String RUN =
      """
      machine: run
      context: { heard: { type: string, default: "" } }
      states:
        WAITING:
          waits: for an answer
          on:
            approved: { assign: { heard: "'approved by ' + event.approver" } }
            denied: { assign: { heard: "'denied: ' + event.reason" } }
            end: ENDED
        ENDED: { final: true }
      """;

  @TempDir Path folder;
  private final ManualClock clock = new ManualClock();
  private Signalbox box;
  private Approvals approvals;

  static Actor person(String name, String... more) {
    List<String> roles = new java.util.ArrayList<>(List.of(more));
    roles.add("approver");
    return new Actor(Actor.Kind.USER, name, roles);
  }

  @BeforeEach
  void opened() {
    box = Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"), Settings.DEFAULT, clock);
    approvals = Approvals.on(box);
    box.publish(MachineReader.read(new Source("run.yaml", RUN)));
  }

  @AfterEach
  void everything_is_in_the_journal_and_replays() {
    assertThat(Audit.verify(box.journal(), _ -> {}).findings()).isEmpty();
    box.close();
  }

  private static Request asking() {
    return Request.of(DEPLOY, Asker.of(ANN), Asker.of(PLANNER));
  }

  private String approved(Request request) {
    String id = approvals.request(request);
    assertThat(approvals.approve(id, BOB, request.action().digest()))
        .isInstanceOf(Reply.Accepted.class);
    return id;
  }

  private static Rejection.Code refused(Reply reply) {
    return ((Reply.Rejected) reply).rejection().code();
  }

  private static Claim.Reason reason(Claim claim) {
    return ((Claim.Rejected) claim).reason();
  }

  private String run(String id) {
    box.submit(new Command.Start("run", id, Map.of(), Actor.SYSTEM, null));
    return id;
  }

  @Test
  void what_was_approved_runs_once() throws Exception {
    String id = approved(asking());
    assertThat(approvals.execute(id, DEPLOY, action -> action.arguments()))
        .isEqualTo(new Execution.Done<>(DEPLOY.arguments()));

    assertThat(reason(approvals.claim(id, DEPLOY))).isEqualTo(Claim.Reason.USED);
    assertThat(approvals.approval(id).outcome()).isEqualTo(Outcome.EXECUTED);
  }

  @Test
  void other_arguments_run_nothing_and_end_the_approval() throws Exception {
    String id = approved(asking());
    AtomicInteger runs = new AtomicInteger();
    Action other = Action.of("r-1", "deploy", Map.of("to", "prod", "version", 8));
    Execution<Integer> execution = approvals.execute(id, other, _ -> runs.incrementAndGet());

    assertThat(((Execution.Rejected<Integer>) execution).why().reason())
        .isEqualTo(Claim.Reason.MISMATCH);
    assertThat(((Execution.Rejected<Integer>) execution).why().message())
        .startsWith("Expected to use approval '" + id + "' of 'r-1', but it is for deploy");
    assertThat(reason(approvals.claim(id, DEPLOY))).isEqualTo(Claim.Reason.MISMATCH);
    assertThat(runs).hasValue(0);
    assertThat(approvals.approval(id).state()).isEqualTo("ABORTED");
  }

  @Test
  void subject_action_arguments_and_the_tools_identity_all_make_the_digest() {
    Map<String, Object> unsorted = new HashMap<>();
    unsorted.put("version", 7L);
    unsorted.put("hosts", List.of("a", "b"));
    unsorted.put("to", "prod");
    assertThat(Action.of("r-1", "deploy", unsorted).digest()).isEqualTo(DEPLOY.digest());
    assertThat(Action.of("r-2", "deploy", unsorted).digest()).isNotEqualTo(DEPLOY.digest());
    assertThat(Action.of("r-1", "undo", unsorted).digest()).isNotEqualTo(DEPLOY.digest());
    assertThat(DEPLOY.by(Map.of("server", "x")).digest()).isNotEqualTo(DEPLOY.digest());
    assertThat(Action.of("r-1", "deploy", Map.of("hosts", List.of("b", "a"))).digest())
        .isNotEqualTo(Action.of("r-1", "deploy", Map.of("hosts", List.of("a", "b"))).digest());
  }

  @Test
  void arguments_that_change_after_they_were_compared_do_not_reach_the_work() throws Exception {
    Map<String, Object> arguments = new HashMap<>(Map.of("to", "test"));
    Action action = Action.of("r-1", "deploy", arguments);
    String id = approved(Request.of(action, Asker.of(ANN)));
    arguments.put("to", "prod");
    assertThat(approvals.execute(id, action, a -> a.arguments()))
        .isEqualTo(new Execution.Done<>(Map.of("to", "test")));
  }

  @Test
  void a_number_that_json_would_change_is_refused() {
    assertThatThrownBy(() -> Action.of("s", "pay", Map.of("cents", (1L << 53) + 1)))
        .hasMessageContaining("Write it as a text");
    assertThatThrownBy(() -> Action.of("s", "pay", Double.NaN)).hasMessageContaining("NaN");
    assertThatThrownBy(() -> Action.of("s", "pay", new Object())).hasMessageContaining("JSON");
  }

  @Test
  void neither_who_asked_nor_an_agent_approves() {
    String id = approvals.request(asking());
    assertThat(refused(approvals.approve(id, ANN, DEPLOY.digest())))
        .isEqualTo(Rejection.Code.GUARD_REFUSED);
    Actor other = new Actor(Actor.Kind.AGENT, "critic", List.of("approver"));
    assertThat(refused(approvals.approve(id, other, DEPLOY.digest())))
        .isEqualTo(Rejection.Code.GUARD_REFUSED);
    Actor nobody = new Actor(Actor.Kind.USER, "joe", List.of());
    assertThat(refused(approvals.approve(id, nobody, DEPLOY.digest())))
        .isEqualTo(Rejection.Code.ROLE_REQUIRED);
    assertThat(refused(approvals.approve(id, Actor.SYSTEM, DEPLOY.digest())))
        .isEqualTo(Rejection.Code.ROLE_REQUIRED);
    assertThat(refused(approvals.delegate(id, ANN, "bob"))).isEqualTo(Rejection.Code.GUARD_REFUSED);
    assertThat(refused(approvals.delegate(id, BOB, "ann"))).isEqualTo(Rejection.Code.GUARD_REFUSED);
    assertThat(refused(approvals.reassign(id, OPERATOR, List.of("ann"))))
        .isEqualTo(Rejection.Code.GUARD_REFUSED);
  }

  @Test
  void who_asked_and_who_gave_the_say_away_can_neither_reject_nor_escalate() {
    String id = approvals.request(asking().quorum(2));
    approvals.delegate(id, EVE, "kim");
    for (Actor person : List.of(ANN, EVE)) {
      assertThat(refused(approvals.reject(id, person, "not mine to say")))
          .isEqualTo(Rejection.Code.GUARD_REFUSED);
      assertThat(refused(approvals.escalate(id, person, "not mine to say")))
          .isEqualTo(Rejection.Code.GUARD_REFUSED);
    }
    Actor helper = new Actor(Actor.Kind.AGENT, "planner", List.of("approver"));
    assertThat(refused(approvals.reject(id, helper, "no"))).isEqualTo(Rejection.Code.GUARD_REFUSED);
    assertThat(approvals.approval(id).outcome()).isNull();

    approvals.approve(id, BOB, DEPLOY.digest());
    assertThat(approvals.reject(id, BOB, "I was wrong")).isInstanceOf(Reply.Accepted.class);
    assertThat(approvals.approval(id).outcome()).isEqualTo(Outcome.REJECTED);
    String other = approvals.request(asking());
    assertThat(approvals.escalate(other, OPERATOR, "too big")).isInstanceOf(Reply.Accepted.class);
  }

  @Test
  void whether_and_why_not_somebody_may_approve_is_what_the_machine_does() {
    Actor kim = person("kim", "security");
    Actor joe = new Actor(Actor.Kind.USER, "joe", List.of("operator"));
    List<Actor> all = List.of(ANN, BOB, EVE, kim, joe, PLANNER, OPERATOR, Actor.SYSTEM);
    assertTold(asking(), _ -> {}, all, "asked - - - n n n n");
    assertTold(asking().roles("security"), _ -> {}, all, "asked no-role no-role - n n n n");
    assertTold(asking().assignedTo("bob", "kim"), _ -> {}, all, "asked - not-assigned - n n n n");
    assertTold(
        asking().roles("security").assignedTo("bob"),
        id -> approvals.delegate(id, person("bob", "security"), "eve"),
        all,
        "asked delegated - not-assigned n n n n");
    assertTold(
        asking().quorum(2),
        id -> approvals.approve(id, BOB, DEPLOY.digest()),
        all,
        "asked approved - - n n n n");
    assertTold(
        asking(),
        id -> approvals.reject(id, BOB, "no"),
        all,
        "decided decided decided decided decided decided decided decided");
  }

  /**
   * What each person is told, and that the machine refuses whom an objection is told, whether they
   * say yes, no or hand it upwards. Only who has said yes may take it back.
   */
  private void assertTold(
      Request request, Consumer<String> before, List<Actor> people, String expected) {
    List<String> told = new ArrayList<>();
    for (Actor person : people) {
      String id = approvals.request(request);
      before.accept(id);
      Objection objection = approvals.approval(id).objection(person);
      told.add(objection == null ? "-" : objection.code());
      assertThat(approvals.approve(id, person, DEPLOY.digest()) instanceof Reply.Accepted)
          .as("%s: %s", person, objection)
          .isEqualTo(objection == null);
      id = approvals.request(request);
      before.accept(id);
      boolean stops = objection == null || objection.code().equals("approved");
      assertThat(approvals.reject(id, person, "no") instanceof Reply.Accepted)
          .as("%s says no: %s", person, objection)
          .isEqualTo(stops);
      id = approvals.request(request);
      before.accept(id);
      if (person.kind() == Actor.Kind.USER && !person.roles().contains("operator")) {
        assertThat(approvals.escalate(id, person, "up") instanceof Reply.Accepted)
            .as("%s hands it upwards: %s", person, objection)
            .isEqualTo(stops);
      }
    }
    assertThat(told).containsExactly(expected.replaceAll("\\bn\\b", "not-an-approver").split(" "));
  }

  @Test
  void a_request_under_another_carries_the_whole_chain_to_the_person() {
    String above = approvals.request(asking());
    Asker helper = new Asker(Actor.Kind.AGENT, "helper", "t-9");
    Action part = Action.of("r-1", "delete", Map.of("path", "/tmp/x"));
    String id = approvals.request(Request.of(part, helper).under(above));

    assertThat(approvals.approval(id).chain())
        .extracting(Asker::toString)
        .containsExactly("user ann", "agent planner", "agent helper");
    assertThat(approvals.approval(id).requester()).isEqualTo(helper);
    assertThat(refused(approvals.approve(id, ANN, part.digest())))
        .isEqualTo(Rejection.Code.GUARD_REFUSED);
    assertThatThrownBy(() -> approvals.request(Request.of(part, helper).under("nothing")))
        .isInstanceOf(RejectedException.class);
  }

  @Test
  void a_quorum_with_roles_is_reached_by_those_who_have_them_or_were_given_a_say() {
    Request request = asking().quorum(2).roles("security");
    String id = approvals.request(request);
    assertThat(refused(approvals.approve(id, BOB, DEPLOY.digest())))
        .isEqualTo(Rejection.Code.GUARD_REFUSED);
    Actor kim = person("kim", "security");
    assertThat(approvals.delegate(id, kim, "bob")).isInstanceOf(Reply.Accepted.class);
    assertThat(approvals.approve(id, BOB, DEPLOY.digest())).isInstanceOf(Reply.Accepted.class);
    assertThat(refused(approvals.approve(id, kim, DEPLOY.digest())))
        .isEqualTo(Rejection.Code.GUARD_REFUSED);
    assertThat(reason(approvals.claim(id, DEPLOY))).isEqualTo(Claim.Reason.UNDECIDED);

    approvals.approve(id, person("sam", "security"), DEPLOY.digest());
    assertThat(approvals.approval(id).approvers()).containsExactly("bob", "sam");
    assertThat(approvals.claim(id, DEPLOY)).isInstanceOf(Claim.Claimed.class);
  }

  @Test
  void conditions_are_met_or_nothing_runs() {
    String id = approvals.request(asking());
    approvals.approve(id, BOB, DEPLOY.digest(), "backup is taken");

    assertThat(reason(approvals.claim(id, DEPLOY))).isEqualTo(Claim.Reason.CONDITIONS);
    assertThat(approvals.claim(id, DEPLOY, Terms.NONE.meeting("backup is taken")))
        .isInstanceOf(Claim.Claimed.class);
  }

  @Test
  void nothing_is_used_or_approved_after_its_time() {
    String granted = approved(asking().expiresIn(Duration.ofHours(1)));
    String waiting = approvals.request(asking());
    clock.advance(Duration.ofHours(1));
    assertThat(reason(approvals.claim(granted, DEPLOY))).isEqualTo(Claim.Reason.EXPIRED);
    clock.advance(Duration.ofHours(23));
    assertThat(approvals.approve(waiting, BOB, DEPLOY.digest())).isInstanceOf(Reply.Rejected.class);
    assertThat(approvals.approval(waiting).outcome()).isEqualTo(Outcome.EXPIRED);
  }

  @Test
  void the_same_key_is_the_same_request_and_no_other() {
    String id = approvals.request(asking().key("k"));
    assertThat(approvals.request(asking().key("k"))).isEqualTo(id);
    Action other = Action.of("r-1", "drop", Map.of());
    Asker same = asking().chain().getLast();
    assertThatThrownBy(() -> approvals.request(Request.of(other, same).key("k")))
        .isInstanceOf(RejectedException.class)
        .hasMessageContaining("given another under it");
    assertThat(approvals.request(Request.of(other, Asker.of(BOB)).key("k"))).isNotEqualTo(id);
    String own = approvals.requestForService(asking().key("k"));
    assertThat(own).isNotEqualTo(id);
    assertThatThrownBy(() -> approvals.requestForService(Request.of(other, same).key("k")))
        .isInstanceOf(RejectedException.class)
        .hasMessageContaining("asks for something else");
  }

  @Test
  void a_claim_under_a_key_is_answered_the_same_and_not_spent_too_early() {
    String id = approvals.request(asking());
    Terms mine = Terms.NONE.key("effect-1");
    assertThat(reason(approvals.claim(id, DEPLOY, mine))).isEqualTo(Claim.Reason.UNDECIDED);
    approvals.approve(id, BOB, DEPLOY.digest());

    assertThat(approvals.claim(id, DEPLOY, mine)).isInstanceOf(Claim.Claimed.class);
    assertThat(approvals.claim(id, DEPLOY, mine)).isInstanceOf(Claim.Claimed.class);
    assertThat(reason(approvals.claim(id, DEPLOY, Terms.NONE.key("effect-2"))))
        .isEqualTo(Claim.Reason.USED);
  }

  @Test
  void an_orphan_is_closed_and_never_used() {
    String run = run("r-1");
    String waiting = approvals.request(asking().ownedBy(run));
    String granted = approved(asking().ownedBy(run));
    String other = approvals.request(asking());
    assertThat(approvals.tend()).isEqualTo(new Approvals.Tended(0, 0));
    box.send(run, "end");

    assertThat(reason(approvals.claim(granted, DEPLOY))).isEqualTo(Claim.Reason.ORPHANED);
    assertThat(approvals.tend()).isEqualTo(new Approvals.Tended(1, 0));
    assertThat(approvals.approval(waiting).outcome()).isEqualTo(Outcome.ORPHANED);
    assertThat(approvals.approval(other).outcome()).isNull();
    assertThatThrownBy(() -> approvals.request(asking().ownedBy(run)))
        .isInstanceOf(RejectedException.class);
  }

  @Test
  void silence_is_reminded_of_reassigned_and_escalated() {
    Escalation policy =
        Escalation.NONE
            .remindingEvery(Duration.ofHours(1))
            .reassigningAfter(Duration.ofHours(2), List.of("eve"))
            .escalatingAfter(Duration.ofHours(4));
    String id = approvals.request(asking().assignedTo("bob").escalation(policy));
    clock.advance(Duration.ofMinutes(61));
    assertThat(approvals.tend()).isEqualTo(new Approvals.Tended(0, 1));
    assertThat(approvals.tend()).isEqualTo(new Approvals.Tended(0, 0));
    clock.advance(Duration.ofMinutes(60));
    assertThat(refused(approvals.approve(id, BOB, DEPLOY.digest())))
        .isEqualTo(Rejection.Code.GUARD_REFUSED);
    assertThat(approvals.approval(id).assignedTo()).containsExactly("eve");
    clock.advance(Duration.ofHours(2));
    assertThat(reason(approvals.claim(id, DEPLOY))).isEqualTo(Claim.Reason.REJECTED);
    assertThat(approvals.approval(id).outcome()).isEqualTo(Outcome.ESCALATED);
  }

  @Test
  void whoever_waits_is_told() {
    run("r-1");
    run("r-2");
    Request request = asking().telling("r-1", Outcome.GRANTED, "approved");
    approved(request);
    String id =
        approvals.request(
            asking()
                .telling("r-2", Outcome.REJECTED, "denied")
                .telling("r-2", Outcome.EXPIRED, "denied"));
    approvals.reject(id, BOB, "too late today");
    box.send("r-1", "end");
    box.send("r-2", "end");
    assertThat(box.instance("r-1").context()).containsEntry("heard", "approved by bob");
    assertThat(box.instance("r-2").context()).containsEntry("heard", "denied: too late today");
  }

  @Test
  void the_inbox_shows_what_one_may_answer_with_its_exact_arguments() {
    String open = approvals.request(asking().risk(Risk.CRITICAL));
    clock.advance(Duration.ofMinutes(5));
    String eves = approvals.request(asking().assignedTo("eve"));
    approved(asking());

    List<Approval> all = approvals.pending(Inbox.ALL);
    assertThat(all).extracting(Approval::id).containsExactly(open, eves);
    assertThat(all.getFirst().action()).isEqualTo(DEPLOY);
    assertThat(all.getFirst().risk()).isEqualTo(Risk.CRITICAL);
    assertThat(all.getFirst().expiresAt())
        .isEqualTo(all.getFirst().requestedAt().plus(Duration.ofDays(1)));
    assertThat(approvals.pending(Inbox.ALL.of(BOB))).extracting(Approval::id).containsExactly(open);
    assertThat(approvals.pending(Inbox.ALL.of(EVE))).hasSize(2);
    assertThat(approvals.pending(Inbox.ALL.of(ANN))).isEmpty();
    assertThat(approvals.pending(Inbox.ALL.of(PLANNER))).isEmpty();
    assertThat(approvals.pending(Inbox.ALL.about("r-2"))).isEmpty();
    assertThat(approvals.pending(Inbox.ALL.askedBy("planner")).size()).isEqualTo(2);
    assertThat(approvals.pending(Inbox.ALL.askedBefore(clock.instant())))
        .extracting(Approval::id)
        .containsExactly(open);
    assertThat(approvals.pending(Inbox.ALL.most(1))).hasSize(1);
  }

  @Test
  void a_request_that_was_not_asked_in_our_way_is_listed_and_hides_no_other() {
    Object deep = "bottom";
    for (int level = 0; level < 95; level++) {
      deep = List.of(deep);
    }
    Map<String, Object> bare = Map.of("digest", "d-1", "requester", "cron");
    Map<String, Object> odd =
        Map.of(
            "digest", "d-2",
            "requester", "cron",
            "subject", "s".repeat(3_000),
            "arguments", Map.of("deep", deep),
            "identity", Map.of("deep", deep),
            "chain", List.of("ann", 7, Map.of("kind", "ghost", "name", "casper")));
    box.submit(new Command.Start("approval", "bare", bare, Actor.SYSTEM, null));
    box.submit(new Command.Start("approval", "odd", odd, Actor.SYSTEM, null));
    String good = approvals.request(asking());

    List<Approval> all = approvals.pending(Inbox.ALL);
    assertThat(all).extracting(Approval::id).containsExactly("bare", "odd", good);
    assertThat(all.getFirst().action().subject()).isEmpty();
    assertThat(all.getFirst().requester().name()).isEqualTo("cron");
    assertThat(all.get(1).chain()).extracting(Asker::name).containsExactly("ann", "casper");
    assertThat(String.valueOf(all.get(1).action().arguments())).contains("bottom");
    assertThat(approvals.tend()).isEqualTo(new Approvals.Tended(0, 0));
    assertThat(approvals.reject("bare", BOB, "nobody says what for"))
        .isInstanceOf(Reply.Accepted.class);
    assertThat(approvals.approval("bare").reason()).isEqualTo("nobody says what for");
  }

  @Test
  void what_is_asked_names_its_subject_its_action_and_who_asks() {
    for (Action nameless :
        List.of(Action.of(" ", "deploy", Map.of()), Action.of("r-1", "", Map.of()))) {
      assertThatThrownBy(() -> Request.of(nameless, Asker.of(ANN)))
          .hasMessageContaining("1 to 2,000 characters");
    }
    assertThatThrownBy(() -> Request.of(DEPLOY, new Asker(Actor.Kind.USER, "", "")))
        .hasMessageContaining("who asks");
  }

  @Test
  void an_instance_of_another_machine_is_no_approval() {
    run("r-1");
    assertThat(refused(approvals.approve("r-1", BOB, "d")))
        .isEqualTo(Rejection.Code.UNKNOWN_INSTANCE);
    assertThat(reason(approvals.claim("r-1", DEPLOY))).isEqualTo(Claim.Reason.UNKNOWN);
    assertThat(box.instance("r-1").refusals()).isZero();
  }

  @Test
  void a_request_that_nobody_could_answer_is_refused_at_once() {
    assertThatThrownBy(() -> asking().assignedTo("bob").quorum(2)).hasMessageContaining("quorum");
    assertThatThrownBy(() -> approvals.request(asking().assignedTo("ann")))
        .hasMessageContaining("'ann' is among both");
    assertThatThrownBy(() -> asking().expiresIn(Duration.ofDays(31)))
        .hasMessageContaining("at most 30 days");
  }

  @Test
  void a_watcher_tends_by_itself() throws Exception {
    String run = run("r-1");
    String id = approvals.request(asking().ownedBy(run).telling("r-2", Outcome.ORPHANED, "end"));
    run("r-2");
    box.send(run, "end");
    try (var _ = ApprovalWatcher.start(approvals, Duration.ofMillis(5));
        var changes = java.util.concurrent.Executors.newVirtualThreadPerTaskExecutor()) {
      changes
          .submit(() -> {
            while (!box.instance(id).status().equals("ended")) {
              Thread.onSpinWait();
            }
          })
          .get(30, java.util.concurrent.TimeUnit.SECONDS);
    }
    assertThat(approvals.approval(id).outcome()).isEqualTo(Outcome.ORPHANED);
  }
}
