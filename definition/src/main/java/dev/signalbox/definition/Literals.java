package dev.signalbox.definition;

import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Java values as the values of a machine. */
public final class Literals {
  private Literals() {}

  /** The value as an operand. */
  public static Operand.Literal of(@Nullable Object value) {
    return Operand.literal(json(value));
  }

  /** Named values, each an expression. */
  public static Payload payload(Map<String, String> expressions) {
    List<Payload.Param> params = new ArrayList<>();
    expressions.forEach((name, text) -> params.add(Payload.Param.of(name, Operand.expr(text))));
    return new Payload(params, null);
  }

  /**
   * The value in the types of the model: whole numbers are Long, others Double.
   *
   * @throws IllegalArgumentException when it is not a JSON value
   */
  public static @Nullable Object json(@Nullable Object value) {
    return switch (value) {
      case null -> null;
      case Boolean truth -> truth;
      case String text -> text;
      case Long number -> number;
      case Integer number -> number.longValue();
      case Short number -> number.longValue();
      case Byte number -> number.longValue();
      case Double number when Double.isFinite(number) -> number;
      case Float number when Float.isFinite(number) -> number.doubleValue();
      case List<?> list -> {
        List<@Nullable Object> items = new ArrayList<>(list.size());
        for (Object item : list) {
          items.add(json(item));
        }
        yield Collections.unmodifiableList(items);
      }
      case Map<?, ?> map -> {
        Map<String, @Nullable Object> entries = new LinkedHashMap<>();
        map.forEach((key, inner) -> entries.put(String.valueOf(key), json(inner)));
        yield Collections.unmodifiableMap(entries);
      }
      default ->
          throw new IllegalArgumentException(
              "Expected a JSON value, but found a " + value.getClass().getName() + ".");
    };
  }
}
