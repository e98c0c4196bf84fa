package dev.signalbox.testkit.falsify;

import dev.signalbox.journal.EffectRow;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import dev.signalbox.kernel.machine.Type;
import dev.signalbox.runtime.Instance;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the outside tries on a machine: every name that the machine mentions and others that begin
 * like it, small data around the numbers that its text mentions, everybody who may have a role, and
 * the reserved names too, since it is the runtime that must refuse them.
 */
final class Repertoire {
  private static final int MOST_ACTS = 40;
  private static final int MOST_DATA = 7;
  private static final int MOST_INPUTS = 6;
  private static final int MORE_INPUTS = 200;
  private static final int PAIRS = 6;
  private static final Pattern EVENT_FIELD = Pattern.compile("event\\.([a-z]\\w*)");
  private static final Pattern WHOLE = Pattern.compile("(?<![\\w.])(\\d{1,19})(?![\\w.])");
  private static final List<String> OUTCOMES = List.of("succeeded", "failed", "unknown");

  private final Machine machine;
  private final Random random;
  private final Set<String> events = new LinkedHashSet<>();
  private final Set<String> fields = new LinkedHashSet<>();
  private final Set<Long> numbers = new LinkedHashSet<>(List.of(0L, 1L, 5L, -1L));
  private final Map<String, EventType> declared = new LinkedHashMap<>();
  private final List<String> roles = new ArrayList<>();
  private final boolean asksForActors;

  /** Whether instances send to others, whose answer may come after the next event. */
  private final boolean tellsOthers;

  /**
   * @param text of the machine, which is read for the numbers and the fields it mentions
   */
  Repertoire(Machine machine, String text, Random random) {
    this.machine = machine;
    this.random = random;
    this.tellsOthers = text.contains("instance");
    this.asksForActors = text.contains("actor");
    Matcher field = EVENT_FIELD.matcher(text);
    while (field.find()) {
      fields.add(field.group(1));
    }
    Matcher number = WHOLE.matcher(text);
    while (number.find() && numbers.size() < 24) {
      BigInteger value = new BigInteger(number.group(1));
      if (value.bitLength() < Long.SIZE - 1) {
        numbers.add(value.longValue());
        numbers.add(value.longValue() + 1);
        numbers.add(value.longValue() - 1);
      }
    }
    for (EventType type : machine.events()) {
      declared.put(type.name(), type);
      mention(type.name());
      for (String role : type.roles()) {
        if (!role.equals("system") && !role.equals("timer") && !role.startsWith("machine:")) {
          roles.add(role);
        }
      }
    }
    mention(machine.root());
    for (Invariant invariant : machine.invariants()) {
      Matcher name = Pattern.compile("event=([^\\]]+)").matcher(invariant.toString());
      while (name.find()) {
        mention(name.group(1));
      }
    }
    for (Action.Perform perform : machine.effects()) {
      mention(perform.reply());
      OUTCOMES.forEach(outcome -> mention(perform.reply() + "." + outcome));
    }
  }

  private void mention(State state) {
    for (Transition transition : state.transitions()) {
      if (transition.trigger() instanceof Trigger.On on) {
        on.descriptors().forEach(this::mention);
      }
    }
    state.children().forEach(this::mention);
  }

  private void mention(String descriptor) {
    String core =
        descriptor.endsWith(".*") ? descriptor.substring(0, descriptor.length() - 2) : descriptor;
    if (core.equals("*")) {
      events.add("zz");
      return;
    }
    events.add(core);
    events.add(core + ".x");
  }

  /** Somebody who has every role that anybody from outside can have. */
  Actor powerful() {
    return new Actor(Actor.Kind.USER, "max", roles);
  }

  /** What a start may be given. */
  List<Map<String, @Nullable Object>> inputs() {
    List<Map<String, @Nullable Object>> inputs = new ArrayList<>();
    inputs.add(Map.of());
    inputs.addAll(inputs(MOST_INPUTS));
    return inputs;
  }

  /** What else it may be given, where all that was tried is refused. */
  List<Map<String, @Nullable Object>> moreInputs() {
    return inputs(MORE_INPUTS);
  }

  private List<Map<String, @Nullable Object>> inputs(int most) {
    List<Map<String, @Nullable Object>> inputs = new ArrayList<>();
    List<Field> open = machine.context().stream().filter(field -> !field.own()).toList();
    for (int i = 0; i < most && !open.isEmpty(); i++) {
      Map<String, @Nullable Object> input = new LinkedHashMap<>();
      for (Field field : open) {
        if (i == 0 || random.nextInt(3) > 0) {
          input.put(field.name(), one(values(field.type(), field.name())));
        }
      }
      inputs.add(input);
    }
    return inputs;
  }

