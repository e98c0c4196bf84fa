package dev.signalbox.runtime;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Lets many instances stand still or go on, one command each. Nothing holds all of them together:
 * each is atomic by itself, and whoever is interrupted asks again with the same key, which finds
 * what was done. It goes over the instances until it meets none that is new, so that those which
 * come into being meanwhile are not missed.
 *
 * <p>A machine stands still before its instances do, so that none begins any more, and goes on
 * before they do.
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

  /** Why the machine needed nothing. */
  private static final Set<Rejection.Code> ALREADY_ASKED =
      EnumSet.of(Rejection.Code.INSTANCE_EXISTS, Rejection.Code.NO_TRANSITION);

  private final Journal journal;
  private final Machines machines;
  private final Function<Command, CompletableFuture<Reply>> door;
  private final Function<Command, CompletableFuture<Reply>> own;
  private final Set<String> seen = new HashSet<>();
  private final List<ScopeReport.Refused> refused = new ArrayList<>();
  private long done;
  private long already;

  /**
   * @param own carries out what the engine asks of its own machines
   */
  Scopes(
      Journal journal,
      Machines machines,
      Function<Command, CompletableFuture<Reply>> door,
      Function<Command, CompletableFuture<Reply>> own) {
    this.journal = journal;
    this.machines = machines;
    this.door = door;
    this.own = own;
  }

  ScopeReport pause(Scope scope, Command.Clocks clocks, Actor actor, @Nullable String key) {
    if (scope instanceof Scope.OfMachine(String machine)) {
      String id = known(machine);
      String start = machines.own(OwnMachines.STANDSTILL).published.name();
      ask(new Command.Start(start, id, Map.of("machine", machine), actor, null));
      String told = clocks.name().toLowerCase(Locale.ROOT);
      ask(new Command.Send(id, "pause", Map.of("clocks", told), actor, key, null));
    }
    return each(scope, id -> new Command.Pause(id, clocks, actor, key));
  }

  ScopeReport resume(Scope scope, Actor actor, @Nullable String key) {
    if (scope instanceof Scope.OfMachine(String machine)) {
      String id = known(machine);
      if (journal.load(id) != null) {
        ask(new Command.Send(id, "resume", null, actor, key, null));
      }
    }
    return each(scope, id -> new Command.Resume(id, actor, key));
  }

  /**
   * The id of the instance that says whether the machine stands still.
   *
   * @throws RejectedException when there is no such machine, or it is the engine's own
   */
  private String known(String machine) {
    if (OwnMachines.isOwn(machine)) {
      throw new RejectedException(OwnMachines.refusal(machine));
    }
    if (machines.all().stream().noneMatch(m -> m.published.name().equals(machine))) {
      throw new RejectedException(machines.unknown(machine));
    }
    return Standstills.id(machine);
  }

  /** Asks for what may have been done before. */
  private void ask(Command command) {
    Rejection rejection =
        join(own.apply(command)) instanceof Reply.Rejected(Rejection r) ? r : null;
    if (rejection != null && !ALREADY_ASKED.contains(rejection.code())) {
      throw new RejectedException(rejection);
    }
  }

  /** Gives a command for each instance of the scope that has not ended. */
  private ScopeReport each(Scope scope, Function<String, Command> command) {
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
    // Where rows were changed past the runtime, one may be below itself.
    Set<Long> met = new HashSet<>(Set.of(row.number()));
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
      below.removeIf(each -> !met.add(each.number()));
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
    switch (join(reply)) {
      case Reply.Accepted _ -> done++;
      case Reply.Rejected(Rejection rejection) -> {
        if (ALREADY.contains(rejection.code())) {
          already++;
        } else if (refused.size() < MOST_REFUSED) {
          refused.add(new ScopeReport.Refused(id, rejection));
        }
      }
    }
  }

  private static Reply join(CompletableFuture<Reply> reply) {
    try {
      return reply.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }
}
