package dev.signalbox.kernel;

import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Invariant.Severity;
import dev.signalbox.kernel.machine.Limits;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One step while it is being worked out: the working copies of the snapshot's parts and what the
 * step has produced so far. Thrown away with everything in it when the step is refused.
 */
final class Run {
  private static final String PROCESSOR = "http://www.w3.org/TR/scxml/#SCXMLEventProcessor";

  /** The types of send and invoke that mean other machines. */
  static final Set<String> MACHINES =
      Set.of("scxml", "http://www.w3.org/TR/scxml", "http://www.w3.org/TR/scxml/", PROCESSOR);

  final Chart chart;
  final String instance;
  private final @Nullable String parent;
  final long now;
  private final Limits limits;

  final long[] active;
  private Context context;
  private @Nullable Scope scope;
  @Nullable Event event;

  final ArrayDeque<Event> queue = new ArrayDeque<>();
  boolean running = true;

  private final Changes<List<String>> history;
  private final Changes<Long> remaining;
  private final Changes<Object> monitors;
  private List<Timer> timers;
  private List<ChildChange.Invocation> children;
  private List<String> bound;
  private long ids;
  private @Nullable Object output;

  private final List<Microstep> microsteps = new ArrayList<>(2);
  final List<GuardResult> guards = new ArrayList<>(2);
  private final List<Step.Emitted> records = new ArrayList<>(0);
  private final List<Step.Effect> effects = new ArrayList<>(0);
  private final List<Step.Message> messages = new ArrayList<>(0);
  private final List<TimerChange> timerChanges = new ArrayList<>(0);
  private final List<ChildChange> childChanges = new ArrayList<>(0);
  private final List<Step.Violation> violations = new ArrayList<>(0);
  private final List<Step.LogLine> log = new ArrayList<>(0);
  private int recordsSeen;
  private int iterations;
  private int processed;
  private @Nullable String lastSendId;

