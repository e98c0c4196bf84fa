package dev.signalbox.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON for the {@link Outsider}: values that know the very text they were read from. */
final class OutsiderJson {
  private final String text;
  private int at;

  private OutsiderJson(String text) {
    this.text = text;
  }

  /**
   * A value.
   *
   * @param raw its text
   * @param value a map, a list, a text, a number as its text, a truth, or null
   */
  record Node(String raw, @Nullable Object value) {
    @Nullable Node find(String field) {
      return value instanceof Map<?, ?> map ? (Node) map.get(field) : null;
    }

    Node of(String field) {
      Node found = find(field);
      if (found == null) {
        throw new IllegalArgumentException("no " + field);
      }
      return found;
    }

    @Nullable String textOrNull(String field) {
      Node found = find(field);
      return found != null && found.value instanceof String said ? said : null;
    }

    String text(String field) {
      return (String) java.util.Objects.requireNonNull(of(field).value);
    }

    long number(String field) {
      return Long.parseLong(of(field).raw);
    }

    List<Node> list(String field) {
      List<Node> nodes = new ArrayList<>();
      for (Object each : (List<?>) java.util.Objects.requireNonNull(of(field).value)) {
        nodes.add((Node) java.util.Objects.requireNonNull(each));
      }
      return nodes;
    }

    Map<String, Node> map(String field) {
      Map<String, Node> nodes = new LinkedHashMap<>();
      ((Map<?, ?>) java.util.Objects.requireNonNull(of(field).value))
          .forEach((name, node) -> nodes.put((String) name, (Node) node));
      return nodes;
    }
  }

  static Node parse(String text) {
    OutsiderJson json = new OutsiderJson(text);
    Node node = json.node();
    if (json.at != text.length()) {
      throw new IllegalArgumentException("more than one value");
    }
    return node;
  }

  private Node node() {
    int from = at;
    Object value =
        switch (text.charAt(at)) {
          case '{' -> object();
          case '[' -> array();
          case '"' -> string();
          default -> word();
        };
    return new Node(text.substring(from, at), value);
  }

  private Map<String, Node> object() {
    Map<String, Node> map = new LinkedHashMap<>();
    at++;
    while (text.charAt(at) != '}') {
      String name = string();
      expect(':');
      if (map.put(name, node()) != null) {
        throw new IllegalArgumentException("twice: " + name);
      }
      if (text.charAt(at) != '}') {
        expect(',');
      }
    }
    at++;
    return map;
  }

  private List<Node> array() {
    List<Node> list = new ArrayList<>();
    at++;
    while (text.charAt(at) != ']') {
      list.add(node());
      if (text.charAt(at) != ']') {
        expect(',');
      }
    }
    at++;
    return list;
  }

  private void expect(char wanted) {
    if (text.charAt(at) != wanted) {
      throw new IllegalArgumentException("no " + wanted);
    }
    at++;
  }

  private String string() {
    expect('"');
    StringBuilder string = new StringBuilder();
    while (text.charAt(at) != '"') {
      char next = text.charAt(at++);
      if (next != '\\') {
        string.append(next);
        continue;
      }
      char escaped = text.charAt(at++);
      switch (escaped) {
        case 'u' -> {
          string.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
          at += 4;
        }
        case 'n' -> string.append('\n');
        case 't' -> string.append('\t');
        case 'r' -> string.append('\r');
        case 'b' -> string.append('\b');
        case 'f' -> string.append('\f');
        default -> string.append(escaped);
      }
    }
    at++;
    return string.toString();
  }

  private @Nullable Object word() {
    int from = at;
    while (at < text.length() && ",]}".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    String word = text.substring(from, at);
    return switch (word) {
      case "null" -> null;
      case "true" -> true;
      case "false" -> false;
      default -> {
        double _ = Double.parseDouble(word);
        yield new Numeral(word);
      }
    };
  }

  /** A number, as it is written. */
  record Numeral(String text) {}
}
