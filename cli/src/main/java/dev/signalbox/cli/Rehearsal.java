package dev.signalbox.cli;

import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Environment;
import dev.signalbox.kernel.EventRule;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Type;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds ways that an instance of a machine may go, by trying events on a stage that nobody sees.
 * The data is guessed from what the event declares. Nothing outside is called there, so a way goes
 * only as far as callers can take it.
 */
final class Rehearsal {
  private final Signalbox stage;
  private final Machine machine;
  private final Environment environment;

  /** An event that its states, guards and roles permit. */
  record Move(String event, @Nullable Object data, Actor actor) {}

  Rehearsal(Signalbox stage, Machine machine) {
    this.stage = stage;
    this.machine = machine;
    this.environment = Environment.of(machine);
  }

  /**
   * A way of at most so many steps that leads on and on: it does not end the instance and comes to
   * no states twice. What a machine names first is what it is there for, so that is tried first.
   */
  List<Move> way(int steps) {
    List<Move> way = new ArrayList<>();
    Instance now = walked(way);
    Set<List<String>> seen = new HashSet<>();
    while (now != null && way.size() < steps) {
      seen.add(now.states());
      now = further(way, now.awaited(), seen);
    }
    return way;
  }

  /** Puts the next move behind the way; null when there is none. */
  private @Nullable Instance further(List<Move> way, List<String> awaited, Set<List<String>> seen) {
    for (EventRule rule : sendable(awaited)) {
      way.add(move(rule));
      Instance then = walked(way);
      if (then != null && then.status().equals("live") && !seen.contains(then.states())) {
        return then;
      }
      way.removeLast();
    }
    return null;
  }

  /** A fresh instance at the end of the way, or null when something on it is refused. */
  private @Nullable Instance walked(List<Move> way) {
    Reply started =
        stage.submit(new Command.Start(machine.name(), null, Map.of(), Actor.SYSTEM, null));
    if (!(started instanceof Reply.Accepted(Receipt receipt))) {
      return null;
    }
    for (Move move : way) {
      Command.Send send =
          new Command.Send(receipt.instance(), move.event(), move.data(), move.actor(), null, null);
      if (stage.carryOutForCaller(machine.name(), send) instanceof Reply.Rejected) {
        return null;
      }
    }
    return stage.instance(receipt.instance());
  }

  /** What may be sent where these are awaited, in their order. */
  private List<EventRule> sendable(List<String> awaited) {
    Set<String> names = new LinkedHashSet<>();
    awaited.forEach(descriptor -> names.addAll(environment.names(List.of(descriptor))));
    return names.stream().map(environment::rule).toList();
  }

  private static Move move(EventRule rule) {
    EventType nearest = rule.nearest();
    Type data = nearest == null ? null : nearest.data();
    return new Move(rule.event(), data == null ? null : guess(data), actor(rule));
  }

  /** A person who may send it, or the program where no person may. */
  private static Actor actor(EventRule rule) {
    Set<String> roles = new LinkedHashSet<>();
    rule.roles().forEach(any -> roles.add(any.getFirst()));
    Actor person =
        new Actor(
            Actor.Kind.USER, "demo", roles.isEmpty() ? List.of("operator") : List.copyOf(roles));
    return rule.permits(new Environment.Sender.Caller(person)) ? person : Actor.SYSTEM;
  }

  private static Object guess(Type type) {
    if (!type.values().isEmpty()) {
      return type.values().getFirst();
    }
    return switch (type.kind()) {
      case BOOL -> true;
      case INT -> 1L;
      case DOUBLE -> 0.9;
      case STRING, ANY -> "demo";
      case LIST -> type.item() == null ? List.of() : List.of(guess(type.item()));
      case MAP -> Map.of();
      case OBJECT -> {
        Map<String, Object> fields = new LinkedHashMap<>();
        type.fields()
            .forEach((name, field) -> {
              if (!field.optional()) {
                fields.put(name, guess(field));
              }
            });
        yield fields;
      }
    };
  }
}