  /** What can happen to the instance next; never more than a node of the search can bear. */
  List<Act> acts(Instance instance, List<EffectRow> effects, boolean patient) {
    List<Act> inside = new ArrayList<>();
    Set<String> replies = new LinkedHashSet<>();
    effects.forEach(effect -> replies.add(effect.reply()));
    for (String reply : replies) {
      for (String outcome : OUTCOMES) {
        List<@Nullable Object> data = outcome.equals("succeeded") ? data(null) : nothing();
        Collections.shuffle(data, random);
        data.stream().limit(3).forEach(one -> inside.add(new Act.Conclude(reply, outcome, one)));
      }
    }
    boolean timed = !instance.deadlines().isEmpty();
    if (timed) {
      inside.add(new Act.Wait(Act.Until.THE_NEXT_TIMER));
      if (instance.deadlines().size() > 1) {
        inside.add(new Act.Wait(Act.Until.THE_LAST_TIMER));
      }
      if (patient) {
        inside.add(new Act.Wait(Act.Until.BEFORE_THE_NEXT_TIMER));
      }
    }
    List<Act> sends = new ArrayList<>();
    for (String event : events) {
      EventType type = declared.get(event);
      List<@Nullable Object> data = data(type == null ? null : type.data());
      for (int i = 0; i < data.size(); i++) {
        for (Actor actor : actors(type)) {
          sends.add(new Act.Send(event, data.get(i), actor, false));
          if (timed && i == 0) {
            sends.add(new Act.Send(event, data.get(i), actor, true));
          }
        }
      }
    }
    Collections.shuffle(sends, random);
    if (tellsOthers && sends.size() > 1) {
      for (int i = 0; i < PAIRS; i++) {
        sends.addFirst(new Act.Together(List.of(oneOf(sends), oneOf(sends))));
      }
    }
    int most = Math.max(10, MOST_ACTS - inside.size());
    inside.addAll(sends.subList(0, Math.min(most, sends.size())));
    return inside;
  }

  private Act.Send oneOf(List<Act> sends) {
    return one(sends) instanceof Act.Send send
        ? new Act.Send(send.event(), send.data(), send.actor(), false)
        : new Act.Send("zz", null, Run.ANYONE, false);
  }

  private List<Actor> actors(@Nullable EventType type) {
    List<Actor> actors = new ArrayList<>();
    if (type != null && !type.roles().isEmpty()) {
      for (String role : type.roles()) {
        if (roles.contains(role)) {
          actors.add(new Actor(Actor.Kind.USER, "lee", List.of(role)));
        }
      }
      if (random.nextInt(4) == 0) {
        actors.add(Run.ANYONE);
      }
      actors.add(new Actor(Actor.Kind.AGENT, "bot", List.of()));
    } else {
      actors.add(Run.ANYONE);
      if (asksForActors) {
        actors.add(new Actor(Actor.Kind.AGENT, "bot", List.of()));
        actors.add(new Actor(Actor.Kind.USER, "lee", roles));
      }
    }
    return actors;
  }

  private static List<@Nullable Object> nothing() {
    List<@Nullable Object> nothing = new ArrayList<>();
    nothing.add(null);
    return nothing;
  }

  private List<@Nullable Object> data(@Nullable Type type) {
    Map<String, @Nullable Type> wanted = new LinkedHashMap<>();
    fields.forEach(field -> wanted.put(field, null));
    if (type != null && type.kind() == Type.Kind.OBJECT) {
      wanted.putAll(type.fields());
      wanted.keySet().retainAll(type.fields().keySet());
    }
    if (wanted.isEmpty()) {
      return nothing();
    }
    Set<@Nullable Object> data = new LinkedHashSet<>();
    for (int i = 0; i < MOST_DATA; i++) {
      Map<String, @Nullable Object> one = new LinkedHashMap<>();
      wanted.forEach(
          (name, known) -> one.put(name, one(values(known == null ? Type.ANY : known, name))));
      data.add(one);
    }
    return new ArrayList<>(data);
  }

  private <T> T one(List<T> values) {
    return values.get(random.nextInt(values.size()));
  }

  /** Values of the type; where that is not told, the first letter of the name tells it. */
  private List<@Nullable Object> values(Type type, String name) {
    if (!type.values().isEmpty()) {
      return new ArrayList<>(type.values());
    }
    return switch (type.kind()) {
      case BOOL -> new ArrayList<>(List.of(true, false));
      case INT -> new ArrayList<>(numbers);
      case DOUBLE -> new ArrayList<>(List.of(0.0, 1.0, -1.0, 0.5, 1e308, -1e308));
      case STRING ->
          new ArrayList<>(
              tellsOthers
                  ? List.of("", "a", Run.ITSELF, Run.ITSELF)
                  : List.of("", "a", "b", "i-1"));
      case LIST -> lists();
      case MAP, OBJECT -> new ArrayList<>(List.of(Map.of(), Map.of("a", 1L)));
      case ANY ->
          switch (name.charAt(0)) {
            case 'n' -> values(Type.INT, name);
            case 'd' -> values(Type.DOUBLE, name);
            case 's' -> values(Type.STRING, name);
            case 'b' -> values(Type.BOOL, name);
            case 'l' -> lists();
            default -> {
              List<@Nullable Object> all =
                  new ArrayList<>(List.of("", "a", Map.of(), 0L, 1L, true));
              all.addAll(lists());
              yield all;
            }
          };
    };
  }

  private static List<@Nullable Object> lists() {
    return new ArrayList<>(List.of(List.of(), List.of(0L), List.of(1L, 2L), List.of(1L, 1L, 5L)));
  }
}
