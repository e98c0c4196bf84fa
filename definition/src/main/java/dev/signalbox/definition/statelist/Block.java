package dev.signalbox.definition.statelist;

import dev.signalbox.definition.Place;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * The YAML of one block with the place of each part in the text around it. Built from the parser's
 * events without recursion; aliases are not followed, so the tree is no larger than the text.
 */
final class Block {
  /** Deeper parts are left out; a list of states needs four levels. */
  private static final int DEPTH = 16;

  /** A part of the block. */
  sealed interface Part {
    Place place();

    record Text(Place place, String text) implements Part {}

    record Listing(Place place, List<Part> items) implements Part {}

    record Table(Place place, List<Entry> entries) implements Part {

      Optional<Part> find(String key) {
        return entries.stream()
            .filter(e -> e.key().text().equals(key))
            .map(Entry::value)
            .findFirst();
      }
    }

    /** An alias, or something nested too deep to be part of a list of states. */
    record Other(Place place) implements Part {}
  }

  record Entry(Part.Text key, Part value) {}

  private static final class Frame {
    final Place place;
    final boolean table;
    final List<Part> parts = new ArrayList<>();

    Frame(Place place, boolean table) {
      this.place = place;
      this.table = table;
    }

    Part part() {
      if (!table) {
        return new Part.Listing(place, List.copyOf(parts));
      }
      List<Entry> entries = new ArrayList<>();
      for (int i = 0; i + 1 < parts.size(); i += 2) {
        if (parts.get(i) instanceof Part.Text key) {
          entries.add(new Entry(key, parts.get(i + 1)));
        }
      }
      return new Part.Table(place, List.copyOf(entries));
    }
  }

  private final String[] lines;
  private final int firstLine;
  private final Deque<Frame> open = new ArrayDeque<>();
  private final List<Part> documents = new ArrayList<>();

  private Block(String text, int firstLine) {
    this.lines = text.split("\n", -1);
    this.firstLine = firstLine;
  }

  /**
   * What reading a block gave.
   *
   * @param documents those that were read before a fault
   * @param fault why the block is no YAML, or null
   */
  record Parsed(List<Part> documents, @Nullable Fault fault) {}

  record Fault(Place place, String why) {}

  static Parsed parse(String text, int firstLine) {
    Block block = new Block(text, firstLine);
    Fault fault = null;
    try {
      LoadSettings settings =
          LoadSettings.builder()
              .setCodePointLimit(Integer.MAX_VALUE)
              .setBufferSize(Math.max(1024, text.length() + 1))
              .build();
      new Parse(settings).parseString(text).forEach(block::take);
    } catch (MarkedYamlEngineException e) {
      fault = new Fault(block.place(e.getProblemMark()), String.valueOf(e.getProblem()));
    } catch (YamlEngineException e) {
      fault = new Fault(new Place(firstLine, 1), "it has characters that YAML does not allow");
    }
    return new Parsed(List.copyOf(block.documents), fault);
  }

  private void take(Event event) {
    Place place = place(event.getStartMark());
    switch (event.getEventId()) {
      case StreamStart, StreamEnd, DocumentStart, DocumentEnd, Comment -> {}
      case Scalar -> add(new Part.Text(place, ((ScalarEvent) event).getValue()));
      case Alias -> add(new Part.Other(place));
      case SequenceStart -> open.push(new Frame(place, false));
      case MappingStart -> open.push(new Frame(place, true));
      case SequenceEnd, MappingEnd -> {
        Frame frame = open.pop();
        add(open.size() < DEPTH ? frame.part() : new Part.Other(frame.place));
      }
    }
  }

  private void add(Part part) {
    Frame frame = open.peek();
    if (frame == null) {
      documents.add(part);
    } else {
      frame.parts.add(part);
    }
  }

  /** The parser counts lines from 0 and columns in code points. */
  private Place place(Optional<Mark> mark) {
    if (mark.isEmpty()) {
      return new Place(firstLine, 1);
    }
    int line = mark.get().getLine();
    String text = line < lines.length ? lines[line] : "";
    int points = Math.min(mark.get().getColumn(), text.codePointCount(0, text.length()));
    return new Place(firstLine + line, text.offsetByCodePoints(0, points) + 1);
  }
}