  Run(Chart chart, String instance, @Nullable String parent, long now) {
    this.chart = chart;
    this.instance = instance;
    this.parent = parent;
    this.now = now;
    this.limits = chart.machine.limits();
    this.active = Bits.empty(chart.nodes.length);
    this.context = Context.empty(chart.layout);
    this.history = new Changes<>(Map.of());
    this.remaining = new Changes<>(Map.of());
    this.monitors = new Changes<>(Map.of());
    this.timers = List.of();
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
    this.active = before.configuration().bits().clone();
    this.context = before.context();
    this.event = event;
    this.history = new Changes<>(memory.history());
    this.remaining = new Changes<>(memory.remaining());
    this.monitors = new Changes<>(memory.monitors());
    this.timers = memory.timers();
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
      known =
          new Scope(chart, instance, chart.configuration(active), context, event, now);
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
    context = context.with(slot, value);
    scope = null;
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

  private void failed(EvaluationException e, @Nullable String sendId) {
    if (chart.strict) {
      throw new Refused(Rejection.Code.EXPRESSION_FAILED, String.valueOf(e.getMessage()));
    }
    raise(error("error.execution", e.getMessage(), sendId));
  }

  private static Event error(String name, @Nullable String message, @Nullable String sendId) {
    return new Event(
        name, Event.Kind.PLATFORM, message, null, sendId, null, null, null);
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

  void perform(String effect, String reply, boolean idempotent, @Nullable Object input) {
    effects.add(new Step.Effect(instance + "#" + ++ids, effect, reply, idempotent, input));
  }

  void log(@Nullable String label, @Nullable Object value) {
    log.add(new Step.LogLine(label, value));
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

  /**
   * Sends an event as SCXML 6.2 says: a type or target that cannot be is a failure of the block, a
   * target that is not there is {@code error.communication}.
   */
  void send(
      String name,
      @Nullable String target,
      @Nullable String type,
      @Nullable String sendId,
      long delay,
      Supplier<@Nullable Object> data) {
    if (type != null && !MACHINES.contains(type)) {
      unsendable("Expected a type of event processor, but found '%s'.".formatted(type), sendId);
    }
    Object payload;
    try {
      payload = data.get();
    } catch (EvaluationException e) {
      failed(e, sendId);
      throw new BlockEnded();
    }
    if ("#_internal".equals(target)) {
      if (delay > 0) {
        unsendable("Expected no delay for an internal event, but found one.", sendId);
      }
      raise(
          new Event(name, Event.Kind.INTERNAL, payload, null, sendId, null, null, null));
      return;
    }
    String to = address(target, sendId);
    if (to == null) {
      raise(
          error(
              "error.communication",
              "Expected to reach '%s', but there is no such instance.".formatted(target),
              sendId));
      return;
    }
    Event sent =
        new Event(
            name,
            Event.Kind.EXTERNAL,
            payload,
            null,
            sendId,
            "#_scxml_" + instance,
            PROCESSOR,
            to.equals(parent) ? invokeId() : null);
    Step.Message message = new Step.Message(to, sent);
    if (delay == 0) {
      messages.add(message);
    } else {
      schedule(new Timer("send:" + ++ids, sendId, null, now + delay, message));
    }
  }

  private void unsendable(String message, @Nullable String sendId) {
    failed(new EvaluationException(message), sendId);
    throw new BlockEnded();
  }

  /** The instance behind an SCXML target; null when it is not there. */
  private @Nullable String address(@Nullable String target, @Nullable String sendId) {
    if (target == null) {
      return instance;
    }
    if (target.equals("#_parent")) {
      return parent;
    }
    if (target.startsWith("#_scxml_")) {
      String id = target.substring("#_scxml_".length());
      return chart.strict || isKnown(id, target) ? id : null;
    }
    if (target.startsWith("#_")) {
      String invokeId = target.substring(2);
      for (ChildChange.Invocation child : children) {
        if (child.id().equals(invokeId)) {
          return child.instance();
        }
      }
      return null;
    }
    unsendable("Expected the address of an instance, but found '%s'.".formatted(target), sendId);
    return null;
  }

  private boolean isKnown(String id, String target) {
    Event current = event;
    return id.equals(instance)
        || id.equals(parent)
        || (current != null && target.equals(current.origin()))
        || children.stream().anyMatch(c -> c.instance().equals(id));
  }

  /** The id under which the parent invoked this instance. */
  private @Nullable String invokeId() {
    return parent == null ? null : instance.substring(parent.length() + 1);
  }

  void schedule(Timer timer) {
    if (timers.size() >= limits.timers()) {
      throw limit("%d pending timers".formatted(limits.timers()));
    }
    timers = with(timers, timer);
    timerChanges.add(new TimerChange.Scheduled(timer));
  }

  void cancelSends(String sendId) {
    for (Timer timer : timers) {
      if (sendId.equals(timer.sendId())) {
        cancel(timer);
      }
    }
  }

  void cancelTimer(String id) {
    Timer timer = pending(id);
    if (timer != null) {
      cancel(timer);
    }
  }

  private void cancel(Timer timer) {
    timers = without(timers, timer);
    timerChanges.add(new TimerChange.Cancelled(timer.id()));
  }

  @Nullable Timer pending(String id) {
    for (Timer timer : timers) {
      if (timer.id().equals(id)) {
        return timer;
      }
    }
    return null;
  }

  /** Takes a timer that is due out of the pending ones. */
  void fired(Timer timer) {
    timers = without(timers, timer);
    timerChanges.add(new TimerChange.Fired(timer.id()));
    for (Monitor monitor : chart.monitors) {
      if (timer.id().equals(Monitor.timerId(monitor.invariant.name()))) {
        // The deadline's target is the response.
        setMonitor(monitor.invariant.name(), null);
      }
    }
  }

  void startResponseTimer(Invariant.LeadsTo leads, long within) {
    String id = Monitor.timerId(leads.name());
    if (pending(id) == null) {
      Event late = Event.platform("late." + leads.name(), null);
      schedule(new Timer(id, null, null, now + within, new Step.Message(instance, late)));
    }
  }

  void startDeadlines(Node node) {
    for (Node.Deadline deadline : node.deadlines) {
      Long left = deadline.cumulative() ? remaining.now().get(deadline.id()) : null;
      long delay;
      if (left != null) {
        delay = left;
      } else if (deadline.delay() != null) {
        try {
          delay = ActionCompiler.millis(deadline.delay().evaluate(scope()));
        } catch (EvaluationException e) {
          failed(e);
          continue;
        }
      } else {
        delay = deadline.fixed();
      }
      Event late = Event.platform(deadline.event(), null);
      schedule(
          new Timer(
              deadline.id(), null, node.id, now + delay, new Step.Message(instance, late)));
    }
  }

  void stopDeadlines(Node node) {
    for (Node.Deadline deadline : node.deadlines) {
      Timer timer = pending(deadline.id());
      if (deadline.cumulative()) {
        remaining.put(deadline.id(), timer == null ? 0 : Math.max(0, timer.due() - now));
      }
      if (timer != null) {
        cancel(timer);
      }
    }
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
              records.subList(recordsSeen, records.size()));
      for (Monitor monitor : chart.monitors) {
        monitor.observe(moment, this);
      }
    }
    recordsSeen = records.size();
  }

  void violated(Invariant invariant, String message) {
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
    for (Timer timer : timers) {
      cancel(timer);
    }
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
                timers,
                remaining.result(),
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
        List.copyOf(timerChanges),
        List.copyOf(childChanges),
        List.copyOf(violations),
        List.copyOf(log));
  }

  private static <T> List<T> with(List<T> list, T item) {
    List<T> longer = new ArrayList<>(list.size() + 1);
    longer.addAll(list);
    longer.add(item);
    return List.copyOf(longer);
  }

  private static <T> List<T> without(List<T> list, T item) {
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

  /** The state of an invariant's monitor; null when it is at its beginning. */
  @Nullable Object monitor(String invariant) {
    return monitors.now().get(invariant);
  }

  void setMonitor(String invariant, @Nullable Object state) {
    if (state != null) {
      monitors.put(invariant, state);
    } else if (monitors.now().containsKey(invariant)) {
      monitors.remove(invariant);
    }
  }

  /** A map of the snapshot, copied when the step first changes it. */
  private static final class Changes<V> {
    private Map<String, V> map;
    private boolean own;

    Changes(Map<String, V> map) {
      this.map = map;
    }

    Map<String, V> now() {
      return map;
    }

    void put(String key, V value) {
      claim().put(key, value);
    }

    void remove(String key) {
      claim().remove(key);
    }

    Map<String, V> result() {
      return !own ? map : map.isEmpty() ? Map.of() : Collections.unmodifiableMap(map);
    }

    private Map<String, V> claim() {
      if (!own) {
        map = new LinkedHashMap<>(map);
        own = true;
      }
      return map;
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
