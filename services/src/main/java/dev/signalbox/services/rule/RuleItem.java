package dev.signalbox.services.rule;

import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problems;
import dev.signalbox.kernel.machine.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** One rule of a file while it is read: what is asked for is used up, and the rest is a problem. */
public final class RuleItem {
  private final Place place;
  private final Problems problems;
  private final Map<String, Node> fields = new LinkedHashMap<>();
  private final List<String> asked = new ArrayList<>();
  private String name = "";

  RuleItem(MappingNode node, Problems problems) {
    this.place = RuleFile.place(node);
    this.problems = problems;
    for (NodeTuple tuple : node.getValue()) {
      if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
        problems.error("wrong-type", RuleFile.place(tuple.getKeyNode()), "Expected a name.", "");
      } else if (fields.put(key.getValue(), tuple.getValueNode()) != null) {
        problems.error(
            "duplicate-key",
            RuleFile.place(key),
            "Expected '%s' once, but it is there twice.".formatted(key.getValue()),
            "");
      }
    }
  }

  public Place place() {
    return place;
  }

  String name() {
    return name;
  }

  /** The rule's name, which every rule has and no two of a file share. */
  public String named() {
    name = required("name");
    if (!name.matches("[A-Za-z0-9_.-]{1,100}")) {
      error("bad-name", "name", "Expected a name of letters, digits, '_', '.' and '-'.");
    }
    return name;
  }

  public String required(String key) {
    String value = text(key);
    if (value == null && !fields.containsKey(key)) {
      problems.error("missing-key", place, "Expected the rule to have '%s'.".formatted(key), "");
    }
    return value == null ? "" : value;
  }

  public @Nullable String text(String key) {
    asked.add(key);
    Node node = fields.get(key);
    if (node == null) {
      return null;
    }
    if (node instanceof ScalarNode scalar) {
      return scalar.getValue();
    }
    error("wrong-type", key, "Expected '%s' to be a text.".formatted(key));
    return null;
  }

  /** One text or a list of texts; empty when it is not there. */
  public List<String> texts(String key) {
    if (!(fields.get(key) instanceof SequenceNode list)) {
      String one = text(key);
      return one == null ? List.of() : List.of(one);
    }
    asked.add(key);
    List<String> texts = new ArrayList<>();
    for (Node each : list.getValue()) {
      if (each instanceof ScalarNode scalar) {
        texts.add(scalar.getValue());
      } else {
        problems.error("wrong-type", RuleFile.place(each), "Expected a text.", "");
      }
    }
    return List.copyOf(texts);
  }

  public Duration duration(String key, Duration otherwise) {
    String text = text(key);
    if (text == null) {
      return otherwise;
    }
    return Durations.parse(text)
        .orElseGet(() -> {
          error(
              "bad-duration",
              key,
              "Expected a duration such as 90s, but found '%s'.".formatted(text));
          return otherwise;
        });
  }

  public @Nullable Double number(String key) {
    String text = text(key);
    if (text == null) {
      return null;
    }
    try {
      double number = Double.parseDouble(text);
      if (Double.isFinite(number)) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    error("bad-number", key, "Expected a number, but found '%s'.".formatted(text));
    return null;
  }

  /** One of the words of an enum, in lower case. */
  public <E extends Enum<E>> @Nullable E word(String key, Class<E> type) {
    String text = required(key);
    for (E constant : type.getEnumConstants()) {
      if (constant.name().toLowerCase(Locale.ROOT).equals(text)) {
        return constant;
      }
    }
    if (!text.isEmpty()) {
      List<String> words = new ArrayList<>();
      for (E constant : type.getEnumConstants()) {
        words.add(constant.name().toLowerCase(Locale.ROOT));
      }
      error(
          "wrong-type",
          key,
          "Expected one of %s, but found '%s'.".formatted(String.join(", ", words), text));
    }
    return null;
  }

  /** Notes a problem at the place of a field. */
  public void error(String code, String key, String message) {
    Node node = fields.get(key);
    problems.error(code, node == null ? place : RuleFile.place(node), message, "");
  }

  void finish() {
    fields.forEach((key, node) -> {
      if (!asked.contains(key)) {
        problems.error(
            "unknown-key",
            RuleFile.place(node),
            "Expected one of %s, but found '%s'.".formatted(String.join(", ", asked), key),
            "");
      }
    });
  }
}
