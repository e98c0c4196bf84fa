package dev.signalbox.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What every journal does with effects and messages. */
abstract class OutboxContract extends CutOffContract {
  private static final List<String> CALL = List.of("call", "mail");

  EffectRow effect(InstanceRow of, String key, long due) {
    return new EffectRow(
        journal.reserve(1),
        of.number(),
        key,
        "call",
        "call",
        true,
        null,
        bytes("{}"),
        due,
        0,
        0,
        null,
        false);
  }

  /** The effect as one that ends with the state. */
  private static EffectRow during(String state, EffectRow e) {
    return new EffectRow(
        e.number(),
        e.instance(),
        e.key(),
        e.name(),
        e.reply(),
        e.idempotent(),
        state,
        e.input(),
        e.due(),
        e.attempt(),
        e.fence(),
        e.owner(),
        e.cutOff());
  }

  InstanceRow with(InstanceRow row, EffectRow... effects) {
    Change change = Change.of(row);
    InstanceRow after = step(change, row, "e" + row.sequence(), null);
    change.effects().addAll(Arrays.asList(effects));
    append(change);
    return after;
  }

  @Test
  void what_is_for_an_instance_that_stands_still_is_passed_over_but_for_its_end() {
    InstanceRow row = created("r-1");
    long first = journal.reserve(4);
    Change sends = Change.of(row);
    InstanceRow sent = step(sends, row, "r-1:2", null);
    byte[] hello = "hello".getBytes(java.nio.charset.StandardCharsets.UTF_8);
    for (int i = 0; i < 4; i++) {
      byte[] body = i == 2 ? MessageRow.end() : hello;
      sends.messages().add(new MessageRow(first + i, "r-1", i == 3 ? "r-2" : "r-1", body));
    }
    append(sends);
    assertThat(journal.deliverable(0, 10))
        .extracting(MessageRow::number)
        .containsExactly(first, first + 1, first + 2, first + 3);
    for (InstanceRow.Status status :
        new InstanceRow.Status[] {InstanceRow.Status.PAUSED, InstanceRow.Status.HALTED}) {
      Change stands = Change.of(sent);
      InstanceRow stood = step(stands, sent, "r-1:" + status, null);
      stands.after(stood.standing(status, InstanceRow.NEVER));
      append(stands);
      sent = stands.after();
      assertThat(journal.deliverable(0, 10))
          .extracting(MessageRow::number)
          .containsExactly(first + 2, first + 3);
      assertThat(journal.deliverable(0, 1))
          .extracting(MessageRow::number)
          .containsExactly(first + 2);
      assertThat(journal.deliverable(first + 2, 1))
          .extracting(MessageRow::number)
          .containsExactly(first + 3);
    }
  }

  @Test
  void an_effect_is_claimed_by_one_at_a_time() {
    InstanceRow row = created("r-1");
    EffectRow first = effect(row, "r-1#1", 0);
    EffectRow second = effect(row, "r-1#2", 0);
    EffectRow later = effect(row, "r-1#3", Long.MAX_VALUE);
    with(row, first, second, later);
    List<EffectRow> claimed = journal.claim("me", CALL, 1_000, 1);
    assertThat(claimed).extracting(EffectRow::key).containsExactly("r-1#1");
    assertThat(claimed.getFirst().fence()).isEqualTo(1);
    assertThat(claimed.getFirst().attempt()).isEqualTo(1);
    assertThat(claimed.getFirst().owner()).isEqualTo("me");
    assertThat(journal.claim("you", CALL, 1_000, 10))
        .extracting(EffectRow::key)
        .containsExactly("r-1#2");
    assertThat(journal.claim("you", CALL, 1_000, 10)).isEmpty();
  }

