package dev.signalbox.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.assertj.core.groups.Tuple;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every journal does; each store's test extends it. */
abstract class JournalContract {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private static final List<String> CALL = List.of("call", "mail");

  private final Hashing hashing = new Hashing();
  private long machine;
  private long running;
  private long ended;
  Journal journal;

  /** A new, empty journal. */
  abstract Journal open() throws Exception;

  /** The same journal after everything in memory is gone; the same object where nothing else is. */
  abstract Journal reopen(Journal open) throws Exception;

  static InstantSource clock() {
    return InstantSource.fixed(START);
  }

  @BeforeEach
  void opened() throws Exception {
    journal = open();
    machine = journal.publish(new PublishedMachine(0, "run", 1, "d1", "machine: run", 1)).number();
    running = journal.configuration(machine, List.of("A"), List.of("R", "A"));
    ended = journal.configuration(machine, List.of("Z"), List.of("Z"));
  }

  @AfterEach
  void closed() {
    if (journal != null) {
      journal.close();
    }
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  InstanceRow born(String id, String snapshot) {
    return new InstanceRow(
        journal.reserve(1),
        id,
        machine,
        null,
        running,
        InstanceRow.Status.LIVE,
        0,
        Hashing.origin(),
        0,
        Hashing.origin(),
        5,
        5,
        InstanceRow.NEVER,
        bytes(snapshot));
  }

  /** The row after one more step, and the change that takes it there. */
  InstanceRow step(Change change, InstanceRow before, String body, @Nullable String key) {
    byte[] hash = hashing.chain(before.head(), bytes(body));
    long sequence = before.sequence() + 1;
    change.entries().add(new NewEntry(Chain.STEPS, sequence, hash, bytes(body), key));
    InstanceRow after = moved(before, sequence, hash, before.due(), body);
    change.after(after);
    return after;
  }

  private InstanceRow refuse(Change change, InstanceRow before, String body, @Nullable String key) {
    byte[] hash = hashing.chain(before.refusalHead(), bytes(body));
    long count = before.refusals() + 1;
    change.entries().add(new NewEntry(Chain.REFUSALS, count, hash, bytes(body), key));
    InstanceRow after =
        new InstanceRow(
            before.number(),
            before.id(),
            before.machine(),
            before.parent(),
            before.configuration(),
            before.status(),
            before.sequence(),
            before.head(),
            count,
            hash,
            before.at(),
            before.since(),
            before.due(),
            before.snapshot());
    change.after(after);
    return after;
  }

  static InstanceRow moved(InstanceRow b, long sequence, byte[] head, long due, String snapshot) {
    return new InstanceRow(
        b.number(),
        b.id(),
        b.machine(),
        b.parent(),
        b.configuration(),
        b.status(),
        sequence,
        head,
        b.refusals(),
        b.refusalHead(),
        b.at() + 1,
        b.since(),
        due,
        bytes(snapshot));
  }

  private Appended append(Change... changes) {
    return journal.append(new Group(7, List.of(changes)));
  }

  InstanceRow created(String id) {
    Change change = Change.creation();
    InstanceRow row = step(change, born(id, ""), id + ":1", null);
    assertThat(append(change).lost()).isEmpty();
    return row;
  }

  static void assertSame(@Nullable InstanceRow found, InstanceRow expected) {
    assertThat(found).usingRecursiveComparison().isEqualTo(expected);
  }

  @Test
  void an_instance_is_found_by_id_and_number_as_it_was_written() {
    InstanceRow row = created("r-1");
    assertSame(journal.load("r-1"), row);
    assertSame(journal.load(row.number()), row);
    assertThat(journal.load("r-2")).isNull();
    assertThat(journal.load(row.number() + 1_000)).isNull();
  }

  @Test
  void everything_is_there_after_reopening() throws Exception {
    InstanceRow row = created("r-1");
    Change change = Change.of(row);
    row = step(change, row, "r-1:2", "k");
    change.messages().add(new MessageRow(journal.reserve(1), "r-1", "r-2", bytes("m")));
    append(change);
    List<CommittedGroup> groups = journal.groups(0, 10);
    journal = reopen(journal);
    assertSame(journal.load("r-1"), row);
    assertThat(journal.history(row.number(), Chain.STEPS, 1, 10)).hasSize(2);
    assertThat(journal.messages(0, 10)).hasSize(1);
    assertThat(journal.groups(0, 10)).usingRecursiveComparison().isEqualTo(groups);
    assertThat(journal.machines()).extracting(PublishedMachine::name).containsExactly("run");
    Change next = Change.of(row);
    step(next, row, "r-1:3", null);
    assertThat(append(next).lost()).isEmpty();
    assertThat(journal.history(row.number(), Chain.STEPS, 3, 10)).hasSize(1);
  }

  @Test
  void a_reserved_number_is_never_given_again() throws Exception {
    long first = journal.reserve(10);
    long second = journal.reserve(1);
    assertThat(second).isGreaterThanOrEqualTo(first + 10);
    InstanceRow row = created("r-1");
    journal = reopen(journal);
    assertThat(journal.reserve(1)).isGreaterThan(row.number());
  }

  @Test
  void a_change_from_an_old_head_loses_alone() {
    InstanceRow stale = created("r-1");
    InstanceRow other = created("r-2");
    Change wins = Change.of(stale);
    step(wins, stale, "r-1:2", null);
    append(wins);

    Change loses = Change.of(stale);
    step(loses, stale, "r-1:late", null);
    Change stands = Change.of(other);
    InstanceRow moved = step(stands, other, "r-2:2", null);
    Appended appended = append(loses, stands);

    assertThat(appended.lost()).containsExactly(loses);
    assertSame(journal.load("r-2"), moved);
    assertThat(journal.history(stale.number(), Chain.STEPS, 1, 10))
        .extracting(e -> new String(e.body(), StandardCharsets.UTF_8))
        .containsExactly("r-1:1", "r-1:2");
  }

  @Test
  void a_change_from_an_old_refusal_loses() {
    InstanceRow stale = created("r-1");
    Change first = Change.of(stale);
    refuse(first, stale, "no", null);
    append(first);
    Change second = Change.of(stale);
    refuse(second, stale, "no again", null);
    assertThat(append(second).lost()).containsExactly(second);
    assertThat(journal.history(stale.number(), Chain.REFUSALS, 1, 10)).hasSize(1);
  }

  @Test
  void an_id_is_taken_once() {
    created("r-1");
    Change again = Change.creation();
    InstanceRow row = step(again, born("r-1", ""), "other", null);
    assertThat(append(again).lost()).containsExactly(again);
    assertThat(journal.load(row.number())).isNull();
    assertThat(journal.history(row.number(), Chain.STEPS, 1, 10)).isEmpty();
  }

  @Test
  void several_steps_of_an_instance_go_into_one_change() {
    InstanceRow row = created("r-1");
    Change change = Change.of(row);
    row = step(change, row, "r-1:2", null);
    row = refuse(change, row, "no", null);
    row = step(change, row, "r-1:3", null);
    assertThat(append(change).lost()).isEmpty();
    assertSame(journal.load("r-1"), row);
    assertThat(journal.history(row.number(), Chain.STEPS, 1, 10))
        .extracting(EntryRow::sequence)
        .containsExactly(1L, 2L, 3L);
    assertThat(journal.history(row.number(), Chain.REFUSALS, 1, 10))
        .extracting(EntryRow::sequence)
        .containsExactly(1L);
  }

  @Test
  void the_newest_steps_of_many_instances_are_read_at_once() {
    InstanceRow one = created("one");
    InstanceRow two = created("two");
    created("three");
    Change more = Change.of(one);
    one = step(more, one, "one:2", null);
    append(more);
    Change refused = Change.of(two);
    refuse(refused, two, "no", null);
    append(refused);
    assertThat(journal.newest(List.of(one.number(), two.number(), 999_999L)))
        .extracting(EntryRow::instance, e -> new String(e.body(), StandardCharsets.UTF_8))
        .containsExactlyInAnyOrder(
            Tuple.tuple(one.number(), "one:2"), Tuple.tuple(two.number(), "two:1"));
    assertThat(journal.newest(List.of())).isEmpty();
  }

  @Test
  void a_history_is_read_in_pages() {
    InstanceRow row = created("r-1");
    for (int i = 2; i <= 9; i++) {
      Change change = Change.of(row);
      row = step(change, row, "r-1:" + i, null);
      append(change);
    }
    assertThat(journal.history(row.number(), Chain.STEPS, 4, 3))
        .extracting(EntryRow::sequence)
        .containsExactly(4L, 5L, 6L);
    assertThat(journal.history(row.number(), Chain.STEPS, 9, 3)).hasSize(1);
    assertThat(journal.history(row.number(), Chain.STEPS, 10, 3)).isEmpty();
  }

  @Test
  void a_key_leads_to_its_entry_or_refusal() {
    InstanceRow row = created("r-1");
    Change change = Change.of(row);
    row = step(change, row, "yes", "k-1");
    refuse(change, row, "no", "k-2");
    append(change);
    assertThat(
            new String(
                Objects.requireNonNull(journal.keyed(row.number(), "k-1")).body(),
                StandardCharsets.UTF_8))
        .isEqualTo("yes");
    assertThat(Objects.requireNonNull(journal.keyed(row.number(), "k-2")).chain())
        .isEqualTo(Chain.REFUSALS);
    assertThat(journal.keyed(row.number(), "k-3")).isNull();
    assertThat(journal.keyed(row.number() + 999, "k-1")).isNull();
    assertThat(journal.keys(row.number(), 2)).containsExactlyInAnyOrder("k-1", "k-2");
    assertThat(journal.keys(row.number(), 1)).isNull();
  }

  @Test
  void every_chain_and_root_can_be_computed_again() {
    InstanceRow one = created("r-1");
    InstanceRow two = created("r-2");
    Change first = Change.of(one);
    one = step(first, one, "r-1:2", null);
    refuse(first, one, "no", null);
    Change second = Change.of(two);
    step(second, two, "r-2:2", null);
    append(first, second);

    byte[] root = Hashing.origin();
    long previous = 0;
    Map<String, byte[]> heads = new java.util.HashMap<>();
    for (CommittedGroup group : journal.groups(0, 100)) {
      assertThat(group.previous()).isEqualTo(previous);
      previous = group.number();
      List<byte[]> hashes = new ArrayList<>();
      for (EntryRow entry : group.entries()) {
        String chain = entry.instance() + " " + entry.chain();
        byte[] before = heads.getOrDefault(chain, Hashing.origin());
        assertThat(entry.hash()).isEqualTo(hashing.chain(before, entry.body()));
        heads.put(chain, entry.hash());
        hashes.add(entry.hash());
      }
      root = hashing.root(root, hashes);
      assertThat(group.root()).isEqualTo(root);
    }
    assertThat(heads).hasSize(3);
  }

  @Test
  void what_is_due_comes_earliest_first() {
    List<InstanceRow> rows = new ArrayList<>();
    for (long due : new long[] {300, 100, 200, InstanceRow.NEVER}) {
      InstanceRow row = created("r-" + due);
      Change change = Change.of(row);
      InstanceRow stepped = step(change, row, "x", null);
      InstanceRow moved = moved(stepped, stepped.sequence(), stepped.head(), due, "x");
      change.after(moved);
      append(change);
      rows.add(moved);
    }
    assertThat(journal.due(250, 10)).extracting(Due::at).containsExactly(100L, 200L);
    assertThat(journal.due(250, 1)).extracting(Due::instance).containsExactly(rows.get(1).number());
    List<Long> all = new ArrayList<>();
    journal.eachDue(due -> all.add(due.at()));
    assertThat(all).containsExactlyInAnyOrder(100L, 200L, 300L);
  }

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
    assertThat(journal.claim("me", CALL, 0, 1).getFirst().cutOff()).isFalse();
    EffectRow again = journal.claim("you", CALL, 0, 1).getFirst();
    assertThat(again.cutOff()).isTrue();
    journal.postpone(again.number(), again.fence(), 0, true);
    assertThat(journal.claim("him", CALL, 0, 1).getFirst().cutOff()).isFalse();
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
  void a_machine_is_published_once_for_each_version() {
    PublishedMachine same =
        journal.publish(new PublishedMachine(0, "run", 1, "d2", "machine: other", 2));
    assertThat(same.number()).isEqualTo(machine);
    assertThat(same.digest()).isEqualTo("d1");
    PublishedMachine next =
        journal.publish(new PublishedMachine(0, "run", 2, "d2", "machine: run", 2));
    assertThat(next.number()).isNotEqualTo(machine);
    assertThat(journal.machines()).extracting(PublishedMachine::version).containsExactly(1, 2);
  }

  @Test
  void a_configuration_has_one_number() {
    assertThat(journal.configuration(machine, List.of("A"), List.of("R", "A"))).isEqualTo(running);
    assertThat(journal.configuration(machine, List.of("Z"), List.of("Z"))).isEqualTo(ended);
    assertThat(running).isNotEqualTo(ended);
  }

  @Test
  void instances_are_found_by_what_they_are() {
    InstanceRow one = created("r-1");
    InstanceRow two = created("r-2");
    Change change = Change.of(two);
    InstanceRow stepped = step(change, two, "end", null);
    InstanceRow over =
        new InstanceRow(
            stepped.number(),
            "r-2",
            machine,
            null,
            ended,
            InstanceRow.Status.ENDED,
            stepped.sequence(),
            stepped.head(),
            0,
            stepped.refusalHead(),
            90,
            90,
            InstanceRow.NEVER,
            bytes("{}"));
    change.after(over);
    change.search().put("project", "P-1");
    append(change);
    Change child = Change.creation();
    InstanceRow born = born("r-1/c", "");
    step(
        child,
        new InstanceRow(
            born.number(),
            born.id(),
            machine,
            "r-1",
            running,
            InstanceRow.Status.LIVE,
            0,
            Hashing.origin(),
            0,
            Hashing.origin(),
            50,
            50,
            InstanceRow.NEVER,
            bytes("{}")),
        "born",
        null);
    append(child);

    assertThat(ids(Query.ALL)).containsExactly("r-1", "r-2", "r-1/c");
    assertThat(ids(Query.ALL.in("R"))).containsExactly("r-1", "r-1/c");
    assertThat(ids(Query.ALL.in("A"))).containsExactly("r-1", "r-1/c");
    assertThat(ids(Query.ALL.in("Z"))).containsExactly("r-2");
    assertThat(ids(Query.ALL.in("N"))).isEmpty();
    assertThat(ids(Query.ALL.ofMachine("run").that(InstanceRow.Status.ENDED)))
        .containsExactly("r-2");
    assertThat(ids(Query.ALL.ofMachine("walk"))).isEmpty();
    assertThat(ids(Query.ALL.below("r-1"))).containsExactly("r-1/c");
    assertThat(ids(Query.ALL.inStateSinceBefore(50))).containsExactly("r-1");
    assertThat(ids(Query.ALL.with(Map.of("project", "P-1")))).containsExactly("r-2");
    assertThat(ids(Query.ALL.with(Map.of("project", "P-2")))).isEmpty();
    assertThat(ids(Query.ALL.page(one.number(), 1))).containsExactly("r-2");
    assertThat(ids(Query.ALL.newest())).containsExactly("r-1/c", "r-2", "r-1");
    assertThat(ids(Query.ALL.newest().in("R"))).containsExactly("r-1/c", "r-1");
    assertThat(ids(Query.ALL.newest().page(over.number(), 1))).containsExactly("r-1");
    assertThat(ids(Query.ALL.newest().in("R").page(one.number() + 1, 5))).containsExactly("r-1");
    assertThat(journal.counts()).containsExactly(new Count(machine, List.of("A"), 2));

    Change cleared = Change.of(over);
    step(cleared, over, "cleared", null);
    cleared.search().put("project", null);
    append(cleared);
    assertThat(ids(Query.ALL.with(Map.of("project", "P-1")))).isEmpty();
  }

  @Test
  void pages_of_a_state_give_everyone_in_it_once_and_in_order() {
    Random random = new Random(11);
    List<InstanceRow> all = new ArrayList<>();
    for (int group = 0; group < 8; group++) {
      List<Change> births = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        Change birth = Change.creation();
        InstanceRow row = step(birth, born("m-" + group + "-" + i, ""), "born", null);
        births.add(birth);
        all.add(row);
      }
      append(births.toArray(Change[]::new));
    }
    // Whole blocks are left, others keep a few.
    List<InstanceRow> stayed = new ArrayList<>();
    List<Change> moves = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      InstanceRow row = all.get(i);
      if (i > 500 ? random.nextInt(20) > 0 : i > 100) {
        Change move = Change.of(row);
        move.after(in(ended, step(move, row, "moved", null)));
        moves.add(move);
      } else {
        stayed.add(row);
      }
    }
    append(moves.toArray(Change[]::new));
    List<Long> expected = stayed.stream().map(InstanceRow::number).toList();
    for (int size : List.of(1, 3, 64, 200, 1_000)) {
      Query query = Query.ALL.ofMachine("run").in("A");
      assertThat(walked(query, size)).isEqualTo(expected);
      assertThat(walked(query.newest(), size)).isEqualTo(expected.reversed());
      assertThat(walked(query.that(InstanceRow.Status.ENDED), size)).isEmpty();
    }
    assertThat(walked(Query.ALL.ofMachine("walk").in("A"), 10)).isEmpty();
    assertThat(walked(Query.ALL.in("Z"), 500)).hasSize(all.size() - stayed.size());
  }

  private static InstanceRow in(long configuration, InstanceRow row) {
    return new InstanceRow(
        row.number(),
        row.id(),
        row.machine(),
        row.parent(),
        configuration,
        row.status(),
        row.sequence(),
        row.head(),
        row.refusals(),
        row.refusalHead(),
        row.at(),
        row.since(),
        row.due(),
        row.snapshot());
  }

  private List<Long> walked(Query query, int size) {
    List<Long> numbers = new ArrayList<>();
    long after = 0;
    while (true) {
      List<InstanceRow> page = journal.query(query.page(after, size));
      page.forEach(row -> numbers.add(row.number()));
      if (page.size() < size) {
        return numbers;
      }
      after = page.getLast().number();
    }
  }

  List<String> ids(Query query) {
    return journal.query(query).stream().map(InstanceRow::id).toList();
  }

  @Test
  void a_group_that_wrote_nothing_leaves_no_group() {
    InstanceRow row = created("r-1");
    Change first = Change.of(row);
    step(first, row, "a", null);
    append(first);
    int before = journal.groups(0, 100).size();
    Change stale = Change.of(row);
    step(stale, row, "b", null);
    append(stale);
    assertThat(journal.groups(0, 100)).hasSize(before);
  }

  /** An ended instance with two steps and a refusal. */
  private InstanceRow over(String id) {
    Change change = Change.creation();
    InstanceRow row = step(change, born(id, ""), id + ":1", null);
    row = step(change, row, id + ":2", "key of " + id);
    row = refuse(change, row, id + ":no", null);
    row =
        new InstanceRow(
            row.number(),
            row.id(),
            row.machine(),
            row.parent(),
            ended,
            InstanceRow.Status.ENDED,
            row.sequence(),
            row.head(),
            row.refusals(),
            row.refusalHead(),
            row.at(),
            row.since(),
            InstanceRow.NEVER,
            row.snapshot());
    change.after(row);
    change.search().put("colour", "red");
    assertThat(append(change).lost()).isEmpty();
    return row;
  }

  @Test
  void an_archived_instance_leaves_its_tombstone_and_its_hashes() throws Exception {
    InstanceRow gone = over("gone");
    InstanceRow stays = over("stays");
    List<CommittedGroup> before = journal.groups(0, 10);
    Tombstone tombstone = Tombstone.of(gone, 99, "f11e");
    assertThat(journal.archive(List.of(tombstone))).isEmpty();
    journal = reopen(journal);

    assertThat(journal.load("gone")).isNull();
    assertThat(journal.load(gone.number())).isNull();
    assertThat(journal.history(gone.number(), Chain.STEPS, 1, 10)).isEmpty();
    assertThat(journal.keyed(gone.number(), "key of gone")).isNull();
    assertThat(journal.query(Query.ALL.with(Map.of("colour", "red"))))
        .extracting(InstanceRow::id)
        .containsExactly("stays");
    assertThat(journal.tombstones(0, 10))
        .usingRecursiveFieldByFieldElementComparator()
        .containsExactly(tombstone);
    assertThat(journal.tombstones(gone.number(), 10)).isEmpty();
    List<CommittedGroup> after = journal.groups(0, 10);
    assertThat(after).hasSameSizeAs(before);
    for (int i = 0; i < before.size(); i++) {
      for (int j = 0; j < before.get(i).entries().size(); j++) {
        EntryRow then = before.get(i).entries().get(j);
        EntryRow now = after.get(i).entries().get(j);
        boolean archived = then.instance() == gone.number();
        assertThat(now)
            .usingRecursiveComparison()
            .isEqualTo(
                archived
                    ? new EntryRow(
                        then.position(),
                        then.instance(),
                        then.chain(),
                        then.sequence(),
                        then.hash(),
                        new byte[0],
                        null)
                    : then);
      }
    }
    assertSame(journal.load("stays"), stays);
    assertThat(journal.reserve(1)).isGreaterThan(stays.number());
    assertThat(created("gone").number()).isNotEqualTo(gone.number());
  }

  @Test
  void what_has_not_ended_or_has_moved_on_or_has_something_pending_is_not_archived() {
    InstanceRow live = created("live");
    InstanceRow moved = over("moved");
    Change refusal = Change.of(moved);
    refuse(refusal, moved, "moved:no again", null);
    assertThat(append(refusal).lost()).isEmpty();
    InstanceRow sender = over("sender");
    Change mail = Change.of(sender);
    mail.after(sender);
    mail.messages().add(new MessageRow(journal.reserve(1), "sender", "someone", bytes("hello")));
    assertThat(append(mail).lost()).isEmpty();
    InstanceRow asker = over("asker");
    Change work = Change.of(asker);
    work.after(asker);
    work.effects()
        .add(
            new EffectRow(
                journal.reserve(1),
                asker.number(),
                "asker#1",
                "call",
                "call",
                true,
                null,
                bytes("{}"),
                0,
                0,
                0,
                null,
                false));
    assertThat(append(work).lost()).isEmpty();
    InstanceRow fine = over("fine");
    List<Tombstone> wanted = new ArrayList<>();
    for (InstanceRow row : List.of(live, moved, sender, asker, fine)) {
      wanted.add(Tombstone.of(row, 99, "f11e"));
    }
    assertThat(journal.archive(wanted))
        .extracting(Tombstone::id)
        .containsExactly("live", "moved", "sender", "asker");
    assertThat(journal.tombstones(0, 10)).extracting(Tombstone::id).containsExactly("fine");
    assertThat(journal.history(moved.number(), Chain.REFUSALS, 1, 10)).hasSize(2);
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
  void entries_of_both_chains_are_followed_in_the_order_of_their_positions() throws Exception {
    assertThat(journal.end()).isZero();
    assertThat(journal.entries(0, 10)).isEmpty();
    InstanceRow one = created("r-1");
    InstanceRow two = created("r-2");
    Change first = Change.of(two);
    step(first, two, "r-2:2", "k");
    Change second = Change.of(one);
    refuse(second, one, "r-1:no", null);
    assertThat(append(first, second).lost()).isEmpty();

    List<CommittedEntry> all = journal.entries(0, 10);
    assertThat(all)
        .extracting(e -> new String(e.row().body(), StandardCharsets.UTF_8))
        .containsExactly("r-1:1", "r-2:1", "r-2:2", "r-1:no");
    assertThat(all).extracting(CommittedEntry::id).containsExactly("r-1", "r-2", "r-2", "r-1");
    assertThat(all).extracting(CommittedEntry::machine).containsOnly(machine);
    assertThat(all).extracting(e -> e.row().position()).isSorted().doesNotHaveDuplicates();
    assertThat(all.get(2).row().key()).isEqualTo("k");
    assertThat(all.get(3).row().chain()).isEqualTo(Chain.REFUSALS);
    assertThat(journal.end()).isEqualTo(all.getLast().row().position());

    List<CommittedEntry> oneByOne = new ArrayList<>();
    long after = 0;
    for (List<CommittedEntry> page = journal.entries(after, 1);
        !page.isEmpty();
        page = journal.entries(after, 1)) {
      assertThat(page).hasSize(1);
      oneByOne.addAll(page);
      after = page.getFirst().row().position();
    }
    assertThat(oneByOne).usingRecursiveComparison().isEqualTo(all);
    assertThat(journal.entries(journal.end(), 10)).isEmpty();
    journal = reopen(journal);
    assertThat(journal.entries(0, 10)).usingRecursiveComparison().isEqualTo(all);
  }

  @Test
  void who_follows_is_told_whose_entry_it_was_also_after_archiving() {
    InstanceRow gone = over("gone");
    long end = journal.end();
    assertThat(journal.archive(List.of(Tombstone.of(gone, 99, "f11e")))).isEmpty();
    List<CommittedEntry> entries = journal.entries(0, 10);
    assertThat(entries).hasSize(3).extracting(CommittedEntry::id).containsOnly("gone");
    assertThat(entries).extracting(CommittedEntry::machine).containsOnly(machine);
    assertThat(entries).extracting(e -> e.row().body().length).containsOnly(0);
    assertThat(journal.end()).isEqualTo(end);
  }

  @Test
  void keys_are_kept_once_condemned_and_destroyed_also_after_a_restart() throws Exception {
    journal.keepKeys(
        List.of(new InstanceKey(7, bytes("seven")), new InstanceKey(9, bytes("nine"))));
    journal.keepKeys(List.of(new InstanceKey(7, bytes("other")), new InstanceKey(8, bytes("8"))));
    assertThat(journal.key(7)).isEqualTo(bytes("seven"));
    assertThat(journal.key(6)).isNull();
    journal.condemnKeys(List.of(9L, 7L, 3L));
    journal = reopen(journal);
    assertThat(journal.condemnedKeys()).containsExactly(7L, 9L);
    assertThat(journal.key(7)).isEqualTo(bytes("seven"));
    journal.destroyKeys(List.of(7L, 4L));
    assertThat(journal.key(7)).isNull();
    assertThat(journal.condemnedKeys()).containsExactly(9L);
    journal = reopen(journal);
    assertThat(journal.key(7)).isNull();
    assertThat(journal.key(8)).isEqualTo(bytes("8"));
    assertThat(journal.key(9)).isEqualTo(bytes("nine"));
    journal.destroyKeys(journal.condemnedKeys());
    assertThat(journal.condemnedKeys()).isEmpty();
    journal.keepKeys(List.of(new InstanceKey(7, bytes("again"))));
    assertThat(journal.key(7)).isEqualTo(bytes("again"));
  }

  @Test
  void the_heads_are_those_of_the_newest_groups_and_checkpoints_are_kept_in_order()
      throws Exception {
    assertThat(journal.heads()).isEmpty();
    created("r-1");
    created("r-2");
    CommittedGroup newest = journal.groups(0, 10).getLast();
    assertThat(journal.heads())
        .anySatisfy(head -> {
          assertThat(head.writer()).isEqualTo(newest.writer());
          assertThat(head.group()).isEqualTo(newest.number());
          assertThat(head.root()).isEqualTo(newest.root());
        });
    journal.keepCheckpoint(bytes("one"));
    journal.keepCheckpoint(bytes("two"));
    journal = reopen(journal);
    List<Checkpoint> kept = journal.checkpoints(0, 10);
    assertThat(kept)
        .extracting(c -> new String(c.text(), StandardCharsets.UTF_8))
        .containsExactly("one", "two");
    assertThat(journal.checkpoints(kept.getFirst().number(), 10)).hasSize(1);
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
