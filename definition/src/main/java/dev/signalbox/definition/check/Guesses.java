package dev.signalbox.definition.check;

import dev.signalbox.definition.expression.Witnesses;
import dev.signalbox.definition.play.Stimulus;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.kernel.Conformance;
import dev.signalbox.kernel.Environment;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.EventRule;
import dev.signalbox.kernel.Scope;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Type;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Guesses data for events and starts, so that an abstract path becomes a concrete one: what the
 * path asks of the event, put on the proposals of {@link Witnesses}. Guesses may be wrong; what
 * counts is what the kernel does with them.
 */
final class Guesses {
  private static final int MOST_SENDS = 64;
  private static final int MOST_INPUTS = 48;
  private static final int MOST_VALUES = 8;

  /** Far beyond what budgets and limits allow. */
  private static final long LARGE = 1_000_000;

  /** Whoever it is that sends an event for which nobody is asked. */
  private static final Actor SOMEBODY = new Actor(Actor.Kind.USER, "kim", List.of());

  private final Machine machine;
  private final Syntax syntax;
  private final Content content;
  private final Typing typing;
  private final Environment environment;
  private final Witnesses witnesses;
  private final Map<String, List<Operand.Expr>> asked = new HashMap<>();
  private final Map<String, Map<List<String>, List<@Nullable Object>>> given = new HashMap<>();
  private final boolean actorsMatter;
  private final boolean timed;

  Guesses(Machine machine, Content content, Syntax syntax) {
    this.machine = machine;
    this.content = content;
    this.syntax = syntax;
    this.typing = new Typing(machine);
    this.environment = Environment.of(machine);
    this.witnesses = Witnesses.of(machine);
    this.timed =
        content.uses().stream()
            .anyMatch(u -> u.role().isCondition() && u.expr().text().contains("now"));
    this.actorsMatter = content.uses().stream().anyMatch(u -> u.expr().text().contains("actor"));
  }

  /** Whether a condition asks for the time. */
  boolean isTimed() {
    return timed;
  }

  /** Whether an expression asks who sent an event. */
  boolean asksWho() {
    return actorsMatter;
  }

  /** Ways to send the event, the likeliest first. */
  List<Stimulus.Send> sends(String event, Scene scene, Knowledge.Cause cause) {
    Set<Stimulus.Send> sends = new LinkedHashSet<>();
    if (typing.dataOf(event) == null && cause.domains().keySet().stream().noneMatch(Term::event)) {
      sends.add(new Stimulus.Send(event, null, null)); // Nothing was asked of its data.
    }
    Scope scope =
        new Scope(
            scene.chart(),
            scene.snapshot().instance(),
            scene.snapshot().configuration(),
            scene.snapshot().context(),
            Event.external(event),
            scene.now());
    List<Operand.Expr> expressions = asked.computeIfAbsent(event, this::asked);
    List<Witnesses.Candidate> candidates = witnesses.candidates(expressions, event, scope);
    if (!cause.domains().isEmpty()) {
      for (Witnesses.Candidate candidate : candidates) {
        sends.add(send(event, asked(filled(candidate.data(), event), event, cause), candidate));
      }
    }
    for (int i = 0; i < candidates.size(); i++) {
      Witnesses.Candidate candidate = candidates.get(i);
      Object data = filled(candidate.data(), event);
      sends.add(send(event, data, candidate));
      if (i == 0) {
        varied(data, event).forEach(other -> sends.add(send(event, other, candidate)));
      }
      if (i < 2) {
        sends.add(send(event, enlarged(data), candidate));
        sends.add(send(event, lengthened(data), candidate));
      }
    }
    return sends.stream().map(this::permitted).distinct().limit(MOST_SENDS).toList();
  }

