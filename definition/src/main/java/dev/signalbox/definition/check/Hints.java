package dev.signalbox.definition.check;

import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What conditions compare with the data of an event, and who sends it: the places where values that
 * make a difference are to be looked for.
 */
final class Hints {
  /** What is known about one path into the event's data. */
  sealed interface Hint {
    /** The value is compared with that of another expression. */
    record Near(CelExpr other) implements Hint {}

    /** The value is looked for in the list that another expression gives. */
    record Among(CelExpr list) implements Hint {}

    /** The value is a list in which that of another expression is looked for. */
    record Holding(CelExpr item) implements Hint {}

    /** The value is a list of about this many items. */
    record Sized(long size) implements Hint {}

    /** The value is a list whose items give these values under a field. */
    record Mapped(String field, List<Object> values) implements Hint {}

    /** The value is true or false. */
    record Flag() implements Hint {}

    /** The value may be missing. */
    record Optional() implements Hint {}
  }

  private final Map<List<String>, Set<Hint>> hints = new LinkedHashMap<>();

  Map<List<String>, Set<Hint>> all() {
    return hints;
  }

  /** Collects from a condition or a value. */
  void read(CelExpr expr) {
    if (expr.getKind() == Kind.CALL) {
      call(expr);
    }
    path(expr).ifPresent(p -> hints.computeIfAbsent(p, _ -> new LinkedHashSet<>()));
    if (path(expr).isEmpty()) {
      Syntax.children(expr, this::read);
    }
  }

  private void call(CelExpr expr) {
    List<CelExpr> args = expr.call().args();
    switch (expr.call().function()) {
      case "_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_" -> {
        compared(args.get(0), args.get(1));
        compared(args.get(1), args.get(0));
      }
      case "@in" -> {
        path(args.get(0)).ifPresent(p -> add(p, new Hint.Among(args.get(1))));
        path(args.get(1)).ifPresent(p -> add(p, new Hint.Holding(args.get(0))));
      }
      case "_&&_", "_||_" -> args.forEach(this::flag);
      case "!_", "_?_:_" -> flag(args.getFirst());
      case "has" ->
          args.stream().flatMap(a -> path(a).stream()).forEach(p -> add(p, new Hint.Optional()));
      default -> {}
    }
  }

  /** The whole condition may be a flag itself. */
  void condition(CelExpr expr) {
    flag(expr);
    read(expr);
  }

  private void flag(CelExpr expr) {
    path(expr).ifPresent(p -> add(p, new Hint.Flag()));
  }

  private void compared(CelExpr one, CelExpr other) {
    if (readsEvent(other)) {
      return;
    }
    path(one).ifPresent(p -> add(p, new Hint.Near(other)));
    if (one.getKind() != Kind.CALL) {
      return;
    }
    CelExpr subject =
        one.call()
            .target()
            .orElseGet(() -> one.call().args().isEmpty() ? one : one.call().args().getFirst());
    switch (one.call().function()) {
      case "size" ->
          path(subject)
              .ifPresent(p ->
                  Formula.Terms.constant(other)
                      .filter(Long.class::isInstance)
                      .ifPresent(n -> add(p, new Hint.Sized((Long) n))));
      case "map" -> path(subject).ifPresent(p -> mapped(p, one, other));
      default -> {}
    }
  }

  /** {@code event.list.map(v, v.field) == [constants]}. */
  private void mapped(List<String> path, CelExpr map, CelExpr list) {
    List<CelExpr> args = map.call().args();
    if (args.size() != 2 || args.get(1).getKind() != Kind.SELECT || list.getKind() != Kind.LIST) {
      return;
    }
    List<Object> values = new ArrayList<>();
    for (CelExpr item : list.list().elements()) {
      Formula.Terms.constant(item).ifPresent(values::add);
    }
    add(path, new Hint.Mapped(args.get(1).select().field(), values));
  }

  private void add(List<String> path, Hint hint) {
    hints.computeIfAbsent(path, _ -> new LinkedHashSet<>()).add(hint);
  }

  private static boolean readsEvent(CelExpr expr) {
    if (expr.getKind() == Kind.IDENT) {
      String name = expr.ident().name();
      return name.equals("event") || name.equals("_event");
    }
    boolean[] found = {false};
    Syntax.children(expr, c -> found[0] |= readsEvent(c));
    return found[0];
  }

  /** The path into the event's data, or {@code actor} and its part; empty for anything else. */
  private static Optional<List<String>> path(CelExpr expr) {
    List<String> names = Formula.Terms.path(expr);
    if (names.size() >= 2
        && (names.getFirst().equals("event") || names.getFirst().equals("actor"))) {
      return Optional.of(List.copyOf(names));
    }
    if (names.size() >= 3 && names.getFirst().equals("_event") && names.get(1).equals("data")) {
      List<String> path = new ArrayList<>(List.of("event"));
      path.addAll(names.subList(2, names.size()));
      return Optional.of(path);
    }
    return Optional.empty();
  }
}
