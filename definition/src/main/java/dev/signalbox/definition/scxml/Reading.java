package dev.signalbox.definition.scxml;

import dev.signalbox.definition.ConfinedFolder;
import dev.signalbox.definition.Json;
import dev.signalbox.definition.Place;
import dev.signalbox.definition.Places;
import dev.signalbox.definition.Problems;
import dev.signalbox.kernel.machine.Operand;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.StringTokenizer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the readers of one text share: where problems and places go, and how attributes are read.
 */
final class Reading {
  /** Our attribute that names those attributes of its element which hold JSON, not expressions. */
  static final String LITERAL = "literal";

  /** Our attribute that names those attributes of its element whose text stands there as JSON. */
  static final String ESCAPED = "escaped";

  private static final Set<String> MARKERS = Set.of(LITERAL, ESCAPED);

  /** What XML counts as white space. */
  static final String SPACES = " \t\r\n";

  final Problems problems;
  final Places places;
  final @Nullable ConfinedFolder folder;

  Reading(Problems problems, Places places, @Nullable ConfinedFolder folder) {
    this.problems = problems;
    this.places = places;
    this.folder = folder;
  }

  /** The element, with its place noted. */
  <T> T placed(T element, Place place) {
    places.put(element, place);
    return element;
  }

  /** Warns of attributes that mean nothing here, so that a slip of the pen is seen. */
  void expectAttributes(XmlElement element, Set<String> plain, Set<String> own) {
    for (XmlElement.Attribute attribute : element.attributes()) {
      boolean ours = attribute.namespace().equals(Namespaces.SIGNALBOX);
      if (!ours && !attribute.namespace().isEmpty()) {
        continue;
      }
      Set<String> known = ours || element.isOurs() ? own : plain;
      if (!known.contains(attribute.name()) && !(ours && MARKERS.contains(attribute.name()))) {
        problems.warning(
            "unknown-attribute",
            attribute.place(),
            "Expected an attribute of <%s>, but '%s' is none."
                .formatted(element.name(), attribute.name()),
            known.isEmpty()
                ? "It has none."
                : known.stream().sorted().collect(Collectors.joining(", ", "It has ", ".")));
      }
    }
  }

  /** The elements inside; text between them, which SCXML gives no meaning, is warned of. */
  List<XmlElement> children(XmlElement parent) {
    if (!parent.text().isBlank()) {
      problems.warning(
          "stray-text",
          parent.place(),
          "Expected only elements inside <" + parent.name() + ">, but found text.",
          "The text is left out.");
    }
    return parent.elements().toList();
  }

  /** Reports an element that has no meaning where it stands. */
  void unexpected(XmlElement element, XmlElement parent) {
    if (element.is("script")) {
      problems.error(
          "script",
          element.place(),
          "Expected declarative content, but found <script>.",
          "Use <assign>, <if> and <foreach>: expressions have no side effects.");
    } else if (element.isScxml() || element.isOurs()) {
      problems.error(
          "unknown-element",
          element.place(),
          "Expected an element that may stand in <%s>, but found <%s>."
              .formatted(parent.name(), element.name()),
          "");
    } else {
      problems.warning(
          "foreign-element",
          element.place(),
          "Expected SCXML, but <%s> is of the namespace '%s'."
              .formatted(element.name(), element.namespace()),
          "It is left out.");
    }
  }

  @Nullable String text(XmlElement element, String name) {
    XmlElement.Attribute attribute = element.attribute(name);
    return attribute == null ? null : attribute.value();
  }

  @Nullable String own(XmlElement element, String name) {
    XmlElement.Attribute attribute = element.own(name);
    return attribute == null ? null : attribute.value();
  }

  /** The attribute's text; when it is missing, a problem and an empty text. */
  String required(XmlElement element, String name) {
    XmlElement.Attribute attribute = element.isOurs() ? element.own(name) : element.attribute(name);
    if (attribute != null) {
      return attribute.value();
    }
    missing(element, name);
    return "";
  }

