package dev.signalbox.systems.runs.file;

import dev.signalbox.journal.DurableFile;
import dev.signalbox.services.evidence.EvidenceException;
import dev.signalbox.services.evidence.EvidenceStore;
import dev.signalbox.systems.Values;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks the files of runs by themselves, without the journal, and names everything that is wrong.
 * What it can't find is a run, or the end of a run, that is gone from its folder and from the
 * ledger alike, and everything written anew by somebody who computed all hashes again: for that the
 * journal is there, whose checkpoints are signed.
 */
public final class RunVerifier {
  private RunVerifier() {}

  /**
   * Checks one run's folder, and the ledger beside it.
   *
   * @return what is wrong; empty when nothing is
   */
  public static List<Fault> verify(Path runFolder) {
    List<Fault> faults = new ArrayList<>();
    Path folder = runFolder.toAbsolutePath().normalize();
    Path runs = Objects.requireNonNullElse(folder.getParent(), folder);
    List<@Nullable ChainedLine> ledger =
        new ChainReader(Ledger.FILE, faults).read(runs.resolve(Ledger.FILE));
    positions(ledger, faults);
    run(folder, ledger, faults);
    return faults;
  }

  /** Checks the ledger and the folder of each run that it names or that is there. */
  public static List<Fault> verifyAll(Path runs) throws IOException {
    List<Fault> faults = new ArrayList<>();
    List<@Nullable ChainedLine> ledger =
        new ChainReader(Ledger.FILE, faults).read(runs.resolve(Ledger.FILE));
    positions(ledger, faults);
    Set<String> names = new TreeSet<>();
    ledger.forEach(line -> {
      if (line != null) {
        names.add(line.text("run_id"));
      }
    });
    try (Stream<Path> folders = Files.list(runs)) {
      folders
          .filter(folder -> Files.exists(folder.resolve(Book.STATE)))
          .forEach(folder -> names.add(String.valueOf(folder.getFileName())));
    }
    for (String name : names) {
      run(runs.resolve(name), ledger, faults);
    }
    return faults;
  }

  private static void positions(List<@Nullable ChainedLine> ledger, List<Fault> faults) {
    long before = 0;
    for (int i = 0; i < ledger.size(); i++) {
      ChainedLine line = ledger.get(i);
      if (line != null) {
        if (line.number("position") <= before) {
          faults.add(
              new Fault(
                  "order-broken", Ledger.FILE, i + 1, "Its position is not above the one before."));
        }
        before = line.number("position");
      }
    }
  }

  private static void run(Path folder, List<@Nullable ChainedLine> ledger, List<Fault> faults) {
    String run = String.valueOf(folder.getFileName());
    Map<String, @Nullable Object> state =
        new StateCheck(run + "/" + Book.STATE, faults).read(folder.resolve(Book.STATE), run);
    String logName = run + "/" + Book.LOG;
    List<@Nullable ChainedLine> log =
        new ChainReader(logName, faults).read(folder.resolve(Book.LOG));
    Map<Long, ChainedLine> transitions = new LinkedHashMap<>();
    for (int i = 0; i < log.size(); i++) {
      ChainedLine line = log.get(i);
      if (line == null) {
        continue;
      }
      if (line.number("sequence") != i + 1 || !line.text("run_id").equals(run)) {
        faults.add(
            new Fault(
                "entry-missing",
                logName,
                i + 1,
                "It is not line %d of this run.".formatted(i + 1)));
      }
      if (line.isTransition()) {
        transitions.put(line.number("sequence"), line);
        if (!line.text("from").isEmpty() && !RunStates.isWay(line.text("from"), line.text("to"))) {
          faults.add(
              new Fault(
                  "transition-impossible",
                  logName,
                  i + 1,
                  "It goes from %s to %s.".formatted(line.text("from"), line.text("to"))));
        }
      }
      evidence(folder, line, logName, i + 1, faults);
    }
    agree(state, log, run, faults);
    ledger(run, transitions, ledger, faults);
    if (state != null) {
      pending(folder, state, run, faults);
    }
  }

