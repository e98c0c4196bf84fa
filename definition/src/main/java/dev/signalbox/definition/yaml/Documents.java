package dev.signalbox.definition.yaml;

import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.yaml.Node.Kind;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Turns a text into the nodes of its YAML documents, from the parser's events and without
 * recursion. Size, depth and what aliases would expand to are bounded here, so that everything
 * behind may walk the nodes as a tree.
 */
final class Documents {
  /** One document. The root is null when the text is no YAML or crosses a bound. */
  record Document(@Nullable Node root, Problems problems) {}

  /** The deepest nesting of lists and maps, aliases followed. */
  static final int DEPTH = 200;

  /** The most nodes of one document, aliases followed. */
  static final long NODES = 2_000_000;

  private static final String CORE = "tag:yaml.org,2002:";

  private final Source source;
  private final Lines lines;
  private final List<Document> documents = new ArrayList<>();
  private Problems problems;
  private Tree tree = new Tree();

  private Documents(Source source) {
    this.source = source;
    this.lines = new Lines(source.text());
    this.problems = new Problems(source.name());
  }

  /** The documents in order; after one that is no YAML there are no more. */
  static List<Document> of(Source source) {
    Documents reading = new Documents(source);
    LoadSettings settings =
        LoadSettings.builder()
            .setLabel(source.name())
            .setCodePointLimit(Integer.MAX_VALUE)
            .setBufferSize(bufferSize(source.text()))
            .setUseMarks(true)
            .build();
    try {
      Iterator<Event> events = new Parse(settings).parseString(source.text()).iterator();
      reading.read(events);
    } catch (MarkedYamlEngineException e) {
      reading.refuseSyntax(e);
    } catch (ReaderException e) {
      Place place = reading.lines.placeOfCodePoint(e.getPosition());
      String character = "U+%04X".formatted(e.getCodePoint());
      reading.fail(
          "yaml-syntax",
          place,
          "Expected printable characters, but found " + character + ".",
          "Write it as an escape in double quotes.");
    } catch (YamlEngineException e) {
      reading.fail(
          "yaml-syntax", Place.START, "Expected YAML, but " + sentence(e.getMessage()), "");
    }
    return reading.documents;
  }

  /**
   * Room for the whole text: the parser copies what it holds of a long scalar for each part that it
   * reads, which would take quadratic time.
   */
  private static int bufferSize(String text) {
    return Math.max(1024, text.length() + 1);
  }

  private void read(Iterator<Event> events) {
    while (events.hasNext()) {
      Event event = events.next();
      switch (event.getEventId()) {
        case StreamStart, StreamEnd, Comment -> {}
        case DocumentStart -> {
          problems = new Problems(source.name());
          tree = new Tree();
        }
        case DocumentEnd -> documents.add(new Document(tree.root(), problems));
        case Scalar -> {
          ScalarEvent scalar = (ScalarEvent) event;
          tree.leaf(scalar(scalar), anchor(scalar));
        }
        case Alias -> {
          if (!followAlias((AliasEvent) event)) {
            return;
          }
        }
        case SequenceStart, MappingStart -> {
          CollectionStartEvent start = (CollectionStartEvent) event;
          boolean mapping = event.getEventId() == Event.ID.MappingStart;
          refuseForeignTag(start.getTag().orElse(null), start, mapping ? "map" : "seq");
          tree.open(lines.place(start.getStartMark()), mapping, anchor(start));
        }
        case SequenceEnd, MappingEnd -> tree.close();
      }
      if (tree.depth() > DEPTH) {
        failAt(event, "too-deep", "Expected at most 200 levels of lists and maps, but found more.");
        return;
      }
      if (tree.size() > NODES) {
        failAt(
            event,
            "too-large",
            "Expected at most 2,000,000 values in a document, but there are more.");
        return;
      }
    }
  }

  private void failAt(Event event, String code, String message) {
    fail(code, lines.place(event.getStartMark()), message, "Split it into several machines.");
  }

  private void fail(String code, Place place, String message, String hint) {
    problems.error(code, place, message, hint);
    documents.add(new Document(null, problems));
  }

  private boolean followAlias(AliasEvent alias) {
    String name = alias.getAlias().getValue();
    Place place = lines.place(alias.getStartMark());
    String shown = Reading.shortened(name);
    switch (tree.alias(name)) {
      case FOLLOWED -> {
        return true;
      }
      case UNKNOWN ->
          fail(
              "unknown-alias",
              place,
              "Expected an anchor '&" + shown + "' before this alias, but there is none.",
              "A text that starts with * must stand in quotes.");
      case INSIDE_ITSELF ->
          fail(
              "recursive-alias",
              place,
              "Expected a value that ends, but '*" + shown + "' stands inside its own anchor.",
              "Write the value out.");
      case TOO_MUCH ->
          fail(
              "alias-limit",
              place,
              "Expected aliases to give at most 2,000,000 values and 200 levels, but '*"
                  + shown
                  + "' gives more.",
              "Write less with aliases.");
    }
    return false;
  }

