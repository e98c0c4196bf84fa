package dev.signalbox.definition.expression;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps personal values out of sentences.
 *
 * <p>Personal is a context field that is declared so, anything computed from it, and a field of the
 * same name elsewhere: an event that brings {@code email} for the personal field {@code email} does
 * not get it printed either.
 */
final class Personal {
  static final String HIDDEN = "«personal»";

  private final Set<String> names;

  Personal(Set<String> names) {
    this.names = names;
  }

  /** The value that the node had, or a sign that it is not shown. */
  String shown(Node node, @Nullable Object value) {
    return isPersonal(node) ? HIDDEN : NodeText.value(names.isEmpty() ? value : redacted(value));
  }

  boolean isPersonal(Node node) {
    return !names.isEmpty()
        && node.any(n ->
            switch (n) {
              case Node.Slot slot -> names.contains(field(slot.text()));
              case Node.SlotPresent slot -> names.contains(field(slot.text()));
              case Node.Select select -> names.contains(select.field());
              case Node.Present present -> names.contains(present.field());
              case Node.Index(_, _, Node.Constant(_, String key)) -> names.contains(key);
              default -> false;
            });
  }

  private static String field(String text) {
    return text.substring(text.indexOf('.') + 1);
  }

  /** The value without what maps have under personal names. */
  private @Nullable Object redacted(@Nullable Object value) {
    return switch (value) {
      case List<?> list -> list.stream().limit(NodeText.WIDTH).map(this::redacted).toList();
      case Map<?, ?> map -> {
        Map<@Nullable Object, @Nullable Object> copy = new LinkedHashMap<>();
        Values.sortedKeys(map).stream()
            .limit(NodeText.WIDTH)
            .forEach(key ->
                copy.put(
                    key,
                    names.contains(String.valueOf(key)) ? Hidden.VALUE : redacted(map.get(key))));
        yield Collections.unmodifiableMap(copy);
      }
      case null, default -> value;
    };
  }

  private enum Hidden {
    VALUE;

    @Override
    public String toString() {
      return HIDDEN;
    }
  }
}
