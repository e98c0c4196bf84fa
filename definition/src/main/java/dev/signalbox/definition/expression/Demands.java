package dev.signalbox.definition.expression;

import dev.signalbox.kernel.EvaluationException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What one condition asks of the event and its sender: for each path it mentions, choices of which
 * the first makes the condition's part true and the others make it false.
 */
final class Demands {
  private static final int MOST_CHOICES = 8;
  private static final int LARGEST_SIZE = 16;
  private static final List<String> SAMPLES =
      List.of("a", "A", "1", "a1", "aa", "abc", "123", "a-b", "a_b", "a.b", "a@b.cd", "2024-01-01");

  private final Worth worth;
  private final Map<Path, List<Choice>> choices = new LinkedHashMap<>();
  private final List<Optional<Path>> locals = new ArrayList<>();
  private final List<List<@Nullable Object>> items = new ArrayList<>();

  /** The value of a node that depends neither on the event nor on its sender, where it is known. */
  interface Worth {
    @Nullable Object of(Node node) throws EvaluationException;
  }

  Demands(Worth worth) {
    this.worth = worth;
  }

  Map<Path, List<Choice>> choices() {
    return Collections.unmodifiableMap(choices);
  }

  /** Collects what makes the node come out as wanted. */
  void condition(Node node, boolean wanted) {
    switch (node) {
      case Node.And(_, Node left, Node right) -> {
        condition(left, wanted);
        condition(right, wanted);
      }
      case Node.Or(_, Node left, Node right) -> {
        condition(left, wanted);
        condition(right, wanted);
      }
      case Node.Not(_, Node operand) -> condition(operand, !wanted);
      case Node.Conditional(_, Node condition, Node then, Node otherwise) -> {
        condition(condition, true);
        condition(then, wanted);
        condition(otherwise, wanted);
      }
      case Node.Present(_, Node operand, String field) -> {
        Path path = path(operand);
        if (path != null) {
          add(path.with(field), wanted, new Choice.Sample(1), new Choice.Missing());
        }
      }
      case Node.Loop loop -> loop(loop, wanted);
      case Node.Call call -> call(call, wanted);
      default -> {
        Path path = path(node);
        if (path == null) {
          mention(node);
        } else {
          add(path, wanted, exactly(true), exactly(false));
        }
      }
    }
  }

  /** Collects the paths of a node that is no condition, so that they are there. */
  void mention(Node node) {
    Path path = path(node);
    if (path != null) {
      if (!path.fields().isEmpty()) {
        add(path, true, new Choice.Sample(1), new Choice.Sample(2));
      }
      return;
    }
    switch (node) {
      case Node.Loop loop -> loop(loop, true);
      case Node.Conditional(_, Node condition, Node then, Node otherwise) -> {
        condition(condition, true);
        mention(then);
        mention(otherwise);
      }
      case Node.Call call when call.function().isArithmetic() -> {
        // Everything but addition is about numbers, and so is addition of a number.
        boolean numeric =
            call.function() != Function.ADD
                || call.arguments().stream().anyMatch(a -> a instanceof Node.Constant(_, Number _));
        for (Node operand : call.arguments()) {
          Path number = path(operand);
          if (number != null && numeric) {
            add(number, true, exactly(1L), exactly(0L), exactly(10L), exactly(100L));
          } else {
            mention(operand);
          }
        }
      }
      default -> node.children().forEach(this::mention);
    }
  }

  private void call(Node.Call call, boolean wanted) {
    switch (call.function()) {
      case EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL -> {
        if (!comparison(call.function(), call.first(), call.second(), wanted)
            && !comparison(mirrored(call.function()), call.second(), call.first(), wanted)) {
          twoPaths(call, wanted);
        }
      }
      case IN -> membership(call, wanted);
      case STARTS_WITH, ENDS_WITH, CONTAINS, MATCHES -> text(call, wanted);
      default -> mention(call);
    }
  }

