package dev.signalbox.services.sweep;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.Repeater;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Sweeps a store, once or again and again. */
public final class Sweeper implements AutoCloseable {
  /** Who corrects. */
  public static final Actor ACTOR = new Actor(Actor.Kind.SYSTEM, "sweep", List.of("sweep"));

  private static final List<InstanceRow.Status> UNENDED =
      List.of(InstanceRow.Status.LIVE, InstanceRow.Status.PAUSED, InstanceRow.Status.HALTED);

  private final Signalbox box;
  private final List<Sweep> sweeps;
  private final SweepSettings settings;

  /** The number of the last ended instance that was looked at; 0 to begin anew. */
  private final AtomicLong endedBehind = new AtomicLong();

  private @Nullable Repeater sweeping;

  public Sweeper(Signalbox box, List<Sweep> sweeps, SweepSettings settings) {
    this.box = box;
    this.sweeps = List.copyOf(sweeps);
    this.settings = settings;
  }

  /** Every kind of trouble, with the standard rules. */
  public static List<Sweep> standard() {
    return List.of(
        new InvalidSweep(),
        new ZombieSweep(Duration.ofMinutes(5)),
        new OrphanSweep(OrphanSweep.STANDARD),
        new StuckSweep(StuckSweep.STANDARD),
        new UnattendedSweep());
  }

  public SweepReport sweep(boolean dryRun) {
    return sweep(dryRun, _ -> {});
  }

  /**
   * Goes through the store once. The first kind of trouble that an instance is in counts. What has
   * not ended, whatever its row says, comes first, so that nothing else is taken for its orphan.
   *
   * @param dryRun only reports; nothing is written
   * @param progress is told how many instances were looked at so far
   */
  public SweepReport sweep(boolean dryRun, LongConsumer progress) {
    Round round = new Round(dryRun, progress);
    round.goThroughEnded();
    UNENDED.forEach(round::goThrough);
    return round.report();
  }

  /** One way through the store. */
  private final class Round {
    private final boolean dryRun;
    private final LongConsumer progress;
    private final Surroundings around = new Surroundings(box, settings);
    private final List<SweepReport.Outcome> outcomes = new ArrayList<>();
    private final Map<String, Long> counts = new TreeMap<>();
    private long scanned;
    private long found;
    private int corrections;

    Round(boolean dryRun, LongConsumer progress) {
      this.dryRun = dryRun;
      this.progress = progress;
    }

    void goThrough(InstanceRow.Status status) {
      long after = 0;
      List<InstanceRow> page;
      do {
        page = box.journal().query(Query.ALL.that(status).page(after, Query.MOST));
        for (InstanceRow row : page) {
          after = row.number();
          consider(row);
        }
        told(page.size());
      } while (page.size() == Query.MOST);
    }

    /** Begins behind what the last sweep came to, and goes round once at most. */
    void goThroughEnded() {
      long begin = endedBehind.get();
      long after = begin;
      long left = settings.mostEnded();
      boolean isAround = begin == 0;
      while (left > 0 && !(isAround && begin > 0 && after >= begin)) {
        int most = (int) Math.min(Query.MOST, left);
        List<InstanceRow> page =
            box.journal().query(Query.ALL.that(InstanceRow.Status.ENDED).page(after, most));
        box.unconfirmed(page).forEach(this::consider);
        told(page.size());
        left -= page.size();
        if (page.size() == most) {
          after = page.getLast().number();
        } else {
          after = 0;
          if (isAround) {
            break;
          }
          isAround = true;
        }
      }
      if (!dryRun) {
        endedBehind.set(after);
      }
    }

    private void consider(InstanceRow row) {
      Finding finding = look(new Subject(around, row));
      if (finding == null) {
        return;
      }
      found++;
      counts.merge(finding.kind(), 1L, Long::sum);
      boolean mayCorrect = !dryRun && corrections < settings.mostCorrections();
      SweepReport.Outcome outcome =
          mayCorrect
              ? corrected(finding)
              : new SweepReport.Outcome(
                  finding, false, dryRun ? "a dry run" : "left for the next sweep");
      corrections += outcome.corrected() ? 1 : 0;
      if (outcomes.size() < settings.mostFindings()) {
        outcomes.add(outcome);
      }
    }

    private void told(int more) {
      scanned += more;
      progress.accept(scanned);
    }

    SweepReport report() {
      return new SweepReport(
          scanned, around.replayed(), dryRun, outcomes, found - outcomes.size(), counts);
    }
  }

  private @Nullable Finding look(Subject subject) {
    for (Sweep sweep : sweeps) {
      Finding finding = sweep.look(subject);
      if (finding != null) {
        return finding;
      }
    }
    return null;
  }

  private SweepReport.Outcome corrected(Finding finding) {
    String reason = finding.kind() + ": " + finding.reason();
    Command command =
        switch (finding.correction()) {
          case Correction.Send(String event) ->
              Command.Send.of(finding.instance(), event, Map.of("reason", reason))
                  .by(ACTOR)
                  .expecting(finding.sequence());
          case Correction.Cancel() -> new Command.Cancel(finding.instance(), ACTOR, null, reason);
          case Correction.Restore() -> new Command.Correct(finding.instance(), reason, ACTOR, null);
          case Correction.GiveUp(String reply) ->
              new Command.GiveUp(finding.instance(), reply, reason, ACTOR, null);
          case Correction.None() -> null;
        };
    if (command == null) {
      return new SweepReport.Outcome(finding, false, "only a person can help");
    }
    return switch (box.submit(command)) {
      case Reply.Accepted _ -> new SweepReport.Outcome(finding, true, "");
      case Reply.Rejected(Rejection rejection) ->
          new SweepReport.Outcome(finding, false, rejection.message());
    };
  }

  /**
   * Sweeps again and again on a thread of its own, until this is closed.
   *
   * @param pause between the end of one sweep and the beginning of the next
   * @param report is told of each
   */
  public synchronized void start(Duration pause, Consumer<SweepReport> report) {
    if (sweeping != null) {
      throw new IllegalStateException("It sweeps already.");
    }
    sweeping = Repeater.start("signalbox-sweep", pause, () -> report.accept(sweep(false)));
  }

  @Override
  public synchronized void close() {
    if (sweeping != null) {
      sweeping.close();
    }
  }
}
