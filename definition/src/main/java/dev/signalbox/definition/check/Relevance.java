package dev.signalbox.definition.check;

import dev.cel.common.ast.CelExpr;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which parts of the data can make a difference to what a machine does. The exploration keeps only
 * the fields that a condition, a delay, a name or an invariant depends on, directly or through
 * assignments; all others are unknown to it from the start.
 */
final class Relevance {
  private final Syntax syntax;
  private final Set<String> fields = new HashSet<>();
  private final Set<String> individuals = new HashSet<>();
  private final Set<Operand.Expr> keys = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<String> keyed = new HashSet<>();
  private final Set<String> names = new LinkedHashSet<>();
  private boolean everything;

  Relevance(Outline outline, Content content, Syntax syntax) {
    this.syntax = syntax;
    // In scxml mode any expression may fail, and that is an event which depends on what it reads.
    this.everything = outline.machine().mode() == Machine.Mode.SCXML;
    Map<String, List<String>> assigned = new HashMap<>();
    Deque<String> open = new ArrayDeque<>();
    for (Field field : outline.machine().context()) {
      if (field.initial() instanceof Operand.Expr(String text)) {
        assigned.computeIfAbsent(field.name(), _ -> new ArrayList<>()).add(text);
      }
    }
    findKeys(outline.machine().invariants(), content);
    for (Content.Use use : content.uses()) {
      if (use.action() instanceof Action.Assign assign) {
        assigned
            .computeIfAbsent(root(assign.location()), _ -> new ArrayList<>())
            .add(use.expr().text());
      } else if (matters(use)) {
        read(use.expr().text(), open);
      }
    }
    for (Content.Act act : content.acts()) {
      locations(act.action()).stream().filter(fields::add).forEach(open::push);
    }
    while (!open.isEmpty()) {
      for (String text : assigned.getOrDefault(open.pop(), List.of())) {
        read(text, open);
      }
    }
    findIndividuals(assigned);
    // What a condition asks more about than who it is keeps its value: a name that stands for it
    // would answer wrongly.
    Set<String> asked = new HashSet<>();
    for (Content.Use use : content.uses()) {
      if (use.role().isCondition()) {
        syntax.parse(use.expr().text()).map(Formula::of).ifPresent(f -> asked(f, asked));
      } else if (use.role() != Content.Role.VALUE) {
        asked.addAll(syntax.reads(use.expr().text()).fields());
      }
    }
    if (everything) {
      asked.addAll(individuals);
    }
    findNames(outline, content);
    individuals.removeAll(asked);
  }

  private void asked(Formula condition, Set<String> asked) {
    switch (condition) {
      case Formula.Truth _ -> {}
      case Formula.And(List<Formula> parts) -> parts.forEach(p -> asked(p, asked));
      case Formula.Or(List<Formula> parts) -> parts.forEach(p -> asked(p, asked));
      case Formula.Same same -> {
        boolean whoItIs =
            (isField(same.left()) && isEvent(same.right()))
                || (isField(same.right()) && isEvent(same.left()));
        if (!whoItIs) {
          asked.addAll(same.whole().fields());
        }
      }
      case Formula.Compare(Term term, Formula.Sign sign, Object constant) -> {
        boolean whoItIs =
            (sign == Formula.Sign.EQUAL || sign == Formula.Sign.NOT_EQUAL)
                && isField(term)
                && constant instanceof String;
        if (whoItIs) {
          named(term, constant);
        } else {
          asked.addAll(term.fields());
        }
      }
      case Formula.OneOf(Term term, List<@Nullable Object> constants, boolean _) -> {
        if (isField(term) && constants.stream().allMatch(c -> c instanceof String)) {
          constants.forEach(c -> named(term, c));
        } else {
          asked.addAll(term.fields());
        }
      }
      case Formula.Holds(Term term, boolean _) -> asked.addAll(term.fields());
      case Formula.Sum sum -> {
        if (!(sum.otherwise() instanceof Formula.Same)) {
          asked.addAll(sum.sum().fields());
        }
        asked(sum.otherwise(), asked);
      }
    }
  }

  private void named(Term term, @Nullable Object constant) {
    if (individuals.contains(term.path().get(1))) {
      names.add(String.valueOf(constant));
    }
  }

  private static boolean isField(Term term) {
    return term.isPath() && term.path().size() == 2 && term.fields().contains(term.path().get(1));
  }

  private static boolean isEvent(Term term) {
    return term.isPath() && term.path().getFirst().equals("event");
  }

  /** The names that the machine writes where individuals are told apart. */
  List<String> names() {
    return List.copyOf(names);
  }

