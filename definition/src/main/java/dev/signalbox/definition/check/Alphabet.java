package dev.signalbox.definition.check;

import dev.signalbox.kernel.Configuration;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The events that can be told apart by a machine: one for each descriptor it mentions, and one that
 * only {@code *} matches. An event outside of it does what one of these does.
 */
final class Alphabet {
  /** An event that no descriptor but {@code *} matches. */
  static final String ANY_OTHER = "any.other.event";

  private static final List<String> OUTCOMES = List.of("succeeded", "failed", "unknown");

  private final Outline outline;
  private final List<String> events;
  private final Set<String> replies = new LinkedHashSet<>();
  private final Set<String> unknownReplies = new LinkedHashSet<>();
  private final Map<Configuration, List<String>> awaited = new HashMap<>();
  private final Map<Configuration, Set<String>> mattering = new HashMap<>();

  Alphabet(Outline outline, Content content) {
    this.outline = outline;
    for (Content.Act act : content.acts()) {
      if (act.action() instanceof Action.Perform perform) {
        replies.add(perform.reply());
        if (!perform.idempotent()) {
          unknownReplies.add(perform.reply());
        }
      }
    }
    Set<String> found = new LinkedHashSet<>();
    List<State> all = new ArrayList<>(List.of(outline.root()));
    all.addAll(outline.states());
    for (State state : all) {
      for (Transition transition : state.transitions()) {
        if (transition.trigger() instanceof Trigger.On on) {
          on.descriptors().forEach(d -> add(d, found));
        }
      }
    }
    for (Content.Act act : content.acts()) {
      switch (act.action()) {
        case Action.Raise raise when raise.event() instanceof Operand.Literal(String name) ->
            add(name, found);
        case Action.Send send when send.event() instanceof Operand.Literal(String name) ->
            add(name, found);
        default -> {}
      }
    }
    for (Invariant invariant : outline.machine().invariants()) {
      for (Fact fact : Relevance.facts(invariant)) {
        if (fact instanceof Fact.Receives(String descriptor)) {
          add(descriptor, found);
        }
      }
    }
    events = List.copyOf(found);
  }

  private static void add(String descriptor, Set<String> found) {
    String core = Descriptors.core(descriptor);
    found.add(core.isEmpty() ? ANY_OTHER : core);
  }

  /** Every event, whoever sends it. */
  List<String> events() {
    return events.isEmpty() ? List.of(ANY_OTHER) : events;
  }

  /** The events that somebody outside can send and that something waits for here. */
  List<String> sent(Configuration configuration) {
    return awaited.computeIfAbsent(
        configuration,
        c -> {
          List<String> descriptors = new ArrayList<>();
          awaitedBy(outline.root(), descriptors);
          for (String id : c.states()) {
            State state = outline.find(id);
            if (state != null) {
              awaitedBy(state, descriptors);
            }
          }
          return events.stream()
              .filter(e -> !isFromInside(e) && Descriptors.anyMatches(descriptors, e))
              .toList();
        });
  }

  private static void awaitedBy(State state, List<String> descriptors) {
    for (Transition transition : state.transitions()) {
      if (transition.trigger() instanceof Trigger.On on) {
        descriptors.addAll(on.descriptors());
      }
    }
  }

  /** Whether only the instance itself, its effects or its children give this event. */
  private boolean isFromInside(String event) {
    return event.startsWith("done.state.")
        || event.startsWith("done.invoke")
        || event.equals("error")
        || event.startsWith("error.")
        || replies.stream()
            .anyMatch(r -> OUTCOMES.stream().anyMatch(o -> event.equals(r + "." + o)));
  }

  /**
   * The replies that something may still wait for, now or later. The result of any other effect is
   * refused whenever it comes, so it does not matter that it is under way.
   */
  Set<String> mattering(Configuration configuration) {
    return mattering.computeIfAbsent(
        configuration,
        c -> {
          List<String> descriptors = new ArrayList<>();
          awaitedBy(outline.root(), descriptors);
          reachable(c).forEach(state -> awaitedBy(state, descriptors));
          Set<String> found = new LinkedHashSet<>();
          for (String reply : replies) {
            if (OUTCOMES.stream()
                .anyMatch(o -> Descriptors.anyMatches(descriptors, reply + "." + o))) {
              found.add(reply);
            }
          }
          return found;
        });
  }

  /** The states that may be active from here on, whatever the conditions say. */
  private Set<State> reachable(Configuration configuration) {
    Set<State> found = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<State> open = new ArrayDeque<>();
    open.add(outline.root());
    for (String id : configuration.states()) {
      State state = outline.find(id);
      if (state != null && found.add(state)) {
        open.add(state);
      }
    }
    while (!open.isEmpty()) {
      for (Transition transition : open.removeFirst().transitions()) {
        for (State target : outline.targets(transition)) {
          State parent = outline.parent(target);
          State whole = target.kind().isHistory() && parent != null ? parent : target;
          List<State> entered = new ArrayList<>(outline.ancestors(whole));
          entered.addAll(
              outline.states().stream().filter(s -> outline.isWithin(s, whole)).toList());
          entered.stream().filter(found::add).forEach(open::add);
        }
      }
    }
    return found;
  }

  /** The ways an effect with the reply can end. */
  List<String> outcomes(String reply) {
    return unknownReplies.contains(reply) ? OUTCOMES : OUTCOMES.subList(0, 2);
  }
}
