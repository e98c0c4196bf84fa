package dev.signalbox.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;

/** What every journal does, with what its parts say; each store's test extends it. */
abstract class JournalContract extends SortingContract {
  @Test
  void an_instance_is_found_by_id_and_number_as_it_was_written() {
    InstanceRow row = created("r-1");
    assertSame(journal.load("r-1"), row);
    assertSame(journal.load(row.number()), row);
    assertThat(journal.load("r-2")).isNull();
    assertThat(journal.load(row.number() + 1_000)).isNull();
  }

  @Test
  void many_instances_are_read_at_once() {
    InstanceRow one = created("one");
    InstanceRow two = created("two");
    created("three");
    Change change = Change.of(two);
    two = step(change, two, "two:2", null);
    append(change);
    List<Long> wanted = List.of(two.number(), one.number(), two.number() + 1_000);
    List<InstanceRow> found = new ArrayList<>(journal.load(wanted));
    found.sort(Comparator.comparingLong(InstanceRow::number));
    assertThat(found).hasSize(2);
    assertSame(found.getFirst(), one);
    assertSame(found.getLast(), two);
    assertThat(journal.load(List.of())).isEmpty();
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
  void the_newest_version_of_a_machine_is_known_in_whatever_order_they_came() {
    assertThat(journal.newestVersion("walk")).isZero();
    for (int version : new int[] {2, 10, 3}) {
      journal.publish(new PublishedMachine(0, "walk", version, "d" + version, "text", 1));
    }
    assertThat(journal.newestVersion("walk")).isEqualTo(10);
    assertThat(journal.newestVersion("wal")).isZero();
    assertThat(journal.newestVersion("w\0")).isZero();
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
  void what_no_id_can_be_is_not_found() {
    created("r-1");
    String zero = "r\u0000-1";
    assertThat(journal.load(zero)).isNull();
    assertThat(ids(Query.ALL.below(zero))).isEmpty();
    assertThat(ids(Query.ALL.in(zero))).isEmpty();
    assertThat(ids(Query.ALL.ofMachine(zero))).isEmpty();
    assertThat(ids(Query.ALL.with(Map.of(zero, zero)))).isEmpty();
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
}
