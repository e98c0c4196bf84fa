package dev.signalbox.kernel;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Invoke;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the outside may do to the instances of a machine: which event may come, from whom and with
 * what data, and what becomes of one that the step refuses. Admission, the catalogue of permitted
 * events, the tools for agents, sweeps and the model checker all ask it; replay never does, for
 * what is in the journal was admitted by the rules of its time. Immutable, and cheap to ask.
 *
 * <p>A step matches the names of events as prefixes, so the door does too. <b>What was declared of
 * a name holds for every name below it</b>: whoever sends {@code approve.x} needs what {@code
 * approve} asks for, in whatever state. In strict mode the door admits only names that the author
 * wrote, as a transition's descriptor or among the declared events, and what a written {@code .*}
 * or {@code *} covers.
 *
 * <p>Names of the engine are never admitted: {@code (…)}, everything below {@code done} and {@code
 * error}, and for each effect the outcomes of its reply with everything below them. {@code done},
 * {@code error}, a reply and other names below a reply are admitted only where the author wrote
 * exactly that name: a pattern such as {@code pay.*} means the outcomes of {@code pay}.
 *
 * <p>What an instance says to itself (raised, sent without a target, also with a delay) does not
 * come from outside, and no rule of the door is asked.
 */
public final class Environment {
  /** What the role of a machine begins with; its name follows. */
  public static final String MACHINE_ROLE = "machine:";

  /** How an effect can end; each is an event, the reply, a dot and the word. */
  public static final List<String> OUTCOMES = List.of("succeeded", "failed", "unknown");

  /** The event that tells a sender, or who invoked a child, that nobody was reached. */
  public static final String BOUNCE = "error.communication";

  /** What the event of a child's end begins with; the id under which it was invoked follows. */
  public static final String CHILD_END = "done.invoke.";

  private static final List<String> PLATFORM = List.of("done", "error");

  /** A token that no author writes, to ask about names that a pattern covers. */
  private static final String OTHER = "any.other.event";

  private final boolean strict;
  private final List<EventType> types;
  private final Set<String> exact = new LinkedHashSet<>();
  private final Set<String> patterns = new LinkedHashSet<>();
  private final Set<String> replies = new LinkedHashSet<>();
  private final Set<String> during = new LinkedHashSet<>();
  private final Map<String, EventRule> known = new HashMap<>();
  private final List<String> names;

  private Environment(Machine machine) {
    strict = machine.mode() == Machine.Mode.STRICT;
    types =
        machine.events().stream()
            .sorted(Comparator.comparingInt(type -> Trigger.core(type.name()).length()))
            .toList();
    collect(machine.root());
    machine.events().forEach(type -> write(type.name()));
    for (Action.Perform perform : machine.effects()) {
      replies.add(perform.reply());
      if (perform.during() != null) {
        during.add(perform.during());
      }
    }
    exact.forEach(name -> known.put(name, worked(name)));
    for (String reply : replies) {
      OUTCOMES.forEach(o -> known.put(reply + "." + o, worked(reply + "." + o)));
    }
    names =
        exact.stream().filter(name -> rule(name).standing() == EventRule.Standing.OPEN).toList();
  }

  /** The environment of a machine; a {@link Chart} has one already. */
  public static Environment of(Machine machine) {
    return new Environment(machine);
  }

  private void collect(State state) {
    for (Transition transition : state.transitions()) {
      if (transition.trigger() instanceof Trigger.On on) {
        on.descriptors().forEach(this::write);
      }
    }
    state.children().forEach(this::collect);
  }

  private void write(String descriptor) {
    (Trigger.isPattern(descriptor) ? patterns : exact).add(Trigger.core(descriptor));
  }

  /** What holds for events of the name, whoever sends them and in whatever state. */
  public EventRule rule(String event) {
    EventRule rule = known.get(event);
    return rule != null ? rule : worked(event);
  }

  private EventRule worked(String event) {
    List<EventType> binding = new ArrayList<>(1);
    for (EventType type : types) {
      if (Trigger.matches(Trigger.core(type.name()), event)) {
        binding.add(type);
      }
    }
    return new EventRule(event, standing(event), binding);
  }

  private EventRule.Standing standing(String event) {
    if (event.startsWith("(") || isEngines(event)) {
      return EventRule.Standing.RESERVED;
    }
    if (exact.contains(event)) {
      return EventRule.Standing.OPEN;
    }
    if (PLATFORM.contains(event)
        || replies.stream().anyMatch(r -> !r.isEmpty() && Trigger.matches(r, event))) {
      return EventRule.Standing.RESERVED;
    }
    boolean named = !strict || (isWellFormed(event) && anyMatches(patterns, event));
    return named ? EventRule.Standing.OPEN : EventRule.Standing.UNKNOWN;
  }

