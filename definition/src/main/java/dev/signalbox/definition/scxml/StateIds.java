package dev.signalbox.definition.scxml;

import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Set;

/** The ids of a machine's states: as written, or made up for those that SCXML lets go without. */
final class StateIds {
  private static final Set<String> STATES = Set.of("state", "parallel", "final", "history");

  private final IdentityHashMap<XmlElement, String> ids = new IdentityHashMap<>();
  private final Set<String> taken = new HashSet<>();
  private int made;

  StateIds(XmlElement scxml) {
    note(scxml, true);
    note(scxml, false);
  }

  String of(XmlElement state) {
    return ids.getOrDefault(state, "");
  }

  /** First the ids that are written, then those to be made up, so that none of them meet. */
  private void note(XmlElement parent, boolean written) {
    parent
        .elements()
        .filter(e -> e.isScxml() && STATES.contains(e.name()))
        .forEach(state -> {
          XmlElement.Attribute id = state.attribute("id");
          if (id != null && written) {
            ids.put(state, id.value());
            taken.add(id.value());
          } else if (id == null && !written) {
            ids.put(state, fresh(state.name()));
          }
          note(state, written);
        });
  }

  private String fresh(String kind) {
    String id;
    do {
      id = kind + "-" + ++made;
    } while (taken.contains(id));
    return id;
  }
}
