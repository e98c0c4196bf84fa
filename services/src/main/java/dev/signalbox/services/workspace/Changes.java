package dev.signalbox.services.workspace;

import java.util.List;

/**
 * What a tool did to a folder.
 *
 * @param diff of the texts that changed, as {@code diff -u} writes it, within limits
 */
public record Changes(Footprint before, Footprint after, String diff) {

  /** In the order of the paths. */
  public List<Change> all() {
    return before.changesTo(after);
  }

  /** The paths of files and links that changed; folders alone are left out. */
  public List<String> files() {
    return all().stream().filter(Change::isOfFile).map(Change::path).toList();
  }

  public boolean isEmpty() {
    return before.equals(after);
  }
}
