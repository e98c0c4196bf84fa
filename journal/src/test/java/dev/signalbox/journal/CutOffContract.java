package dev.signalbox.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.AbstractList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What every journal does when something is thrown in the middle of a commit. */
abstract class CutOffContract extends JournalFixture {
  /** A list that gives what it has, and then an Error or an exception. */
  static final class CutOff<T> extends AbstractList<T> {
    private final List<T> given;
    private final Throwable end;

    CutOff(List<T> given, Throwable end) {
      this.given = given;
      this.end = end;
    }

    @Override
    public T get(int index) {
      if (index < given.size()) {
        return given.get(index);
      }
      if (end instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) end;
    }

    @Override
    public int size() {
      return given.size() + 1;
    }
  }

  private static final List<Throwable> THROWN =
      List.of(
          new StackOverflowError("deep"),
          new OutOfMemoryError("full"),
          new IllegalStateException("odd"),
          new NoClassDefFoundError("gone"));

  @Test
  void a_group_that_an_error_cut_off_leaves_nothing_and_the_next_one_is_whole() throws Exception {
    for (Throwable thrown : THROWN) {
      String name = thrown.getClass().getSimpleName();
      InstanceRow before = created(name);
      List<CommittedGroup> groups = journal.groups(0, 100);
      long end = journal.end();
      Change cut = Change.of(before);
      InstanceRow never = step(cut, before, name + ":never", "never");
      cut.effects()
          .add(
              new EffectRow(
                  journal.reserve(1),
                  never.number(),
                  name + "#1",
                  "call",
                  "done",
                  true,
                  null,
                  bytes("{}"),
                  0,
                  0,
                  0,
                  null,
                  false));
      cut.messages().add(new MessageRow(journal.reserve(1), name, "r-2", bytes("m")));
      cut.search().put("colour", "red");
      Change birth = Change.creation();
      step(birth, born("born of " + name, ""), "born:1", null);

      assertThatThrownBy(
              () -> journal.append(new Group(7, new CutOff<>(List.of(cut, birth), thrown))))
          .isInstanceOf(thrown.getClass());

      assertThat(journal.groups(0, 100)).hasSameSizeAs(groups);
      assertThat(journal.end()).isEqualTo(end);
      assertSame(journal.load(name), before);
      assertThat(journal.load("born of " + name)).isNull();
      assertThat(journal.keyed(before.number(), "never")).isNull();
      assertThat(journal.effects(0, 10)).isEmpty();
      assertThat(journal.messages(0, 10)).isEmpty();
      assertThat(journal.query(Query.ALL.with(Map.of("colour", "red")))).isEmpty();

      Change next = Change.of(before);
      InstanceRow after = step(next, before, name + ":2", null);
      assertThat(append(next).lost()).isEmpty();
      assertSame(journal.load(name), after);
      assertChainsHold(journal.groups(0, 100));
    }
    journal = reopen(journal);
    assertChainsHold(journal.groups(0, 100));
  }

  @Test
  void an_archiving_that_an_error_cut_off_leaves_everything_where_it_was() throws Exception {
    Change change = Change.creation();
    InstanceRow row = step(change, born("over", ""), "over:1", "k");
    row =
        new InstanceRow(
            row.number(),
            row.id(),
            row.machine(),
            null,
            ended,
            InstanceRow.Status.ENDED,
            row.sequence(),
            row.head(),
            0,
            row.refusalHead(),
            row.at(),
            row.since(),
            InstanceRow.NEVER,
            row.snapshot());
    change.after(row);
    append(change);
    Tombstone tombstone = Tombstone.of(row, 99, "f11e");
    for (Throwable thrown : THROWN) {
      assertThatThrownBy(() -> journal.archive(new CutOff<>(List.of(tombstone), thrown)))
          .isInstanceOf(thrown.getClass());
      created("after " + thrown.getClass().getSimpleName());
      assertSame(journal.load("over"), row);
      assertThat(journal.tombstones(0, 10)).isEmpty();
      assertThat(journal.history(row.number(), Chain.STEPS, 1, 10))
          .allSatisfy(entry -> assertThat(entry.body()).isNotEmpty());
    }
    assertThat(journal.archive(List.of(tombstone))).isEmpty();
    journal = reopen(journal);
    assertThat(journal.load("over")).isNull();
  }

  @Test
  void a_number_under_which_a_key_is_kept_is_never_given_again() throws Exception {
    created("first");
    long number = journal.reserve(3) + 2;
    journal.keepKeys(List.of(new InstanceKey(number, bytes("of an instance that never came"))));
    journal = reopen(journal);
    assertThat(journal.reserve(1)).isGreaterThan(number);
  }
}