  /** The state must be what the log's end says. */
  private static void agree(
      @Nullable Map<String, @Nullable Object> state,
      List<@Nullable ChainedLine> log,
      String run,
      List<Fault> faults) {
    ChainedLine last = log.isEmpty() ? null : log.getLast();
    if (state == null || last == null) {
      return;
    }
    List<String> visited =
        log.stream()
            .filter(Objects::nonNull)
            .filter(ChainedLine::isTransition)
            .map(line -> line.text("to"))
            .toList();
    List<String> told =
        Values.list(state.get("state_history")).stream()
            .map(visit -> Values.text(Values.map(visit).get("state")))
            .toList();
    if (!last.text("to").equals(state.get("current_state"))
        || !last.text("at").equals(state.get("updated_at"))
        || !new HashSet<>(told).containsAll(visited)) {
      faults.add(
          new Fault(
              "state-differs",
              run + "/" + Book.STATE,
              0,
              "It does not say what the end of the log says."));
    }
  }

  private static void ledger(
      String run,
      Map<Long, ChainedLine> transitions,
      List<@Nullable ChainedLine> ledger,
      List<Fault> faults) {
    Set<Long> found = new HashSet<>();
    for (int i = 0; i < ledger.size(); i++) {
      ChainedLine line = ledger.get(i);
      if (line == null || !line.text("run_id").equals(run)) {
        continue;
      }
      long sequence = line.number("sequence");
      ChainedLine told = transitions.get(sequence);
      if (told == null || !told.hash().equals(line.text("log"))) {
        faults.add(
            new Fault(
                "log-differs",
                Ledger.FILE,
                i + 1,
                "The log of '%s' does not have this transition as line %d."
                    .formatted(run, sequence)));
      }
      if (!found.add(sequence)) {
        faults.add(
            new Fault("entry-twice", Ledger.FILE, i + 1, "'%s' has it before.".formatted(run)));
      }
    }
    transitions.forEach((sequence, _) -> {
      if (!found.contains(sequence)) {
        faults.add(
            new Fault(
                "ledger-missing",
                Ledger.FILE,
                0,
                "Transition %d of '%s' is not in it.".formatted(sequence, run)));
      }
    });
  }

  private static void evidence(
      Path folder, ChainedLine line, String logName, int number, List<Fault> faults) {
    if (Values.list(line.fields().get("evidence")).isEmpty()) {
      return;
    }
    EvidenceStore store = EvidenceStore.reading(folder.resolve("evidence"));
    for (Object piece : Values.list(line.fields().get("evidence"))) {
      String hash = Values.text(Values.map(piece).get("sha256"));
      try {
        store.bytes(hash);
      } catch (EvidenceException | IllegalArgumentException e) {
        faults.add(
            new Fault(
                e instanceof EvidenceException known
                        && known.reason() == EvidenceException.Reason.MISSING
                    ? "evidence-missing"
                    : "evidence-altered",
                logName,
                number,
                String.valueOf(e.getMessage())));
      }
    }
  }

  private static void pending(
      Path folder, Map<String, @Nullable Object> state, String run, List<Fault> faults) {
    Set<String> wanted = new TreeSet<>();
    Values.list(state.get("approvals_pending"))
        .forEach(id -> wanted.add(Book.fileName(String.valueOf(id))));
    Set<String> there = new TreeSet<>();
    try (Stream<Path> files = Files.list(folder.resolve(Book.PENDING))) {
      files
          .filter(file -> !DurableFile.isPart(file))
          .forEach(file -> there.add(String.valueOf(file.getFileName())));
    } catch (IOException e) {
      faults.add(new Fault("file-missing", run + "/" + Book.PENDING, 0, "It is not there."));
      return;
    }
    for (String name : wanted) {
      if (!there.contains(name)) {
        faults.add(
            new Fault(
                "pending-missing",
                run + "/" + Book.PENDING,
                0,
                "'%s' is not there.".formatted(name)));
      }
    }
    // While the run is planned, the plan's own approval waits too.
    if (!"PLANNING".equals(state.get("current_state"))) {
      there.stream()
          .filter(name -> !wanted.contains(name))
          .forEach(name ->
              faults.add(
                  new Fault(
                      "pending-left",
                      run + "/" + Book.PENDING,
                      0,
                      "'%s' is of an approval that nobody waits for.".formatted(name))));
    }
  }
}
