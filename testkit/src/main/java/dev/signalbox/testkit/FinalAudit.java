package dev.signalbox.testkit;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Environment;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Verification;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What must hold once everything has come to rest and nothing goes wrong any more. */
final class FinalAudit {
  private static final long HOUR = 3_600_000;

  private final Journal journal;
  private final Host host;
  private final Past past;
  private final Consumer<String> found;
  private final Environments environments;

  /** Instances as they were after one of their entries. */
  interface Past {
    Instance at(String id, long sequence);
  }

  FinalAudit(Journal journal, Host host, Past past, Consumer<String> found) {
    this.journal = journal;
    this.host = host;
    this.past = past;
    this.found = found;
    this.environments = new Environments(journal);
  }

  /**
   * @param erased the numbers of the instances that were erased
   * @param sealed how many sealed entries each instance has
   */
  void look(long now, Set<Long> erased, Map<Long, Long> sealed) {
    Verification verification = Audit.verify(journal, Keyring.ofThisProcess(), _ -> {});
    erasures(verification, erased, sealed);
    for (Verification.Finding finding : verification.findings()) {
      found.accept(
          "verify says %s at %s: %s".formatted(finding.code(), finding.where(), finding.message()));
    }
    for (MessageRow message : journal.messages(0, 1_000)) {
      InstanceRow to = journal.load(message.to());
      if (to == null || isRunning(to)) {
        found.accept(
            "message %d to %s was never delivered".formatted(message.number(), message.to()));
      }
    }
    SearchAudit search = new SearchAudit(journal);
    long after = 0;
    List<InstanceRow> page;
    do {
      page = journal.query(Query.ALL.page(after, Query.MOST));
      for (InstanceRow row : page) {
        after = row.number();
        if (isRunning(row) && row.due() < now - HOUR) {
          found.accept("a timer of %s is due since %d ms".formatted(row.id(), now - row.due()));
        }
        if (!erased.contains(row.number())) {
          instance(row, search);
        }
      }
    } while (page.size() == Query.MOST);
    search.finish(found);
  }

  private void instance(InstanceRow row, SearchAudit search) {
    Instance stored;
    Instance lived;
    try {
      stored = Objects.requireNonNull(host.find(row.id()));
      lived = past.at(row.id(), row.sequence());
    } catch (RuntimeException e) {
      found.accept("%s can't be read: %s".formatted(row.id(), e.getMessage()));
      return;
    }
    search.see(row, stored);
    boolean halted = row.status() == InstanceRow.Status.HALTED;
    if (stored.version() != lived.version()
        || !stored.states().equals(lived.states())
        || !stored.context().equals(lived.context())
        || !stored.deadlines().equals(lived.deadlines())
        || !Objects.equals(stored.output(), lived.output())
        || !(halted || stored.status().equals(lived.status()))) {
      found.accept("the row of %s is not what its journal gives".formatted(row.id()));
    }
    long due =
        stored.deadlines().stream().mapToLong(Instance.Deadline::due).min().orElse(row.due());
    if (isRunning(row) && row.due() != due) {
      found.accept("the row of %s does not know when its next timer is due".formatted(row.id()));
    }
    if (missing(journal, stored, environments.of(stored)) != null) {
      found.accept("%s waits for a result that can't come".formatted(row.id()));
    }
  }

  /**
   * The effect whose result is all that the instance waits for, though the store has no such effect
   * and it would know what to do without one; null when it is not so.
   */
  static @Nullable String missing(Journal journal, Instance instance, Environment environment) {
    for (String awaited : instance.awaited()) {
      if (environment.isOpen(awaited) || environment.replies(awaited).isEmpty()) {
        return null;
      }
    }
    return !instance.deadlines().isEmpty() || journal.isPending(instance.number(), instance.id())
        ? null
        : environment.hearsUnknown(instance.awaited());
  }

  /** What was erased can't be read any more, and everything else can. */
  private void erasures(Verification verification, Set<Long> erased, Map<Long, Long> sealed) {
    long unreadable = 0;
    for (long number : erased) {
      unreadable += sealed.getOrDefault(number, 0L);
      if (journal.key(number) != null) {
        found.accept("instance %d was erased, and its key is still there".formatted(number));
      }
    }
    if (verification.sealed() != unreadable) {
      found.accept(
          "%d entries can't be read, and %d were erased"
              .formatted(verification.sealed(), unreadable));
    }
    if (verification.erased() != erased.size()) {
      found.accept(
          "verify counts %d erasures, and there were %d"
              .formatted(verification.erased(), erased.size()));
    }
  }

  private static boolean isRunning(InstanceRow row) {
    return row.status() == InstanceRow.Status.LIVE;
  }
}
