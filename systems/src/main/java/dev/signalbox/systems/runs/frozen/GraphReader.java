package dev.signalbox.systems.runs.frozen;

import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.services.approval.Risk;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads an execution graph and its swimlanes. What it says of itself is checked here; whether a run
 * can follow it is for {@link Sequence}.
 */
final class GraphReader {
  /** The version of the coordinator's specification that the files follow. */
  static final String VERSION = "0.9.2";

  /** Red line 1: names under which something to execute could hide. */
  static final Set<String> PAYLOADS =
      Set.of(
          "execute",
          "run",
          "shell",
          "bash",
          "python",
          "powershell",
          "subprocess",
          "command_line",
          "script");

  private static final List<String> PHASES =
      List.of(
          "setup",
          "analysis",
          "design",
          "implementation",
          "validation",
          "review",
          "release",
          "operations",
          "postmortem");
  private static final List<String> RISKS = Arrays.stream(Risk.values()).map(Risk::word).toList();
  private static final List<String> EDGES =
      Arrays.stream(Edge.Type.values()).map(Edge.Type::word).toList();

  private final Problems problems;
  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private final List<Edge> edges = new ArrayList<>();

  private GraphReader(Problems problems) {
    this.problems = problems;
  }

  /** As much of the graph as could be read; what could not is among the problems. */
  static Graph read(Source source, Problems problems) {
    JsonItem root = JsonItem.of(source, "graph", problems);
    return root == null ? Graph.NONE : new GraphReader(problems).graph(root);
  }

  private Graph graph(JsonItem root) {
    root.everyName(this::payload);
    root.word("version", List.of(VERSION));
    String run = root.text("run_id");
    String intent = root.text("intent_id");
    List<JsonItem> lanes = root.items("swimlanes", "swimlane");
    for (JsonItem item : root.items("nodes", "node")) {
      Node node = node(item);
      item.finish();
      if (nodes.putIfAbsent(node.id(), node) != null && !node.id().isEmpty()) {
        problems.error(
            "duplicate-node",
            item.place("node_id"),
            "Expected every node to have an id of its own, but '%s' is there twice."
                .formatted(node.id()),
            "");
      }
    }
    root.items("edges", "edge").forEach(this::edge);
    swimlanes(lanes);
    root.finish();
    return new Graph(run, intent, List.copyOf(nodes.values()), edges);
  }

  private void payload(String name, Place place) {
    if (PAYLOADS.contains(name.toLowerCase(Locale.ROOT))) {
      problems.error(
          "execution-payload",
          place,
          "Expected a graph without anything to execute, but it has a field '%s' (red line 1)."
              .formatted(name),
          "Leave it out; what a command does is in the tool book.");
    }
  }

  private Node node(JsonItem item) {
    String id = item.name("node_id");
    Place place = item.place();
    item.textOrNull("title");
    return switch (item.word("type", Node.TYPES)) {
      case "action_proposal" -> action(item, id, place);
      case "decision_point" -> decisionPoint(item, id, place);
      case "question" -> {
        item.textOrNull("question_id");
        String answer = item.textOrNull("answer");
        if (answer == null || answer.isBlank()) {
          problems.error(
              "unanswered",
              place,
              "Expected the question '%s' to be answered, but it is open.".formatted(id),
              "Answer it at the coordinator, and freeze the plan anew.");
        }
        yield new Node.Question(id, answer, place);
      }
      case "review_gate" -> {
        item.textsIfAny("categories");
        yield new Node.ReviewGate(id, place);
      }
      default -> {
        item.word("phase", PHASES);
        item.textOrNull("workflow_id");
        yield new Node.Phase(id, place);
      }
    };
  }

  private Node action(JsonItem item, String id, Place place) {
    item.textOrNull("intent");
    String command = item.name("command_id");
    String agent = item.text("agent");
    List<Effect> effects =
        item.words("effects", Effect.WORDS).stream()
            .map(word -> Effect.valueOf(word.toUpperCase(Locale.ROOT)))
            .distinct()
            .toList();
    if (effects.isEmpty()) {
      problems.error(
          "no-effects",
          item.place("effects"),
          "Expected the action '%s' to say what it does to the world, but it does not."
              .formatted(id),
          "Name at least one of %s.".formatted(String.join(", ", Effect.WORDS)));
    }
    Risk risk = Risk.of(item.word("risk_level", RISKS));
    List<String> evidence = item.textsIfAny("evidence_refs");
    if (evidence.isEmpty()) {
      problems.error(
          "no-evidence",
          item.place("evidence_refs"),
          "Expected the action '%s' to refer to evidence, but it does not (red line 4)."
              .formatted(id),
          "Name at least one of evidence_refs, and freeze the plan anew.");
    }
    return new Node.Action(id, command, agent, effects, risk, evidence, place);
  }

