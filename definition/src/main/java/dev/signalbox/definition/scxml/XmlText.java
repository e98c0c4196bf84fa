package dev.signalbox.definition.scxml;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Characters and elements as XML text. */
final class XmlText {
  private XmlText() {}

  /** The element as a document of its own: the namespaces it needs are declared in it. */
  static String of(XmlElement element) {
    StringBuilder out = new StringBuilder();
    Map<String, String> scope = new HashMap<>();
    scope.put("", "");
    scope.put("xml", "http://www.w3.org/XML/1998/namespace");
    write(element, scope, out);
    return out.toString();
  }

  static String attribute(String value) {
    return escape(value, true);
  }

  static String characters(String value) {
    return escape(value, false);
  }

  /** Whether XML 1.0 has the character at all, escaped or not. */
  static boolean isAllowed(int codePoint) {
    return codePoint == '\t'
        || codePoint == '\n'
        || codePoint == '\r'
        || (codePoint >= 0x20 && codePoint <= 0xD7FF)
        || (codePoint >= 0xE000 && codePoint <= 0xFFFD)
        || codePoint >= 0x10000;
  }

  /** One scope for the whole text, put back on the way out: copies would cost too much. */
  private static void write(XmlElement element, Map<String, String> scope, StringBuilder out) {
    Map<String, @Nullable String> hidden = new HashMap<>();
    String name = qualified(element.prefix(), element.name());
    out.append('<').append(name);
    declare(element.prefix(), element.namespace(), scope, hidden, out);
    for (XmlElement.Attribute attribute : element.attributes()) {
      if (!attribute.prefix().isEmpty()) {
        declare(attribute.prefix(), attribute.namespace(), scope, hidden, out);
      }
      out.append(' ').append(qualified(attribute.prefix(), attribute.name()));
      out.append("=\"").append(attribute(attribute.value())).append('"');
    }
    if (element.content().isEmpty()) {
      out.append("/>");
    } else {
      out.append('>');
      for (XmlNode node : element.content()) {
        switch (node) {
          case XmlElement child -> write(child, scope, out);
          case XmlNode.Text(String text) -> out.append(characters(text));
        }
      }
      out.append("</").append(name).append('>');
    }
    hidden.forEach((prefix, namespace) -> {
      if (namespace == null) {
        scope.remove(prefix);
      } else {
        scope.put(prefix, namespace);
      }
    });
  }

  private static void declare(
      String prefix,
      String namespace,
      Map<String, String> scope,
      Map<String, @Nullable String> hidden,
      StringBuilder out) {
    String before = scope.get(prefix);
    if (namespace.equals(before)) {
      return;
    }
    scope.put(prefix, namespace);
    hidden.putIfAbsent(prefix, before);
    out.append(prefix.isEmpty() ? " xmlns" : " xmlns:" + prefix);
    out.append("=\"").append(attribute(namespace)).append('"');
  }

  private static String qualified(String prefix, String name) {
    return prefix.isEmpty() ? name : prefix + ":" + name;
  }

  private static String escape(String value, boolean inAttribute) {
    StringBuilder out = new StringBuilder(value.length() + 16);
    value
        .codePoints()
        .forEach(c -> {
          switch (c) {
            case '<' -> out.append("&lt;");
            case '>' -> out.append("&gt;");
            case '&' -> out.append("&amp;");
            case '"' -> out.append(inAttribute ? "&quot;" : "\"");
            case '\r' -> out.append("&#13;");
            case '\n' -> out.append(inAttribute ? "&#10;" : "\n");
            case '\t' -> out.append(inAttribute ? "&#9;" : "\t");
            default -> out.appendCodePoint(isAllowed(c) ? c : 0xFFFD);
          }
        });
    return out.toString();
  }
}
