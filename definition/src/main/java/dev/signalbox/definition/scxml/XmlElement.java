package dev.signalbox.definition.scxml;

import dev.signalbox.definition.Place;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An element of an XML text.
 *
 * @param namespace empty when it is in none
 * @param place of its tag's {@code <}
 */
record XmlElement(
    String namespace,
    String prefix,
    String name,
    List<Attribute> attributes,
    List<XmlNode> content,
    Place place)
    implements XmlNode {

  /**
   * An attribute.
   *
   * @param place of the first character of its value
   */
  record Attribute(String namespace, String prefix, String name, String value, Place place) {}

  /** Whether this is SCXML's element of that name; a text without any namespace counts as SCXML. */
  boolean is(String scxmlName) {
    return isScxml() && name.equals(scxmlName);
  }

  boolean isScxml() {
    return namespace.equals(Namespaces.SCXML) || namespace.isEmpty();
  }

  boolean isOurs() {
    return namespace.equals(Namespaces.SIGNALBOX);
  }

  boolean isOurs(String ownName) {
    return isOurs() && name.equals(ownName);
  }

  /** The attribute without namespace, or null. */
  @Nullable Attribute attribute(String attributeName) {
    return find("", attributeName);
  }

  /**
   * The attribute in Signalbox's namespace; in an element of that namespace also without prefix.
   */
  @Nullable Attribute own(String attributeName) {
    Attribute qualified = find(Namespaces.SIGNALBOX, attributeName);
    return qualified == null && isOurs() ? find("", attributeName) : qualified;
  }

  Stream<XmlElement> elements() {
    return content.stream().filter(XmlElement.class::isInstance).map(XmlElement.class::cast);
  }

  boolean hasElements() {
    return elements().findAny().isPresent();
  }

  /** The characters directly inside, without those of nested elements. */
  String text() {
    StringBuilder text = new StringBuilder();
    for (XmlNode node : content) {
      if (node instanceof Text(String characters)) {
        text.append(characters);
      }
    }
    return text.toString();
  }

  private @Nullable Attribute find(String attributeNamespace, String attributeName) {
    for (Attribute attribute : attributes) {
      if (attribute.name().equals(attributeName)
          && attribute.namespace().equals(attributeNamespace)) {
        return attribute;
      }
    }
    return null;
  }
}
