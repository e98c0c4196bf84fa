package dev.signalbox.kernel;

import dev.signalbox.kernel.machine.Field;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The step as a pure function. */
public final class Kernel {
  /** The event that a start is recorded as. */
  public static final String START = "(start)";

  /** The event that an end from outside is recorded as. */
  public static final String CANCEL = "(cancel)";

  private static final Map<String, Object> WITHOUT_EXITS = Map.of("without_exits", true);

  private Kernel() {}

  /**
   * Enters a machine's initial states.
   *
   * @param parent the id of the instance that invokes this one, or null; a child's own id is its
   *     parent's, a slash and the invocation's id, numbered when the author gave that id
   * @param input values for declared context fields that are not the machine's own; they win over
   *     the declared ones
   */
  public static Answer start(
      Chart chart,
      String instance,
      @Nullable String parent,
      Map<String, ? extends @Nullable Object> input,
      long now) {
    return start(chart, instance, parent, input, now, false, EmptyKeys.DISTINCT);
  }

  /**
   * Enters a machine's initial states.
   *
   * @param recorded whether it happened before: limits on sizes are not asked then
   * @param keys as the entry has them, if it happened before
   */
  public static Answer start(
      Chart chart,
      String instance,
      @Nullable String parent,
      Map<String, ? extends @Nullable Object> input,
      long now,
      boolean recorded,
      EmptyKeys keys) {
    Run run = new Run(chart, instance, parent, now);
    run.recorded = recorded;
    run.keys = keys;
    try {
      bind(run, input);
      new Interpreter(run).start();
      // Not Map.copyOf: a value may be null.
      Map<String, @Nullable Object> given = Collections.unmodifiableMap(new LinkedHashMap<>(input));
      return run.step(Event.platform(START, given.isEmpty() ? null : given));
    } catch (Run.Refused refused) {
      return rejection(run, refused);
    } catch (LimitException e) {
      return rejection(run, run.limit(String.valueOf(e.getMessage())));
    }
  }

  /** Processes one event until the machine is at rest. */
  public static Answer step(Chart chart, Snapshot before, Event event, long now) {
    return step(chart, before, event, now, false, EmptyKeys.DISTINCT);
  }

  /**
   * Processes one event until the machine is at rest.
   *
   * @param recorded whether it happened before: limits on sizes are not asked then
   * @param keys as the entry has them, if it happened before
   */
  public static Answer step(
      Chart chart, Snapshot before, Event event, long now, boolean recorded, EmptyKeys keys) {
    Answer planned = Plan.step(chart, before, event, now);
    return planned != null ? planned : plainly(chart, before, event, null, now, recorded, keys);
  }

  /**
   * Processes a pending timer that is due. A timer that nothing waits for any more is used up
   * without a microstep.
   */
  public static Answer fire(Chart chart, Snapshot before, String timerId, long now) {
    return fire(chart, before, timerId, now, false, EmptyKeys.DISTINCT);
  }

  /**
   * Processes a pending timer that is due.
   *
   * @param recorded whether it happened before: limits on sizes are not asked then
   * @param keys as the entry has them, if it happened before
   */
  public static Answer fire(
      Chart chart, Snapshot before, String timerId, long now, boolean recorded, EmptyKeys keys) {
    for (Timer timer : before.memory().timers()) {
      if (timer.id().equals(timerId)) {
        return plainly(chart, before, timer.message().event(), timer, now, recorded, keys);
      }
    }
    return new Rejection(
        Rejection.Code.TIMER_NOT_PENDING,
        "Expected timer '%s' of '%s' to be pending, but it fired before or was cancelled."
            .formatted(timerId, before.instance()),
        List.of());
  }

  /**
   * Ends an instance from outside: its states are left with their exit actions, its timers and its
   * children are cancelled. Where an exit action fails, the instance ends without any.
   */
  public static Answer cancel(Chart chart, Snapshot before, long now) {
    return cancel(chart, before, now, false, EmptyKeys.DISTINCT, null);
  }

  /**
   * Ends an instance from outside. Where exit actions would make more data than they may, the
   * event's data says that there were none.
   *
   * @param recorded whether it happened before: limits on sizes are not asked then
   * @param keys as the entry has them, if it happened before
   * @param data what the event of that end said
   */
  public static Answer cancel(
      Chart chart,
      Snapshot before,
      long now,
      boolean recorded,
      EmptyKeys keys,
      @Nullable Object data) {
    Event event = Event.platform(CANCEL, null);
    if (before.done()) {
      return ended(before, event);
    }
    if (recorded && isWithoutExits(data)) {
      return dropped(before, event);
    }
    Run run = new Run(chart, before, event, now);
    run.recorded = recorded;
    run.keys = keys;
    try {
      new Interpreter(run).cancel();
      return run.step(event);
    } catch (Run.Refused refused) {
      return dropped(before, event);
    } catch (LimitException e) {
      return dropped(before, Event.platform(CANCEL, WITHOUT_EXITS));
    }
  }

  /** Whether the data of an end from outside says that no exit action was run. */
  public static boolean isWithoutExits(@Nullable Object data) {
    return data instanceof Map<?, ?> map && map.containsKey("without_exits");
  }