  private Node.Scalar scalar(ScalarEvent event) {
    Place place = lines.place(event.getStartMark());
    String text = event.getValue();
    if (text.codePoints().anyMatch(c -> Character.getType(c) == Character.SURROGATE)) {
      problems.error(
          "bad-text",
          place,
          "Expected whole characters, but found half of a surrogate pair.",
          "Write both halves, or the character itself.");
    }
    Kind kind = event.isPlain() ? Scalars.kindOf(text) : Kind.TEXT;
    String tag = event.getTag().orElse(null);
    if (tag != null) {
      kind = taggedKind(tag, text, kind, event);
    }
    return new Node.Scalar(place, firstCharacter(event, place), text, kind);
  }

  private Kind taggedKind(String tag, String text, Kind untagged, ScalarEvent event) {
    Kind plain = Scalars.kindOf(text);
    Kind wanted =
        switch (tag) {
          case "!", CORE + "str" -> Kind.TEXT;
          case CORE + "null" -> Kind.NOTHING;
          case CORE + "bool" -> Kind.BOOL;
          case CORE + "int" -> Kind.INT;
          case CORE + "float" -> plain == Kind.INT ? Kind.INT : Kind.DOUBLE;
          default -> null;
        };
    if (wanted == null) {
      refuseForeignTag(tag, event, "str");
      return untagged;
    }
    if (wanted == Kind.TEXT) {
      return Kind.TEXT;
    }
    if (wanted != plain) {
      problems.error(
          "wrong-type",
          lines.place(event.getStartMark()),
          "Expected a value of the tag, but found '" + Reading.shortened(text) + "'.",
          "Leave out the tag.");
      return untagged;
    }
    return tag.equals(CORE + "float") ? Kind.DOUBLE : wanted;
  }

  private void refuseForeignTag(@Nullable String tag, NodeEvent event, String allowed) {
    if (tag == null || tag.equals("!") || tag.equals(CORE + allowed)) {
      return;
    }
    problems.error(
        "unknown-tag",
        lines.place(event.getStartMark()),
        "Expected a value without a tag, but found the tag '" + Reading.shortened(tag) + "'.",
        "A text that starts with ! must stand in quotes.");
  }

  private Place firstCharacter(ScalarEvent event, Place place) {
    boolean decorated = event.getAnchor().isPresent() || event.getTag().isPresent();
    if (event.isPlain() && !decorated) {
      return place;
    }
    String text = source.text();
    int start = lines.offset(place);
    int end = Math.min(text.length(), lines.offset(lines.place(event.getEndMark())));
    int found =
        switch (event.getScalarStyle()) {
          case SINGLE_QUOTED -> text.indexOf('\'', start) + 1;
          case DOUBLE_QUOTED, JSON_SCALAR_STYLE -> text.indexOf('"', start) + 1;
          case LITERAL, FOLDED -> firstInBlock(start, end);
          case PLAIN -> Math.max(start, text.indexOf(firstWord(event.getValue()), start));
        };
    return lines.placeOf(Math.max(start, Math.min(found, text.length())));
  }

  private static String firstWord(String value) {
    int space = value.indexOf(' ');
    return space < 0 ? value : value.substring(0, space);
  }

  /** The first visible character behind the line of {@code |} or {@code >}. */
  private int firstInBlock(int start, int end) {
    String text = source.text();
    int at = text.indexOf('\n', start);
    while (at >= 0 && at < end && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return at < 0 || at >= end ? start : at;
  }

  private static @Nullable String anchor(NodeEvent event) {
    return event.getAnchor().map(a -> a.getValue()).orElse(null);
  }

  private void refuseSyntax(MarkedYamlEngineException e) {
    Place place = lines.place(e.getProblemMark());
    String problem = e.getProblem() == null ? "" : e.getProblem();
    int offset = lines.offset(place);
    boolean tab = offset < source.text().length() && source.text().charAt(offset) == '\t';
    if (tab && problem.contains("cannot start any token")) {
      fail(
          "tab",
          place,
          "Expected spaces before a key or a value, but found a tab.",
          "YAML is indented with spaces only.");
      return;
    }
    fail("yaml-syntax", place, "Expected YAML, but " + sentence(problem), hint(problem));
  }

  private static String sentence(@Nullable String message) {
    String text = message == null || message.isBlank() ? "it is not" : message.strip();
    String line = text.lines().findFirst().orElse("it is not");
    String lower = line.substring(0, 1).toLowerCase(Locale.ROOT) + line.substring(1);
    return Reading.shortened(lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower)
        + ".";
  }

  private static String hint(String problem) {
    if (problem.contains("mapping values are not allowed")) {
      return "A text that holds ': ' must stand in quotes.";
    }
    if (problem.contains("expected <block end>") || problem.contains("expected ','")) {
      return "Check the indentation; an expression that starts with a quote or a bracket must stand"
          + " in quotes as a whole.";
    }
    if (problem.contains("cannot start any token")) {
      return "A text that starts with one of % @ ` must stand in quotes.";
    }
    return "";
  }
}
