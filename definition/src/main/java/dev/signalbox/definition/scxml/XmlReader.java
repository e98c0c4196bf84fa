package dev.signalbox.definition.scxml;

import dev.signalbox.definition.Json;
import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import java.io.StringReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import javax.xml.XMLConstants;
import javax.xml.stream.Location;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * XML text to a tree of elements. No document type, no entities but the five of XML itself, nothing
 * fetched; depth and size are bounded.
 */
final class XmlReader {
  static final int DEPTH = 200;

  private final String text;
  private final Problems problems;
  private final TagFinder tags;

  private XmlReader(String text, Problems problems) {
    this.text = text;
    this.problems = problems;
    this.tags = new TagFinder(text);
  }

  /** The root element, or null when the text is not well formed; the problems then say where. */
  static @Nullable XmlElement read(Source source, Problems problems) {
    String text = source.text();
    if (text.length() > Source.LARGEST) {
      problems.error(
          "too-large",
          Place.START,
          "Expected at most 10 MB of text, but there is more.",
          "Split the machine and invoke its parts by src.");
      return null;
    }
    // A byte order mark is no part of the document, and the parser stumbles over it.
    XmlReader reader =
        new XmlReader(text.startsWith("\uFEFF") ? text.substring(1) : text, problems);
    try {
      return reader.root();
    } catch (XMLStreamException e) {
      reader.notWellFormed(e);
    } catch (RuntimeException e) {
      // The platform's parser has thrown unchecked exceptions for odd input before; a reader
      // answers with a problem whatever it is given.
      problems.error("xml", Place.START, "Expected well-formed XML, but found none.", "");
    }
    return null;
  }

  private @Nullable XmlElement root() throws XMLStreamException {
    XMLStreamReader xml = factory().createXMLStreamReader(new StringReader(text));
    try {
      Deque<XmlElement> open = new ArrayDeque<>();
      XmlElement root = null;
      while (xml.hasNext()) {
        switch (xml.next()) {
          case XMLStreamConstants.START_ELEMENT -> {
            XmlElement element = element(xml);
            if (open.size() >= DEPTH) {
              problems.error(
                  "too-deep",
                  element.place(),
                  "Expected at most "
                      + DEPTH
                      + " elements inside one another, but here is one more.",
                  "");
              return null;
            }
            if (open.isEmpty()) {
              root = element;
            } else {
              open.getLast().content().add(element);
            }
            open.addLast(element);
          }
          case XMLStreamConstants.END_ELEMENT -> open.removeLast();
          case XMLStreamConstants.CHARACTERS,
              XMLStreamConstants.CDATA,
              XMLStreamConstants.SPACE -> {
            if (!open.isEmpty()) {
              open.getLast().content().add(new XmlNode.Text(xml.getText()));
            }
          }
          case XMLStreamConstants.DTD, XMLStreamConstants.ENTITY_REFERENCE -> {
            problems.error(
                "doctype",
                place(xml.getLocation()),
                "Expected no document type, but found one.",
                "Remove <!DOCTYPE …> and write out what its entities stand for.");
            return null;
          }
          default -> {}
        }
      }
      return root;
    } finally {
      xml.close();
    }
  }

  private XmlElement element(XMLStreamReader xml) {
    TagFinder.Tag tag = tags.next();
    Map<String, Place> values = tag.values();
    List<XmlElement.Attribute> attributes = new ArrayList<>();
    String marker = xml.getAttributeValue(Namespaces.SIGNALBOX, Reading.ESCAPED);
    List<String> escaped = marker == null ? List.of() : Reading.words(marker);
    for (int i = 0; i < xml.getAttributeCount(); i++) {
      String prefix = orEmpty(xml.getAttributePrefix(i));
      String name = xml.getAttributeLocalName(i);
      String written = prefix.isEmpty() ? name : prefix + ":" + name;
      attributes.add(
          new XmlElement.Attribute(
              orEmpty(xml.getAttributeNamespace(i)),
              prefix,
              name,
              escaped.contains(name)
                  ? unescaped(xml.getAttributeValue(i))
                  : xml.getAttributeValue(i),
              values.getOrDefault(written, tag.place())));
    }
    return new XmlElement(
        orEmpty(xml.getNamespaceURI()),
        orEmpty(xml.getPrefix()),
        xml.getLocalName(),
        attributes,
        new ArrayList<>(),
        tag.place());
  }

  private static String unescaped(String value) {
    try {
      return Json.parse(value) instanceof String text ? text : value;
    } catch (Json.SyntaxException _) {
      return value;
    }
  }

  private void notWellFormed(XMLStreamException e) {
    String message = orEmpty(e.getMessage());
    int start = message.indexOf("Message: ");
    String found = start < 0 ? message : message.substring(start + 9);
    if (found.contains("#AttributeNotUnique?")) {
      found = "an attribute is given twice";
    } else if (found.contains("PrefixUnbound?")) {
      found = "a prefix has no namespace (xmlns:…)";
    }
    problems.error(
        "xml",
        place(e.getLocation()),
        "Expected well-formed XML, but the parser says: " + found.strip(),
        "");
  }

  private static Place place(@Nullable Location location) {
    if (location == null || location.getLineNumber() < 1) {
      return Place.START;
    }
    return new Place(location.getLineNumber(), Math.max(1, location.getColumnNumber()));
  }

  private static XMLInputFactory factory() {
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, false);
    factory.setProperty(XMLInputFactory.IS_COALESCING, true);
    factory.setProperty(XMLConstants.ACCESS_EXTERNAL_DTD, "");
    // The depth is bounded here, with a problem that says so; the platform's own limit is lower.
    factory.setProperty("jdk.xml.maxElementDepth", Integer.toString(2 * DEPTH));
    return factory;
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }
}