  /** The id under which the parent invoked the instance. */
  public static String invokeId(String parent, String instance) {
    String id = instance.substring(parent.length() + 1);
    int mark = id.lastIndexOf('~');
    boolean numbered =
        mark > 0
            && mark + 1 < id.length()
            && id.chars().skip(mark + 1L).allMatch(c -> c >= '0' && c <= '9');
    return numbered ? id.substring(0, mark) : id;
  }

  private static Step dropped(Snapshot before, Event event) {
    Snapshot.Memory memory = before.memory();
    Snapshot after =
        new Snapshot(
            before.instance(),
            before.parent(),
            before.configuration(),
            before.context(),
            true,
            new Snapshot.Memory(
                memory.history(),
                List.of(),
                memory.remaining(),
                List.of(),
                memory.monitors(),
                memory.bound(),
                memory.ids(),
                null));
    List<TimerChange> timers = new ArrayList<>();
    memory.timers().forEach(t -> timers.add(new TimerChange.Cancelled(t.id())));
    List<ChildChange> children = new ArrayList<>();
    memory.children().forEach(c -> children.add(new ChildChange.Cancelled(c)));
    return new Step(
        event, after, List.of(), List.of(), List.of(), List.of(), List.of(), timers, children,
        List.of(), List.of());
  }

  private static Rejection ended(Snapshot before, Event event) {
    return new Rejection(
        Rejection.Code.INSTANCE_FINAL,
        "Expected to send '%s' to '%s', but it ended in %s and takes no more events."
            .formatted(event.name(), before.instance(), names(before)),
        List.of());
  }

  /** The step by the plain algorithm, whatever the chart. */
  static Answer plainly(
      Chart chart,
      Snapshot before,
      Event event,
      @Nullable Timer timer,
      long now,
      boolean recorded,
      EmptyKeys keys) {
    if (before.done()) {
      return ended(before, event);
    }
    Run run = new Run(chart, before, event, now);
    run.recorded = recorded;
    run.keys = keys;
    try {
      if (timer != null) {
        run.fired(timer);
        if (!timer.message().to().equals(before.instance())) {
          run.release(timer.message());
          return run.step(event);
        }
      }
      boolean taken = new Interpreter(run).process(event, timer == null ? null : timer.id());
      if (!taken && chart.strict && timer == null && event.kind() == Event.Kind.EXTERNAL) {
        return notTaken(chart, before, event, run);
      }
      return run.step(event);
    } catch (Run.Refused refused) {
      return rejection(run, refused);
    } catch (LimitException e) {
      return rejection(run, run.limit(String.valueOf(e.getMessage())));
    }
  }

  private static void bind(Run run, Map<String, ? extends @Nullable Object> input) {
    Chart chart = run.chart;
    for (Field field : chart.machine.context()) {
      if (field.own() && input.containsKey(field.name())) {
        throw new Run.Refused(
            Rejection.Code.DATA_MISMATCH,
            "Expected a start of machine '%s' to leave its own field '%s' alone, but it gives it a"
                    .formatted(chart.machine.name(), field.name())
                + " value.");
      }
    }
    for (Node.Slot slot : chart.slots) {
      String name = chart.layout.name(slot.index());
      if (input.containsKey(name)) {
        try {
          run.assign(slot.index(), input.get(name));
        } catch (EvaluationException e) {
          run.failed(e);
        }
      } else {
        Interpreter.bind(run, slot);
      }
    }
    if (chart.strict) {
      for (String name : input.keySet()) {
        if (chart.machine.context().stream().noneMatch(f -> f.name().equals(name))) {
          throw new Run.Refused(
              Rejection.Code.EXPRESSION_FAILED,
              "Expected input for the context of machine '%s', but it declares no field '%s'."
                  .formatted(chart.machine.name(), name));
        }
      }
    }
  }

  private static Rejection notTaken(Chart chart, Snapshot before, Event event, Run run) {
    List<GuardResult> guards =
        run.guards.stream().filter(g -> g.verdict() != GuardResult.Verdict.YES).toList();
    if (!guards.isEmpty()) {
      GuardResult first = guards.getFirst();
      String name = first.guard().name();
      return new Rejection(
          Rejection.Code.GUARD_REFUSED,
          "Expected to send '%s' to '%s' in %s, but guard '%s' said no: %s."
              .formatted(
                  event.name(),
                  before.instance(),
                  names(before),
                  name != null ? name : first.guard().condition().text(),
                  first.why()),
          guards);
    }
    return notAwaited(chart, before, event.name());
  }

  /** The refusal of an event that nothing in the active states waits for. */
  public static Rejection notAwaited(Chart chart, Snapshot before, String event) {
    List<String> awaited = chart.awaited(before.configuration());
    return new Rejection(
        Rejection.Code.NO_TRANSITION,
        "Expected to send '%s' to '%s', but nothing in %s waits for it. %s"
            .formatted(
                event,
                before.instance(),
                names(before),
                awaited.isEmpty()
                    ? "No event is awaited there."
                    : "Awaited there: " + String.join(", ", awaited) + "."),
        List.of());
  }

  private static Rejection rejection(Run run, Run.Refused refused) {
    return new Rejection(refused.code, String.valueOf(refused.getMessage()), run.guards);
  }

  private static String names(Snapshot snapshot) {
    return String.join(", ", snapshot.configuration().leaves());
  }
}
