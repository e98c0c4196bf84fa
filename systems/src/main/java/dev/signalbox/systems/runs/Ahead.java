package dev.signalbox.systems.runs;

import dev.signalbox.definition.Json;
import dev.signalbox.runtime.Host;
import dev.signalbox.services.approval.Risk;
import dev.signalbox.services.evidence.EvidenceException;
import dev.signalbox.services.evidence.EvidenceStore;
import dev.signalbox.services.tool.ToolResult;
import dev.signalbox.services.tool.ToolStatus;
import dev.signalbox.services.tool.ToolUsage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Tools that are begun ahead of their turn, beside the current one: consecutive ones of the plan
 * that only read, may be repeated and need no person. What writes or tests is alone, because its
 * backup, its undo and the account of what it changed need the folder to themselves.
 *
 * <pre>
 *   turn of a   a, b and c run; a's entry in the journal names the results of b and c by hash
 *   turn of b   b's result is taken from there, and counts as if it had run now
 *   turn of c   the same
 * </pre>
 *
 * <p>So to the machine tools are in sequence, with every rule for one that fails, is tried again,
 * asks, halts or goes over a limit. The effect of the first ends when the last of them has:
 * interrupted, all are; cut off, all are done again; and nothing is at work beside a question, an
 * undo or a tool that writes. After people were asked something, what was read before is not used;
 * it is read again, and what the first time used counts too. What those used whose turn never comes
 * counts with the tool that ends the run.
 */
final class Ahead {
  private final Host host;
  private final Toolbox toolbox;

  Ahead(Host host, Toolbox toolbox) {
    this.host = host;
    this.toolbox = toolbox;
  }

  /**
   * A tool that ran.
   *
   * @param began in milliseconds since 1970
   */
  record Ended(ToolJob job, ToolResult result, long began, long ended) {
    /** Whether the run must not wait for the tool's turn to halt. */
    boolean isUnsafe() {
      return result.status() == ToolStatus.HALTED || result.risk() == Risk.CRITICAL;
    }

    static ToolUsage used(List<Ended> all) {
      return all.stream()
          .map(each -> each.result().usage())
          .reduce(ToolUsage.NONE, ToolUsage::plus);
    }

    String why() {
      return result.message().isEmpty() ? "it has a critical risk" : result.message();
    }
  }

  /**
   * A result from before a tool's turn.
   *
   * @param times when it ran, for the journal
   * @param isFresh whether nobody was asked anything since
   */
  record Kept(ToolResult result, Map<String, Object> times, boolean isFresh) {
    /** This one, with what an earlier one used that does not count otherwise. */
    private Kept after(@Nullable Kept earlier) {
      return earlier == null
          ? this
          : new Kept(with(result, earlier.result().usage()), times, isFresh);
    }
  }

  /** The result, with what else was used. */
  static ToolResult with(ToolResult result, ToolUsage more) {
    return result.using(result.usage().plus(more));
  }

  /** The tools of a frozen plan that are begun with that one when it is, in their order. */
  static List<String> beside(Map<String, Object> frozen, String first) {
    long most = Form.whole(Form.map(frozen, "limits"), "tools_at_a_time");
    List<String> group = new ArrayList<>();
    for (Map<String, Object> tool : Form.maps(frozen, "tools")) {
      String name = Form.text(tool, "name");
      if (!group.isEmpty() || name.equals(first)) {
        if (group.size() == most || !isShared(tool)) {
          break;
        }
        group.add(name);
      }
    }
    return group.isEmpty() ? group : group.subList(1, group.size());
  }

  /** Whether a tool shares the folder with others. */
  private static boolean isShared(Map<String, Object> tool) {
    return !Form.flag(tool, "writing")
        && Form.flag(tool, "idempotent")
        && !Form.flag(tool, "approval");
  }

