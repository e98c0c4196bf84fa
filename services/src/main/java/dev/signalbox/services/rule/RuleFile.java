package dev.signalbox.services.rule;

import dev.signalbox.definition.DefinitionException;
import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * A YAML text with one list of rules, or one map. Every problem is found at once, with its place.
 */
public final class RuleFile {
  /** The most rules in one file. */
  public static final int MOST = 1_000;

  private static final int LARGEST = 1 << 20;

  private RuleFile() {}

  /**
   * Reads the rules below a key.
   *
   * @param shape makes a rule of one map; it notes problems and may give null for a bad one
   * @throws DefinitionException with every problem, when there is one
   */
  public static <T> List<T> read(Source source, String key, Function<RuleItem, @Nullable T> shape) {
    Problems problems = new Problems(source.name());
    List<T> rules = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (MappingNode node : items(source, key, problems)) {
      RuleItem item = new RuleItem(node, problems, "rule");
      T rule = shape.apply(item);
      item.finish();
      if (!names.add(item.name())) {
        problems.error(
            "duplicate-name",
            item.place(),
            "Expected the rules to have different names, but '%s' is there twice."
                .formatted(item.name()),
            "Give one of them another name.");
      }
      if (rule != null) {
        rules.add(rule);
      }
    }
    if (problems.hasErrors()) {
      throw new DefinitionException(source, problems.list());
    }
    return List.copyOf(rules);
  }

  /**
   * Reads a text that is one map, such as a plan.
   *
   * @param what what it is, for messages, such as {@code plan}
   * @param shape makes the thing; it notes problems and may give null for a bad one
   * @throws DefinitionException with every problem, when there is one
   */
  public static <T> T document(Source source, String what, Function<RuleItem, @Nullable T> shape) {
    Problems problems = new Problems(source.name());
    T made = null;
    Node root = compose(source, problems);
    if (root instanceof MappingNode map) {
      RuleItem item = new RuleItem(map, problems, what);
      made = shape.apply(item);
      item.finish();
    } else if (root != null) {
      problems.error(
          "wrong-type", place(root), "Expected a %s, which is a map.".formatted(what), "");
    }
    if (made == null || problems.hasErrors()) {
      throw new DefinitionException(source, problems.list());
    }
    return made;
  }

  private static List<MappingNode> items(Source source, String key, Problems problems) {
    Node root = compose(source, problems);
    if (root == null) {
      return List.of();
    }
    List<MappingNode> items = new ArrayList<>();
    boolean found = false;
    if (root instanceof MappingNode map) {
      for (NodeTuple tuple : map.getValue()) {
        if (tuple.getKeyNode() instanceof ScalarNode name && name.getValue().equals(key)) {
          found = true;
          collect(tuple.getValueNode(), items, problems);
        } else {
          problems.error(
              "unknown-key",
              place(tuple.getKeyNode()),
              "Expected nothing but '%s' here.".formatted(key),
              "");
        }
      }
    }
    if (!found) {
      problems.error(
          "missing-key",
          place(root),
          "Expected a list below '%s', but there is none.".formatted(key),
          "Write '%s:' and the rules below it, each with a dash.".formatted(key));
    }
    return items;
  }

  private static void collect(Node node, List<MappingNode> items, Problems problems) {
    if (node instanceof SequenceNode list && list.getValue().size() <= MOST) {
      for (Node each : list.getValue()) {
        if (each instanceof MappingNode item) {
          items.add(item);
        } else {
          problems.error("wrong-type", place(each), "Expected a rule, which is a map.", "");
        }
      }
    } else {
      problems.error(
          "wrong-type", place(node), "Expected a list of at most %,d rules.".formatted(MOST), "");
    }
  }

  private static @Nullable Node compose(Source source, Problems problems) {
    if (source.text().length() > LARGEST) {
      problems.error("too-large", Place.START, "Expected at most 1 MB of text.", "");
      return null;
    }
    LoadSettings settings =
        LoadSettings.builder().setLabel(source.name()).setMaxAliasesForCollections(10).build();
    try {
      Optional<Node> root = new Compose(settings).composeString(source.text());
      if (root.isEmpty()) {
        problems.error("empty-document", Place.START, "Expected a text, but there is nothing.", "");
      }
      return root.orElse(null);
    } catch (MarkedYamlEngineException e) {
      problems.error(
          "yaml-syntax",
          e.getProblemMark().map(RuleFile::place).orElse(Place.START),
          "Expected YAML, but " + e.getProblem() + ".",
          "");
    } catch (YamlEngineException e) {
      problems.error("yaml-syntax", Place.START, "Expected YAML: " + e.getMessage(), "");
    }
    return null;
  }

  static Place place(Node node) {
    return node.getStartMark().map(RuleFile::place).orElse(Place.START);
  }

  private static Place place(Mark mark) {
    return new Place(mark.getLine() + 1, mark.getColumn() + 1);
  }
}