  /** Whether the door lets the named actor send each event that is not the engine's own. */
  boolean isAdmitted(List<Stimulus> sequence) {
    for (Stimulus stimulus : sequence) {
      if (stimulus instanceof Stimulus.Send send) {
        EventRule rule = environment.rule(send.event());
        Actor actor = send.actor() == null ? SOMEBODY : send.actor();
        if (rule.isOpen()
            && rule.refusal(send.data(), new Environment.Sender.Caller(actor)) != null) {
          return false;
        }
      }
    }
    return true;
  }

  /** The events of the sequence that nobody outside may send, only a part of the program. */
  Set<String> sentByTheProgram(List<Stimulus> sequence) {
    Set<String> events = new LinkedHashSet<>();
    for (Stimulus stimulus : sequence) {
      if (stimulus instanceof Stimulus.Send send
          && environment.rule(send.event()).isOpen()
          && send.actor() != null
          && send.actor().kind() == Actor.Kind.SYSTEM) {
        events.add(send.event());
      }
    }
    return events;
  }

  /** The event from somebody who may send it, as far as there is one outside. */
  private Stimulus.Send permitted(Stimulus.Send send) {
    EventRule rule = environment.rule(send.event());
    if (!rule.isOpen() || rule.roles().isEmpty()) {
      return send;
    }
    Actor asked = send.actor();
    List<Actor> tried = new ArrayList<>();
    tried.add(asked == null ? SOMEBODY : asked);
    for (EventType type : machine.events()) {
      for (String role : type.roles()) {
        String name = asked == null ? "kim" : asked.name();
        List<String> held = new ArrayList<>(asked == null ? List.of() : asked.roles());
        held.add(role);
        Actor.Kind kind = role.equals("agent") ? Actor.Kind.AGENT : Actor.Kind.USER;
        tried.add(new Actor(kind, name, held));
      }
    }
    for (Actor actor : tried) {
      if (rule.permits(new Environment.Sender.Caller(actor))) {
        return actor == SOMEBODY ? send : new Stimulus.Send(send.event(), send.data(), actor);
      }
    }
    return new Stimulus.Send(send.event(), send.data(), Actor.SYSTEM);
  }

  /**
   * The data with another value in one of its places, where the place goes into a field that
   * conditions ask about later.
   */
  private List<Object> varied(@Nullable Object data, String event) {
    List<Object> all = new ArrayList<>();
    if (data instanceof Map<?, ?> map) {
      given
          .computeIfAbsent(event, this::given)
          .forEach((path, values) -> {
            for (Object value : values) {
              Map<String, @Nullable Object> changed = new LinkedHashMap<>();
              map.forEach((k, v) -> changed.put(String.valueOf(k), v));
              Type type = typing.type(path, event);
              if (type == null || Conformance.fault(type, value, "it") == null) {
                place(changed, path, 1, value);
                all.add(changed);
              }
            }
          });
    }
    return all;
  }

  /** For each place of the event's data that is put into a field, the values worth a try there. */
  private Map<List<String>, List<@Nullable Object>> given(String event) {
    Map<List<String>, List<@Nullable Object>> found = new LinkedHashMap<>();
    for (Content.Use use : content.uses()) {
      if (use.action() instanceof Action.Assign assign
          && Descriptors.anyMatches(use.events(), event)) {
        List<String> path =
            syntax.parse(use.expr().text()).map(Formula.Terms::path).orElse(List.of());
        for (Field field : machine.context()) {
          if (path.size() >= 2
              && path.getFirst().equals("event")
              && field.name().equals(assign.location())) {
            found.put(path, values(field));
          }
        }
      }
    }
    return found;
  }

  private Stimulus.Send send(String event, @Nullable Object data, Witnesses.Candidate candidate) {
    boolean nothing = data == null || (data instanceof Map<?, ?> map && map.isEmpty());
    Object none = typing.dataOf(event) == null ? null : Map.of(); // Not null where it has a form.
    return new Stimulus.Send(
        event, nothing ? none : asRead(data), actorsMatter ? candidate.actor() : null);
  }

