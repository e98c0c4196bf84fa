package dev.signalbox.definition.mermaid;

import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.sketch.Sketch;
import dev.signalbox.definition.sketch.Sketch.Level;
import dev.signalbox.definition.sketch.Sketch.Node;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.State;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the statements of a state diagram into a sketch.
 *
 * <p>The body of a state knows fewer keywords than the top: no click, scale, accessibility texts,
 * quoted names, or {@code hide}. In a body a line's end means nothing; at the top it ends a
 * statement, unless a blank stands before it.
 */
final class DiagramParser {
  /** The characters besides blanks that end a state's name. */
  static final String NAME_STOPS = ":-{\n";

  private static final Pattern ODD = Pattern.compile("[\\s\\p{Z}\\p{Cc}\\uFEFF]+|->");

  private final Cursor cursor;
  private final Problems problems;
  private final Sketch sketch;
  private final Map<String, String> ids;
  private final Deque<Body> bodies = new ArrayDeque<>();
  private final StateStatement stateStatement;
  private final NoteStatement noteStatement;
  private final ArrowStatement arrowStatement;
  private boolean tooDeep;

  /**
   * @param ids the ids of states that go by another name
   */
  DiagramParser(Cursor cursor, Problems problems, Sketch sketch, Map<String, String> ids) {
    this.cursor = cursor;
    this.problems = problems;
    this.sketch = sketch;
    this.ids = ids;
    this.stateStatement = new StateStatement(cursor, this, problems);
    this.noteStatement = new NoteStatement(cursor, this, problems);
    this.arrowStatement = new ArrowStatement(cursor, this, problems);
  }

  /** The inside of an open state: the part that is being read, and where its brace stands. */
  private static final class Body {
    private final Node owner;
    private final Place brace;
    private Level level;
    private boolean parted;

    Body(Node owner, Place brace) {
      this.owner = owner;
      this.brace = brace;
      this.level = owner.open();
    }

    void part() {
      parted = true;
      level = owner.open();
    }

    void close() {
      if (!parted) {
        owner.join(level);
      }
    }
  }

  /** Reads to the end; false when the diagram is nested deeper than anything may be. */
  boolean parse() {
    while (!tooDeep) {
      cursor.skipSpace();
      if (cursor.atEnd()) {
        break;
      }
      if (!cursor.skipComment()) {
        statement();
      }
    }
    if (tooDeep) {
      return false;
    }
    stateStatement.reportIgnored();
    for (Body body : bodies) {
      body.close();
      problems.error(
          "unclosed-state",
          body.brace,
          "Expected a } that closes '%s', but the diagram ends.".formatted(body.owner.id()),
          "The } must stand apart from names: a name may hold one.");
    }
    return true;
  }

  boolean atTop() {
    return bodies.isEmpty();
  }

  Level level() {
    Body body = bodies.peek();
    return body == null ? sketch.root() : body.level;
  }

  Sketch sketch() {
    return sketch;
  }

  /** The node of that name, or null when nothing mentions it. */
  @Nullable Node known(String name) {
    String id = id(name);
    return sketch.has(id) ? sketch.node(id, Place.START) : null;
  }

  /** The node of that name, drawn here: a mention inside a state moves it there. */
  Node mention(String name, Place place) {
    String id = id(name);
    Node node = sketch.node(id, place);
    if (!atTop() && node.level() != level() && !node.moveTo(level())) {
      problems.warning(
          "inside-itself",
          place,
          "Expected a state that lies around this place, but '%s' is mentioned inside itself."
              .formatted(id),
          "The mention does not move it.");
    }
    return node;
  }

  /** An alias may hold what no state's id may. */
  private String id(String name) {
    String id = ids.getOrDefault(name, name);
    return ODD.matcher(id).find() ? ODD.matcher(id).replaceAll("_") : id;
  }

  void openBody(Node owner, Place brace) {
    if (bodies.size() >= Limits.DEPTH) {
      tooDeep = true;
      problems.error(
          "too-deep",
          brace,
          "Expected at most %d levels of states, but '%s' opens one more."
              .formatted(Limits.DEPTH, owner.id()),
          "Flatten the diagram or split it into several machines.");
      return;
    }
    bodies.push(new Body(owner, brace));
  }

  /** Reports text that Mermaid cannot read and goes on with the next line. */
  void refuse(String expected) {
    int end = Math.min(cursor.lineEnd(), cursor.at() + 24);
    String found = cursor.slice(cursor.at(), end).strip();
    problems.error(
        "mermaid-syntax",
        cursor.place(),
        "Expected %s, but found %s."
            .formatted(expected, found.isEmpty() ? "the end of the line" : "\"" + found + "\""),
        "");
    cursor.skipLine();
  }

