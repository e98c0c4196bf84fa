package dev.signalbox.services.person;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.definition.check.Check;
import dev.signalbox.definition.check.CheckReport;
import dev.signalbox.definition.check.Verdict;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.approval.Action;
import dev.signalbox.services.approval.Answer;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.services.approval.Asker;
import dev.signalbox.services.approval.Request;
import dev.signalbox.testkit.ManualClock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Enrolling people, their proofs and what they decide, on a real SQLite file. */
class PeopleTest {
  private static final char[] RIGHT = "a lantern on a rail".toCharArray();
  private static final char[] WRONG = "a lantern on a train".toCharArray();
  private static final Action DEPLOY = Action.of("r-1", "deploy", Map.of("to", "prod"));

  @TempDir Path folder;
  private final ManualClock clock = new ManualClock();
  private Signalbox box;
  private People people;
  private Approvals approvals;

  @BeforeEach
  void opened() {
    box = Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"), Settings.DEFAULT, clock);
    people = People.on(box);
    approvals = Approvals.on(box);
  }

  @AfterEach
  void everything_is_in_the_journal_and_replays() {
    assertThat(Audit.verify(box.journal(), _ -> {}).findings()).isEmpty();
    box.close();
  }

  private Person kim(boolean ownAllowed) {
    return people.enrolFirst(
        new Enrolment("kim", Enrolment.FIRST, Set.of("root"), ownAllowed, "root"), RIGHT);
  }

  private Proof.Proved proved(String name, char[] passphrase) {
    return (Proof.Proved) people.prove(name, passphrase, "a test");
  }

  private String asked(String by) {
    return approvals.request(Request.of(DEPLOY, new Asker(Actor.Kind.USER, by, "")));
  }

  private Reply yes(String id, Decider decider) {
    return approvals.answer(id, decider, new Answer.Approve(DEPLOY.digest(), null), null);
  }

  private static Rejection.Code refused(Reply reply) {
    return ((Reply.Rejected) reply).rejection().code();
  }

  @Test
  void the_machine_is_sound_and_its_invariants_are_proved() {
    CheckReport report = Check.run(People.SHELF.definition(People.MACHINE));
    assertThat(report.problems()).isEmpty();
    assertThat(report.invariants()).hasSize(5).allMatch(v -> v instanceof Verdict.Proved);
  }

  @Test
  void somebody_who_was_enrolled_is_known_by_the_passphrase_alone() {
    kim(false);
    assertThat(people.prove("kim", WRONG, "a test")).isEqualTo(new Proof.Wrong());
    assertThat(people.prove("bob", RIGHT, "a test")).isEqualTo(new Proof.Wrong());
    assertThat(proved("kim", RIGHT).person().name()).isEqualTo("kim");
    assertThat(box.history(people.all().getFirst().id(), 1, 100))
        .extracting(e -> new String(e.body(), StandardCharsets.UTF_8))
        .noneMatch(body -> body.contains("lantern"))
        .anyMatch(body -> body.contains("\"proved\""));
  }

  @Test
  void the_fifth_wrong_passphrase_closes_the_door_for_a_while_also_to_the_right_one() {
    kim(false);
    for (int i = 0; i < 5; i++) {
      assertThat(people.prove("kim", WRONG, "a test")).isEqualTo(new Proof.Wrong());
    }
    assertThat(people.prove("kim", RIGHT, "a test")).isEqualTo(new Proof.Locked());
    box.close();
    clock.advance(Duration.ofSeconds(61));
    opened();
    assertThat(people.prove("kim", RIGHT, "a test")).isInstanceOf(Proof.Proved.class);
  }

  @Test
  void the_fifth_try_may_still_be_right() {
    kim(false);
    for (int i = 0; i < 4; i++) {
      assertThat(people.prove("kim", WRONG, "a test")).isEqualTo(new Proof.Wrong());
    }
    assertThat(people.prove("kim", RIGHT, "a test")).isInstanceOf(Proof.Proved.class);
    assertThat(people.prove("kim", WRONG, "a test")).isEqualTo(new Proof.Wrong());
    assertThat(people.prove("kim", RIGHT, "a test")).isInstanceOf(Proof.Proved.class);
  }

  @Test
  void after_the_first_only_a_person_enrols_others() {
    kim(false);
    Enrolment bob = new Enrolment("bob", Enrolment.OTHERS, Set.of(), false, "kim");
    assertThatThrownBy(() -> people.enrolFirst(bob, RIGHT)).hasMessageContaining("somebody is");
    assertThat(people.enrol(bob, WRONG, proved("kim", RIGHT).decider()).roles())
        .containsExactly("approver", "viewer");
    Enrolment eve = new Enrolment("eve", Enrolment.OTHERS, Set.of(), false, "bob");
    assertThatThrownBy(() -> people.enrol(eve, RIGHT, proved("bob", WRONG).decider()))
        .hasMessageContaining("admin");
  }

