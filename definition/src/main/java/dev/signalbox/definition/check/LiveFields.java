package dev.signalbox.definition.check;

import dev.signalbox.kernel.Configuration;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Trigger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which fields can still make a difference in a configuration: those that something reads in a
 * state that is active or may follow, directly or through assignments there. What nothing reads any
 * more is forgotten, so that states that differ in nothing else are one.
 */
final class LiveFields {
  private final Relevance relevance;
  private final Content content;
  private final Syntax syntax;
  private final Alphabet alphabet;
  private final State root;
  private final Set<String> frozen = new HashSet<>();
  private final Map<Configuration, Live> known = new HashMap<>();

  /** The fields, or all of them. */
  private record Live(boolean all, Set<String> fields) {}

  LiveFields(
      Outline outline, Content content, Syntax syntax, Relevance relevance, Alphabet alphabet) {
    this.relevance = relevance;
    this.content = content;
    this.syntax = syntax;
    this.alphabet = alphabet;
    this.root = outline.root();
    for (Invariant invariant : outline.machine().invariants()) {
      if (invariant instanceof Invariant.Frozen f) {
        frozen.add(f.field());
      }
    }
  }

  boolean isLive(String field, Configuration configuration) {
    if (!relevance.isRelevant(field)) {
      return false;
    }
    if (frozen.contains(field) || relevance.namesIndividuals(field)) {
      return true;
    }
    Live live = known.computeIfAbsent(configuration, this::live);
    return live.all() || live.fields().contains(field);
  }

  private Live live(Configuration configuration) {
    Set<State> entered = alphabet.enterable(configuration);
    Set<State> active = alphabet.active(configuration);
    active.add(root);
    active.addAll(entered);
    Set<String> fields = new HashSet<>();
    Deque<String> open = new ArrayDeque<>();
    Map<String, List<String>> assigned = new HashMap<>();
    boolean all = false;
    for (Content.Use use : content.uses()) {
      if (!isAsked(use, active, entered)) {
        continue;
      }
      String text = use.expr().text();
      if (use.action() instanceof Action.Assign assign) {
        assigned
            .computeIfAbsent(Relevance.root(assign.location()), _ -> new ArrayList<>())
            .add(text);
      } else if (relevance.matters(use)) {
        all |= syntax.reads(text).all();
        open.addAll(syntax.reads(text).fields());
      }
    }
    for (Content.Act act : content.acts()) {
      open.addAll(Relevance.locations(act.action()));
    }
    while (!open.isEmpty()) {
      String field = open.pop();
      if (fields.add(field)) {
        for (String text : assigned.getOrDefault(field, List.of())) {
          all |= syntax.reads(text).all();
          open.addAll(syntax.reads(text).fields());
        }
      }
    }
    return new Live(all, fields);
  }

  /** Whether the expression may be worked out from here on. */
  private static boolean isAsked(Content.Use use, Set<State> active, Set<State> entered) {
    boolean delay =
        use.role() == Content.Role.DELAY
            && use.action() == null
            && use.transition() != null
            && use.transition().trigger() instanceof Trigger.After;
    boolean atEntry =
        delay || use.moment() == Content.Moment.ENTRY || use.moment() == Content.Moment.INITIAL;
    return use.role() == Content.Role.INVARIANT
        || (atEntry ? entered : active).contains(use.state());
  }
}
