package dev.signalbox.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What every journal does with what leaves it, and for those who follow it. */
abstract class RetentionContract extends OutboxContract {
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
}