  @Test
  void only_effects_that_the_owner_can_do_are_claimed() {
    InstanceRow row = created("r-1");
    with(row, effect(row, "r-1#1", 0));
    assertThat(journal.claim("me", List.of("mail"), 1_000, 1)).isEmpty();
    assertThat(journal.claim("me", List.of(), 1_000, 1)).isEmpty();
    assertThat(journal.claim("me", CALL, 1_000, 1)).hasSize(1);
  }

  @Test
  void a_claim_tells_whether_the_one_before_was_cut_off_or_released() {
    InstanceRow row = created("r-1");
    with(row, effect(row, "r-1#1", 0));
    EffectRow mine = journal.claim("me", CALL, 0, 1).getFirst();
    assertThat(mine.cutOff()).isFalse();
    assertThat(journal.begin(List.of(lease(mine)))).isEmpty();
    EffectRow again = journal.claim("you", CALL, 0, 1).getFirst();
    assertThat(again.cutOff()).isTrue();
    assertThat(again.attempt()).isEqualTo(2);
    journal.postpone(again.number(), again.fence(), 0, true);
    assertThat(journal.claim("him", CALL, 0, 1).getFirst().cutOff()).isFalse();
  }

  private static Lease lease(EffectRow effect) {
    return new Lease(effect.number(), effect.fence());
  }

  @Test
  void a_taking_under_which_nothing_began_is_not_cut_off_and_no_attempt() {
    InstanceRow row = created("r-1");
    with(row, effect(row, "r-1#1", 0));
    for (int i = 0; i < 3; i++) {
      EffectRow idle = journal.claim("dead", CALL, 0, 1).getFirst();
      assertThat(idle.cutOff()).isFalse();
      assertThat(idle.attempt()).isEqualTo(1);
    }
    EffectRow idle = journal.claim("dead", CALL, 0, 1).getFirst();
    journal.postpone(idle.number(), idle.fence(), 0, true);
    EffectRow mine = journal.claim("me", CALL, 0, 1).getFirst();
    assertThat(mine.attempt()).isEqualTo(1);
    assertThat(journal.begin(List.of(lease(mine)))).isEmpty();
    journal.postpone(mine.number(), mine.fence(), 0, true);
    EffectRow next = journal.claim("me", CALL, 0, 1).getFirst();
    assertThat(next.attempt()).isEqualTo(2);
    assertThat(next.cutOff()).isFalse();
    assertThat(journal.claim("you", CALL, 0, 1).getFirst().cutOff())
        .as("since it was given back, nothing began")
        .isFalse();
  }

  @Test
  void what_began_stays_cut_off_however_often_it_is_taken_and_not_begun() {
    InstanceRow row = created("r-1");
    with(row, effect(row, "r-1#1", 0));
    EffectRow mine = journal.claim("me", CALL, 0, 1).getFirst();
    assertThat(journal.begin(List.of(lease(mine)))).isEmpty();
    for (int i = 0; i < 3; i++) {
      assertThat(journal.claim("dead", CALL, 0, 1).getFirst().cutOff()).isTrue();
    }
  }

  @Test
  void nobody_begins_what_another_has_or_what_has_ended() {
    InstanceRow row = created("r-1");
    row = with(row, effect(row, "r-1#1", 0), effect(row, "r-1#2", 0));
    List<EffectRow> mine = journal.claim("me", CALL, 0, 2);
    EffectRow yours = journal.claim("you", CALL, 60_000, 1).getFirst();
    Change ends = Change.of(row);
    step(ends, row, "ends", null);
    ends.ended().add(new Change.EffectEnd(mine.getLast().number(), mine.getLast().fence()));
    append(ends);
    List<Lease> leases = mine.stream().map(OutboxContract::lease).toList();
    assertThat(journal.begin(leases)).containsExactlyElementsOf(leases);
    assertThat(journal.begin(List.of())).isEmpty();
    assertThat(journal.begin(List.of(lease(yours)))).isEmpty();
  }