  private boolean comparison(Function function, Node left, Node right, boolean wanted) {
    Path path = path(left);
    Node.Call size =
        left instanceof Node.Call call && call.function() == Function.SIZE ? call : null;
    Path sized = size == null ? null : path(size.first());
    if (path == null && sized == null) {
      return function == Function.EQUAL && mapped(left, right);
    }
    for (Object value : values(right)) {
      if (sized != null && value instanceof Long number) {
        for (long n : numbers(function, number, wanted)) {
          if (n >= 0 && n <= LARGEST_SIZE) {
            add(sized, true, new Choice.Sized((int) n));
          }
        }
      } else if (path != null) {
        switch (value) {
          case Long number -> {
            for (long n : numbers(function, number, wanted)) {
              add(path, true, exactly(n));
            }
          }
          case Double number -> {
            for (long n : numbers(function, 0, wanted)) {
              add(path, true, exactly(number + n));
            }
          }
          case Boolean truth ->
              add(path, wanted(function, wanted), exactly(truth), exactly(!truth));
          case null, default ->
              add(
                  path,
                  wanted(function, wanted),
                  exactly(value),
                  new Choice.Other(Collections.singletonList(value)));
        }
      }
    }
    return !values(right).isEmpty();
  }

  /** {@code event.list.map(x, x.field) == […]}: as many items, with these values one by one. */
  private boolean mapped(Node left, Node right) {
    if (!(left instanceof Node.Loop loop) || loop.kind() != Node.LoopKind.MAP) {
      return false;
    }
    Path range = path(loop.range());
    if (range == null || loop.filter() != null) {
      return false;
    }
    locals.add(Optional.of(range.with(Path.ITEM)));
    items.add(List.of());
    Path each = path(loop.body());
    items.removeLast();
    locals.removeLast();
    if (each == null) {
      return false;
    }
    for (Object value : values(right)) {
      if (value instanceof List<?> list && list.size() <= LARGEST_SIZE && !list.isEmpty()) {
        add(range, true, new Choice.Sized(list.size()), new Choice.Sized(0));
        add(each, true, new Choice.Each(list), new Choice.Sample(1));
      }
    }
    return true;
  }

  private static boolean wanted(Function function, boolean wanted) {
    return (function == Function.NOT_EQUAL) != wanted;
  }

  /** Numbers around the bound, those that give the wanted answer first. */
  private static List<Long> numbers(Function function, long bound, boolean wanted) {
    long up = bound == Long.MAX_VALUE ? bound : bound + 1;
    long down = bound == Long.MIN_VALUE ? bound : bound - 1;
    List<Long> first =
        switch (function) {
          case EQUAL -> List.of(bound, up, down);
          case NOT_EQUAL -> List.of(up, down, bound);
          case LESS -> List.of(down, bound, up);
          case LESS_EQUAL -> List.of(bound, down, up);
          case GREATER -> List.of(up, bound, down);
          default -> List.of(bound, up, down);
        };
    return wanted ? first : first.reversed();
  }

  private static Function mirrored(Function function) {
    return switch (function) {
      case LESS -> Function.GREATER;
      case LESS_EQUAL -> Function.GREATER_EQUAL;
      case GREATER -> Function.LESS;
      case GREATER_EQUAL -> Function.LESS_EQUAL;
      default -> function;
    };
  }

  /** Two parts of the event against each other: the same sample in both, or different ones. */
  private void twoPaths(Node.Call call, boolean wanted) {
    Path left = path(call.first());
    Path right = path(call.second());
    if (left == null || right == null) {
      mention(call.first());
      mention(call.second());
      return;
    }
    boolean same =
        switch (call.function()) {
          case EQUAL, LESS_EQUAL, GREATER_EQUAL -> wanted;
          default -> !wanted;
        };
    boolean leftLarger = call.function() == Function.GREATER;
    add(left, true, new Choice.Sample(same || !leftLarger ? 1 : 2));
    add(right, true, new Choice.Sample(same || leftLarger ? 1 : 2));
    add(left, true, new Choice.Sample(1), new Choice.Sample(2));
    add(right, true, new Choice.Sample(1), new Choice.Sample(2));
  }

  private void membership(Node.Call call, boolean wanted) {
    Path path = path(call.first());
    Path list = path(call.second());
    if (list != null) {
      for (Object value : values(call.first())) {
        add(list, wanted, exactly(Collections.singletonList(value)), exactly(List.of()));
      }
      if (path != null) {
        mention(call.first());
      }
      return;
    }
    if (path == null) {
      mention(call.first());
      return;
    }
    List<@Nullable Object> members = new ArrayList<>();
    for (Object all : values(call.second())) {
      Stream<?> each =
          all instanceof List<?> l
              ? l.stream()
              : all instanceof Map<?, ?> map ? map.keySet().stream() : Stream.empty();
      each.limit(4).forEach(members::add);
    }
    List<Choice> ordered = new ArrayList<>();
    members.forEach(member -> ordered.add(exactly(member)));
    ordered.add(new Choice.Other(members));
    add(path, wanted, ordered.toArray(Choice[]::new));
  }

