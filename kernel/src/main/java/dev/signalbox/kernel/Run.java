package dev.signalbox.kernel;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Invariant.Severity;
import dev.signalbox.kernel.machine.Limits;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One step while it is being worked out: the working copies of the snapshot's parts and what the
 * step has produced so far. Thrown away with everything in it when the step is refused.
 */
final class Run {
  final Chart chart;
  final String instance;
  private final @Nullable String parent;
  final long now;
  EmptyKeys keys = EmptyKeys.DISTINCT;
  private final Limits limits;

  final long[] active;
  private Context context;
  private @Nullable Scope scope;
  @Nullable Event event;

  final ArrayDeque<Event> queue = new ArrayDeque<>();
  boolean running = true;

  private final Changes<List<String>> history;
  private final Changes<Object> monitors;
  final Timers timers;
  final Sending sending;
  private List<ChildChange.Invocation> children;
  private List<String> bound;
  private long ids;
  private @Nullable Object output;

  private final List<Microstep> microsteps = new ArrayList<>(2);
  final List<GuardResult> guards = new ArrayList<>(2);
  private final List<Step.Emitted> records = new ArrayList<>(0);
  private final List<Step.Effect> effects = new ArrayList<>(0);
  private final List<Step.Message> messages = new ArrayList<>(0);
  private final List<ChildChange> childChanges = new ArrayList<>(0);
  private final List<Step.Violation> violations = new ArrayList<>(0);
  private final List<Step.LogLine> log = new ArrayList<>(0);
  private int recordsSeen;
  private int iterations;
  private int processed;
  private @Nullable String lastSendId;

  /** Whether the step happened before and is only lived through again: sizes are not asked then. */
  boolean recorded;

  /** What the context may grow to; negative before anything has grown. */
  private long mostContext = -1;

  /** What may still be emitted, asked for, sent, logged and given to children. */
  private long outgoing;

  /** What events raised inside the step may still have as data. */
  private long inside;

  private long built = Limits.BUILT_BYTES;

  /** Whether this is about what is past, which no invariant can refuse any more. */
  boolean past;

  Run(Chart chart, String instance, @Nullable String parent, long now) {
    this.chart = chart;
    this.instance = instance;
    this.parent = parent;
    this.now = now;
    this.limits = chart.machine.limits();
    this.outgoing = limits.stepBytes();
    this.inside = 4L * limits.stepBytes();
    this.active = Bits.empty(chart.nodes.length);
    this.context = Context.empty(chart.layout);
    this.history = new Changes<>(Map.of());
    this.monitors = new Changes<>(Map.of());
    this.timers = new Timers(this, List.of(), Map.of());
    this.sending = new Sending(this, parent);
    this.children = List.of();
    this.bound = List.of();
    Bits.add(active, 0);
  }

  Run(Chart chart, Snapshot before, Event event, long now) {
    Snapshot.Memory memory = before.memory();
    this.chart = chart;
    this.instance = before.instance();
    this.parent = before.parent();
    this.now = now;
    this.limits = chart.machine.limits();
    this.outgoing = limits.stepBytes();
    this.inside = 4L * limits.stepBytes();
    this.active = before.configuration().bits().clone();
    this.context = before.context();
    this.event = event;
    this.history = new Changes<>(memory.history());
    this.monitors = new Changes<>(memory.monitors());
    this.timers = new Timers(this, memory.timers(), memory.remaining());
    this.sending = new Sending(this, parent);
    this.children = memory.children();
    this.bound = memory.bound();
    this.ids = memory.ids();
  }

  Context context() {
    return context;
  }

  Scope scope() {
    Scope known = scope;
    if (known == null) {
      long bytes = recorded ? Long.MAX_VALUE : mostValue();
      known = new Scope(chart, instance, chart.configuration(active), context, event, now, bytes);
      scope = known;
    }
    return known;
  }

  boolean isActive(String state) {
    int index = chart.indexOf(state);
    return index >= 0 && Bits.has(active, index);
  }

  boolean isDone() {
    return !running;
  }

  /**
   * Makes the event the current one. Internal events count as microsteps do: a guard that fails
   * raises an error each time it is asked, and nothing else would end that.
   */
  void process(Event next) {
    if (++processed > limits.microsteps()) {
      throw limit("%d internal events in a row".formatted(limits.microsteps()));
    }
    event = next;
    scope = null;
  }

  void activate(int index) {
    Bits.add(active, index);
    scope = null;
  }

  void deactivate(int index) {
    Bits.remove(active, index);
    scope = null;
  }

  void assign(int slot, @Nullable Object value) {
    Chart.SlotType[] types = chart.types;
    if (types != null) {
      Chart.SlotType declared = types[slot];
      if (declared != null) {
        String fault = Conformance.fault(declared.type(), value, declared.name());
        if (fault != null) {
          throw new EvaluationException("Expected to assign a value that fits, but " + fault + ".");
        }
      }
    }
    put(slot, value);
  }

