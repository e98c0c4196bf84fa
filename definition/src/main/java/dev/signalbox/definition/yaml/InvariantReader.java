package dev.signalbox.definition.yaml;

import dev.signalbox.definition.Place;
import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Invariant.Severity;
import dev.signalbox.kernel.machine.Operand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads invariants and the facts they speak about. */
final class InvariantReader {
  private static final Set<String> FORMS =
      TypeReader.ordered(
          "never",
          "apart",
          "always",
          "before",
          "leads_to",
          "exactly_once",
          "at_most",
          "times",
          "one_at_a_time",
          "frozen");
  private static final Set<String> KEYS =
      TypeReader.ordered(
          "name",
          "severity",
          "in",
          "never",
          "apart",
          "always",
          "before",
          "leads_to",
          "exactly_once",
          "at_most",
          "times",
          "one_at_a_time",
          "frozen");
  private static final Set<String> FACT_KEYS = TypeReader.ordered("event", "record", "by");

  private final Reading reading;
  private final Values values;

  InvariantReader(Reading reading) {
    this.reading = reading;
    this.values = new Values(reading);
  }

  List<Invariant> invariants(@Nullable Node node) {
    List<Invariant> invariants = new ArrayList<>();
    if (node == null) {
      return invariants;
    }
    Set<String> names = new HashSet<>();
    for (Node item : Keys.items(reading, node, "a list of invariants")) {
      Keys keys = Keys.of(reading, item, "an invariant", KEYS);
      Invariant invariant = keys == null ? null : invariant(keys);
      if (keys == null || invariant == null) {
        continue;
      }
      if (!names.add(invariant.name())) {
        reading.error(
            "duplicate-name",
            keys.placeOf("name"),
            "Expected every invariant to have a name of its own, but '"
                + Reading.shortened(invariant.name())
                + "' is there twice.",
            "");
      }
      invariants.add(reading.placed(invariant, item.place()));
    }
    return invariants;
  }

  private @Nullable Invariant invariant(Keys keys) {
    Node nameNode = keys.required("name", "an invariant");
    String name = nameNode == null ? null : keys.name("name");
    Severity severity = severity(keys.node("severity"));
    List<String> forms = keys.present().stream().filter(FORMS::contains).toList();
    if (forms.isEmpty()) {
      reading.error(
          "missing-key",
          keys.place(),
          "Expected an invariant to say what must hold, but it does not.",
          "One of: " + String.join(", ", FORMS) + ".");
      return null;
    }
    for (String other : forms.subList(1, forms.size())) {
      Conflicts.report(reading, keys, other, forms.getFirst());
    }
    String form = forms.getFirst();
    if (keys.has("in") && !form.equals("always")) {
      Conflicts.report(reading, keys, "in", form);
    }
    // A missing name does not hide what is wrong behind it.
    String known = name == null ? "(unnamed)" : name;
    Node body = Objects.requireNonNull(keys.node(form));
    Invariant read =
        switch (form) {
          case "never" -> never(known, severity, body);
          case "apart" -> new Invariant.Apart(known, severity, states(body));
          case "always" -> always(known, severity, body, keys);
          case "before" -> before(known, severity, body);
          case "leads_to" -> leadsTo(known, severity, body);
          case "exactly_once" -> times(known, severity, fact(body), 1, 1);
          case "at_most" -> atMost(known, severity, body);
          case "times" -> times(known, severity, body);
          case "one_at_a_time" -> oneAtATime(known, severity, body);
          case "frozen" -> frozen(known, severity, body);
          default -> throw new IllegalStateException(form);
        };
    return name == null ? null : read;
  }

  private Severity severity(@Nullable Node node) {
    if (node == null) {
      return Severity.FATAL;
    }
    if (node instanceof Node.Scalar scalar) {
      for (Severity severity : Severity.values()) {
        if (severity.name().toLowerCase(Locale.ROOT).equals(scalar.text())) {
          return severity;
        }
      }
    }
    reading.wrongType(node, "one of 'fatal', 'error', 'warn'", "");
    return Severity.FATAL;
  }

  private @Nullable Invariant never(String name, Severity severity, Node node) {
    Fact fact = fact(node);
    return fact == null ? null : new Invariant.Never(name, severity, fact);
  }

  private Invariant always(String name, Severity severity, Node node, Keys keys) {
    Operand.Expr condition = values.expression(node);
    Node in = keys.node("in");
    return new Invariant.Always(name, severity, condition, in == null ? null : state(in));
  }

  private @Nullable Invariant before(String name, Severity severity, Node node) {
    Keys keys = Keys.of(reading, node, "'before'", TypeReader.ordered("reaching", "must_visit"));
    if (keys == null) {
      return null;
    }
    Fact reaching = fact(keys.required("reaching", "'before'"));
    Fact first = fact(keys.required("must_visit", "'before'"));
    return reaching == null || first == null
        ? null
        : new Invariant.Before(name, severity, reaching, first);
  }