  private void findNames(Outline outline, Content content) {
    for (Field field : outline.machine().context()) {
      if (individuals.contains(field.name())
          && field.initial() instanceof Operand.Literal(Object value)) {
        names.add(String.valueOf(value));
      }
    }
    for (Content.Act act : content.acts()) {
      if (act.action() instanceof Action.Assign(String location, Operand.Literal(Object value))
          && individuals.contains(root(location))) {
        names.add(String.valueOf(value));
      }
      if (act.action() instanceof Action.Emit emit) {
        for (Payload.Param param : emit.data().params()) {
          if (keyed.contains(emit.kind() + " " + param.name())
              && param.value() instanceof Operand.Literal(Object value)) {
            names.add(String.valueOf(value));
          }
        }
      }
    }
    for (Content.Use use : content.uses()) {
      boolean given =
          keys.contains(use.expr())
              || (use.action() instanceof Action.Assign assign
                  && individuals.contains(root(assign.location())));
      if (given) {
        syntax.parse(use.expr().text()).ifPresent(this::literals);
      }
    }
  }

  private void literals(CelExpr expr) {
    Formula.Terms.constant(expr)
        .filter(c -> c instanceof String || c instanceof Long)
        .ifPresent(c -> names.add(String.valueOf(c)));
    Syntax.children(expr, this::literals);
  }

  boolean isRelevant(String field) {
    return everything || fields.contains(field);
  }

  /** Whether the expression gives the field by which an invariant tells records apart. */
  boolean isKey(Operand.Expr expr) {
    return keys.contains(expr);
  }

  /** Whether the field only names individuals, so that two values are enough to tell apart. */
  boolean namesIndividuals(String field) {
    return individuals.contains(field);
  }

  /** Whether anything depends on the value of the expression, apart from what is assigned. */
  boolean matters(Content.Use use) {
    return everything
        || switch (use.role()) {
          case GUARD, BRANCH, INVARIANT, LIST, DELAY, NAME -> true;
          case VALUE ->
              use.action() instanceof Action.Raise
                  || use.action() instanceof Action.Send
                  || keys.contains(use.expr())
                  || use.action() == null;
        };
  }

  private void read(String text, Deque<String> open) {
    Syntax.Reads reads = syntax.reads(text);
    everything |= reads.all();
    for (String field : reads.fields()) {
      if (fields.add(field)) {
        open.push(field);
      }
    }
  }

  /** The fields that go with an event as they stand. */
  static List<String> locations(Action action) {
    Payload payload =
        switch (action) {
          case Action.Raise raise -> raise.data();
          case Action.Send send -> send.data();
          default -> null;
        };
    List<String> found = new ArrayList<>();
    for (Payload.Param param : payload == null ? List.<Payload.Param>of() : payload.params()) {
      if (param.location() && param.value() instanceof Operand.Literal(String path)) {
        found.add(root(path));
      }
    }
    return found;
  }

  private void findKeys(List<Invariant> invariants, Content content) {
    for (Invariant invariant : invariants) {
      for (Fact fact : facts(invariant)) {
        if (fact instanceof Fact.Emits(String kind, String key) && key != null) {
          keyed.add(kind + " " + key);
        }
      }
    }
    for (Content.Use use : content.uses()) {
      if (use.action() instanceof Action.Emit emit
          && use.part() != null
          && keyed.contains(emit.kind() + " " + use.part())) {
        keys.add(use.expr());
      }
    }
  }

  static List<Fact> facts(Invariant invariant) {
    return switch (invariant) {
      case Invariant.Never i -> List.of(i.fact());
      case Invariant.Before i -> List.of(i.reaching(), i.first());
      case Invariant.LeadsTo i -> {
        List<Fact> all = new ArrayList<>(List.of(i.trigger()));
        all.addAll(i.responses());
        yield all;
      }
      case Invariant.Times i -> List.of(i.fact());
      case Invariant.OneAtATime i -> List.of(i.opens(), i.closes());
      case Invariant.Apart _, Invariant.Always _, Invariant.Frozen _ -> List.of();
    };
  }

  /** The fields that a key copies, and the fields those copy in turn. */
  private void findIndividuals(Map<String, List<String>> assigned) {
    Deque<String> open = new ArrayDeque<>();
    keys.forEach(k -> copied(k.text()).ifPresent(open::push));
    while (!open.isEmpty()) {
      String field = open.pop();
      if (individuals.add(field)) {
        for (String text : assigned.getOrDefault(field, List.of())) {
          copied(text).ifPresent(open::push);
        }
      }
    }
  }

  private Optional<String> copied(String text) {
    Optional<CelExpr> expr = syntax.parse(text);
    return expr.flatMap(Syntax::contextField);
  }

  /** The field that the location is in. */
  static String root(String location) {
    int dot = location.indexOf('.');
    return dot < 0 ? location : location.substring(0, dot);
  }
}
