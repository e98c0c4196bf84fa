package dev.signalbox.definition.check;

import dev.signalbox.kernel.machine.Action;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What a machine's text says about its fields: which of them get whatever an event brings, and
 * which sums of numbers are compared.
 */
final class Fields {
  private final Set<String> given = new HashSet<>();
  private final Set<Term> sums = new LinkedHashSet<>();

  Fields(Content content, Syntax syntax) {
    for (Content.Use use : content.uses()) {
      if (use.action() instanceof Action.Assign(String location, _)) {
        syntax
            .parse(use.expr().text())
            .map(Formula.Terms::term)
            .filter(t -> t.isPath() && t.event())
            .ifPresent(_ -> given.add(location));
      } else if (use.role().isCondition()) {
        syntax.parse(use.expr().text()).map(Formula::of).ifPresent(this::note);
      }
    }
  }

  private void note(Formula condition) {
    for (Term term : condition.terms()) {
      if (term.isSum() && term.settled() && !term.event() && !term.momentary()) {
        sums.add(term);
      }
    }
  }

  /** Whether an event's data is put into the field as it comes. */
  boolean isGiven(String field) {
    return given.contains(field);
  }

  /** The sums of numbers of the context that conditions depend on. */
  List<Term> sums() {
    return List.copyOf(sums);
  }
}
