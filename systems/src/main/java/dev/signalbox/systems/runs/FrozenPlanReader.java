package dev.signalbox.systems.runs;

import dev.signalbox.definition.DefinitionException;
import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.services.approval.Risk;
import dev.signalbox.systems.runs.frozen.Effect;
import dev.signalbox.systems.runs.frozen.FrozenPlan;
import dev.signalbox.systems.runs.frozen.Manifest;
import dev.signalbox.systems.runs.frozen.Node;
import dev.signalbox.systems.runs.frozen.Step;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes a plan for a run of a frozen plan of the coordinator and a tool book. The graph says what
 * is done and in which order, by command ids; the book says what each of them is, and it alone
 * holds anything that can be executed. Every problem of both is found at once, with its place.
 *
 * <p>What the graph says of an action makes it riskier than the book and the policy say, never less
 * risky. The plan that comes out keeps where it comes from, so that the journal does.
 */
public final class FrozenPlanReader {
  private final FrozenPlan frozen;
  private final Source tools;
  private final FrozenPlan.Read read;
  private final List<Problem> problems;
  private final Problems ofGraph;
  private final Problems ofBook;

  private FrozenPlanReader(FrozenPlan frozen, Source tools) {
    this.frozen = frozen;
    this.tools = tools;
    this.read = frozen.read();
    this.problems = new ArrayList<>(read.problems());
    this.ofGraph = new Problems(frozen.graph().name());
    this.ofBook = new Problems(tools.name());
  }

  /**
   * The plan.
   *
   * @param tools the tool book: a plan in YAML whose tools are named by command ids
   * @param base what a relative folder of the book is relative to
   * @throws DefinitionException with every problem
   */
  public static Plan read(FrozenPlan frozen, Source tools, Path base) {
    return new FrozenPlanReader(frozen, tools).plan(base);
  }

  private Plan plan(Path base) {
    Plan plan = null;
    try {
      plan = made(PlanReader.book(tools, base, needed()));
    } catch (DefinitionException e) {
      problems.addAll(e.problems());
    }
    problems.addAll(ofGraph.list());
    problems.addAll(ofBook.list());
    if (plan == null || !problems.isEmpty()) {
      throw new DefinitionException(List.of(frozen.manifest(), frozen.graph(), tools), problems);
    }
    return plan;
  }

  /** The access that each command needs: the worst of all its actions. */
  private Map<String, Access> needed() {
    Map<String, Access> needed = new HashMap<>();
    for (Step step : read.sequence().steps()) {
      Access access = step.action().isWriting() ? Access.WRITE : Access.READ;
      needed.merge(step.action().commandId(), access, (a, b) -> a == Access.WRITE ? a : b);
    }
    return needed;
  }

  private Plan made(Plan book) {
    Map<String, ToolPlan> byCommand = new HashMap<>();
    book.tools().forEach(tool -> byCommand.put(tool.name(), tool));
    Set<String> names = new HashSet<>();
    book.checks().forEach(check -> names.add(check.name()));
    Map<String, Integer> times = new HashMap<>();
    List<ToolPlan> made = new ArrayList<>();
    List<Object> actions = new ArrayList<>();
    for (Step step : read.sequence().steps()) {
      String command = step.action().commandId();
      int time = times.merge(command, 1, Integer::sum);
      String name = time == 1 ? command : command + "-" + time;
      if (!names.add(name)) {
        ofGraph.error(
            "duplicate-name",
            step.action().place(),
            "Expected every tool and check of the run to have a name of its own, but '%s' is there twice."
                .formatted(name),
            "Give the check, or the command, another name.");
      }
      ToolPlan tool = tool(book, byCommand.get(command), step, name);
      if (tool != null) {
        made.add(tool);
        actions.add(action(step, name));
      }
    }
    Plan plan = book.made(made, origin(actions));
    int length = CanonicalJson.text(plan.frozen(Policy.STANDARD)).length();
    if (length > Plan.LARGEST) {
      ofBook.error(
          "too-large",
          Place.START,
          "Expected a plan of at most %,d bytes, but with the graph's actions it has %,d."
              .formatted(Plan.LARGEST, length),
          "Put what is long into files of the folder, or plan less at once.");
    }
    return plan;
  }

  private @Nullable ToolPlan tool(Plan book, @Nullable ToolPlan tool, Step step, String name) {
    Node.Action action = step.action();
    if (tool == null) {
      ofGraph.error(
          "no-tool",
          action.place(),
          "Expected a tool for the command '%s' of '%s' in %s, but there is none."
              .formatted(action.commandId(), action.id(), tools.name()),
          "Only what the tool book names can run. Add a tool of that name to it.");
      return null;
    }
    Risk least = action.risk();
    boolean reviewed = !step.reviews().isEmpty();
    if (reviewed && least.compareTo(Risk.HIGH) < 0) {
      least = Risk.HIGH;
    }
    if (!name.equals(tool.name())) {
      // Rules that know a command by its name hold however often it is planned.
      Risk known =
          Policy.STANDARD
              .and(book.policy())
              .assess(book.project(), book.environment(), tool)
              .risk();
      least = known.compareTo(least) > 0 ? known : least;
    }
    return tool.as(name, least, reviewed ? List.of("review_gate") : List.of());
  }

  private static Map<String, Object> action(Step step, String tool) {
    Node.Action action = step.action();
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("tool", tool);
    fields.put("node_id", action.id());
    fields.put("command_id", action.commandId());
    fields.put("agent", action.agent());
    fields.put("effects", action.effects().stream().map(Effect::word).toList());
    fields.put("risk_level", action.risk().word());
    fields.put("reviews", step.reviews());
    fields.put("evidence_refs", action.evidence());
    return fields;
  }

  private Map<String, Object> origin(List<Object> actions) {
    Manifest manifest = read.manifest();
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("run_id", manifest.runId());
    fields.put("intent_id", manifest.intentId());
    fields.put("intent_sha256", manifest.intentSha256());
    fields.put("manifest_sha256", FrozenPlan.digest(frozen.manifest()));
    fields.put("graph_sha256", FrozenPlan.digest(frozen.graph()));
    fields.put("actions", actions);
    fields.put("left_out", read.sequence().leftOut());
    return fields;
  }
}
