package dev.signalbox.kernel.machine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Data that travels with an event, an effect or a record: named values, or one value as a whole.
 *
 * @param params named values, in order; a later one with the same name wins
 * @param content the value as a whole; when present there are no params
 */
public record Payload(List<Param> params, @Nullable Operand content) {

  public static final Payload NONE = new Payload(List.of(), null);

  public Payload {
    params = List.copyOf(params);
  }

  public boolean isEmpty() {
    return params.isEmpty() && content == null;
  }

  /**
   * One named value.
   *
   * @param location whether the value is the path of a context field, as SCXML's {@code location}
   *     and {@code namelist} give it; then the value is a literal String
   */
  public record Param(String name, Operand value, boolean location) {
    public static Param of(String name, Operand value) {
      return new Param(name, value, false);
    }
  }
}