  void put(int slot, @Nullable Object value) {
    Object old = context.slot(slot);
    context =
        recorded || (Size.isSmall(value) && Size.isSmall(old))
            ? context.withSame(slot, value)
            : sized(slot, old, value);
    scope = null;
  }

  /** Counts only what is assigned, so that a step costs what it changes and not what there is. */
  private Context sized(int slot, @Nullable Object old, @Nullable Object value) {
    long before = context.size();
    if (mostContext < 0) {
      mostContext = Math.max(limits.contextBytes(), before);
    }
    long others = before - Size.ofKnown(old);
    long size = Size.of(value, mostContext - others);
    if (others + size > mostContext) {
      throw new LimitException("%,d bytes of context".formatted(mostContext));
    }
    made(size);
    return context.with(slot, value, others + size);
  }

  /**
   * The largest value that an expression may make: a context that is too large can be rewritten.
   */
  private long mostValue() {
    return Math.max(Math.max(limits.contextBytes(), limits.stepBytes()), Math.max(mostContext, 0));
  }

  private void made(long size) {
    built -= size;
    if (built < 0) {
      throw new LimitException(
          "%,d bytes of values made in one step".formatted(Limits.BUILT_BYTES));
    }
  }

  /** Counts data that leaves the step. */
  @Nullable Object leaving(@Nullable Object data) {
    if (!recorded && !Size.isSmall(data)) {
      outgoing = spent(outgoing, data, "%,d bytes of data in one step");
    }
    return data;
  }

  /** Counts data that stays inside the step, of which four times as much is allowed. */
  @Nullable Object staying(@Nullable Object data) {
    if (!recorded && !Size.isSmall(data)) {
      inside = spent(inside, data, "%,d bytes of data in one step, four times over");
    }
    return data;
  }

  private long spent(long room, @Nullable Object data, String what) {
    long size = Size.of(data, room);
    if (size > room) {
      throw new LimitException(what.formatted(limits.stepBytes()));
    }
    made(size);
    return room - size;
  }

  /** Runs a block: a failure ends the block, and in strict mode the step. */
  void block(Instruction[] block) {
    try {
      inline(block);
    } catch (EvaluationException e) {
      failed(e);
    } catch (BlockEnded e) {
      // Reported where it was thrown.
    }
  }

  /** Runs instructions as a part of the block around them. */
  void inline(Instruction[] instructions) {
    for (Instruction instruction : instructions) {
      instruction.execute(this);
    }
  }

  /** A condition inside a block; one without a value counts as false in scxml mode. */
  boolean holds(Expression condition) {
    try {
      return condition.test(scope());
    } catch (EvaluationException e) {
      failed(e);
      return false;
    }
  }

  void foreach(Expression list, int item, int index, Instruction[] body) {
    if (!(list.evaluate(scope()) instanceof List<?> items)) {
      throw new EvaluationException("Expected a list to go through, but found something else.");
    }
    for (int i = 0; i < items.size(); i++) {
      if (++iterations > limits.iterations()) {
        throw limit("%d iterations".formatted(limits.iterations()));
      }
      put(item, items.get(i));
      if (index >= 0) {
        put(index, (long) i);
      }
      inline(body);
    }
    if (chart.strict) {
      put(item, Context.ABSENT);
      if (index >= 0) {
        put(index, Context.ABSENT);
      }
    }
  }

  void failed(EvaluationException e) {
    failed(e, null);
  }

  /** Reports a failure; what it returns ends the block. */
  RuntimeException blockEnded(EvaluationException e, @Nullable String sendId) {
    failed(e, sendId);
    return new BlockEnded();
  }

  private void failed(EvaluationException e, @Nullable String sendId) {
    if (chart.strict) {
      throw new Refused(Rejection.Code.EXPRESSION_FAILED, String.valueOf(e.getMessage()));
    }
    raise(error("error.execution", e.getMessage(), sendId));
  }

  static Event error(String name, @Nullable String message, @Nullable String sendId) {
    return new Event(name, Event.Kind.PLATFORM, message, null, sendId, null, null, null);
  }

  void raise(Event raised) {
    if (queue.size() >= limits.queue()) {
      throw limit("%d internal events".formatted(limits.queue()));
    }
    queue.add(raised);
  }

  void emit(String kind, @Nullable Object data) {
    records.add(new Step.Emitted(kind, data));
  }

  void perform(Action.Perform asked, @Nullable Object input) {
    effects.add(
        new Step.Effect(
            instance + "#" + ++ids,
            asked.effect(),
            asked.reply(),
            asked.idempotent(),
            asked.during(),
            asked.retry(),
            input));
  }

  void log(@Nullable String label, @Nullable Object value) {
    log.add(new Step.LogLine(label, leaving(value)));
  }

  String freshSendId() {
    String id = "send." + ++ids;
    lastSendId = id;
    return id;
  }