  /** Whether the name is one that only the engine gives, even where the author wrote it. */
  private boolean isEngines(String event) {
    for (String platform : PLATFORM) {
      if (event.length() > platform.length() && Trigger.matches(platform, event)) {
        return true;
      }
    }
    for (String reply : replies) {
      for (String outcome : OUTCOMES) {
        if (Trigger.matches(reply + "." + outcome, event)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isWellFormed(String event) {
    return !event.isEmpty()
        && !event.startsWith(".")
        && !event.endsWith(".")
        && !event.contains("..");
  }

  private static boolean anyMatches(Collection<String> cores, String event) {
    return cores.stream().anyMatch(core -> Trigger.matches(core, event));
  }

  /** The names that the author wrote and somebody outside may send in some state. */
  public List<String> names() {
    return names;
  }

  /** Those of {@link #names} that one of the descriptors matches. */
  public List<String> names(Collection<String> descriptors) {
    List<String> cores = descriptors.stream().map(Trigger::core).toList();
    return names.stream().filter(name -> anyMatches(cores, name)).toList();
  }

  /**
   * Whether an event that the descriptor matches may be sent by somebody, be it one whose name
   * nobody wrote.
   */
  public boolean isOpen(String descriptor) {
    String core = Trigger.core(descriptor);
    return names.stream().anyMatch(name -> Trigger.matches(core, name))
        || isOpenName(core.isEmpty() ? OTHER : core)
        || isOpenName(core.isEmpty() ? OTHER : core + "." + OTHER);
  }

  private boolean isOpenName(String event) {
    return rule(event).standing() == EventRule.Standing.OPEN;
  }

  /** What the effects of the machine report under. */
  public Set<String> replies() {
    return replies;
  }

  /** The replies of which the descriptor matches an outcome. */
  public List<String> replies(String descriptor) {
    return replies.stream()
        .filter(reply -> OUTCOMES.stream().anyMatch(outcome -> hears(descriptor, reply, outcome)))
        .toList();
  }

  /** Whether the descriptor matches the reply's outcome. */
  public static boolean hears(String descriptor, String reply, String outcome) {
    return Trigger.matches(Trigger.core(descriptor), reply + "." + outcome);
  }

  /**
   * The ways in which an effect with the reply can end. An idempotent one can end unknown too: its
   * handler may say so, and whoever cares for the store may give it up.
   */
  public List<String> outcomes(String reply) {
    return replies.contains(reply) ? OUTCOMES : List.of();
  }

  /**
   * The reply of which one of the descriptors matches that nobody knows how the effect ended, or
   * null.
   */
  public @Nullable String hearsUnknown(Collection<String> descriptors) {
    for (String descriptor : descriptors) {
      for (String reply : replies) {
        if (hears(descriptor, reply, "unknown")) {
          return reply;
        }
      }
    }
    return null;
  }

  /**
   * Whether the engine gives events of exactly this name: how an effect, a child or a state ended.
   */
  public boolean isEngineGiven(String event) {
    for (String reply : replies) {
      for (String outcome : OUTCOMES) {
        if (event.equals(reply + "." + outcome)) {
          return true;
        }
      }
    }
    return event.startsWith("done.") || event.startsWith("error.");
  }

  /** Whether the descriptor matches the end of a child. */
  public static boolean hearsChildEnd(String descriptor) {
    String core = Trigger.core(descriptor);
    return Trigger.matches(core, CHILD_END + OTHER) || core.startsWith(CHILD_END);
  }

  /**
   * The states with which effects end. An effect that was asked for {@code during} a state is begun
   * only if the step that asked for it rests in that state; once the state is left, even to be
   * entered again at once, it gives no reply any more.
   */
  public Set<String> during() {
    return during;
  }

  /**
   * Whether {@link #BOUNCE} can come for what was sent, at any time after it: the recipient may not
   * be there, or may not take that event from this sender.
   */
  public static boolean canBounce(Action.Send send) {
    return send.target() != null
        && !(send.target() instanceof Operand.Literal(String target)
            && target.equals("#_internal"));
  }

  /**
   * Whether {@link #BOUNCE} can come in place of a child's end: it may be no machine of this store,
   * refuse its start, or lie too deep.
   */
  public static boolean canBounce(@SuppressWarnings("unused") Invoke invoke) {
    return true;
  }

  /** Where the events of an instance come from. */
  public enum Source {
    /** Somebody outside, or a part of the program; by the rules of the door. */
    CALLER(Refused.UNCHANGED),
    /** Another instance; by the rules of the door. */
    INSTANCE(Refused.CONSUMED),
    /** A child that the instance invoked; it may send whatever the machine names. */
    CHILD(Refused.CONSUMED),
    /** The end of an effect, once for each that was begun, in any state. */
    REPLY(Refused.CONSUMED),
    /** The end of a child. */
    CHILD_END(Refused.CONSUMED),
    /** The news that a message or an invocation reached nobody. */
    BOUNCE(Refused.CONSUMED),
    /** What the instance sent to itself. */
    SELF(Refused.CONSUMED),
    /** A timer of the instance: a state's deadline, or a delayed event. */
    TIMER(Refused.HALTED);

    private final Refused refused;

    Source(Refused refused) {
      this.refused = refused;
    }

    /** What becomes of an event from there that the instance's step refuses. */
    public Refused whenRefused() {
      return refused;
    }
  }

  /** What becomes of an event that the instance's step refuses: no guard says yes, or the like. */
  public enum Refused {
    /** Nothing: whoever sent it was told, and may send it again. */
    UNCHANGED,
    /** It is written down as refused and does not come again; what gave it has ended. */
    CONSUMED,
    /** The instance stands still until somebody resumes it. */
    HALTED
  }

  /** Who sends an event. */
  public sealed interface Sender {
    /** Somebody outside, or a part of the program. */
    record Caller(Actor actor) implements Sender {}

    /**
     * An instance. Whoever started it may have chosen whom it tells what, so it has no role but
     * that of its own machine; a child may tell the parent that invoked it everything.
     *
     * @param machine null when the instance is not there any more
     * @param child whether the recipient invoked it
     */
    record Instance(@Nullable String machine, boolean child) implements Sender {}
  }
}