  @Test
  void a_lease_that_ended_is_claimed_again_with_a_new_fence() {
    InstanceRow row = created("r-1");
    with(row, effect(row, "r-1#1", 0));
    EffectRow mine = journal.claim("me", CALL, 0, 1).getFirst();
    EffectRow yours = journal.claim("you", CALL, 60_000, 1).getFirst();
    assertThat(yours.fence()).isEqualTo(mine.fence() + 1);
    assertThat(journal.postpone(mine.number(), mine.fence(), 0, true)).isFalse();
    assertThat(Objects.requireNonNull(journal.effect(mine.number())).owner()).isEqualTo("you");
    assertThat(journal.postpone(mine.number(), yours.fence(), 0, true)).isTrue();
    assertThat(Objects.requireNonNull(journal.effect(mine.number())).owner()).isNull();
    assertThat(journal.claim("him", CALL, 60_000, 1)).hasSize(1);
  }

  @Test
  void a_lease_is_renewed_as_long_as_nobody_else_has_the_effect() {
    InstanceRow row = created("r-1");
    with(row, effect(row, "r-1#1", 0), effect(row, "r-1#2", 0), effect(row, "r-1#3", 0));
    List<EffectRow> mine = journal.claim("me", CALL, 0, 3);
    EffectRow taken = journal.claim("you", CALL, 60_000, 1).getFirst();
    assertThat(taken.key()).isEqualTo("r-1#1");
    List<Lease> leases = mine.stream().map(e -> new Lease(e.number(), e.fence())).toList();
    assertThat(journal.renew(leases, 60_000)).containsExactly(leases.getFirst());
    assertThat(journal.claim("him", CALL, 60_000, 10)).isEmpty();
    EffectRow renewed = Objects.requireNonNull(journal.effect(mine.getLast().number()));
    assertThat(renewed.owner()).isEqualTo("me");
    assertThat(renewed.fence()).isEqualTo(mine.getLast().fence());
    assertThat(renewed.due()).isGreaterThanOrEqualTo(mine.getLast().due() + 60_000);
    assertThat(journal.renew(List.of(), 60_000)).isEmpty();
  }

  @Test
  void the_lease_of_an_effect_that_ended_is_not_renewed() {
    InstanceRow row = created("r-1");
    row = with(row, effect(row, "r-1#1", 0));
    EffectRow mine = journal.claim("me", CALL, 60_000, 1).getFirst();
    Change ends = Change.of(row);
    step(ends, row, "ends", null);
    ends.ended().add(new Change.EffectEnd(mine.number(), mine.fence()));
    append(ends);
    Lease lease = new Lease(mine.number(), mine.fence());
    assertThat(journal.renew(List.of(lease), 60_000)).containsExactly(lease);
  }

  @Test
  void effects_end_with_the_state_that_they_belong_to() {
    InstanceRow other = created("r-2");
    with(other, during("A", effect(other, "r-2#1", 0)));
    InstanceRow row = created("r-1");
    EffectRow free = effect(row, "r-1#1", 0);
    EffectRow ofA = during("A", effect(row, "r-1#2", 0));
    EffectRow ofB = during("B", effect(row, "r-1#3", 0));
    row = with(row, free, ofA, ofB);
    EffectRow held =
        journal.claim("me", CALL, 60_000, 10).stream()
            .filter(e -> e.number() == ofA.number())
            .findFirst()
            .orElseThrow();
    assertThat(held.during()).isEqualTo("A");

    Change stale = Change.of(created("r-3"));
    step(stale, row, "stale", null);
    stale.left().add("B");
    assertThat(append(stale).lost()).containsExactly(stale);
    assertThat(journal.effect(ofB.number())).isNotNull();

    EffectRow again = during("A", effect(row, "r-1#4", 0));
    Change leaves = Change.of(row);
    step(leaves, row, "leaves", null);
    leaves.left().add("A");
    leaves.effects().add(again);
    assertThat(append(leaves).lost()).isEmpty();
    assertThat(journal.effects(0, 10))
        .extracting(EffectRow::key)
        .containsExactlyInAnyOrder("r-2#1", "r-1#1", "r-1#3", "r-1#4");
    Lease lease = new Lease(held.number(), held.fence());
    assertThat(journal.renew(List.of(lease), 60_000)).containsExactly(lease);
  }

