package dev.signalbox.definition.draw;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** A drawing as its reader sees it: elements with attributes and places. */
final class Picture {

  /** A rectangle on the canvas. */
  record Area(String what, double x, double y, double width, double height) {

    boolean overlaps(Area other) {
      return x + width > other.x + SLACK
          && other.x + other.width > x + SLACK
          && y + height > other.y + SLACK
          && other.y + other.height > y + SLACK;
    }

    boolean contains(Area other) {
      return other.x >= x - SLACK
          && other.y >= y - SLACK
          && other.x + other.width <= x + width + SLACK
          && other.y + other.height <= y + height + SLACK;
    }
  }

  /** Coordinates are rounded to tenths. */
  private static final double SLACK = 0.2;

  private final Document document;

  private Picture(Document document) {
    this.document = document;
  }

  static Picture of(String svg) {
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      factory.setNamespaceAware(true);
      DocumentBuilder builder = factory.newDocumentBuilder();
      builder.setErrorHandler(null);
      return new Picture(builder.parse(new InputSource(new StringReader(svg))));
    } catch (Exception e) {
      throw new AssertionError("Expected XML, but " + e.getMessage(), e);
    }
  }

  Element root() {
    return document.getDocumentElement();
  }

  /** All elements for which the test holds, in document order. */
  List<Element> all(Predicate<Element> test) {
    List<Element> found = new ArrayList<>();
    NodeList elements = document.getElementsByTagName("*");
    for (int i = 0; i < elements.getLength(); i++) {
      if (elements.item(i) instanceof Element element && test.test(element)) {
        found.add(element);
      }
    }
    return found;
  }

  List<Element> withClass(String name) {
    return all(element -> hasClass(element, name));
  }

  List<Element> with(String attribute) {
    return all(element -> element.hasAttribute(attribute));
  }

  static boolean hasClass(Element element, String name) {
    return List.of(element.getAttribute("class").split(" ")).contains(name);
  }

  /** The plates that the words of lines stand on. */
  List<Area> labels() {
    List<Area> areas = new ArrayList<>();
    for (Element label : withClass("label")) {
      Element plate = child(label, "plate");
      areas.add(rect(label.getTextContent(), plate));
    }
    return areas;
  }

  /** The states without children, and other boxes. */
  List<Area> atoms() {
    return areas(element -> hasClass(parent(element), "states"));
  }

  List<Area> containers() {
    return areas(
        element -> hasClass(parent(element), "containers") && !hasClass(element, "region"));
  }

  private List<Area> areas(Predicate<Element> test) {
    List<Area> areas = new ArrayList<>();
    for (Element group : all(element -> element.getTagName().equals("g") && test.test(element))) {
      for (Node node = group.getFirstChild(); node != null; node = node.getNextSibling()) {
        if (node instanceof Element shape) {
          if (shape.getTagName().equals("rect")) {
            areas.add(rect(group.getAttribute("data-state"), shape));
            break;
          } else if (shape.getTagName().equals("circle")) {
            double r = number(shape, "r");
            areas.add(
                new Area(
                    group.getAttribute("data-kind"),
                    number(shape, "cx") - r,
                    number(shape, "cy") - r,
                    2 * r,
                    2 * r));
            break;
          }
        }
      }
    }
    return areas;
  }

  Area canvas() {
    return rect("canvas", withClass("canvas").getFirst());
  }

  private static Element child(Element element, String name) {
    for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element child && hasClass(child, name)) {
        return child;
      }
    }
    throw new AssertionError("Expected a " + name + " in " + element.getTagName());
  }

  private static Element parent(Element element) {
    return element.getParentNode() instanceof Element parent ? parent : element;
  }

  private static Area rect(String what, Element rect) {
    return new Area(
        what, number(rect, "x"), number(rect, "y"), number(rect, "width"), number(rect, "height"));
  }

  private static double number(Element element, String attribute) {
    return Double.parseDouble(element.getAttribute(attribute));
  }
}
