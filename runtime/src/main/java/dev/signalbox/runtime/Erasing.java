package dev.signalbox.runtime;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.Tombstone;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.Snapshot;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Destroys the keys of instances. The order is the point: the key is marked as condemned, then the
 * entry that says who asked for it is committed, then the key is destroyed. Whoever opens the store
 * destroys the condemned keys of instances that have the entry, so that a crash in between changes
 * nothing; a condemned key whose instance has no such entry is as good as before.
 *
 * <p>The chain of an archived instance is closed and in a file. In place of the entry there is an
 * instance of {@link OwnMachines#ERASURE}, which says who asked for it and names the tombstone.
 */
final class Erasing {
  private static final int PAGE = 500;

  private final Journal journal;
  private final Machines machines;

  Erasing(Journal journal, Machines machines) {
    this.journal = journal;
    this.machines = machines;
  }

  /** Destroys the keys that an interrupted erasure left. */
  static void finish(Journal journal) {
    List<Long> condemned = journal.condemnedKeys();
    if (condemned.isEmpty()) {
      return;
    }
    List<Long> erased = new ArrayList<>();
    for (long number : condemned) {
      InstanceRow row = journal.load(number);
      if (row == null ? isRecorded(journal, number) : Seal.isErased(row.snapshot())) {
        erased.add(number);
      }
    }
    journal.destroyKeys(erased);
  }

  /** The id of the instance that says that the archived one with the number was erased. */
  private static String record(long number) {
    return OwnMachines.ERASURE + "-" + number;
  }

  private static boolean isRecorded(Journal journal, long number) {
    return journal.load(record(number)) != null;
  }

  /** Why the instance can't be erased, or null. */
  static @Nullable Rejection refusal(Working working, Journal journal) {
    String id = working.row.id();
    if (working.erased) {
      return Admission.rejection(
          Rejection.Code.INSTANCE_ERASED,
          "Expected to erase '%s', but it is erased already.".formatted(id));
    }
    if (!working.snapshot.done()) {
      return notEnded(id);
    }
    if (working.seal == null) {
      return notSealed(id);
    }
    return journal.isPending(working.row.number(), id) ? pending(id) : null;
  }

  private static Rejection notEnded(String id) {
    return Admission.rejection(
        Rejection.Code.NOT_ENDED,
        "Expected to erase '%s', but it has not ended; let it end, or cancel it.".formatted(id));
  }

  private static Rejection notSealed(String id) {
    return Admission.rejection(
        Rejection.Code.NOT_SEALED,
        "Expected to erase '%s', but its machine has no personal fields, so nothing is sealed."
            .formatted(id));
  }

  private static Rejection pending(String id) {
    return Admission.rejection(
        Rejection.Code.STILL_PENDING,
        "Expected to erase '%s', but effects or messages of it are still to be done; try later."
            .formatted(id));
  }

  /** What is left of a snapshot: where the instance ended. */
  static Snapshot rest(Snapshot of) {
    return new Snapshot(
        of.instance(),
        of.parent(),
        of.configuration(),
        Context.empty(of.context().layout()),
        true,
        Snapshot.Memory.EMPTY);
  }

  /**
   * Erases an instance and everything below it.
   *
   * @param door carries a command out, also of the engine's own machines
   * @throws RejectedException when it can't be; what was erased before that stays erased
   */
  Erasure erase(String id, Actor actor, Function<Command, Reply> door) {
    InstanceRow top = journal.load(id);
    if (top == null) {
      return archived(id, actor, door);
    }
    List<InstanceRow> tree = new ArrayList<>();
    collect(top, tree);
    List<String> erased = new ArrayList<>();
    List<String> clear = new ArrayList<>();
    List<InstanceRow> sealed = new ArrayList<>();
    for (InstanceRow row : tree) {
      if (Seal.isErased(row.snapshot())) {
        erased.add(row.id());
      } else if (Seal.isSealed(row.snapshot())) {
        sealed.add(row);
      } else {
        clear.add(row.id());
      }
    }
    if (erased.isEmpty() && sealed.isEmpty()) {
      throw new RejectedException(notSealed(id));
    }
    for (InstanceRow row : sealed) {
      if (row.status() != InstanceRow.Status.ENDED) {
        throw new RejectedException(notEnded(row.id()));
      }
      if (journal.isPending(row.number(), row.id())) {
        throw new RejectedException(pending(row.id()));
      }
    }
    // From the leaves up: as long as the top is not erased, it can be asked for again.
    for (InstanceRow row : sealed.reversed()) {
      if (door.apply(new Command.Erase(row.id(), actor, null))
              instanceof Reply.Rejected(Rejection rejection)
          && rejection.code() != Rejection.Code.INSTANCE_ERASED) {
        throw new RejectedException(rejection);
      }
      erased.add(row.id());
    }
    // Also those that were erased before: a restored copy of the keys may have brought them back.
    journal.destroyKeys(tree.stream().filter(this::isErased).map(InstanceRow::number).toList());
    return new Erasure(List.copyOf(erased), List.copyOf(clear), forks(erased));
  }

  private boolean isErased(InstanceRow row) {
    InstanceRow now = journal.load(row.number());
    return now != null && Seal.isErased(now.snapshot());
  }

  /** The instance and everything below it, parents before children. */
  private void collect(InstanceRow row, List<InstanceRow> tree) {
    tree.add(row);
    each(Query.ALL.below(row.id()), child -> collect(child, tree));
  }

  private void each(Query query, java.util.function.Consumer<InstanceRow> consumer) {
    long after = 0;
    List<InstanceRow> page;
    do {
      page = journal.query(query.page(after, PAGE));
      for (InstanceRow row : page) {
        after = row.number();
        consumer.accept(row);
      }
    } while (page.size() == PAGE);
  }

  private List<String> forks(List<String> of) {
    List<String> forks = new ArrayList<>();
    for (String id : of) {
      each(
          Query.ALL.with(Map.of(Forks.OF, id)),
          fork -> {
            if (!Seal.isErased(fork.snapshot())) {
              forks.add(fork.id());
            }
          });
    }
    return List.copyOf(forks);
  }

  /** Every archived instance that had the id and was sealed. */
  private Erasure archived(String id, Actor actor, Function<Command, Reply> door) {
    List<Tombstone> sealed = new ArrayList<>();
    Audit.tombstones(
        journal,
        tombstone -> {
          long number = tombstone.number();
          if (tombstone.id().equals(id)
              && (journal.key(number) != null || isRecorded(journal, number))) {
            sealed.add(tombstone);
          }
        });
    if (sealed.isEmpty()) {
      throw new RejectedException(Admission.unknownInstance(id));
    }
    List<Long> numbers = sealed.stream().map(Tombstone::number).toList();
    journal.condemnKeys(numbers);
    for (Tombstone tombstone : sealed) {
      if (door.apply(recorded(tombstone, actor)) instanceof Reply.Rejected(Rejection rejection)
          && rejection.code() != Rejection.Code.INSTANCE_EXISTS) {
        throw new RejectedException(rejection);
      }
    }
    journal.destroyKeys(numbers);
    return new Erasure(List.of(id), List.of(), forks(List.of(id)));
  }

  private Command recorded(Tombstone tombstone, Actor actor) {
    return new Command.Start(
        machines.own(OwnMachines.ERASURE).published.name(),
        record(tombstone.number()),
        Map.of(
            "file", tombstone.file(),
            "head", HexFormat.of().formatHex(tombstone.head()),
            "instance", tombstone.id(),
            "number", tombstone.number()),
        actor,
        null);
  }
}
