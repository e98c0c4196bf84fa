package dev.signalbox.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a journal gives in another order than by number. */
abstract class SortingContract extends RetentionContract {
  private static final int MANY = 300;
  private static final Comparator<InstanceRow> BY_TIME =
      Comparator.comparingLong(InstanceRow::since).thenComparingLong(InstanceRow::number);
  private static final Comparator<InstanceRow> BY_REFUSALS =
      Comparator.comparingLong(InstanceRow::refusals)
          .thenComparingLong(InstanceRow::number)
          .reversed();

  private final List<InstanceRow> all = new ArrayList<>();

  /** Many that differ in everything and often have the same time or as many refusals. */
  private void filled() {
    Random random = new Random(7);
    List<Change> changes = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      InstanceRow born = born("s-" + i, "");
      InstanceRow.Status status = InstanceRow.Status.of(random.nextInt(4));
      Change change = Change.creation();
      InstanceRow row =
          step(
              change,
              new InstanceRow(
                  born.number(),
                  born.id(),
                  machine,
                  random.nextInt(10) == 0 ? "s-0" : null,
                  random.nextBoolean() ? running : ended,
                  status,
                  0,
                  Hashing.origin(),
                  0,
                  Hashing.origin(),
                  0,
                  random.nextInt(40),
                  InstanceRow.NEVER,
                  bytes("")),
              "born",
              null);
      for (int refused = random.nextInt(4); refused > 0; refused--) {
        row = refuse(change, row, "no", null);
      }
      if (row.number() % 5 == 0) {
        change.search().put("colour", "red");
      }
      changes.add(change);
      all.add(row);
    }
    append(changes.toArray(Change[]::new));
  }

  private List<String> walked(Query query, Sorting.By by, int size) {
    List<String> ids = new ArrayList<>();
    Sorting place = Sorting.by(by);
    Sorted page = journal.sorted(query.page(0, size), place);
    while (!page.rows().isEmpty()) {
      assertThat(page.whole()).isTrue();
      assertThat(page.rows()).hasSizeLessThanOrEqualTo(size);
      page.rows().forEach(row -> ids.add(row.id()));
      place = place.behind(page.rows().getLast());
      page = journal.sorted(query.page(0, size), place);
    }
    assertThat(page.whole()).isTrue();
    return ids;
  }

  private List<String> expected(Predicate<InstanceRow> fits, Comparator<InstanceRow> order) {
    return all.stream().filter(fits).sorted(order).map(InstanceRow::id).toList();
  }

  private static boolean hasEnded(InstanceRow row) {
    return row.status() == InstanceRow.Status.ENDED;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 64, 1_000})
  void pages_of_those_who_wait_longest_give_everyone_once_and_in_order(int size) {
    filled();
    Predicate<InstanceRow> waits = row -> !hasEnded(row);
    check(size, Sorting.By.WAITING, waits, BY_TIME);
    assertThat(walked(Query.ALL.that(InstanceRow.Status.ENDED), Sorting.By.WAITING, size))
        .isNotEmpty()
        .isEqualTo(expected(SortingContract::hasEnded, BY_TIME));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 64, 1_000})
  void pages_of_those_with_most_refusals_give_everyone_once_and_in_order(int size) {
    filled();
    check(size, Sorting.By.REFUSED, row -> row.refusals() > 0, BY_REFUSALS);
    assertThat(walked(Query.ALL.that(InstanceRow.Status.ENDED), Sorting.By.REFUSED, size))
        .isNotEmpty()
        .isEqualTo(expected(row -> hasEnded(row) && row.refusals() > 0, BY_REFUSALS));
  }

  private void check(
      int size, Sorting.By by, Predicate<InstanceRow> counts, Comparator<InstanceRow> order) {
    assertThat(walked(Query.ALL, by, size)).isNotEmpty().isEqualTo(expected(counts, order));
    Map<Query, Predicate<InstanceRow>> queries =
        Map.of(
            Query.ALL.newest().page(all.get(MANY / 2).number(), 1),
            _ -> true,
            Query.ALL.that(InstanceRow.Status.PAUSED),
            row -> row.status() == InstanceRow.Status.PAUSED,
            Query.ALL.in("A"),
            row -> row.configuration() == running,
            Query.ALL.ofMachine("run").in("Z").inStateSinceBefore(20),
            row -> row.configuration() == ended && row.since() < 20,
            Query.ALL.inStateSinceBefore(9),
            row -> row.since() < 9,
            Query.ALL.below("s-0"),
            row -> row.parent() != null,
            Query.ALL.with(Map.of("colour", "red")).in("R"),
            row -> row.number() % 5 == 0 && row.configuration() == running,
            Query.ALL.ofMachine("walk"),
            _ -> false);
    queries.forEach((query, fits) ->
        assertThat(walked(query, by, size))
            .as("%s", query)
            .isEqualTo(expected(counts.and(fits), order)));
    assertThat(walked(Query.ALL.in("r\u0000-1"), by, size)).isEmpty();
  }

  @Test
  void who_moves_on_between_two_pages_is_sorted_where_it_stands_then() {
    filled();
    Sorting place = Sorting.by(Sorting.By.WAITING);
    List<InstanceRow> first = journal.sorted(Query.ALL.page(0, 10), place).rows();
    InstanceRow early = first.getFirst();
    Change change = Change.of(early);
    InstanceRow stepped = step(change, early, "moved", null);
    InstanceRow later =
        new InstanceRow(
            stepped.number(),
            stepped.id(),
            stepped.machine(),
            stepped.parent(),
            early.configuration() == running ? ended : running,
            stepped.status(),
            stepped.sequence(),
            stepped.head(),
            stepped.refusals(),
            stepped.refusalHead(),
            100,
            100,
            stepped.due(),
            stepped.snapshot());
    change.after(later);
    append(change);
    List<InstanceRow> rest =
        journal.sorted(Query.ALL.page(0, 1_000), place.behind(first.getLast())).rows();
    assertSame(rest.getLast(), later);
    assertThat(rest)
        .extracting(InstanceRow::id)
        .doesNotContainAnyElementsOf(first.subList(1, 10).stream().map(InstanceRow::id).toList())
        .hasSize((int) all.stream().filter(row -> !hasEnded(row)).count() - 9);
  }

  @Test
  void a_sorted_row_has_what_its_newest_step_left() {
    InstanceRow row = created("r-1");
    Change change = Change.of(row);
    row = step(change, row, "r-1:2", null);
    append(change);
    assertSame(journal.sorted(Query.ALL, Sorting.by(Sorting.By.WAITING)).rows().getFirst(), row);
    Change refused = Change.of(row);
    row = refuse(refused, row, "no", null);
    append(refused);
    change = Change.of(row);
    row = step(change, row, "r-1:3", null);
    append(change);
    assertSame(journal.sorted(Query.ALL, Sorting.by(Sorting.By.REFUSED)).rows().getFirst(), row);
  }
}
