package dev.signalbox.runtime;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Rejection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/**
 * Does the same to many instances, one command each. Nothing holds all of them together: each is
 * atomic by itself, and whoever is interrupted asks again with the same key, which finds what was
 * done. It goes over the instances until it meets none that is new, so that those which come into
 * being meanwhile are not missed.
 */
final class Scopes {
  private static final int PAGE = 500;
  private static final int MOST_ROUNDS = 100;
  private static final int MOST_REFUSED = 100;

  /** Why a command was not needed. */
  private static final Set<Rejection.Code> ALREADY =
      EnumSet.of(
          Rejection.Code.INSTANCE_FINAL,
          Rejection.Code.INSTANCE_PAUSED,
          Rejection.Code.NOT_PAUSED,
          Rejection.Code.UNKNOWN_INSTANCE);

  private final Journal journal;
  private final Function<Command, CompletableFuture<Reply>> door;
  private final Set<String> seen = new HashSet<>();
  private final List<ScopeReport.Refused> refused = new ArrayList<>();
  private long done;
  private long already;

  Scopes(Journal journal, Function<Command, CompletableFuture<Reply>> door) {
    this.journal = journal;
    this.door = door;
  }

  /** Gives a command for each instance of the scope that has not ended. */
  ScopeReport each(Scope scope, Function<String, Command> command) {
    boolean found = true;
    for (int round = 0; found && round < MOST_ROUNDS; round++) {
      found =
          switch (scope) {
            case Scope.Tree(String instance) -> tree(instance, command);
            case Scope.OfMachine(String machine) -> all(machine, command);
          };
    }
    return new ScopeReport(done, already, List.copyOf(refused));
  }

  /** From the top down: who is above stands still before who is below. */
  private boolean tree(String top, Function<String, Command> command) {
    InstanceRow row = journal.load(top);
    if (row == null) {
      throw new RejectedException(Admission.unknownInstance(top));
    }
    boolean found = false;
    Deque<InstanceRow> level = new ArrayDeque<>(List.of(row));
    while (!level.isEmpty()) {
      List<String> ids = new ArrayList<>();
      level.forEach(each -> {
        if (isNew(each)) {
          ids.add(each.id());
        }
      });
      found |= !ids.isEmpty();
      carryOut(ids, command);
      Deque<InstanceRow> below = new ArrayDeque<>();
      level.forEach(each -> pages(Query.ALL.below(each.id()), below::addAll));
      level = below;
    }
    return found;
  }

  private boolean all(String machine, Function<String, Command> command) {
    boolean[] found = {false};
    pages(
        Query.ALL.ofMachine(machine),
        page -> {
          List<String> ids = page.stream().filter(this::isNew).map(InstanceRow::id).toList();
          found[0] |= !ids.isEmpty();
          carryOut(ids, command);
        });
    return found[0];
  }

  private boolean isNew(InstanceRow row) {
    return row.status() != InstanceRow.Status.ENDED && seen.add(row.id());
  }

  private void pages(Query query, java.util.function.Consumer<List<InstanceRow>> consumer) {
    long after = 0;
    List<InstanceRow> page;
    do {
      page = journal.query(query.page(after, PAGE));
      if (!page.isEmpty()) {
        consumer.accept(page);
        after = page.getLast().number();
      }
    } while (page.size() == PAGE);
  }

  /** All of a page at a time, so that they share commits. */
  private void carryOut(List<String> ids, Function<String, Command> command) {
    List<CompletableFuture<Reply>> replies = ids.stream().map(command).map(door).toList();
    for (int i = 0; i < ids.size(); i++) {
      count(ids.get(i), replies.get(i));
    }
  }

  private void count(String id, CompletableFuture<Reply> reply) {
    try {
      switch (reply.join()) {
        case Reply.Accepted _ -> done++;
        case Reply.Rejected(Rejection rejection) -> {
          if (ALREADY.contains(rejection.code())) {
            already++;
          } else if (refused.size() < MOST_REFUSED) {
            refused.add(new ScopeReport.Refused(id, rejection));
          }
        }
      }
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }
}
