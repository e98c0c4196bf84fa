package dev.signalbox.definition.sketch;

import dev.signalbox.definition.Place;
import dev.signalbox.kernel.machine.State;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A drawing: nodes in levels, edges between nodes and dots. */
public final class Sketch {
  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private final List<Edge> edges = new ArrayList<>();
  private final Level root = new Level(null);
  private final List<String> notes = new ArrayList<>();
  private @Nullable String description;

  /** The level that contains all others. */
  public Level root() {
    return root;
  }

  /** The node of that name; made at the top when it is new. */
  public Node node(String id, Place place) {
    return nodes.computeIfAbsent(id, name -> new Node(name, place, root));
  }

  public boolean has(String id) {
    return nodes.containsKey(id);
  }

  /** All nodes, in the order of their first mention. */
  public Collection<Node> nodes() {
    return nodes.values();
  }

  /** All edges, in the order they were drawn. */
  public List<Edge> edges() {
    return edges;
  }

  /** Draws an edge in a level; no node means the level's dot: its start or its end. */
  public void edge(
      Level level, @Nullable Node from, @Nullable Node to, @Nullable String label, Place place) {
    String text = label == null || label.isBlank() ? null : label.strip();
    edges.add(new Edge(level, from, to, text, place));
  }

  /** Notes that belong to no node. */
  public List<String> notes() {
    return notes;
  }

  /** What the drawing says of itself; null when it is silent. */
  public @Nullable String description() {
    return description;
  }

  public void describe(String text) {
    description = description == null ? text : description + "\n" + text;
  }

  /** The inside of a box, of a part of a box, or of the whole drawing. */
  public static final class Level {
    private final @Nullable Node owner;
    private @Nullable Level whole;

    private Level(@Nullable Node owner) {
      this.owner = owner;
    }

    private Level resolved() {
      return whole == null ? this : whole;
    }

    /** The box; null for the whole drawing. */
    public @Nullable Node owner() {
      return owner;
    }
  }

  /** A named box. */
  public static final class Node {
    private final String id;
    private final Place place;
    private final List<Level> levels = new ArrayList<>();
    private final List<String> descriptions = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private @Nullable Level whole;
    private Level level;
    private State.Kind kind = State.Kind.STATE;

    private Node(String id, Place place, Level level) {
      this.id = id;
      this.place = place;
      this.level = level;
    }

    public String id() {
      return id;
    }

    public Place place() {
      return place;
    }

    /** The level the node is drawn in. */
    public Level level() {
      return level.resolved();
    }

    public State.Kind kind() {
      return kind;
    }

    public void become(State.Kind newKind) {
      kind = newKind;
    }

    /** A new part of the inside of this box. */
    public Level open() {
      Level inside = new Level(this);
      levels.add(inside);
      return inside;
    }

    /** Makes the part belong to the inside as a whole: no dashed line bounds it. */
    public void join(Level part) {
      if (whole == null) {
        whole = part;
      } else {
        part.whole = whole;
        levels.remove(levels.lastIndexOf(part));
      }
    }

    /** The parts of the inside, empty ones too. */
    public List<Level> levels() {
      return levels;
    }

    /** Texts shown in the box instead of its name. */
    public List<String> descriptions() {
      return descriptions;
    }

    public List<String> notes() {
      return notes;
    }

    /** Moves the node; false when it would come to lie inside itself. */
    public boolean moveTo(Level target) {
      Node up = target.owner;
      // Longer chains than any machine may have are refused later; here they only cost time.
      for (int steps = 0; up != null && steps < 1_000; steps++) {
        if (up == this) {
          return false;
        }
        up = up.level.owner;
      }
      if (up != null) {
        return false;
      }
      level = target;
      return true;
    }
  }

  /**
   * An arrow.
   *
   * @param level where it is drawn, which tells whose dot is meant
   * @param from null for the level's start
   * @param to null for the level's end
   */
  public record Edge(
      Level level, @Nullable Node from, @Nullable Node to, @Nullable String label, Place place) {

    @Override
    public Level level() {
      return level.resolved();
    }
  }
}
