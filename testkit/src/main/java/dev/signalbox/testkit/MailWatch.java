package dev.signalbox.testkit;

import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Change;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.journal.Turn;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Notes which messages nodes gave to the store and took out of it, so that none is lost. */
final class MailWatch extends ForwardingJournal {
  private final Set<Long> waiting;

  /** What the newest append sent. */
  private final Set<Long> newest = new HashSet<>();

  MailWatch(Journal to) {
    this(to, new HashSet<>());
  }

  private MailWatch(Journal to, Set<Long> waiting) {
    super(to);
    this.waiting = waiting;
  }

  /** The same watch over the same store, opened again. */
  MailWatch over(Journal again) {
    return new MailWatch(again, waiting);
  }

  /** What a change does to messages, as it was given. */
  private record Noted(Change change, List<Long> sent, List<Long> delivered) {}

  @Override
  public Appended append(Group group) {
    return noted(group, super::append);
  }

  @Override
  public @Nullable Turn turn(long instance) {
    Turn turn = super.turn(instance);
    return turn == null
        ? null
        : new Turn() {
          @Override
          public Appended append(Group group) {
            return noted(group, turn::append);
          }

          @Override
          public void close() {
            turn.close();
          }
        };
  }

  private Appended noted(Group group, Function<Group, Appended> write) {
    List<Noted> noted = new ArrayList<>();
    for (Change change : group.changes()) {
      List<Long> sent = change.messages().stream().map(MessageRow::number).toList();
      noted.add(new Noted(change, sent, List.copyOf(change.delivered())));
    }
    newest.clear();
    Appended appended = write.apply(group);
    for (Noted one : noted) {
      if (!appended.lost().contains(one.change())) {
        waiting.addAll(one.sent());
        newest.addAll(one.sent());
        waiting.removeAll(one.delivered());
      }
    }
    return appended;
  }

  /** Whether the newest append is in the store, nobody knows. */
  void isInDoubt() {
    waiting.removeAll(newest);
  }

  /** Says which messages the store has lost. */
  void finish(Journal store, Consumer<String> found) {
    for (long number : waiting) {
      if (store.message(number) == null) {
        found.accept("message %d is gone, and nobody got it".formatted(number));
      }
    }
  }
}