  /** The value as it comes out of JSON, which is how all data from outside comes. */
  private static @Nullable Object asRead(@Nullable Object value) {
    return switch (value) {
      case Long number -> CanonicalJson.readBack(number);
      case Double number when Double.isFinite(number) -> CanonicalJson.readBack(number);
      case List<?> list -> list.stream().map(Guesses::asRead).toList();
      case Map<?, ?> map -> {
        Map<String, @Nullable Object> read = new LinkedHashMap<>();
        map.forEach((name, one) -> read.put(String.valueOf(name), asRead(one)));
        yield Collections.unmodifiableMap(read);
      }
      case null, default -> value;
    };
  }

  /** The conditions that the event is held against, and behind them the values it gives. */
  private List<Operand.Expr> asked(String event) {
    List<Operand.Expr> conditions = new ArrayList<>();
    List<Operand.Expr> values = new ArrayList<>();
    for (Content.Use use : content.uses()) {
      boolean heard = Descriptors.anyMatches(use.events(), event);
      if (heard || (use.events().isEmpty() && readsEvent(use))) {
        if (use.role().isCondition()) {
          conditions.add(use.expr());
        } else {
          // As an item of a list, so that it is read as a value and not as a condition.
          values.add(Operand.expr("[" + use.expr().text() + "]"));
        }
      }
    }
    conditions.addAll(values);
    return conditions;
  }

  /** The data with values for the fields it is assigned to, where its own type is not declared. */
  private @Nullable Object filled(@Nullable Object data, String event) {
    if (typing.dataOf(event) != null) {
      return data;
    }
    Map<String, @Nullable Object> changed = new LinkedHashMap<>();
    if (data instanceof Map<?, ?> map) {
      map.forEach((k, v) -> changed.put(String.valueOf(k), v));
    }
    for (Content.Use use : content.uses()) {
      if (use.action() instanceof Action.Assign assign
          && Descriptors.anyMatches(use.events(), event)) {
        List<String> path =
            syntax.parse(use.expr().text()).map(Formula.Terms::path).orElse(List.of());
        Type type = typing.type(List.of("ctx", assign.location()), null);
        if (type != null
            && path.size() >= 2
            && path.getFirst().equals("event")
            && Conformance.fault(type, at(changed, path), "it") != null) {
          place(changed, path, 1, plain(type, path.getLast()));
        }
      }
    }
    return changed;
  }

  private boolean readsEvent(Content.Use use) {
    return syntax.parse(use.expr().text()).map(Formula.Terms::term).filter(Term::event).isPresent();
  }

  /** The data with what the path asks of it. */
  private @Nullable Object asked(@Nullable Object data, String event, Knowledge.Cause cause) {
    Map<String, @Nullable Object> changed = new LinkedHashMap<>();
    if (data instanceof Map<?, ?> map) {
      map.forEach((k, v) -> changed.put(String.valueOf(k), v));
    }
    cause
        .domains()
        .forEach((term, domain) -> {
          if (term.path().isEmpty() || !term.path().getFirst().equals("event")) {
            return;
          }
          Object now = at(changed, term.path());
          if (term.size()) {
            Object size = domain.pick(now instanceof List<?> l ? (long) l.size() : 0L);
            if (size instanceof Long n && !isOfSize(now, n)) {
              place(changed, term.path(), 1, list(type(term.path(), event), n));
            }
          } else if (!domain.allows(Domain.plain(now))) {
            place(changed, term.path(), 1, domain.pick(now));
          }
        });
    return changed.isEmpty() ? null : Collections.unmodifiableMap(changed);
  }

  private static boolean isOfSize(@Nullable Object value, long size) {
    return switch (value) {
      case List<?> list -> list.size() == size;
      case Map<?, ?> map -> map.size() == size;
      case String text -> text.length() == size;
      case null, default -> false;
    };
  }