  private @Nullable Invariant leadsTo(String name, Severity severity, Node node) {
    Keys keys =
        Keys.of(reading, node, "'leads_to'", TypeReader.ordered("from", "to", "within", "target"));
    if (keys == null) {
      return null;
    }
    Fact from = fact(keys.required("from", "'leads_to'"));
    List<Fact> to = new ArrayList<>();
    Node toNode = keys.required("to", "'leads_to'");
    if (toNode != null) {
      List<Node> nodes = toNode instanceof Node.Sequence list ? list.items() : List.of(toNode);
      nodes.stream().map(this::fact).filter(Objects::nonNull).forEach(to::add);
    }
    Node withinNode = keys.node("within");
    Node targetNode = keys.node("target");
    Duration within = withinNode == null ? null : values.duration(withinNode);
    String target = targetNode == null ? null : Keys.name(reading, targetNode, "a state");
    if (target != null && targetNode != null) {
      reading.refer(target, targetNode.place(), "unknown-target", "'target'");
    }
    if ((withinNode == null) != (targetNode == null)) {
      keys.required(withinNode == null ? "within" : "target", "'leads_to' with a deadline");
    }
    return from == null || to.isEmpty()
        ? null
        : new Invariant.LeadsTo(name, severity, from, to, within, target);
  }

  private @Nullable Invariant atMost(String name, Severity severity, Node node) {
    Keys keys = Keys.of(reading, node, "'at_most'", TypeReader.ordered("fact", "times"));
    if (keys == null) {
      return null;
    }
    Fact fact = fact(keys.required("fact", "'at_most'"));
    keys.required("times", "'at_most'");
    return times(name, severity, fact, 0, keys.number("times", 0, 1));
  }

  private @Nullable Invariant times(String name, Severity severity, Node node) {
    Keys keys = Keys.of(reading, node, "'times'", TypeReader.ordered("fact", "min", "max"));
    if (keys == null) {
      return null;
    }
    Fact fact = fact(keys.required("fact", "'times'"));
    return times(
        name, severity, fact, keys.number("min", 0, 0), keys.number("max", 0, Integer.MAX_VALUE));
  }

  private static @Nullable Invariant times(
      String name, Severity severity, @Nullable Fact fact, int min, int max) {
    return fact == null ? null : new Invariant.Times(name, severity, fact, min, max);
  }

  private @Nullable Invariant oneAtATime(String name, Severity severity, Node node) {
    Keys keys = Keys.of(reading, node, "'one_at_a_time'", TypeReader.ordered("opens", "closes"));
    if (keys == null) {
      return null;
    }
    Fact opens = fact(keys.required("opens", "'one_at_a_time'"));
    Fact closes = fact(keys.required("closes", "'one_at_a_time'"));
    return opens == null || closes == null
        ? null
        : new Invariant.OneAtATime(name, severity, opens, closes);
  }

  private @Nullable Invariant frozen(String name, Severity severity, Node node) {
    Keys keys = Keys.of(reading, node, "'frozen'", TypeReader.ordered("field", "after"));
    if (keys == null) {
      return null;
    }
    Node fieldNode = keys.required("field", "'frozen'");
    Node afterNode = keys.required("after", "'frozen'");
    String field = fieldNode == null ? null : keys.name("field");
    String after = afterNode == null ? null : state(afterNode);
    return field == null || after == null
        ? null
        : new Invariant.Frozen(name, severity, field, after);
  }

  private List<String> states(Node node) {
    List<String> states = new ArrayList<>();
    for (Node item : Keys.items(reading, node, "a list of states")) {
      String state = state(item);
      if (state != null) {
        states.add(state);
      }
    }
    if (node instanceof Node.Sequence list && list.items().size() < 2) {
      reading.error(
          "wrong-type", node.place(), "Expected two or more states, but there are fewer.", "");
    }
    return states;
  }

  private @Nullable String state(Node node) {
    String name = Keys.name(reading, node, "the name of a state");
    if (name != null) {
      referTo(name, node.place());
    }
    return name;
  }

  private void referTo(String state, Place place) {
    reading.refer(state, place, "unknown-state", "the invariant");
  }

  /** A fact; null, and a problem, when it is none. An absent node was reported before. */
  private @Nullable Fact fact(@Nullable Node node) {
    if (node == null) {
      return null;
    }
    if (!(node instanceof Node.Mapping)) {
      return stateFact(node);
    }
    Keys keys = Keys.of(reading, node, "a fact", FACT_KEYS);
    if (keys == null) {
      return null;
    }
    if (keys.has("event")) {
      Conflicts.reportAllBut(reading, keys, "event", Set.of("event"));
      String event = keys.name("event");
      return event == null ? null : new Fact.Receives(event);
    }
    String kind = keys.required("record", "a fact") == null ? null : keys.name("record");
    return kind == null ? null : new Fact.Emits(kind, keys.name("by"));
  }

  /** The place of a character of a text that stands on one line. */
  private static Place inside(Node node, int offset) {
    Place first = node instanceof Node.Scalar scalar ? scalar.first() : node.place();
    return new Place(first.line(), first.column() + offset);
  }

  private @Nullable Fact stateFact(Node node) {
    String text = Keys.name(reading, node, "a state, 'A -> B', { event } or { record }");
    if (text == null) {
      return null;
    }
    int arrow = text.indexOf("->");
    if (arrow < 0) {
      referTo(text, node.place());
      return new Fact.Enters(text);
    }
    String from = text.substring(0, arrow).strip();
    String to = text.substring(arrow + 2).strip();
    referTo(from, node.place());
    referTo(to, inside(node, text.indexOf(to, arrow + 2)));
    return new Fact.Moves(from, to);
  }
}
