package dev.signalbox.systems.runs;

import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.services.evidence.Evidence;
import dev.signalbox.services.workspace.Backup;
import dev.signalbox.services.workspace.Change;
import dev.signalbox.services.workspace.Changes;
import dev.signalbox.services.workspace.WorkspaceException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The folder as a run expects it: as it was when people approved, or when the run was planned, and
 * afterwards as the last tool left it. The journal says which; what the folder held then is kept by
 * the hash of its tree.
 */
final class Trees {
  private static final int SHOWN = 50;

  private final Host host;
  private final RunsSettings settings;
  private final Approvals approvals;

  Trees(Host host, RunsSettings settings, Approvals approvals) {
    this.host = host;
    this.settings = settings;
    this.approvals = approvals;
  }

  /** The hash of the folder as the run expects it; empty where nobody wrote it down. */
  String expected(Instance run) {
    String left = "";
    for (RunEntry entry : RunEntry.of(host, run.id())) {
      if (entry.event().equals("tool.succeeded")) {
        Map<String, @Nullable Object> tree =
            RunEntry.map(RunEntry.map(entry.data().get("result")).get("tree"));
        left = tree.get("after") instanceof String after ? after : left;
      }
    }
    if (!left.isEmpty()) {
      return left;
    }
    String approval = String.valueOf(run.context().get("plan_approval"));
    return approval.isEmpty()
        ? String.valueOf(run.context().get("tree_before"))
        : PlanConsent.tree(approvals.approval(approval));
  }

  /** How often the run was told of its current tool that the folder is another one. */
  long times(String run, String tool) {
    return RunEntry.of(host, run).stream()
        .filter(entry ->
            entry.event().equals("tool.succeeded")
                && tool.equals(entry.data().get("tool"))
                && RunEntry.map(entry.data().get("result")).containsKey("another_tree"))
        .count();
  }

  /** What is different, for people: a path a line, or that nobody knows what was there. */
  List<String> difference(String run, Path work, String from, Backup now) {
    Changes changes = changes(run, work, from, now);
    if (changes == null) {
      return List.of("what was there before is not known");
    }
    List<String> lines = new ArrayList<>();
    for (Change change : changes.all()) {
      if (lines.size() == SHOWN) {
        lines.add("and %,d more".formatted(changes.all().size() - SHOWN));
        break;
      }
      lines.add(change.kind().name().toLowerCase(Locale.ROOT) + " " + change.path());
    }
    return lines;
  }

  /**
   * What is different as a diff, for the run's evidence; empty where nobody knows what was there.
   */
  List<Evidence> evidence(String run, Path work, String from, Backup now) {
    Changes changes = changes(run, work, from, now);
    return changes == null
        ? List.of()
        : List.of(RunFolder.of(settings, run).evidence().put("another_tree", changes.diff()));
  }

  private @Nullable Changes changes(String run, Path work, String from, Backup now) {
    Backup then = RunFolder.of(settings, run).known(from, work);
    return then == null ? null : then.changesTo(now);
  }

  /**
   * What is in the folder now, which is what the run expects.
   *
   * @throws WorkspaceException when it can't be read
   * @throws IllegalArgumentException when it is another
   */
  Backup require(Instance run, Plan plan) {
    Backup now = RunFolder.of(settings, run.id()).look(plan.folder());
    String expected = expected(run);
    String tree = now.before().treeHash();
    if (!expected.isEmpty() && !expected.equals(tree)) {
      throw new IllegalArgumentException(
          "Expected the folder of '%s' as its last tool left it, but it was changed since: %s. Nothing ran."
              .formatted(
                  run.id(), String.join(", ", difference(run.id(), plan.folder(), expected, now))));
    }
    return now;
  }
}