  private static @Nullable Object at(Map<String, @Nullable Object> data, List<String> path) {
    Object at = data;
    for (String name : path.subList(1, path.size())) {
      at = at instanceof Map<?, ?> map ? map.get(name) : null;
    }
    return at;
  }

  private static void place(
      Map<String, @Nullable Object> map, List<String> path, int at, @Nullable Object value) {
    String name = path.get(at);
    if (at == path.size() - 1) {
      map.put(name, value);
      return;
    }
    Map<String, @Nullable Object> inner = new LinkedHashMap<>();
    if (map.get(name) instanceof Map<?, ?> there) {
      there.forEach((k, v) -> inner.put(String.valueOf(k), v));
    }
    place(inner, path, at + 1, value);
    map.put(name, inner);
  }

  /** The data with its whole numbers far beyond any limit. */
  private static @Nullable Object enlarged(@Nullable Object data) {
    return switch (data) {
      case Long _ -> LARGE;
      case Map<?, ?> map -> {
        Map<String, @Nullable Object> larger = new LinkedHashMap<>();
        map.forEach((k, v) -> larger.put(String.valueOf(k), enlarged(v)));
        yield larger;
      }
      case null, default -> data;
    };
  }

  /** The data with one more item in each list of texts. */
  private static @Nullable Object lengthened(@Nullable Object data) {
    return switch (data) {
      case List<?> list when !list.isEmpty() && list.getLast() instanceof String last -> {
        List<Object> longer = new ArrayList<>(list);
        longer.add(last + "-2");
        yield longer;
      }
      case Map<?, ?> map -> {
        Map<String, @Nullable Object> longer = new LinkedHashMap<>();
        map.forEach((k, v) -> longer.put(String.valueOf(k), lengthened(v)));
        yield longer;
      }
      case null, default -> data;
    };
  }

  /**
   * The declared type of the path, or that of a field it is assigned to; null when neither says.
   */
  private @Nullable Type type(List<String> path, String event) {
    Type declared = typing.type(path, event);
    if (declared != null) {
      return declared;
    }
    String text = String.join(".", path);
    for (Content.Use use : content.uses()) {
      if (use.action() instanceof Action.Assign assign
          && use.expr().text().strip().equals(text)
          && (use.events().isEmpty() || Descriptors.anyMatches(use.events(), event))) {
        return typing.type(List.of("ctx", assign.location()), null);
      }
    }
    return null;
  }

  /**
   * Values for the fields at the start, the likeliest first: where the machine assigns a field that
   * has a value, a start will leave it alone.
   *
   * @param fields those that a start may give a value
   */
  List<Map<String, @Nullable Object>> inputs(Set<String> fields) {
    Set<String> assigned = new HashSet<>();
    for (Content.Act act : content.acts()) {
      if (act.action() instanceof Action.Assign assign) {
        assigned.add(assign.location());
      }
    }
    Set<String> likely = new HashSet<>(fields);
    for (Field field : machine.context()) {
      if (field.initial() != null && assigned.contains(field.name())) {
        likely.remove(field.name());
      }
    }
    Set<Map<String, @Nullable Object>> all = new LinkedHashSet<>(combined(likely));
    all.addAll(combined(fields));
    return List.copyOf(all);
  }

  /** Values for all of the fields, the plainest first. */
  private List<Map<String, @Nullable Object>> combined(Set<String> fields) {
    List<Map<String, @Nullable Object>> inputs = new ArrayList<>();
    inputs.add(new LinkedHashMap<>());
    for (Field field : machine.context()) {
      if (!fields.contains(field.name())) {
        continue;
      }
      List<Map<String, @Nullable Object>> more = new ArrayList<>();
      for (Object value : values(field)) {
        for (Map<String, @Nullable Object> input : inputs) {
          if (more.size() < MOST_INPUTS) {
            Map<String, @Nullable Object> with = new LinkedHashMap<>(input);
            with.put(field.name(), value);
            more.add(with);
          }
        }
      }
      inputs = more;
    }
    return inputs;
  }

