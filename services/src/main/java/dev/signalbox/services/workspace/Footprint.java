package dev.signalbox.services.workspace;

import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.services.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Everything below a folder at one moment: path to item. */
public final class Footprint {
  private final SortedMap<String, Item> items;
  private @Nullable String treeHash;

  Footprint(SortedMap<String, Item> items) {
    this.items = Collections.unmodifiableSortedMap(new TreeMap<>(items));
  }

  public SortedMap<String, Item> items() {
    return items;
  }

  /** What is at the path, or null. */
  public @Nullable Item at(String path) {
    return items.get(path);
  }

  /** One hash for the whole of it: paths, kinds, modes, contents and targets. */
  public synchronized String treeHash() {
    String known = treeHash;
    if (known == null) {
      MessageDigest digest = Sha256.digest();
      items.forEach((path, item) ->
          digest.update(
              (CanonicalJson.text(
                          List.of(path, item.kind().word(), (long) item.mode(), item.content()))
                      + "\n")
                  .getBytes(StandardCharsets.UTF_8)));
      known = HexFormat.of().formatHex(digest.digest());
      treeHash = known;
    }
    return known;
  }

  /** What changed from this one to a later one, in the order of the paths. */
  public List<Change> changesTo(Footprint later) {
    TreeSet<String> paths = new TreeSet<>(items.keySet());
    paths.addAll(later.items.keySet());
    List<Change> changes = new ArrayList<>();
    for (String path : paths) {
      Item before = items.get(path);
      Item after = later.items.get(path);
      if (before == null ? after != null : !before.same(after)) {
        changes.add(new Change(path, before, after));
      }
    }
    return changes;
  }

  /** As JSON values. */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new TreeMap<>();
    items.forEach((path, item) -> fields.put(path, item.fields()));
    return fields;
  }

  static Footprint of(@Nullable Object value) {
    if (!(value instanceof Map<?, ?> map)) {
      throw new IllegalArgumentException("Expected a footprint, but found another thing.");
    }
    TreeMap<String, Item> items = new TreeMap<>();
    map.forEach((path, item) -> items.put(String.valueOf(path), Item.of(item)));
    return new Footprint(items);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Footprint footprint && items.equals(footprint.items);
  }

  @Override
  public int hashCode() {
    return items.hashCode();
  }

  @Override
  public String toString() {
    return items.size() + " items, " + treeHash();
  }
}