  private void statement() {
    if (keyword()) {
      return;
    }
    char c = cursor.here();
    if (!atTop() && c == '}') {
      cursor.moveTo(cursor.at() + 1);
      bodies.pop().close();
    } else if (c == '}' && cursor.nameEnd(NAME_STOPS) == cursor.at() + 1) {
      problems.error(
          "stray-brace", cursor.place(), "Expected a state to close, but none is open.", "");
      cursor.moveTo(cursor.at() + 1);
    } else if (!atTop() && cursor.looksAt("--") && !cursor.looksAt("-->")) {
      cursor.moveTo(cursor.at() + 2);
      bodies.element().part();
    } else if (c == ':' || c == '-' || c == '{') {
      refuse("a statement");
    } else {
      arrowStatement.read();
    }
  }

  private boolean keyword() {
    if (atTop() && topKeyword()) {
      return true;
    }
    if (cursor.looksAtKeyword("classDef")
        || cursor.looksAtKeyword("class")
        || cursor.looksAtKeyword("style")) {
      if (isReservedName()) {
        return false;
      }
      cursor.skipLine();
      return true;
    }
    if (cursor.looksAtKeyword("state")) {
      stateStatement.read();
      return true;
    }
    if (cursor.looksAtDirection()) {
      if (!cursor.looksAtWord("direction")) {
        problems.warning(
            "direction-line",
            cursor.place(),
            "Expected a statement, but Mermaid takes the whole line for a direction,"
                + " because it ends in one.",
            "Put the direction on a line of its own.");
      }
      cursor.skipDirection();
      return true;
    }
    if (cursor.looksAtKeyword("note")) {
      if (isReservedName()) {
        return false;
      }
      noteStatement.read();
      return true;
    }
    return false;
  }

  private boolean topKeyword() {
    if (cursor.looksAtWord("click")) {
      if (isReservedName()) {
        return false;
      }
      cursor.skipLine();
      return true;
    }
    if (cursor.looksAtKeyword("scale") && Character.isDigit(afterWord("scale"))) {
      cursor.skipLine();
      return true;
    }
    if (cursor.looksAtWord("hide empty description")) {
      cursor.moveTo(cursor.at() + "hide empty description".length());
      return true;
    }
    return accessibility();
  }

  private char afterWord(String word) {
    int at = cursor.at() + word.length();
    while (Chars.isSpace(cursor.charAt(at))) {
      at++;
    }
    return cursor.charAt(at);
  }

  private boolean accessibility() {
    if (cursor.looksAtWord("accTitle") && afterWord("accTitle") == ':') {
      describe(cursor.find(":", cursor.at()) + 1, cursor.lineEnd());
      return true;
    }
    if (!cursor.looksAtWord("accDescr")) {
      return false;
    }
    char sign = afterWord("accDescr");
    if (sign == ':') {
      describe(cursor.find(":", cursor.at()) + 1, cursor.lineEnd());
      return true;
    }
    if (sign == '{') {
      int open = cursor.find("{", cursor.at());
      int close = cursor.find("}", open);
      if (close < 0) {
        refuse("a } that closes the description");
      } else {
        describe(open + 1, close);
        cursor.moveTo(close + 1);
      }
      return true;
    }
    return false;
  }

  private void describe(int from, int to) {
    String text = Entities.decode(cursor.slice(from, to)).strip();
    if (!text.isEmpty()) {
      sketch.describe(String.join("\n", text.lines().map(String::strip).toList()));
    }
    cursor.moveTo(to);
  }

  /** Whether the keyword here is used as a state's name, which Mermaid does not allow. */
  private boolean isReservedName() {
    int at = cursor.at();
    while (Chars.isWord(cursor.charAt(at))) {
      at++;
    }
    while (cursor.charAt(at) != '\n' && Chars.isSpace(cursor.charAt(at))) {
      at++;
    }
    boolean name =
        cursor.charAt(at) == ':' || (cursor.charAt(at) == '-' && cursor.charAt(at + 1) == '-');
    if (name) {
      reserved(cursor.place());
    }
    return name;
  }

  void reserved(Place place) {
    problems.error(
        "reserved-word",
        place,
        "Expected a state's name, but this is a word that Mermaid keeps for itself.",
        "Rename the state, or write: state \"the word\" as another_name");
  }

  /** What a point's mark in angle or square brackets makes of a state. */
  static State.Kind pointKind(String mark) {
    return switch (mark.toLowerCase(Locale.ROOT)) {
      case "fork" -> State.Kind.FORK;
      case "join" -> State.Kind.JOIN;
      default -> State.Kind.CHOICE;
    };
  }

  /** The marks of points, in the order Mermaid looks for them. */
  static final List<String> POINTS =
      List.of("<<fork>>", "<<join>>", "<<choice>>", "[[fork]]", "[[join]]", "[[choice]]");
}