  /** Values of the field that are worth a try, the plainest first. */
  List<@Nullable Object> values(Field field) {
    Set<@Nullable Object> values = new LinkedHashSet<>();
    values.add(plain(field.type(), field.name()));
    if (field.initial() instanceof Operand.Literal(Object value)) {
      values.add(value);
      if (value instanceof Map<?, ?> map) {
        values.addAll(emptied(map));
      }
    }
    values.addAll(field.type().values());
    for (Content.Use use : content.uses()) {
      if (use.role().isCondition()) {
        syntax
            .parse(use.expr().text())
            .map(Formula::of)
            .ifPresent(f -> constants(f, field.name(), values));
      }
    }
    Set<@Nullable Object> read = new LinkedHashSet<>();
    values.forEach(value -> read.add(asRead(value)));
    return read.stream().limit(MOST_VALUES).toList();
  }

  /** The map with nothing in one of its places for a whole number. */
  private static List<Object> emptied(Map<?, ?> map) {
    List<Object> all = new ArrayList<>();
    map.forEach((key, value) -> {
      if (value instanceof Long) {
        Map<Object, @Nullable Object> changed = new LinkedHashMap<>(map);
        changed.put(key, 0L);
        all.add(Collections.unmodifiableMap(changed));
      }
    });
    return all;
  }

  /** Constants that the condition compares the field with, and their neighbours. */
  private static void constants(Formula formula, String field, Set<@Nullable Object> values) {
    switch (formula) {
      case Formula.And(List<Formula> parts) -> parts.forEach(p -> constants(p, field, values));
      case Formula.Or(List<Formula> parts) -> parts.forEach(p -> constants(p, field, values));
      case Formula.Compare(Term term, Formula.Sign _, Object constant) -> {
        if (isField(term, field)) {
          values.add(constant);
          if (constant instanceof Long n) {
            values.add(n + 1);
            values.add(n - 1);
          }
        }
      }
      case Formula.Holds(Term term, boolean _) -> {
        if (isField(term, field)) {
          values.addAll(List.of(true, false));
        }
      }
      case Formula.OneOf(Term term, List<@Nullable Object> constants, boolean _) -> {
        if (isField(term, field)) {
          values.addAll(constants);
        }
      }
      case Formula.Sum sum -> {
        constants(sum.otherwise(), field, values);
        if (sum.sum().parts().size() == 1
            && isField(sum.sum().parts().keySet().iterator().next(), field)) {
          values.addAll(List.of(sum.constant(), sum.constant() + 1, sum.constant() - 1));
        }
      }
      case Formula.Truth _, Formula.Same _ -> {}
    }
  }

  private static boolean isField(Term term, String field) {
    return term.isPath() && term.path().size() == 2 && term.path().get(1).equals(field);
  }

  /** A value of the type, as plain as can be. */
  private static @Nullable Object plain(Type type, String name) {
    if (!type.values().isEmpty()) {
      return type.values().getFirst();
    }
    return switch (type.kind()) {
      case ANY, STRING -> name;
      case BOOL -> true;
      case INT -> 1L;
      case DOUBLE -> 0.5;
      case LIST -> list(type, 1);
      case MAP -> Map.of();
      case OBJECT -> {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        type.fields()
            .forEach((field, inner) -> {
              if (!inner.optional()) {
                object.put(field, plain(inner, field));
              }
            });
        yield object;
      }
    };
  }

  private static List<Object> list(@Nullable Type type, long size) {
    List<Object> items = new ArrayList<>();
    Type item = type == null ? null : type.item();
    for (long i = 1; i <= Math.min(size, 20); i++) {
      Object made = item == null ? null : plain(item, "item" + i);
      items.add(made == null ? "item" + i : made);
    }
    return items;
  }
}
