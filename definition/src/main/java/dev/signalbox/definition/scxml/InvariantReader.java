package dev.signalbox.definition.scxml;

import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Invariant.Severity;
import dev.signalbox.kernel.machine.Operand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the invariants of a machine, one element of our namespace each. */
final class InvariantReader {
  private static final Set<String> FACT = Set.of("enters", "from", "to", "receives", "emits", "by");

  private final Reading in;

  InvariantReader(Reading in) {
    this.in = in;
  }

  List<Invariant> invariants(XmlElement parent) {
    List<Invariant> invariants = new ArrayList<>();
    for (XmlElement child : in.children(parent)) {
      Invariant invariant = child.isOurs() ? invariant(child) : null;
      if (invariant == null) {
        in.unexpected(child, parent);
      } else {
        invariants.add(in.placed(invariant, child.place()));
      }
    }
    return invariants;
  }

  private @Nullable Invariant invariant(XmlElement element) {
    return switch (element.name()) {
      case "never" -> {
        expect(element, Set.of());
        yield new Invariant.Never(name(element), severity(element), fact(element, "fact"));
      }
      case "apart" -> {
        expect(element, Set.of("states"));
        XmlElement.Attribute states = element.own("states");
        yield new Invariant.Apart(
            name(element), severity(element), states == null ? List.of() : in.ownWords(states));
      }
      case "always" -> {
        expect(element, Set.of("condition", "in"));
        yield new Invariant.Always(
            name(element), severity(element), condition(element), in.own(element, "in"));
      }
      case "before" -> {
        expect(element, Set.of());
        yield new Invariant.Before(
            name(element), severity(element), fact(element, "reaching"), fact(element, "first"));
      }
      case "leads-to" -> {
        expect(element, Set.of("within", "target"));
        yield new Invariant.LeadsTo(
            name(element),
            severity(element),
            fact(element, "trigger"),
            facts(element, "response"),
            within(element),
            in.own(element, "target"));
      }
      case "times" -> {
        expect(element, Set.of("min", "max"));
        yield new Invariant.Times(
            name(element),
            severity(element),
            fact(element, "fact"),
            number(element, "min", 0),
            number(element, "max", Integer.MAX_VALUE));
      }
      case "one-at-a-time" -> {
        expect(element, Set.of());
        yield new Invariant.OneAtATime(
            name(element), severity(element), fact(element, "opens"), fact(element, "closes"));
      }
      case "frozen" -> {
        expect(element, Set.of("field", "after"));
        yield new Invariant.Frozen(
            name(element),
            severity(element),
            in.required(element, "field"),
            in.required(element, "after"));
      }
      default -> null;
    };
  }

  private void expect(XmlElement element, Set<String> attributes) {
    Set<String> all = new HashSet<>(attributes);
    all.add("name");
    all.add("severity");
    in.expectAttributes(element, Set.of(), all);
  }

  private String name(XmlElement element) {
    return in.required(element, "name");
  }

  private Severity severity(XmlElement element) {
    XmlElement.Attribute given = element.own("severity");
    if (given == null) {
      return Severity.FATAL;
    }
    for (Severity severity : Severity.values()) {
      if (severity.name().toLowerCase(Locale.ROOT).equals(given.value())) {
        return severity;
      }
    }
    in.problems.error(
        "unknown-severity",
        given.place(),
        "Expected the severity fatal, error or warn, but found '" + given.value() + "'.",
        "");
    return Severity.FATAL;
  }

  private Operand.Expr condition(XmlElement element) {
    XmlElement.Attribute condition = element.own("condition");
    if (condition != null) {
      return in.condition(condition);
    }
    in.missing(element, "condition");
    return in.placed(Operand.expr("false"), element.place());
  }

  private @Nullable Duration within(XmlElement element) {
    XmlElement.Attribute within = element.own("within");
    return within == null ? null : ActionReader.duration(in, within);
  }

  private int number(XmlElement element, String name, int fallback) {
    XmlElement.Attribute attribute = element.own(name);
    Integer number =
        attribute == null ? Integer.valueOf(fallback) : MachineElementReader.number(in, attribute);
    return number == null ? fallback : number;
  }

  private Fact fact(XmlElement element, String role) {
    List<Fact> facts = facts(element, role);
    if (facts.size() == 1) {
      return facts.getFirst();
    }
    in.problems.error(
        "missing-fact",
        element.place(),
        "Expected <%s> to hold one <%s>, but it holds %d."
            .formatted(element.name(), role, facts.size()),
        "");
    return facts.isEmpty() ? new Fact.Enters("") : facts.getFirst();
  }

  private List<Fact> facts(XmlElement element, String role) {
    return element.elements().filter(e -> e.isOurs(role)).map(this::fact).toList();
  }

  private Fact fact(XmlElement element) {
    in.expectAttributes(element, Set.of(), FACT);
    String enters = in.own(element, "enters");
    String receives = in.own(element, "receives");
    String emits = in.own(element, "emits");
    Fact fact;
    if (enters != null) {
      fact = new Fact.Enters(enters);
    } else if (receives != null) {
      fact = new Fact.Receives(receives);
    } else if (emits != null) {
      fact = new Fact.Emits(emits, in.own(element, "by"));
    } else {
      fact = new Fact.Moves(in.required(element, "from"), in.required(element, "to"));
    }
    return in.placed(fact, element.place());
  }
}