  /**
   * Runs them together and gives their results in their order when the last has ended. Whoever is
   * interrupted here has interrupted all of them, and they have ended.
   *
   * @param copy of the folder, for all of them
   */
  List<Ended> run(List<ToolJob> jobs, Path copy, EvidenceStore evidence)
      throws InterruptedException {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Ended>> running =
          jobs.stream().map(job -> threads.submit(() -> run(job, copy, evidence))).toList();
      try {
        List<Ended> ended = new ArrayList<>();
        for (Future<Ended> each : running) {
          ended.add(each.get());
        }
        return ended;
      } catch (InterruptedException e) {
        threads.shutdownNow();
        throw e;
      } catch (ExecutionException e) {
        threads.shutdownNow();
        throw new IllegalStateException("Expected a tool to give a result.", e.getCause());
      }
    }
  }

  private Ended run(ToolJob job, Path copy, EvidenceStore evidence) throws InterruptedException {
    long began = host.clock().millis();
    ToolResult result = toolbox.run(job.tool(), job.call(), copy, evidence);
    return new Ended(job, result, began, host.clock().millis());
  }

  /** What the journal keeps with the result of the first, so that the others are not done again. */
  static Map<String, Object> told(List<Ended> ended, EvidenceStore store) {
    List<Object> beside = new ArrayList<>();
    for (Ended each : ended.subList(1, ended.size())) {
      Map<String, Object> kept = new LinkedHashMap<>();
      kept.put("result", each.result().fields());
      kept.put("ran", Map.of("began", each.began(), "ended", each.ended()));
      String hash = store.put("beside", Json.text(kept)).sha256();
      beside.add(Map.of("tool", each.job().name(), "sha256", hash));
    }
    Ended first = ended.getFirst();
    return Map.of("beside", beside, "ran", Map.of("began", first.began(), "ended", first.ended()));
  }

  /**
   * The last result of the tool from before its turn, with what all of them used, or null.
   *
   * <p>What is gone or altered is as if it had not been.
   */
  @Nullable Kept kept(ToolJob job, EvidenceStore store) {
    boolean fresh = false;
    Kept kept = null;
    for (RunEntry entry : RunEntry.of(host, job.run())) {
      if (entry.event().equals("asked.succeeded")) {
        fresh = false;
      }
      for (Map<String, @Nullable Object> other : beside(entry)) {
        if (job.name().equals(other.get("tool"))) {
          Kept next = kept(String.valueOf(other.get("sha256")), store);
          fresh = next != null;
          kept = next == null ? kept : next.after(kept);
        }
      }
    }
    return kept == null ? null : new Kept(kept.result(), kept.times(), fresh);
  }

  /** What those after the tool used that were begun with earlier ones, before their turn. */
  ToolUsage used(ToolJob job, EvidenceStore store) {
    List<String> names = job.plan().tools().stream().map(ToolPlan::name).toList();
    List<String> waiting = names.subList(names.indexOf(job.name()) + 1, names.size());
    ToolUsage used = ToolUsage.NONE;
    for (RunEntry entry : RunEntry.of(host, job.run())) {
      for (Map<String, @Nullable Object> other : beside(entry)) {
        Kept kept =
            waiting.contains(String.valueOf(other.get("tool")))
                ? kept(String.valueOf(other.get("sha256")), store)
                : null;
        used = kept == null ? used : used.plus(kept.result().usage());
      }
    }
    return used;
  }

  /** What an entry keeps of those that were begun with the tool that it is about. */
  private static List<Map<String, @Nullable Object>> beside(RunEntry entry) {
    if (!entry.event().equals("tool.succeeded")) {
      return List.of();
    }
    Map<String, @Nullable Object> result = RunEntry.map(entry.data().get("result"));
    return RunEntry.list(result.get("beside")).stream().map(RunEntry::map).toList();
  }

  private static @Nullable Kept kept(String hash, EvidenceStore store) {
    try {
      Map<String, @Nullable Object> kept =
          RunEntry.map(Json.parse(new String(store.bytes(hash), StandardCharsets.UTF_8)));
      return new Kept(
          ToolResult.of(RunEntry.map(kept.get("result"))),
          Map.of("ran", Form.map(kept.get("ran"), "ran")),
          true);
    } catch (EvidenceException | IllegalArgumentException | Json.SyntaxException e) {
      return null;
    }
  }
}
