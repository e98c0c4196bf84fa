package dev.signalbox.definition.scxml;

import dev.signalbox.definition.ConfinedFolder;
import dev.signalbox.definition.Json;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads data: {@code data}, {@code param}, {@code content} and what stands inline. */
final class ContentReader {
  private final Reading in;
  private final TypeReader types;

  ContentReader(Reading in) {
    this.in = in;
    this.types = new TypeReader(in);
  }

  /** The fields of a {@code datamodel}. */
  List<Field> fields(XmlElement datamodel) {
    in.expectAttributes(datamodel, Set.of(), Set.of());
    List<Field> fields = new ArrayList<>();
    for (XmlElement child : in.children(datamodel)) {
      if (child.is("data")) {
        fields.add(field(child));
      } else {
        in.unexpected(child, datamodel);
      }
    }
    return fields;
  }

  private Field field(XmlElement data) {
    in.expectAttributes(
        data, Set.of("id", "expr", "src"), Set.of("type", "personal", "searchable", "own"));
    XmlElement.Attribute type = data.own("type");
    return in.placed(
        new Field(
            in.required(data, "id"),
            type == null ? Type.ANY : types.type(type),
            initial(data),
            in.flag(data, data.own("personal")),
            in.flag(data, data.own("searchable")),
            in.flag(data, data.own("own"))),
        data.place());
  }

  private @Nullable Operand initial(XmlElement data) {
    Operand expression = in.expression(data, "expr");
    XmlElement.Attribute src = data.attribute("src");
    if (expression != null && src != null) {
      in.twice(data, src.place(), "expr", "src");
    }
    if (expression != null) {
      return expression;
    }
    if (src != null) {
      return in.placed(Operand.literal(file(src)), src.place());
    }
    return isBlank(data) ? null : in.placed(Operand.literal(inline(data)), data.place());
  }

  private @Nullable Object file(XmlElement.Attribute src) {
    ConfinedFolder folder = in.folder;
    ConfinedFolder.Content content =
        folder == null
            ? new ConfinedFolder.Content.Refused("this text has no folder")
            : folder.read(src.value());
    return switch (content) {
      case ConfinedFolder.Content.Found found -> value(found.text());
      case ConfinedFolder.Content.Refused(String why) -> {
        in.problems.error(
            "src-refused",
            src.place(),
            "Expected a file in the definition's own folder, but " + why + ".",
            "");
        yield null;
      }
    };
  }

  /**
   * The value written inside an element: JSON when it is JSON, otherwise its text with single
   * spaces; elements become the text of their XML.
   */
  static @Nullable Object inline(XmlElement element) {
    if (!element.hasElements()) {
      return value(element.text());
    }
    StringBuilder text = new StringBuilder();
    for (XmlNode node : element.content()) {
      switch (node) {
        case XmlElement child -> text.append(XmlText.of(child));
        case XmlNode.Text(String characters) -> text.append(XmlText.characters(characters));
      }
    }
    return text.toString().strip();
  }

  static boolean isBlank(XmlElement element) {
    return !element.hasElements() && element.text().isBlank();
  }

  private static @Nullable Object value(String text) {
    try {
      return Json.parse(text);
    } catch (Json.SyntaxException _) {
      return String.join(" ", Reading.words(text));
    }
  }

  /** What the element's {@code namelist}, {@code param} and {@code content} carry. */
  Payload payload(XmlElement element) {
    List<Payload.Param> params = new ArrayList<>();
    XmlElement.Attribute namelist = element.attribute("namelist");
    if (namelist != null) {
      for (String location : Reading.words(namelist.value())) {
        params.add(location(location, location, namelist));
      }
    }
    Operand content = null;
    for (XmlElement child : element.elements().toList()) {
      if (child.is("param")) {
        params.add(param(child));
      } else if (child.is("content")) {
        content = content(child);
        if (!params.isEmpty()) {
          in.twice(element, child.place(), "<content>", "named values");
        }
      }
    }
    return new Payload(content == null ? params : List.of(), content);
  }

  private Payload.Param param(XmlElement param) {
    in.expectAttributes(param, Set.of("name", "expr", "location"), Set.of());
    String name = in.required(param, "name");
    Operand value = in.expression(param, "expr");
    XmlElement.Attribute location = param.attribute("location");
    if (value != null && location != null) {
      in.twice(param, location.place(), "expr", "location");
    }
    if (value != null) {
      return in.placed(Payload.Param.of(name, value), param.place());
    }
    if (location != null) {
      return location(name, location.value(), location);
    }
    in.missing(param, "expr");
    return in.placed(Payload.Param.of(name, Operand.literal(null)), param.place());
  }

  private Payload.Param location(String name, String path, XmlElement.Attribute attribute) {
    Operand value = in.placed(Operand.literal(path), attribute.place());
    return in.placed(new Payload.Param(name, value, true), attribute.place());
  }

  Operand content(XmlElement content) {
    in.expectAttributes(content, Set.of("expr"), Set.of());
    Operand expression = in.expression(content, "expr");
    if (expression != null && !isBlank(content)) {
      in.twice(content, content.place(), "expr", "content of its own");
    }
    return expression != null
        ? expression
        : in.placed(Operand.literal(inline(content)), content.place());
  }
}
