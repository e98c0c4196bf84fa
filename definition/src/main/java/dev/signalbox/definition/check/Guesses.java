package dev.signalbox.definition.check;

import dev.cel.common.ast.CelExpr;
import dev.signalbox.definition.play.Stimulus;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Expression;
import dev.signalbox.kernel.ExpressionCompiler;
import dev.signalbox.kernel.Scope;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Type;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Guesses data for events, so that an abstract path becomes a concrete one. Guesses may be wrong:
 * what counts is what the kernel does with them.
 */
final class Guesses {
  private static final int MOST_COMBINATIONS = 48;
  private static final int MOST_VALUES = 6;

  private final Machine machine;
  private final Syntax syntax;
  private final Content content;
  private final Typing typing;
  private final ExpressionCompiler expressions;
  private final Context.Layout layout;
  private final Map<String, Hints> hints = new HashMap<>();
  private final IdentityHashMap<CelExpr, String> texts = new IdentityHashMap<>();
  private final Map<String, Optional<Expression>> compiled = new HashMap<>();

  Guesses(
      Machine machine,
      Content content,
      Syntax syntax,
      ExpressionCompiler expressions,
      Context.Layout layout) {
    this.machine = machine;
    this.content = content;
    this.syntax = syntax;
    this.expressions = expressions;
    this.layout = layout;
    this.typing = new Typing(machine);
  }

  /** Ways to send the event, the likeliest first. */
  List<Stimulus.Send> sends(String event, Scene scene, Knowledge.Cause cause) {
    Hints known = hints.computeIfAbsent(event, this::read);
    Map<List<String>, List<@Nullable Object>> choices = new LinkedHashMap<>();
    Type type = typing.dataOf(event);
    known
        .all()
        .forEach((path, found) -> choices.put(path, values(path, found, event, scene, cause)));
    for (Term term : cause.domains().keySet()) {
      if (term.isPath() && term.path().getFirst().equals("event")) {
        choices.computeIfAbsent(term.path(), p -> values(p, Set.of(), event, scene, cause));
      }
    }
    List<Stimulus.Send> sends = new ArrayList<>();
    if (type == null && cause.domains().keySet().stream().noneMatch(Term::event)) {
      sends.add(new Stimulus.Send(event, null, null)); // Nothing was asked of its data.
    }
    for (Map<List<String>, @Nullable Object> combination : combinations(choices)) {
      Object data = data(type, combination);
      sends.add(new Stimulus.Send(event, data, actor(combination)));
    }
    return sends;
  }

  /**
   * Values for the fields at the start, the plainest first.
   *
   * @param fields those that a start may give a value
   */
  List<Map<String, @Nullable Object>> inputs(Set<String> fields) {
    Map<List<String>, List<@Nullable Object>> choices = new LinkedHashMap<>();
    for (Field field : machine.context()) {
      if (fields.contains(field.name())) {
        Set<@Nullable Object> values = new LinkedHashSet<>();
        values.add(plain(field.type(), field.name()));
        if (field.initial() instanceof Operand.Literal(Object value)) {
          values.add(value);
        }
        values.addAll(field.type().values());
        constants(field.name(), values);
        choices.put(List.of(field.name()), values.stream().limit(MOST_VALUES).toList());
      }
    }
    List<Map<String, @Nullable Object>> inputs = new ArrayList<>();
    for (Map<List<String>, @Nullable Object> combination : combinations(choices)) {
      Map<String, @Nullable Object> input = new LinkedHashMap<>();
      combination.forEach((path, value) -> input.put(path.getFirst(), value));
      inputs.add(input);
    }
    return inputs;
  }

  /** Constants that conditions compare the field with. */
  private void constants(String field, Set<@Nullable Object> values) {
    for (Content.Use use : content.uses()) {
      if (use.role().isCondition()) {
        syntax
            .parse(use.expr().text())
            .map(Formula::of)
            .ifPresent(f -> constants(f, field, values));
      }
    }
  }

