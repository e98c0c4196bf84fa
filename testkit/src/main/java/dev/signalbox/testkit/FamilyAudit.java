package dev.signalbox.testkit;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.kernel.Kernel;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Follows parents and children: who is invoked is born or refused, who is cancelled ends, and
 * whoever ends by itself tells its parent.
 */
final class FamilyAudit {
  private static final String ADDRESS = "#_scxml_";

  private final Consumer<String> found;

  /** Of each child that was asked for, its parent and the id under which it was. */
  private final Map<String, Invoked> asked = new HashMap<>();

  /** Who was asked for and could not be, by parent and id. */
  private final Set<Invoked> refused = new HashSet<>();

  private final Map<String, String> born = new HashMap<>();
  private final Set<String> cancelled = new HashSet<>();

  /** Who ended by itself. */
  private final Set<String> ended = new HashSet<>();

  /** Whose end its parent was told of. */
  private final Set<String> told = new HashSet<>();

  private record Invoked(String parent, String id) {}

  FamilyAudit(Consumer<String> found) {
    this.found = found;
  }

  /** These instances are not in the store any more. */
  void forget(Collection<String> gone) {
    asked.keySet().removeAll(gone);
    asked.values().removeIf(invoked -> gone.contains(invoked.parent()));
    refused.removeIf(invoked -> gone.contains(invoked.parent()));
    born.keySet().removeAll(gone);
    cancelled.removeAll(gone);
    ended.removeAll(gone);
    told.removeAll(gone);
  }

  /** Sees what came to an instance, whether it took it or not. */
  void event(String instance, Map<?, ?> body) {
    if (!(body.get("event") instanceof Map<?, ?> event)) {
      return;
    }
    String name = String.valueOf(event.get("name"));
    if (name.startsWith("done.invoke.") && event.get("origin") instanceof String origin) {
      told.add(origin.substring(ADDRESS.length()));
    }
    if (name.equals("error.communication") && event.get("invoke_id") instanceof String id) {
      refused.add(new Invoked(instance, id));
    }
  }

  /** Sees a step of an instance. */
  void step(String instance, Map<?, ?> body) {
    if (body.get("parent") instanceof String parent) {
      born.put(instance, parent);
    }
    if (body.get("children") instanceof List<?> children) {
      for (Object child : children) {
        child(instance, (Map<?, ?>) child);
      }
    }
    boolean called =
        body.get("event") instanceof Map<?, ?> event && Kernel.CANCEL.equals(event.get("name"));
    if (Boolean.TRUE.equals(body.get("ended")) && !called && !"correct".equals(body.get("kind"))) {
      ended.add(instance);
    }
  }

  private void child(String parent, Map<?, ?> change) {
    if (change.get("started") instanceof Map<?, ?> child) {
      asked.put(
          String.valueOf(child.get("instance")),
          new Invoked(parent, String.valueOf(child.get("id"))));
    } else if (change.get("cancelled") instanceof Map<?, ?> child) {
      cancelled.add(String.valueOf(child.get("instance")));
    }
  }

  /** Everything has come to rest: says where a family is not as it must be. */
  void finish(Journal journal) {
    for (String child : cancelled) {
      if (isRunning(journal.load(child))) {
        found.accept("%s was cancelled, and has not ended".formatted(child));
      }
    }
    asked.forEach((child, invoked) -> {
      if (!born.containsKey(child)
          && !cancelled.contains(child)
          && !refused.contains(invoked)
          && listens(journal.load(invoked.parent()))) {
        found.accept("%s invoked %s, which was never born".formatted(invoked.parent(), child));
      }
    });
    born.forEach((child, parent) -> {
      InstanceRow above = journal.load(parent);
      if (above != null
          && above.status() == InstanceRow.Status.ENDED
          && isRunning(journal.load(child))) {
        found.accept("%s has ended, and %s below it has not".formatted(parent, child));
      }
      if (ended.contains(child) && !told.contains(child) && listens(above)) {
        found.accept("%s has ended, and nobody told %s".formatted(child, parent));
      }
    });
  }

  private static boolean isRunning(@Nullable InstanceRow row) {
    return row != null && row.status() != InstanceRow.Status.ENDED;
  }

  /** Whether what comes for the instance reaches it, if only to be refused. */
  private static boolean listens(@Nullable InstanceRow row) {
    return row != null
        && (row.status() == InstanceRow.Status.LIVE || row.status() == InstanceRow.Status.ENDED);
  }
}