  @Nullable Object lastSendId() {
    return lastSendId;
  }

  long freshNumber() {
    return ++ids;
  }

  List<ChildChange.Invocation> children() {
    return children;
  }

  void startChild(ChildChange.Started started) {
    children = with(children, started.invocation());
    childChanges.add(started);
  }

  void stopChildren(Node node) {
    for (ChildChange.Invocation child : children) {
      if (child.state().equals(node.id)) {
        children = without(children, child);
        childChanges.add(new ChildChange.Cancelled(child));
      }
    }
  }

  void childEnded(String invokeId) {
    for (ChildChange.Invocation child : children) {
      if (child.id().equals(invokeId)) {
        children = without(children, child);
      }
    }
  }

  void forward(ChildChange.Invocation child, Event forwarded) {
    Object _ = leaving(forwarded.data());
    messages.add(new Step.Message(child.instance(), forwarded));
  }

  void release(Step.Message message) {
    messages.add(message);
  }

  boolean bindOnce(Node node) {
    if (bound.contains(node.id)) {
      return false;
    }
    bound = with(bound, node.id);
    return true;
  }

  /** Writes down a microstep and shows it to the monitors. */
  void took(Microstep microstep) {
    if (microsteps.size() >= limits.microsteps()) {
      throw limit("%d microsteps".formatted(limits.microsteps()));
    }
    microsteps.add(microstep);
    if (chart.monitors.length > 0) {
      Monitor.Moment moment =
          new Monitor.Moment(
              microstep.event(),
              microstep.exited(),
              microstep.entered(),
              records.subList(recordsSeen, records.size()),
              keys);
      for (Monitor monitor : chart.monitors) {
        monitor.observe(moment, this);
      }
    }
    recordsSeen = records.size();
  }

  void violated(Invariant invariant, String message) {
    if (past) {
      return;
    }
    if (invariant.severity() == Severity.FATAL) {
      throw new Refused(
          Rejection.Code.INVARIANT_BROKEN,
          "Expected invariant %s to hold, but the step would break it.".formatted(message));
    }
    violations.add(new Step.Violation(invariant.name(), invariant.severity(), message));
  }

  Refused limit(String what) {
    return new Refused(
        Rejection.Code.LIMIT_REACHED,
        "Expected the step to end within the limits of machine '%s', but it reached %s."
            .formatted(chart.machine.name(), what));
  }

  /** Ends the instance: nothing is pending any more. */
  void end(@Nullable Object data) {
    output = data;
    timers.cancelAll();
  }

  Step step(Event cause) {
    for (Monitor monitor : chart.monitors) {
      monitor.rest(this);
    }
    Snapshot after =
        new Snapshot(
            instance,
            parent,
            chart.configuration(active),
            context,
            !running,
            new Snapshot.Memory(
                history.result(),
                timers.pending(),
                timers.remaining(),
                children,
                monitors.result(),
                bound,
                ids,
                output));
    return new Step(
        cause,
        after,
        List.copyOf(microsteps),
        List.copyOf(guards),
        List.copyOf(records),
        List.copyOf(effects),
        List.copyOf(messages),
        timers.changes(),
        List.copyOf(childChanges),
        List.copyOf(violations),
        List.copyOf(log));
  }

  static <T> List<T> with(List<T> list, T item) {
    List<T> longer = new ArrayList<>(list.size() + 1);
    longer.addAll(list);
    longer.add(item);
    return List.copyOf(longer);
  }

  static <T> List<T> without(List<T> list, T item) {
    List<T> shorter = new ArrayList<>(list);
    shorter.remove(item);
    return List.copyOf(shorter);
  }

  /** The states that each history state remembers. */
  Map<String, List<String>> history() {
    return history.now();
  }

  void remember(String historyState, List<String> states) {
    history.put(historyState, states);
  }

  /** Takes a timer that is due; the target of a response's deadline is the response. */
  void fired(Timer timer) {
    timers.fired(timer);
    for (Monitor monitor : chart.monitors) {
      if (timer.id().equals(Monitor.timerId(monitor.invariant.name()))) {
        setMonitor(monitor.invariant.name(), null);
      }
    }
  }

  /** The state of an invariant's monitor; null when it is at its beginning. */
  @Nullable Object monitor(String invariant) {
    return monitors.now().get(invariant);
  }

  void setMonitor(String invariant, @Nullable Object state) {
    if (state != null) {
      monitors.put(invariant, state);
    } else {
      monitors.remove(invariant);
    }
  }

  /** The step is refused as a whole. */
  static final class Refused extends RuntimeException {
    final Rejection.Code code;

    Refused(Rejection.Code code, String message) {
      super(message, null, false, false);
      this.code = code;
    }
  }

  /** The block ends here; what was wrong has been reported. */
  static final class BlockEnded extends RuntimeException {
    BlockEnded() {
      super(null, null, false, false);
    }
  }
}
