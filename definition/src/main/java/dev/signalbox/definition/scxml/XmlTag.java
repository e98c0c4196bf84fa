package dev.signalbox.definition.scxml;

import dev.signalbox.definition.Json;
import dev.signalbox.kernel.machine.Operand;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An element to be written. Names of our namespace start with {@code sb:}. */
final class XmlTag {
  static final String OURS = "sb:";

  private final String name;
  private final Map<String, String> attributes = new LinkedHashMap<>();
  private final List<XmlTag> children = new ArrayList<>();
  private @Nullable String text;

  XmlTag(String name) {
    this.name = name;
  }

  /**
   * Adds the attribute, unless its value is null. A value with characters that XML does not have
   * becomes a JSON text, and {@code sb:escaped} names the attribute.
   */
  XmlTag with(String attribute, @Nullable String value) {
    if (value == null) {
      return this;
    }
    if (value.codePoints().allMatch(XmlText::isAllowed)) {
      attributes.put(attribute, value);
    } else {
      attributes.put(attribute, json(value));
      list(Reading.ESCAPED, attribute);
    }
    return this;
  }

  private void list(String marker, String attribute) {
    String bare = attribute.startsWith(OURS) ? attribute.substring(OURS.length()) : attribute;
    attributes.merge(OURS + marker, bare, (one, other) -> one + " " + other);
  }

  XmlTag flag(String attribute, boolean value) {
    return value ? with(attribute, "true") : this;
  }

  /**
   * Adds a list of words: in SCXML's attribute, or as a JSON list in ours when a word has spaces.
   */
  XmlTag words(String attribute, List<String> words) {
    return words.stream().allMatch(XmlTag::isWord)
        ? with(attribute, String.join(" ", words))
        : with(OURS + attribute, json(words));
  }

  /** Adds a list of words, or a JSON list when a word has spaces, to an attribute of ours. */
  XmlTag ownWords(String attribute, List<String> words) {
    boolean plain =
        words.stream().allMatch(XmlTag::isWord)
            && (words.isEmpty() || !words.getFirst().startsWith("["));
    return with(attribute, plain ? String.join(" ", words) : json(words));
  }

  static boolean isWord(String text) {
    return !text.isEmpty() && text.chars().noneMatch(c -> Reading.SPACES.indexOf(c) >= 0);
  }

  /** Adds an expression, or a literal that {@code sb:literal} marks as such. */
  XmlTag value(String attribute, @Nullable Operand operand) {
    return switch (operand) {
      case null -> this;
      case Operand.Expr(String expression) -> with(attribute, expression);
      case Operand.Literal(Object value) -> {
        list(Reading.LITERAL, attribute);
        yield with(attribute, json(value));
      }
    };
  }

  /** Adds a name in one attribute, or an expression for it in the other. */
  XmlTag operand(String attribute, String expressionAttribute, @Nullable Operand operand) {
    return operand instanceof Operand.Literal(String literal)
        ? with(attribute, literal)
        : value(expressionAttribute, operand);
  }

  XmlTag add(XmlTag child) {
    children.add(child);
    return this;
  }

  XmlTag addAll(List<XmlTag> more) {
    children.addAll(more);
    return this;
  }

  /** Sets the value inside the element as JSON. */
  XmlTag holding(@Nullable Object value) {
    text = json(value);
    return this;
  }

  boolean isBare() {
    return attributes.isEmpty() && children.isEmpty() && text == null;
  }

  boolean usesOurs() {
    return name.startsWith(OURS)
        || attributes.keySet().stream().anyMatch(a -> a.startsWith(OURS))
        || children.stream().anyMatch(XmlTag::usesOurs);
  }

  boolean hasEscapes() {
    return attributes.containsKey(OURS + Reading.ESCAPED)
        || children.stream().anyMatch(XmlTag::hasEscapes);
  }

  /** JSON in which characters that XML does not have are escaped. */
  static String json(@Nullable Object value) {
    StringBuilder out = new StringBuilder();
    Json.text(value)
        .codePoints()
        .forEach(c -> {
          if (XmlText.isAllowed(c)) {
            out.appendCodePoint(c);
          } else {
            out.append("\\u%04x".formatted(c));
          }
        });
    return out.toString();
  }

  void print(StringBuilder out, int depth) {
    String indent = "  ".repeat(depth);
    out.append(indent).append('<').append(name);
    attributes.forEach((attribute, value) ->
        out.append(' ')
            .append(attribute)
            .append("=\"")
            .append(XmlText.attribute(value))
            .append('"'));
    String inside = text;
    if (inside != null) {
      out.append('>').append(XmlText.characters(inside)).append("</").append(name).append(">\n");
    } else if (children.isEmpty()) {
      out.append("/>\n");
    } else {
      out.append(">\n");
      for (XmlTag child : children) {
        child.print(out, depth + 1);
      }
      out.append(indent).append("</").append(name).append(">\n");
    }
  }
}
