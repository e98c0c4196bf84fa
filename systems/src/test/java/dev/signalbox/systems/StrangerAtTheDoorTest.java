package dev.signalbox.systems;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Environment;
import dev.signalbox.kernel.EventRule;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Type;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.ManualSignalbox;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.testkit.ManualClock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Somebody without a role, before every machine that ships, in every state that a walk finds. */
class StrangerAtTheDoorTest {
  private static final Actor STRANGER = new Actor(Actor.Kind.USER, "eve", List.of());
  private static final List<String> SUFFIXES = List.of("", ".", ".x", ".x.y", "..", ".*", "x");
  private static final int STEPS = 150;

  static List<String> names() {
    return SystemMachines.names();
  }

  @ParameterizedTest
  @MethodSource("names")
  void no_name_leads_past_a_role_or_to_what_an_effect_reports(String name) {
    ManualClock clock = new ManualClock();
    ManualSignalbox box =
        new ManualSignalbox(new MemoryJournal(clock), Settings.DEFAULT, clock, new Random(1));
    SystemMachines.names().forEach(one -> SystemMachines.publish(box, one));
    Machine machine = SystemMachines.machine(name);
    Environment environment = Environment.of(machine);
    List<String> forbidden = forbidden(machine, environment);
    Random random = new Random(16);
    Set<List<String>> seen = new HashSet<>();
    int begun = 0;
    Instance at = null;
    for (int step = 0; step < STEPS; step++) {
      if (at == null || !at.status().equals("live")) {
        at = begun(box, machine, begun++);
      }
      if (seen.add(at.states())) {
        for (String event : forbidden) {
          Command.Send send = new Command.Send(at.id(), event, null, STRANGER, null, null);
          assertThat(reply(box, send))
              .as("'%s' to %s in %s", event, name, at.states())
              .isInstanceOf(Reply.Rejected.class);
        }
      }
      at = further(box, at, environment, random);
    }
    assertThat(seen).as("states of " + name).isNotEmpty();
  }

  /** The names that a stranger may not send, whatever the state. */
  private static List<String> forbidden(Machine machine, Environment environment) {
    Set<String> bases = new LinkedHashSet<>();
    for (EventType type : machine.events()) {
      EventRule rule = environment.rule(type.name());
      if (!rule.permits(new Environment.Sender.Caller(STRANGER))) {
        bases.add(type.name());
      }
    }
    for (String reply : environment.replies()) {
      Environment.OUTCOMES.forEach(outcome -> bases.add(reply + "." + outcome));
    }
    bases.addAll(
        List.of("error.communication", "done.invoke.x", "done.state.x", "error.execution"));
    List<String> names = new ArrayList<>();
    for (String base : bases) {
      SUFFIXES.forEach(suffix -> names.add(base + suffix));
    }
    return names;
  }

  private static Reply reply(ManualSignalbox box, Command command) {
    var reply = box.submit(command);
    box.rest();
    return reply.join();
  }

  private static Instance begun(ManualSignalbox box, Machine machine, int number) {
    Map<String, @Nullable Object> needed = new LinkedHashMap<>();
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    for (Field field : machine.context()) {
      if (!field.own()) {
        all.put(field.name(), guess(field.type()));
        if (field.initial() == null) {
          needed.put(field.name(), guess(field.type()));
        }
      }
    }
    for (Map<String, @Nullable Object> input : List.of(needed, all)) {
      String id = "i-" + number + "-" + input.size();
      Command start = new Command.Start(machine.name(), id, input, Actor.SYSTEM, null);
      if (reply(box, start) instanceof Reply.Accepted(Receipt receipt)) {
        return box.at(id, receipt.sequence());
      }
    }
    throw new AssertionError("'%s' can't be started.".formatted(machine.name()));
  }

  /** Where the instance is after something that may be sent was, by somebody who may. */
  private static Instance further(
      ManualSignalbox box, Instance at, Environment environment, Random random) {
    List<String> names = environment.names(at.awaited());
    if (!names.isEmpty()) {
      EventRule rule = environment.rule(names.get(random.nextInt(names.size())));
      Set<String> roles = new LinkedHashSet<>();
      rule.roles().forEach(roles::addAll);
      EventType type = rule.nearest();
      Type data = type == null ? null : type.data();
      Actor actor =
          new Actor(
              random.nextBoolean() ? Actor.Kind.SYSTEM : Actor.Kind.USER,
              "ann",
              List.copyOf(roles));
      Object given = data == null ? null : guess(data);
      reply(box, new Command.Send(at.id(), rule.event(), given, actor, null, null));
    }
    Instance now = box.find(at.id());
    return now == null ? at : now;
  }

  private static Object guess(Type type) {
    if (!type.values().isEmpty()) {
      return type.values().getFirst();
    }
    return switch (type.kind()) {
      case BOOL -> true;
      case INT -> 1L;
      case DOUBLE -> 0.5;
      case STRING, ANY -> "x";
      case LIST -> type.item() == null ? List.of() : List.of(guess(type.item()));
      case MAP -> Map.of();
      case OBJECT -> {
        Map<String, Object> fields = new LinkedHashMap<>();
        type.fields().forEach((name, field) -> fields.put(name, guess(field)));
        yield fields;
      }
    };
  }
}
