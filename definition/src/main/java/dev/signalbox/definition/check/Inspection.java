package dev.signalbox.definition.check;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Place;
import dev.signalbox.definition.Places;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Problem.Severity;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Suggestion;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.State;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A machine under inspection: what every structural check reads, and where it reports. */
final class Inspection {
  private final Definition definition;
  private final Machine machine;
  private final Outline outline;
  private final Content content;
  private final Problems problems;
  private final Set<Operand.Expr> faulty = Collections.newSetFromMap(new IdentityHashMap<>());

  Inspection(Definition definition, Machine machine) {
    this.definition = definition;
    this.machine = machine;
    this.outline = new Outline(machine);
    this.content = new Content(outline);
    this.problems = new Problems(definition.source().name());
  }

  Machine machine() {
    return machine;
  }

  Outline outline() {
    return outline;
  }

  Content content() {
    return content;
  }

  Places places() {
    return definition.places();
  }

  Problems problems() {
    return problems;
  }

  /** The expressions that do not compile, which are of no use to other checks. */
  Set<Operand.Expr> faulty() {
    return faulty;
  }

  boolean isStrict() {
    return machine.mode() == Machine.Mode.STRICT;
  }

  void error(String code, Object element, String message, String hint) {
    problems.error(code, placeOf(element), message, hint);
  }

  void warning(String code, Object element, String message, String hint) {
    problems.warning(code, placeOf(element), message, hint);
  }

  /** An error where the machine is strict; W3C's own meaning allows it, so otherwise a warning. */
  void errorIfStrict(String code, Object element, String message, String hint) {
    errorIfStrict(code, placeOf(element), message, hint);
  }

  void errorIfStrict(String code, Place place, String message, String hint) {
    Severity severity = isStrict() ? Severity.ERROR : Severity.WARNING;
    problems.add(new Problem(code, severity, definition.source().name(), place, message, hint));
  }

  /** "Did you mean 'X'?", or the other advice when no known name is near. */
  static String suggest(String wrong, Collection<String> known, String otherwise) {
    String hint = Suggestion.hint(wrong, known);
    return hint.isEmpty() ? otherwise : hint;
  }

  Place placeOf(Object element) {
    return definition.places().of(element);
  }

  /** The context fields, those that states declare, and the loop variables, each once. */
  Context.Layout layout() {
    Set<String> names = new LinkedHashSet<>();
    machine.context().stream().map(Field::name).forEach(names::add);
    for (State state : outline.states()) {
      state.data().stream().map(Field::name).forEach(names::add);
    }
    for (Content.Act act : content.acts()) {
      if (act.action() instanceof Action.Foreach loop) {
        names.add(loop.item());
        String index = loop.index();
        if (index != null) {
          names.add(index);
        }
      }
    }
    List<String> order = new ArrayList<>(names);
    return new Context.Layout(order);
  }
}