  private void text(Node.Call call, boolean wanted) {
    Path path = path(call.first());
    if (path == null) {
      mention(call);
      return;
    }
    for (Object value : values(call.second())) {
      if (value instanceof String text) {
        String good = call.function() == Function.MATCHES ? matching(text) : text;
        add(path, wanted, exactly(good), exactly(""), exactly("x"));
      }
    }
  }

  private static String matching(String pattern) {
    try {
      SafePattern compiled = SafePattern.compile(pattern);
      String bare = pattern.replaceAll("^\\^|\\$$", "");
      return Stream.concat(Stream.of(bare), SAMPLES.stream())
          .filter(sample -> compiled.find(sample, null))
          .findFirst()
          .orElse(bare);
    } catch (EvaluationException e) {
      return "";
    }
  }

  private void loop(Node.Loop loop, boolean wanted) {
    Path range = path(loop.range());
    locals.add(range == null ? Optional.empty() : Optional.of(range.with(Path.ITEM)));
    List<@Nullable Object> known = new ArrayList<>();
    for (Object value : range == null ? values(loop.range()) : List.of()) {
      if (value instanceof List<?> list) {
        known.addAll(list.subList(0, Math.min(4, list.size())));
      }
    }
    items.add(known);
    Node filter = loop.filter();
    if (filter != null) {
      condition(filter, true);
    }
    if (loop.kind() == Node.LoopKind.MAP) {
      mention(loop.body());
    } else {
      condition(loop.body(), wanted || loop.kind() == Node.LoopKind.FILTER);
    }
    items.removeLast();
    locals.removeLast();
    if (range == null) {
      mention(loop.range());
    } else {
      add(range, true, new Choice.Sized(1), new Choice.Sized(0), new Choice.Sized(2));
    }
  }

  /** The values a node may have, as far as they are known without the event; empty if none is. */
  private List<@Nullable Object> values(Node node) {
    if (node instanceof Node.Local local && locals.get(local.index()).isEmpty()) {
      return items.get(local.index());
    }
    if (node.any(n -> isOpen(n) || path(n) != null)) {
      return List.of();
    }
    try {
      Object value = worth.of(node);
      return value == Unknown.VALUE ? List.of() : Collections.singletonList(value);
    } catch (EvaluationException e) {
      return List.of();
    }
  }

  /** Whether it is the variable of a loop around; those of loops inside have higher numbers. */
  private boolean isOpen(Node node) {
    return node instanceof Node.Local local && local.index() < locals.size();
  }

  private @Nullable Path path(Node node) {
    return switch (node) {
      case Node.Root(_, Node.Name name) ->
          name == Node.Name.EVENT || name == Node.Name.ACTOR ? new Path(name, List.of()) : null;
      case Node.Local local when !isOpen(local) -> null;
      case Node.Local local -> locals.get(local.index()).orElse(null);
      case Node.Select(_, Node.Root(_, Node.Name name), String field)
          when name == Node.Name.SYSTEM_EVENT ->
          field.equals("data") ? new Path(Node.Name.EVENT, List.of()) : null;
      case Node.Select(_, Node operand, String field) -> below(path(operand), field);
      case Node.Index(_, Node operand, Node.Constant(_, String key)) -> below(path(operand), key);
      case Node.Index(_, Node operand, Node.Constant(_, Long _)) -> below(path(operand), Path.ITEM);
      case Node.AsDouble(_, Node operand) -> path(operand);
      default -> null;
    };
  }

  private static @Nullable Path below(@Nullable Path path, String field) {
    return path == null ? null : path.with(field);
  }

  private static Choice exactly(@Nullable Object value) {
    return new Choice.Exactly(value);
  }

  /**
   * @param inOrder whether the first of the choices is the wanted one, or the last
   */
  private void add(Path path, boolean inOrder, Choice... more) {
    List<Choice> known = choices.computeIfAbsent(path, _ -> new ArrayList<>());
    List<Choice> ordered = inOrder ? List.of(more) : List.of(more).reversed();
    for (Choice choice : ordered) {
      if (known.size() < MOST_CHOICES && !known.contains(choice)) {
        known.add(choice);
      }
    }
  }
}
