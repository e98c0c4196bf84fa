package dev.signalbox.definition.check;

import dev.signalbox.kernel.Configuration;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.ArrayList;
import java.util.HashMap;
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

  /** The ways an effect with the reply can end. */
  List<String> outcomes(String reply) {
    return unknownReplies.contains(reply) ? OUTCOMES : OUTCOMES.subList(0, 2);
  }
}