  @Test
  void an_effect_ends_once_and_only_with_its_fence() {
    InstanceRow row = created("r-1");
    row = with(row, effect(row, "r-1#1", 0));
    EffectRow mine = journal.claim("me", CALL, 60_000, 1).getFirst();

    Change late = Change.of(row);
    step(late, row, "late", null);
    late.ended().add(new Change.EffectEnd(mine.number(), mine.fence() - 1));
    assertThat(append(late).lost()).containsExactly(late);
    assertSame(journal.load("r-1"), row);

    Change ends = Change.of(row);
    InstanceRow after = step(ends, row, "ends", null);
    ends.ended().add(new Change.EffectEnd(mine.number(), mine.fence()));
    assertThat(append(ends).lost()).isEmpty();
    assertThat(journal.effect(mine.number())).isNull();

    Change twice = Change.of(after);
    step(twice, after, "twice", null);
    twice.ended().add(new Change.EffectEnd(mine.number(), mine.fence()));
    assertThat(append(twice).lost()).containsExactly(twice);
    assertThat(journal.history(row.number(), Chain.STEPS, 1, 10)).hasSize(3);
  }

  @Test
  void a_message_is_delivered_once() {
    InstanceRow sender = created("r-1");
    InstanceRow recipient = created("r-2");
    MessageRow message = new MessageRow(journal.reserve(1), "r-1", "r-2", bytes("hello"));
    Change sends = Change.of(sender);
    step(sends, sender, "sends", null);
    sends.messages().add(message);
    append(sends);
    assertThat(journal.messages(0, 10)).usingRecursiveComparison().isEqualTo(List.of(message));
    assertThat(journal.messages(message.number(), 10)).isEmpty();

    Change gets = Change.of(recipient);
    InstanceRow after = step(gets, recipient, "gets", null);
    gets.delivered().add(message.number());
    assertThat(append(gets).lost()).isEmpty();
    assertThat(journal.message(message.number())).isNull();

    Change again = Change.of(after);
    step(again, after, "again", null);
    again.delivered().add(message.number());
    assertThat(append(again).lost()).containsExactly(again);
    assertSame(journal.load("r-2"), after);
  }

  @Test
  void effects_that_have_not_ended_are_listed_by_their_numbers() {
    InstanceRow row = created("r-1");
    EffectRow one = effect(row, "r-1#1", 0);
    EffectRow two = effect(row, "r-1#2", Long.MAX_VALUE);
    with(row, one, two);
    assertThat(journal.effects(0, 10)).extracting(EffectRow::key).containsExactly("r-1#1", "r-1#2");
    assertThat(journal.effects(0, 1)).extracting(EffectRow::key).containsExactly("r-1#1");
    assertThat(journal.effects(one.number(), 10))
        .extracting(EffectRow::key)
        .containsExactly("r-1#2");
    assertThat(journal.effects(two.number(), 10)).isEmpty();
  }

  @Test
  void what_is_pending_for_an_instance_shows() {
    InstanceRow row = created("r-1");
    assertThat(journal.isPending(row.number(), "r-1")).isFalse();
    row = with(row, effect(row, "r-1#1", 0));
    assertThat(journal.isPending(row.number(), "r-1")).isTrue();
    InstanceRow other = created("r-2");
    Change mail = Change.of(other);
    mail.after(other);
    mail.messages().add(new MessageRow(journal.reserve(1), "r-2", "r-3", bytes("hello")));
    assertThat(append(mail).lost()).isEmpty();
    assertThat(journal.isPending(other.number(), "r-2")).isTrue();
    assertThat(journal.isPending(99, "r-3")).isTrue();
    assertThat(journal.isPending(99, "r-4")).isFalse();
  }
}
