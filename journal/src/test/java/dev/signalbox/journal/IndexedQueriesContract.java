package dev.signalbox.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whoever looks for a few among very many does not read them all. */
public abstract class IndexedQueriesContract {
  private static final int MANY = 10_000;
  private static final int FEW = 5;

  /** When the few came to their state; the many came later. */
  private static final long EARLY = Duration.ofHours(10).toMillis();

  private final Hashing hashing = new Hashing();

  /** The journal to fill. */
  protected abstract Journal journal();

  /** What the query costs, in whatever the store counts. */
  protected abstract long work(Query query) throws Exception;

  /** What it costs in another order. */
  protected abstract long work(Query query, Sorting sorting) throws Exception;

  private static final Query PAGE = Query.ALL.page(0, 10);

  public static Stream<Query> queries() {
    return Stream.of(
        PAGE.ofMachine("rare"),
        PAGE.ofMachine("rare").newest(),
        PAGE.in("SELDOM"),
        PAGE.in("SELDOM").ofMachine("usual"),
        PAGE.below("parent"),
        PAGE.inStateSinceBefore(EARLY + 1),
        PAGE.in("OFTEN").inStateSinceBefore(EARLY + 1),
        PAGE.in("OFTEN").inStateSinceBefore(EARLY + 1).newest(),
        PAGE.with(Map.of("colour", "red")));
  }

  @ParameterizedTest
  @MethodSource("queries")
  protected void a_query_for_a_few_costs_little(Query query) throws Exception {
    filled();
    costsLittle(query, FEW);
  }

  private void costsLittle(Query query, int most) throws Exception {
    long everything = work(PAGE.that(InstanceRow.Status.HALTED));
    assertThat(journal().query(query)).hasSize(most);
    assertThat(work(query)).isLessThan(everything / 5);
  }

  /** Those who wait longest, of all, of very many and of a few. */
  protected void theOrderByTimeCostsLittle() throws Exception {
    filled();
    Sorting waiting = Sorting.by(Sorting.By.WAITING);
    costsLittle(PAGE, waiting, 10);
    costsLittle(PAGE.ofMachine("usual"), waiting, 10);
    costsLittle(PAGE.in("OFTEN").that(InstanceRow.Status.LIVE), waiting, 10);
    costsLittle(PAGE.in("SELDOM"), waiting, FEW);
    costsLittle(PAGE, waiting.behind(journal().sorted(PAGE, waiting).rows().getLast()), 10);
  }

  private void costsLittle(Query query, Sorting sorting, int most) throws Exception {
    long everything = work(PAGE.that(InstanceRow.Status.HALTED));
    assertThat(journal().sorted(query, sorting).rows()).hasSize(most);
    assertThat(work(query, sorting)).as("%s", query).isLessThan(everything / 5);
  }

  @Test
  protected void those_with_most_refusals_cost_little() throws Exception {
    filled();
    Sorting refused = Sorting.by(Sorting.By.REFUSED);
    costsLittle(PAGE, refused, FEW);
    costsLittle(PAGE.ofMachine("usual").in("OFTEN"), refused, FEW);
    costsLittle(PAGE.in("SELDOM"), refused, 0);
    costsLittle(PAGE, refused.behind(journal().sorted(PAGE, refused).rows().get(1)), FEW - 2);
  }

  @Test
  protected void a_page_of_many_costs_little() throws Exception {
    filled();
    costsLittle(PAGE.ofMachine("usual"), 10);
    costsLittle(PAGE.in("OFTEN"), 10);
    costsLittle(PAGE.ofMachine("usual").in("OFTEN").newest(), 10);
  }

  /** The few are among the last but one, so that whoever begins at either end meets others. */
  protected void filled() {
    Journal journal = journal();
    long usual = publish("usual");
    long rare = publish("rare");
    long often = journal.configuration(usual, List.of("OFTEN"), List.of("OFTEN"));
    long seldom = journal.configuration(usual, List.of("SELDOM"), List.of("SELDOM"));
    long alone = journal.configuration(rare, List.of("ALONE"), List.of("ALONE"));
    List<Change> changes = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      boolean few = i >= MANY / 2 && i < MANY / 2 + FEW;
      if (few) {
        changes.add(born("rare-" + i, rare, alone, null, EARLY * 2));
        changes.add(born("seldom-" + i, usual, seldom, null, EARLY * 2));
        changes.add(born("parent/" + i, usual, often, "parent", EARLY * 2));
        changes.add(refused(born("early-" + i, usual, often, null, EARLY)));
        Change red = born("red-" + i, usual, often, null, EARLY * 2);
        red.search().put("colour", "red");
        changes.add(red);
      }
      Change green = born("green-" + i, usual, often, null, EARLY * 2);
      green.search().put("colour", "green");
      changes.add(green);
      if (changes.size() >= 1_000) {
        append(changes);
      }
    }
    append(changes);
  }

  private long publish(String name) {
    return journal()
        .publish(new PublishedMachine(0, name, 1, "d-" + name, "machine: " + name, 0))
        .number();
  }

  private void append(List<Change> changes) {
    assertThat(journal().append(new Group(0, List.copyOf(changes))).lost()).isEmpty();
    changes.clear();
  }

  private Change refused(Change change) {
    byte[] body = {4};
    byte[] hash = hashing.chain(Hashing.origin(), body);
    change.entries().add(new NewEntry(Chain.REFUSALS, 1, hash, body, null));
    change.after(change.after().refused(1, hash));
    return change;
  }

  private Change born(
      String id, long machine, long configuration, @Nullable String parent, long since) {
    byte[] body = {1, 2, 3};
    byte[] hash = hashing.chain(Hashing.origin(), body);
    Change change = Change.creation();
    change.entries().add(new NewEntry(Chain.STEPS, 1, hash, body, null));
    change.after(
        new InstanceRow(
            journal().reserve(1),
            id,
            machine,
            parent,
            configuration,
            InstanceRow.Status.LIVE,
            1,
            hash,
            0,
            Hashing.origin(),
            since,
            since,
            InstanceRow.NEVER,
            body));
    return change;
  }
}