  void missing(XmlElement element, String name) {
    problems.error(
        "missing-attribute",
        element.place(),
        "Expected <%s> to have the attribute '%s', but it has none."
            .formatted(element.name(), name),
        "");
  }

  boolean flag(XmlElement element, XmlElement.@Nullable Attribute attribute) {
    if (attribute == null) {
      return false;
    }
    return switch (attribute.value().strip()) {
      case "true", "1" -> true;
      case "false", "0" -> false;
      default -> {
        problems.error(
            "not-a-flag",
            attribute.place(),
            "Expected '%s' of <%s> to be true or false, but it is '%s'."
                .formatted(attribute.name(), element.name(), attribute.value()),
            "");
        yield false;
      }
    };
  }

  /** A condition or another place where SCXML has nothing but an expression. */
  Operand.Expr condition(XmlElement.Attribute attribute) {
    return placed(Operand.expr(attribute.value()), attribute.place());
  }

  Operand.Expr requiredCondition(XmlElement element, String name) {
    XmlElement.Attribute attribute = element.attribute(name);
    if (attribute == null) {
      missing(element, name);
      return placed(Operand.expr("false"), element.place());
    }
    return condition(attribute);
  }

  /** The value of an attribute that holds an expression, or JSON where {@code literal} says so. */
  Operand expression(XmlElement element, XmlElement.Attribute attribute) {
    String literal = own(element, LITERAL);
    if (literal == null || !words(literal).contains(attribute.name())) {
      return condition(attribute);
    }
    return placed(Operand.literal(json(attribute)), attribute.place());
  }

  @Nullable Operand expression(XmlElement element, String name) {
    XmlElement.Attribute attribute = element.attribute(name);
    return attribute == null ? null : expression(element, attribute);
  }

  /** A value that is a name in one attribute or an expression in the other. */
  @Nullable Operand operand(XmlElement element, String name, String expressionName) {
    XmlElement.Attribute literal = element.attribute(name);
    XmlElement.Attribute expression = element.attribute(expressionName);
    if (literal != null && expression != null) {
      twice(element, expression.place(), name, expressionName);
    }
    if (literal != null) {
      return placed(Operand.literal(literal.value()), literal.place());
    }
    return expression == null ? null : expression(element, expression);
  }

  /** SCXML forbids both; there is a meaning to them here, so it is no more than a warning. */
  void expectOneId(
      XmlElement element,
      XmlElement.@Nullable Attribute id,
      XmlElement.@Nullable Attribute idLocation) {
    if (id != null && idLocation != null) {
      problems.warning(
          "two-ids",
          idLocation.place(),
          "Expected <%s> to have id or idlocation, but it has both.".formatted(element.name()),
          "Other engines refuse it.");
    }
  }

  void twice(XmlElement element, Place place, String one, String other) {
    problems.error(
        "one-of-two",
        place,
        "Expected <%s> to have %s or %s, but it has both.".formatted(element.name(), one, other),
        "");
  }

  /** The JSON value in the attribute; null after a problem. */
  @Nullable Object json(XmlElement.Attribute attribute) {
    try {
      return Json.parse(attribute.value());
    } catch (Json.SyntaxException e) {
      problems.error(
          "not-json",
          attribute.place(),
          "Expected '%s' to be JSON, but it is not.".formatted(attribute.name()),
          "");
      return null;
    }
  }

  /** Words with spaces between them, or a JSON list of texts where a word has a space in it. */
  List<String> ownWords(XmlElement.Attribute attribute) {
    if (!attribute.value().startsWith("[")) {
      return words(attribute.value());
    }
    List<String> texts = new ArrayList<>();
    if (json(attribute) instanceof List<?> list) {
      for (Object item : list) {
        texts.add(String.valueOf(item));
      }
    }
    return texts;
  }

  static List<String> words(String text) {
    List<String> words = new ArrayList<>();
    StringTokenizer tokens = new StringTokenizer(text, SPACES);
    while (tokens.hasMoreTokens()) {
      words.add(tokens.nextToken());
    }
    return words;
  }
}
