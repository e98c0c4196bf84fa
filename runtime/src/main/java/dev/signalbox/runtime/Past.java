package dev.signalbox.runtime;

import dev.signalbox.journal.Chain;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.Hashing;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.Snapshot;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An instance as it was after one of its entries. It is found by living through the entries up to
 * there again, so it is right only if they are; an entry that does not follow from those before it
 * is an error.
 *
 * @param row as it was, but without configuration, snapshot and the hash of its refusals
 * @param left the moment from which to count what was left of the timers
 * @param sealed whether its entries are
 */
record Past(PublishedChart machine, InstanceRow row, Snapshot snapshot, long left, boolean sealed) {
  private static final int PAGE = 500;

  Instance view() {
    return Instance.of(machine, row, snapshot);
  }

  /**
   * The instance after the entry.
   *
   * @throws RejectedException when there is no such instance or it has no such entry
   */
  static Past of(Journal journal, Machines machines, String id, long sequence) {
    InstanceRow now = journal.load(id);
    if (now == null) {
      throw rejected(
          Rejection.Code.UNKNOWN_INSTANCE,
          "Expected an instance, but there is no '%s'.".formatted(id));
    }
    if (Seal.isErased(now.snapshot())) {
      throw rejected(
          Rejection.Code.INSTANCE_ERASED,
          "Expected to see '%s' as it was, but its personal data was erased, and its past with it."
              .formatted(id));
    }
    if (sequence < 1 || sequence > now.sequence()) {
      throw rejected(
          Rejection.Code.UNKNOWN_ENTRY,
          "Expected entry %d of '%s', but it has the entries 1 to %d."
              .formatted(sequence, id, now.sequence()));
    }
    Replay replay = new Replay(digest -> chart(machines, digest));
    Seal seal = machines.seals.ofDoubtful(now);
    byte[] head = replay(journal, now, sequence, replay, seal);
    PublishedChart machine = Objects.requireNonNull(machines.withDigest(replay.digest()));
    Snapshot snapshot = replay.snapshot();
    InstanceRow.Status status =
        snapshot.done()
            ? InstanceRow.Status.ENDED
            : replay.isPaused() ? InstanceRow.Status.PAUSED : InstanceRow.Status.LIVE;
    InstanceRow row =
        new InstanceRow(
            now.number(),
            id,
            machine.number(),
            now.parent(),
            0,
            status,
            sequence,
            head,
            refusals(journal, now, sequence),
            Hashing.origin(),
            replay.at(),
            replay.since(),
            InstanceRow.NEVER,
            new byte[0]);
    long stopped = replay.stoppedAt();
    return new Past(machine, row, snapshot, stopped < 0 ? replay.at() : stopped, seal != null);
  }

  private static @Nullable Chart chart(Machines machines, String digest) {
    PublishedChart machine = machines.withDigest(digest);
    return machine == null ? null : machine.chart;
  }

  /** Lives through the entries; gives the hash of the last. */
  private static byte[] replay(
      Journal journal, InstanceRow row, long until, Replay replay, @Nullable Seal seal) {
    byte[] head = Hashing.origin();
    long next = 1;
    while (next <= until) {
      int most = (int) Math.min(PAGE, until - next + 1);
      List<EntryRow> page = journal.history(row.number(), Chain.STEPS, next, most);
      if (page.isEmpty()) {
        throw new IllegalStateException(
            "Expected entry %d of '%s', but the journal has lost it; verify the journal."
                .formatted(next, row.id()));
      }
      for (EntryRow entry : page) {
        try {
          replay.next(seal == null ? entry.body() : seal.opened(entry.body()));
        } catch (Replay.Differs e) {
          throw new IllegalStateException(
              "Expected entry %d of '%s' to follow from those before it, but %s; verify the journal."
                  .formatted(entry.sequence(), row.id(), e.getMessage()),
              e);
        }
        head = entry.hash();
        next = entry.sequence() + 1;
      }
    }
    return head;
  }

  /** How many refusals there were when the entry was written. */
  private static long refusals(Journal journal, InstanceRow row, long sequence) {
    long count = 0;
    while (count < row.refusals()) {
      List<EntryRow> page = journal.history(row.number(), Chain.REFUSALS, count + 1, PAGE);
      if (page.isEmpty()) {
        return count;
      }
      for (EntryRow refusal : page) {
        if ((Long) Objects.requireNonNull(Ledger.body(refusal).get("after")) >= sequence) {
          return count;
        }
        count++;
      }
    }
    return count;
  }

  private static RejectedException rejected(Rejection.Code code, String message) {
    return new RejectedException(Admission.rejection(code, message));
  }
}