  @Test
  void almost_the_same_name_is_refused() {
    kim(false);
    Decider kim = proved("kim", RIGHT).decider();
    for (String name :
        List.of(
            "Kim", "KIM", "kım".replace('ı', 'i') + "\u200b", "k\u0456m", "ｋｉｍ", "kim", "ROOT")) {
      assertThatThrownBy(() ->
              people.enrol(
                  new Enrolment(name, Enrolment.OTHERS, Set.of(), false, "kim"), RIGHT, kim))
          .as(name)
          .isInstanceOf(EnrolmentException.class);
    }
    assertThat(people.all()).hasSize(1);
  }

  @Test
  void nobody_approves_what_they_asked_for_under_whatever_name_or_spelling() {
    kim(false);
    Decider kim = proved("kim", RIGHT).decider();
    for (String asker : List.of("kim", "Kim", "k\u200bim", "root", "ROOT")) {
      String id = asked(asker);
      assertThat(approvals.approval(id).objection(kim)).as(asker).isNotNull();
      assertThat(refused(yes(id, kim))).as(asker).isEqualTo(Rejection.Code.GUARD_REFUSED);
      assertThat(refused(approvals.answer(id, kim, new Answer.Reject("no"), null)))
          .isEqualTo(Rejection.Code.GUARD_REFUSED);
    }
    assertThat(yes(asked("ann"), kim)).isInstanceOf(Reply.Accepted.class);
  }

  @Test
  void a_sole_person_approves_their_own_where_it_is_allowed_and_the_entry_says_so() {
    kim(true);
    String id = asked("root");
    Decider kim = proved("kim", RIGHT).decider();
    assertThat(approvals.approval(id).objection(kim)).isNull();
    assertThat(yes(id, kim)).isInstanceOf(Reply.Accepted.class);
    Approval granted = approvals.approval(id);
    assertThat(granted.self()).isTrue();
    assertThat(granted.approvers()).containsExactly("kim");
    assertThat(box.history(id, 1, 100))
        .extracting(e -> new String(e.body(), StandardCharsets.UTF_8))
        .anyMatch(body -> body.contains("self:allowed") && body.contains("by:passphrase"));
    String other = asked("ann");
    assertThat(yes(other, kim)).isInstanceOf(Reply.Accepted.class);
    assertThat(approvals.approval(other).self()).isFalse();
  }

  @Test
  void once_there_is_somebody_else_nobody_approves_their_own() {
    kim(true);
    people.enrol(
        new Enrolment("bob", Enrolment.OTHERS, Set.of(), false, "kim"),
        WRONG,
        proved("kim", RIGHT).decider());
    assertThat(refused(yes(asked("kim"), proved("kim", RIGHT).decider())))
        .isEqualTo(Rejection.Code.GUARD_REFUSED);
    assertThat(yes(asked("kim"), proved("bob", WRONG).decider()))
        .isInstanceOf(Reply.Accepted.class);
  }

  @Test
  void two_are_two_also_where_one_may_approve_their_own() {
    kim(true);
    String id =
        approvals.request(Request.of(DEPLOY, new Asker(Actor.Kind.USER, "kim", "")).quorum(2));
    assertThat(refused(yes(id, proved("kim", RIGHT).decider())))
        .isEqualTo(Rejection.Code.GUARD_REFUSED);
  }

  @Test
  void nobody_but_the_service_reaches_a_person() {
    String id = kim(false).id();
    Actor admin = new Actor(Actor.Kind.USER, "root", List.of("admin", "operator", "approver"));
    for (String event : List.of("proved", "changed", "allowed", "removed", "tried")) {
      assertThat(box.submit(Command.Send.of(id, event, Map.of()).by(admin)))
          .isInstanceOf(Reply.Rejected.class);
    }
  }

  @Test
  void a_passphrase_is_changed_and_a_person_leaves() {
    kim(false);
    people.change(proved("kim", RIGHT).decider(), WRONG);
    assertThat(people.prove("kim", RIGHT, "a test")).isEqualTo(new Proof.Wrong());
    Decider kim = proved("kim", WRONG).decider();
    assertThatThrownBy(() -> people.remove("kim", kim)).hasMessageContaining("the last");
    people.enrol(new Enrolment("bob", Enrolment.OTHERS, Set.of(), false, "kim"), RIGHT, kim);
    people.remove("bob", kim);
    assertThat(people.prove("bob", RIGHT, "a test")).isEqualTo(new Proof.Wrong());
    assertThat(people.all()).extracting(Person::name).containsExactly("kim");
    people.enrol(new Enrolment("bob", Enrolment.OTHERS, Set.of(), false, "kim"), RIGHT, kim);
    assertThat(people.prove("bob", RIGHT, "a test")).isInstanceOf(Proof.Proved.class);
  }

  @Test
  void a_passphrase_that_is_guessed_at_once_is_none() {
    for (String bad : List.of("", "short", "aaaaaaaaaaaa", "x".repeat(300))) {
      assertThatThrownBy(() ->
              people.enrolFirst(
                  new Enrolment("kim", Enrolment.FIRST, Set.of(), false, "root"),
                  bad.toCharArray()))
          .isInstanceOf(EnrolmentException.class);
    }
  }
}