  private Node decisionPoint(JsonItem item, String id, Place place) {
    item.textsIfAny("rule_ids");
    item.textOrNull("reason");
    String decision = item.textOrNull("decision");
    if (decision == null) {
      problems.error(
          "undecided",
          place,
          "Expected the decision '%s' to be made, but it is open.".formatted(id),
          "Let the coordinator decide, and freeze the plan anew.");
    } else if (item.word("decision", Node.DecisionPoint.DECISIONS).equals("deny")) {
      problems.error(
          "denied",
          item.place("decision"),
          "Expected a plan that rules allow, but '%s' says deny.".formatted(id),
          "A plan that is denied is not run.");
    }
    return new Node.DecisionPoint(id, decision, place);
  }

  private void edge(JsonItem item) {
    String from = item.text("from");
    String to = item.text("to");
    Edge.Type type = Edge.Type.valueOf(item.word("type", EDGES).toUpperCase(Locale.ROOT));
    String when = type == Edge.Type.CONDITIONAL ? item.text("when") : "";
    item.finish();
    Node start = end(item, "from", from);
    Node end = end(item, "to", to);
    if (start == null || end == null) {
      return;
    }
    if (edges.stream().anyMatch(edge -> edge.from().equals(from) && edge.to().equals(to))) {
      problems.error(
          "duplicate-edge",
          item.place(),
          "Expected one edge from '%s' to '%s', but there are two.".formatted(from, to),
          "");
    }
    if (type == Edge.Type.FALLBACK) {
      problems.error(
          "fallback-edge",
          item.place(),
          "Expected a graph that a run can follow, but '%s' is the fallback of '%s'."
              .formatted(to, from),
          "A run that fails goes back to where it began and takes no other way. Plan the fallback"
              + " as a run of its own.");
    }
    if (type == Edge.Type.CONDITIONAL) {
      condition(item, start, when);
    }
    edges.add(new Edge(from, to, type, when, item.place()));
  }

  private @Nullable Node end(JsonItem item, String key, String id) {
    Node node = nodes.get(id);
    if (node == null && !id.isEmpty()) {
      problems.error(
          "unknown-node",
          item.place(key),
          "Expected an edge between nodes of the graph, but there is no '%s'.".formatted(id),
          "");
    }
    return node;
  }

  /** A condition is on what was settled before the plan was frozen; a run decides nothing. */
  private void condition(JsonItem item, Node start, String when) {
    if (start instanceof Node.DecisionPoint) {
      if (!when.isEmpty()) {
        item.word("when", Node.DecisionPoint.DECISIONS);
      }
    } else if (!(start instanceof Node.Question)) {
      problems.error(
          "open-condition",
          item.place(),
          "Expected a condition on a decision or an answer, but the edge begins at '%s', which is neither."
              .formatted(start.id()),
          "A run decides nothing on its way. Let the edge begin at a decision_point or a"
              + " question.");
    }
  }

  private void swimlanes(List<JsonItem> lanes) {
    Map<String, String> agents = new HashMap<>();
    Set<String> known = new HashSet<>();
    for (JsonItem lane : lanes) {
      String agent = lane.text("agent");
      lane.textOrNull("role");
      if (!known.add(agent) && !agent.isEmpty()) {
        problems.error(
            "bad-swimlane",
            lane.place("agent"),
            "Expected one swimlane for each agent, but '%s' has two.".formatted(agent),
            "");
      }
      for (String id : lane.texts("nodes")) {
        if (!nodes.containsKey(id)) {
          problems.error(
              "unknown-node",
              lane.place("nodes"),
              "Expected nodes of the graph in the swimlane of '%s', but there is no '%s'."
                  .formatted(agent, id),
              "");
        } else if (agents.putIfAbsent(id, agent) != null) {
          problems.error(
              "bad-swimlane",
              lane.place("nodes"),
              "Expected every node in one swimlane, but '%s' is in two.".formatted(id),
              "");
        }
      }
      lane.finish();
    }
    for (Node node : nodes.values()) {
      String agent = agents.get(node.id());
      if (agent == null || (node instanceof Node.Action action && !action.agent().equals(agent))) {
        problems.error(
            "bad-swimlane",
            node.place(),
            agent == null
                ? "Expected '%s' to be in a swimlane, but it is in none.".formatted(node.id())
                : "Expected the action '%s' in the swimlane of its agent, but it is in that of '%s'."
                    .formatted(node.id(), agent),
            "");
      }
    }
  }
}
