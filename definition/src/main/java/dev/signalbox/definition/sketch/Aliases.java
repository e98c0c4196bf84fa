package dev.signalbox.definition.sketch;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Gives every state a name that a format can hold: its id where that is one, else another. */
public final class Aliases {
  private final Map<String, String> names = new HashMap<>();
  private final Set<String> taken = new HashSet<>();
  private final Predicate<String> valid;

  /**
   * @param valid whether the format can hold a name; with digits behind it, it must remain one
   */
  public Aliases(List<String> ids, Predicate<String> valid) {
    this.valid = valid;
    for (String id : ids) {
      if (valid.test(id)) {
        names.put(id, id);
        taken.add(id);
      }
    }
    ids.forEach(this::of);
  }

  /** The name of the state. */
  public String of(String id) {
    return names.computeIfAbsent(id, this::alias);
  }

  public boolean isAliased(String id) {
    return !of(id).equals(id);
  }

  private String alias(String id) {
    StringBuilder stem = new StringBuilder();
    id.codePoints()
        .limit(60)
        .forEach(c -> {
          if (Character.isLetterOrDigit(c)) {
            stem.appendCodePoint(c);
          } else if (!stem.isEmpty() && stem.charAt(stem.length() - 1) != '_') {
            stem.append('_');
          }
        });
    String base =
        Stream.of(stem.toString(), stem + "_", "s_" + stem)
            .filter(s -> !s.isEmpty() && valid.test(s))
            .findFirst()
            .orElse("s");
    String name = base;
    for (int number = 2; !taken.add(name); number++) {
      name = base + number;
    }
    return name;
  }
}
