package dev.signalbox.kernel.machine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a machine says about an event beyond its name.
 *
 * @param data the type of the event's data; null when the machine does not restrict it
 * @param roles who may send it; empty means anyone who may send at all
 */
public record EventType(
    String name, @Nullable String description, @Nullable Type data, List<String> roles) {

  public EventType {
    roles = List.copyOf(roles);
  }
}