  private static void constants(Formula formula, String field, Set<@Nullable Object> values) {
    switch (formula) {
      case Formula.And(List<Formula> parts) -> parts.forEach(p -> constants(p, field, values));
      case Formula.Or(List<Formula> parts) -> parts.forEach(p -> constants(p, field, values));
      case Formula.Compare(Term term, Formula.Sign _, Object constant) -> {
        if (term.isPath() && term.path().size() == 2 && term.path().get(1).equals(field)) {
          values.add(constant);
          if (constant instanceof Long n) {
            values.add(n + 1);
            values.add(n - 1);
          }
        }
      }
      case Formula.Holds(Term term, boolean _) -> {
        if (term.isPath() && term.path().size() == 2 && term.path().get(1).equals(field)) {
          values.add(true);
          values.add(false);
        }
      }
      case Formula.OneOf _, Formula.Truth _, Formula.Same _ -> {}
    }
  }

  private Hints read(String event) {
    Hints found = new Hints();
    for (Content.Use use : content.uses()) {
      List<String> descriptors = use.events();
      if (descriptors.isEmpty() || Descriptors.anyMatches(descriptors, event)) {
        Optional<CelExpr> tree = syntax.parse(use.expr().text());
        if (use.role().isCondition()) {
          tree.ifPresent(found::condition);
        } else if (!descriptors.isEmpty()) {
          tree.ifPresent(found::read);
        }
      }
    }
    return found;
  }

