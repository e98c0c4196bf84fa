package dev.signalbox.definition.yaml;

import dev.signalbox.definition.Place;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Builds the nodes of one document from the inside out. An alias shares its anchor's node; what
 * that would be as a tree is counted when the alias is met, so a small text cannot mean a huge one.
 */
final class Tree {

  /** What became of an alias. */
  enum Alias {
    FOLLOWED,
    UNKNOWN,
    INSIDE_ITSELF,
    TOO_MUCH
  }

  private record Anchored(Node node, long size, int height) {}

  private final Deque<Frame> open = new ArrayDeque<>();
  private final Map<String, Anchored> anchors = new HashMap<>();
  private final Set<String> openAnchors = new HashSet<>();
  private @Nullable Node root;
  private long size;

  /** The document's node; null as long as none is complete. */
  @Nullable Node root() {
    return root;
  }

  int depth() {
    return open.size();
  }

  /** The nodes so far, aliases followed. */
  long size() {
    return size;
  }

  void leaf(Node.Scalar scalar, @Nullable String anchor) {
    size++;
    complete(scalar, 1, 1, anchor);
  }

  void open(Place place, boolean mapping, @Nullable String anchor) {
    size++;
    open.push(new Frame(place, mapping, anchor));
    if (anchor != null) {
      openAnchors.add(anchor);
    }
  }

  void close() {
    Frame frame = open.pop();
    if (frame.anchor != null) {
      openAnchors.remove(frame.anchor);
    }
    complete(frame.node(), frame.size, frame.height, frame.anchor);
  }

  Alias alias(String name) {
    if (openAnchors.contains(name)) {
      return Alias.INSIDE_ITSELF;
    }
    Anchored anchored = anchors.get(name);
    if (anchored == null) {
      return Alias.UNKNOWN;
    }
    size += anchored.size;
    if (size > Documents.NODES || open.size() + anchored.height > Documents.DEPTH) {
      return Alias.TOO_MUCH;
    }
    complete(anchored.node, anchored.size, anchored.height, null);
    return Alias.FOLLOWED;
  }

  private void complete(Node node, long nodeSize, int height, @Nullable String anchor) {
    if (anchor != null) {
      anchors.put(anchor, new Anchored(node, nodeSize, height));
    }
    Frame parent = open.peek();
    if (parent == null) {
      root = node;
    } else {
      parent.add(node, nodeSize, height);
    }
  }

  /** A list or map that is not complete. */
  private static final class Frame {
    private final Place place;
    private final boolean mapping;
    private final @Nullable String anchor;
    private final List<Node> items = new ArrayList<>();
    private long size = 1;
    private int height = 1;

    Frame(Place place, boolean mapping, @Nullable String anchor) {
      this.place = place;
      this.mapping = mapping;
      this.anchor = anchor;
    }

    void add(Node node, long nodeSize, int nodeHeight) {
      items.add(node);
      size += nodeSize;
      height = Math.max(height, nodeHeight + 1);
    }

    Node node() {
      if (!mapping) {
        return new Node.Sequence(place, Collections.unmodifiableList(items));
      }
      List<Node.Entry> entries = new ArrayList<>(items.size() / 2);
      for (int i = 0; i + 1 < items.size(); i += 2) {
        entries.add(new Node.Entry(items.get(i), items.get(i + 1)));
      }
      return new Node.Mapping(place, Collections.unmodifiableList(entries));
    }
  }
}
