package dev.signalbox.server.api;

import static dev.signalbox.services.system.Role.ADMIN;
import static dev.signalbox.services.system.Role.AGENT;
import static dev.signalbox.services.system.Role.APPROVER;
import static dev.signalbox.services.system.Role.OPERATOR;

import dev.signalbox.kernel.Environment;
import dev.signalbox.kernel.EventRule;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Type;
import dev.signalbox.runtime.Instance;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.Role;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The events for which an instance waits and that somebody may send, by the names that the author
 * of its machine wrote. Who may is said by the machine's {@link Environment}, as it is for what is
 * sent.
 */
final class WaitingEvents {
  /** The roles of the API that may send events at all. */
  static final Set<Role> SENDERS = Set.of(OPERATOR, APPROVER, AGENT, ADMIN);

  private WaitingEvents() {}

  /** What holds for each of them, in the order in which the states name them. */
  static List<EventRule> of(Catalog catalog, Instance instance) {
    Environment environment = catalog.of(instance.machine(), instance.version()).environment();
    Set<String> names = new LinkedHashSet<>();
    for (String awaited : instance.awaited()) {
      names.addAll(environment.names(List.of(awaited)));
    }
    return names.stream().map(environment::rule).toList();
  }

  /**
   * Whether the caller may send the instance anything; what a service owns is reached through its
   * own routes.
   */
  static boolean maySend(Catalog catalog, Instance instance, Caller caller) {
    return caller.hasAny(SENDERS) && !catalog.isClosed(instance.machine());
  }

  /** The events, and whether the caller's roles allow to send them. */
  static List<Map<String, @Nullable Object>> permitted(
      Catalog catalog, Instance instance, Caller caller) {
    boolean maySend = maySend(catalog, instance, caller);
    Environment.Sender sender = new Environment.Sender.Caller(caller.actor());
    List<Map<String, @Nullable Object>> events = new ArrayList<>();
    for (EventRule rule : of(catalog, instance)) {
      Map<String, @Nullable Object> event = new LinkedHashMap<>();
      event.put("event", rule.event());
      event.put("description", description(rule));
      event.put("roles", roles(rule));
      event.put("allowed", maySend && rule.permits(sender));
      event.put("schema", schema(rule));
      events.add(event);
    }
    return events;
  }

  static @Nullable String description(EventRule rule) {
    EventType nearest = rule.nearest();
    return nearest == null ? null : nearest.description();
  }

  /** Every role that is asked for, by the event itself or a name above it. */
  static List<String> roles(EventRule rule) {
    return rule.roles().stream().flatMap(List::stream).distinct().toList();
  }

  /**
   * What its data must be, by the event itself and the names above it; null when nothing is said.
   */
  static @Nullable Map<String, @Nullable Object> schema(EventRule rule) {
    List<Type> declared =
        rule.types().stream().map(EventType::data).filter(Objects::nonNull).toList();
    if (declared.size() < 2) {
      return declared.isEmpty() ? null : Views.schema(declared.getFirst());
    }
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    if (declared.stream().allMatch(type -> type.kind() == Type.Kind.OBJECT)) {
      all.put("type", "object");
    }
    all.put("allOf", declared.stream().map(Views::schema).toList());
    return all;
  }
}