  private List<@Nullable Object> values(
      List<String> path, Set<Hints.Hint> found, String event, Scene scene, Knowledge.Cause cause) {
    Type type = type(path, event);
    Set<@Nullable Object> values = new LinkedHashSet<>();
    Object plain = type == null ? null : plain(type, path.getLast());
    String text = String.join(".", path);
    for (Map.Entry<Term, Domain> known : cause.domains().entrySet()) {
      if (known.getKey().text().equals(text)) {
        values.add(known.getValue().pick(plain));
      } else if (known.getKey().text().equals("size(" + text + ")")
          && known.getValue().pick(0L) instanceof Long size) {
        values.add(list(type, size));
      } else if (known.getKey().text().equals("has(" + text + ")")
          && !known.getValue().allows(true)) {
        values.add(MISSING);
      }
    }
    for (Hints.Hint hint : found) {
      hinted(hint, type, scene, values);
    }
    if (type != null) {
      values.add(plain);
      if (type.kind() == Type.Kind.INT) {
        values.addAll(List.of(1_000_000L, 0L));
      }
      type.values().stream().limit(3).forEach(values::add);
    } else if (values.isEmpty()) {
      values.add("x");
      values.add(1L);
    }
    if (path.getFirst().equals("actor") && path.getLast().equals("name")) {
      values.addAll(List.of("alice", "bob", "carol"));
    }
    return values.stream().limit(MOST_VALUES).toList();
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

  /** Stands for no value at all. */
  private static final Object MISSING = new Object();

  private void hinted(
      Hints.Hint hint, @Nullable Type type, Scene scene, Set<@Nullable Object> values) {
    switch (hint) {
      case Hints.Hint.Near(CelExpr other) ->
          evaluate(other, scene)
              .ifPresent(value -> {
                values.add(value);
                if (value instanceof Long n) {
                  values.add(n + 1);
                  values.add(n - 1);
                } else if (value instanceof Double d) {
                  values.add(d + 0.1);
                  values.add(d - 0.1);
                } else if (value instanceof String) {
                  values.add("other");
                }
              });
      case Hints.Hint.Among(CelExpr list) ->
          evaluate(list, scene)
              .ifPresent(value -> {
                if (value instanceof List<?> items) {
                  items.stream().limit(2).forEach(values::add);
                }
              });
      case Hints.Hint.Holding(CelExpr item) ->
          evaluate(item, scene).ifPresent(value -> values.add(List.of(value)));
      case Hints.Hint.Sized(long size) -> {
        for (long n = size; n <= size + 1; n++) {
          values.add(list(type, n));
        }
      }
      case Hints.Hint.Mapped(String field, List<Object> wanted) -> {
        Type item = type == null ? null : type.item();
        List<Object> items = new ArrayList<>();
        for (Object value : wanted) {
          Map<String, @Nullable Object> map = new LinkedHashMap<>();
          if (item != null && plain(item, "item") instanceof Map<?, ?> made) {
            made.forEach((k, v) -> map.put(String.valueOf(k), v));
          }
          map.put(field, value);
          items.add(map);
        }
        values.add(items);
      }
      case Hints.Hint.Flag() -> {
        values.add(true);
        values.add(false);
      }
      case Hints.Hint.Optional() -> values.add(MISSING);
    }
  }

  private Optional<Object> evaluate(CelExpr expr, Scene scene) {
    String text = texts.computeIfAbsent(expr, Syntax::text);
    Optional<Expression> code = compiled.computeIfAbsent(text, this::compile);
    Scope scope =
        new Scope(
            scene.chart(),
            scene.snapshot().instance(),
            scene.snapshot().configuration(),
            scene.snapshot().context(),
            Event.external("none"),
            scene.now());
    try {
      return code.map(c -> c.evaluate(scope));
    } catch (EvaluationException e) {
      return Optional.empty();
    }
  }

  private Optional<Expression> compile(String text) {
    ExpressionCompiler.Site site =
        new ExpressionCompiler.Site(layout, ExpressionCompiler.Use.VALUE, List.of(), List.of());
    try {
      return Optional.of(expressions.compile(Operand.expr(text), site));
    } catch (ExpressionCompiler.SyntaxException e) {
      return Optional.empty();
    }
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
    for (long i = 0; i < Math.min(size, 20); i++) {
      Object made = item == null ? null : plain(item, "item" + (i + 1));
      items.add(made == null ? "item" + (i + 1) : made);
    }
    return items;
  }

  /** The first values of all, then those with one change, and so on. */
  private static List<Map<List<String>, @Nullable Object>> combinations(
      Map<List<String>, List<@Nullable Object>> choices) {
    List<Map<List<String>, @Nullable Object>> all = new ArrayList<>();
    List<List<String>> paths = new ArrayList<>(choices.keySet());
    int most = choices.values().stream().mapToInt(v -> v.size() - 1).sum();
    for (int distance = 0; distance <= most && all.size() < MOST_COMBINATIONS; distance++) {
      combine(paths, 0, distance, choices, new LinkedHashMap<>(), all);
    }
    return all;
  }

  private static void combine(
      List<List<String>> paths,
      int at,
      int distance,
      Map<List<String>, List<@Nullable Object>> choices,
      Map<List<String>, @Nullable Object> made,
      List<Map<List<String>, @Nullable Object>> all) {
    if (all.size() >= MOST_COMBINATIONS) {
      return;
    }
    if (at == paths.size()) {
      if (distance == 0) {
        all.add(new LinkedHashMap<>(made));
      }
      return;
    }
    List<@Nullable Object> values = choices.getOrDefault(paths.get(at), List.of());
    for (int i = 0; i < values.size() && i <= distance; i++) {
      made.put(paths.get(at), values.get(i));
      combine(paths, at + 1, distance - i, choices, made, all);
    }
    made.remove(paths.get(at));
  }

  private static @Nullable Object data(
      @Nullable Type type, Map<List<String>, @Nullable Object> combination) {
    Map<String, @Nullable Object> data = new LinkedHashMap<>();
    if (type != null && plain(type, "data") instanceof Map<?, ?> made) {
      made.forEach((k, v) -> data.put(String.valueOf(k), v));
    }
    combination.forEach((path, value) -> {
      if (path.getFirst().equals("event")) {
        place(data, path, 1, value);
      }
    });
    return data.isEmpty() ? null : Collections.unmodifiableMap(data);
  }

  private static void place(
      Map<String, @Nullable Object> map, List<String> path, int at, @Nullable Object value) {
    String name = path.get(at);
    if (at == path.size() - 1) {
      if (value == MISSING) {
        map.remove(name);
      } else {
        map.put(name, value);
      }
      return;
    }
    Map<String, @Nullable Object> inner = new LinkedHashMap<>();
    if (map.get(name) instanceof Map<?, ?> there) {
      there.forEach((k, v) -> inner.put(String.valueOf(k), v));
    }
    place(inner, path, at + 1, value);
    map.put(name, inner);
  }

  private static @Nullable Actor actor(Map<List<String>, @Nullable Object> combination) {
    String name = null;
    List<String> roles = new ArrayList<>();
    for (Map.Entry<List<String>, @Nullable Object> entry : combination.entrySet()) {
      if (!entry.getKey().getFirst().equals("actor")) {
        continue;
      }
      name = name == null ? "alice" : name;
      switch (entry.getKey().getLast()) {
        case "name" -> name = entry.getValue() instanceof String s ? s : name;
        case "roles" -> {
          if (entry.getValue() instanceof List<?> list) {
            list.forEach(r -> roles.add(String.valueOf(r)));
          }
        }
        default -> {}
      }
    }
    return name == null ? null : new Actor(Actor.Kind.USER, name, roles);
  }
}
