package dev.signalbox.services.rule;

import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problems;
import dev.signalbox.kernel.machine.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * One map of a file, such as a rule, while it is read: what is asked for is used up, and the rest
 * is a problem.
 */
public final class RuleItem {
  private static final int DEPTH = 60;

  private final Place place;
  private final Problems problems;
  private final String what;
  private final Map<String, Node> fields = new LinkedHashMap<>();
  private final Set<String> asked = new LinkedHashSet<>();
  private String name = "";

  RuleItem(MappingNode node, Problems problems, String what) {
    this.place = RuleFile.place(node);
    this.problems = problems;
    this.what = what;
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
      problems.error(
          "missing-key", place, "Expected the %s to have '%s'.".formatted(what, key), "");
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

  /** Whether the field is there, whatever it holds. */
  public boolean has(String key) {
    return fields.containsKey(key);
  }

  /** Says that the field may be there, whoever reads it. */
  public void skip(String key) {
    asked.add(key);
  }

  /** Whether the field is there and holds one value, and no list or map. */
  public boolean isText(String key) {
    return fields.get(key) instanceof ScalarNode;
  }

  /** True or false. */
  public boolean flag(String key, boolean otherwise) {
    String text = text(key);
    if (text == null) {
      return otherwise;
    }
    if (!text.equals("true") && !text.equals("false")) {
      error(
          "wrong-type",
          key,
          "Expected '%s' to be true or false, but found '%s'.".formatted(key, text));
    }
    return text.equals("true");
  }

  /** A whole number within bounds. */
  public long whole(String key, long otherwise, long least, long most) {
    String text = text(key);
    if (text == null) {
      return otherwise;
    }
    try {
      long number = Long.parseLong(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    error(
        "bad-number",
        key,
        "Expected '%s' to be a whole number from %,d to %,d, but found '%s'."
            .formatted(key, least, most, text));
    return otherwise;
  }

  /** One of the words, or the other one when the field is not there. */
  public String choice(String key, String otherwise, List<String> words) {
    String text = text(key);
    if (text == null) {
      return otherwise;
    }
    if (!words.contains(text)) {
      error(
          "wrong-type",
          key,
          "Expected one of %s, but found '%s'.".formatted(String.join(", ", words), text));
      return otherwise;
    }
    return text;
  }

  /** A map inside, read in the same way; null when it is not there. */
  public <T> @Nullable T map(String key, String called, Function<RuleItem, @Nullable T> shape) {
    asked.add(key);
    Node node = fields.get(key);
    if (node == null) {
      return null;
    }
    if (!(node instanceof MappingNode map)) {
      error("wrong-type", key, "Expected '%s' to be a map.".formatted(key));
      return null;
    }
    RuleItem item = new RuleItem(map, problems, called);
    T made = shape.apply(item);
    item.finish();
    return made;
  }

  /** A list of maps inside, read in the same way; empty when it is not there. */
  public <T> List<T> maps(String key, String called, Function<RuleItem, @Nullable T> shape) {
    asked.add(key);
    Node node = fields.get(key);
    List<T> made = new ArrayList<>();
    if (node == null) {
      return made;
    }
    if (!(node instanceof SequenceNode list) || list.getValue().size() > RuleFile.MOST) {
      error(
          "wrong-type",
          key,
          "Expected '%s' to be a list of at most %,d.".formatted(key, RuleFile.MOST));
      return made;
    }
    for (Node each : list.getValue()) {
      if (each instanceof MappingNode map) {
        RuleItem item = new RuleItem(map, problems, called);
        T one = shape.apply(item);
        item.finish();
        if (one != null) {
          made.add(one);
        }
      } else {
        problems.error(
            "wrong-type",
            RuleFile.place(each),
            "Expected a %s, which is a map.".formatted(called),
            "");
      }
    }
    return made;
  }

  /** Any JSON values below the field, as a map; empty when it is not there. */
  public Map<String, Object> values(String key) {
    asked.add(key);
    Node node = fields.get(key);
    if (node == null) {
      return Map.of();
    }
    if (node instanceof MappingNode && value(node, 0) instanceof Map<?, ?> map) {
      Map<String, Object> values = new LinkedHashMap<>();
      map.forEach((name, each) -> {
        if (each != null) {
          values.put(String.valueOf(name), each);
        }
      });
      return values;
    }
    error("wrong-type", key, "Expected '%s' to be a map.".formatted(key));
    return Map.of();
  }

  private @Nullable Object value(Node node, int depth) {
    if (depth > DEPTH) {
      problems.error(
          "too-deep", RuleFile.place(node), "Expected at most %d levels.".formatted(DEPTH), "");
      return null;
    }
    return switch (node) {
      case ScalarNode scalar -> scalar(scalar);
      case SequenceNode list -> {
        List<@Nullable Object> items = new ArrayList<>();
        list.getValue().forEach(each -> items.add(value(each, depth + 1)));
        yield items;
      }
      case MappingNode map -> {
        Map<String, @Nullable Object> made = new LinkedHashMap<>();
        for (NodeTuple tuple : map.getValue()) {
          if (tuple.getKeyNode() instanceof ScalarNode name && !made.containsKey(name.getValue())) {
            made.put(name.getValue(), value(tuple.getValueNode(), depth + 1));
          } else {
            problems.error(
                "wrong-type",
                RuleFile.place(tuple.getKeyNode()),
                "Expected a name that is there once.",
                "");
          }
        }
        yield made;
      }
      default -> null;
    };
  }

  private @Nullable Object scalar(ScalarNode scalar) {
    String text = scalar.getValue();
    try {
      if (scalar.getTag().equals(Tag.NULL)) {
        return null;
      }
      if (scalar.getTag().equals(Tag.BOOL)) {
        return text.equals("true");
      }
      if (scalar.getTag().equals(Tag.INT)) {
        return Long.parseLong(text);
      }
      if (scalar.getTag().equals(Tag.FLOAT)) {
        double number = Double.parseDouble(text);
        if (Double.isFinite(number)) {
          return number;
        }
        throw new NumberFormatException();
      }
    } catch (NumberFormatException e) {
      problems.error(
          "bad-number",
          RuleFile.place(scalar),
          "Expected a number that JSON has, but found '%s'.".formatted(text),
          "");
    }
    return text;
  }

  /** Where the field is, or the map when it is not there. */
  public Place place(String key) {
    Node node = fields.get(key);
    return node == null ? place : RuleFile.place(node);
  }

  /** Notes a problem with what to do about it. */
  public void error(String code, Place where, String message, String hint) {
    problems.error(code, where, message, hint);
  }

  /** Notes a problem at the place of a field. */
  public void error(String code, String key, String message) {
    problems.error(code, place(key), message, "");
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
