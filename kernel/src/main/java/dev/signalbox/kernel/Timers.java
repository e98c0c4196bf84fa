package dev.signalbox.kernel;

import dev.signalbox.kernel.machine.Invariant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The pending timers of an instance during a step, and what the step does to them. */
final class Timers {
  private final Run run;
  private final Changes<Long> remaining;
  private List<Timer> pending;
  private final List<TimerChange> changes = new ArrayList<>(0);

  Timers(Run run, List<Timer> pending, Map<String, Long> remaining) {
    this.run = run;
    this.pending = pending;
    this.remaining = new Changes<>(remaining);
  }

  List<Timer> pending() {
    return pending;
  }

  Map<String, Long> remaining() {
    return remaining.result();
  }

  List<TimerChange> changes() {
    return List.copyOf(changes);
  }

  void schedule(Timer timer) {
    int most = run.chart.machine.limits().timers();
    if (pending.size() >= most) {
      throw run.limit("%d pending timers".formatted(most));
    }
    weigh(timer);
    pending = Run.with(pending, timer);
    changes.add(new TimerChange.Scheduled(timer));
  }

  /** What timers carry is kept from step to step, as the context is. */
  private void weigh(Timer timer) {
    Object data = timer.message().event().data();
    if (run.recorded || Size.isSmall(data)) {
      return;
    }
    long most = run.chart.machine.limits().contextBytes();
    long left = most - Size.of(data, most);
    for (int i = 0; i < pending.size() && left >= 0; i++) {
      left -= Size.ofKnown(pending.get(i).message().event().data());
    }
    if (left < 0) {
      throw new LimitException("%,d bytes of data in pending timers".formatted(most));
    }
  }

  /** Cancels the delayed sends that carry the id. */
  void cancelSends(String sendId) {
    for (Timer timer : pending) {
      if (sendId.equals(timer.sendId())) {
        cancel(timer);
      }
    }
  }

  void cancelAll() {
    pending.forEach(this::cancel);
  }

  /** Takes a timer that is due out of the pending ones. */
  void fired(Timer timer) {
    pending = Run.without(pending, timer);
    changes.add(new TimerChange.Fired(timer.id()));
  }

  /** Starts the deadline of a response, unless it runs already. */
  void startResponse(Invariant.LeadsTo leads, long within) {
    String id = Monitor.timerId(leads.name());
    if (find(id) == null) {
      start(id, null, "late." + leads.name(), within);
    }
  }

  void stopResponse(String invariant) {
    Timer timer = find(Monitor.timerId(invariant));
    if (timer != null) {
      cancel(timer);
    }
  }

  void startDeadlines(Node node) {
    for (Node.Deadline deadline : node.deadlines) {
      startDeadline(node, deadline);
    }
  }

  void startDeadline(Node node, Node.Deadline deadline) {
    try {
      start(deadline.id(), node.id, deadline.event(), delay(deadline));
    } catch (EvaluationException e) {
      run.failed(e);
    }
  }

  void stopDeadlines(Node node) {
    for (Node.Deadline deadline : node.deadlines) {
      Timer timer = find(deadline.id());
      if (deadline.cumulative()) {
        remaining.put(deadline.id(), timer == null ? 0 : Math.max(0, timer.due() - run.now));
      }
      if (timer != null) {
        cancel(timer);
      }
    }
  }

  private long delay(Node.Deadline deadline) {
    Long left = deadline.cumulative() ? remaining.now().get(deadline.id()) : null;
    if (left != null) {
      return left;
    }
    Expression computed = deadline.delay();
    return computed == null
        ? deadline.fixed()
        : ActionCompiler.millis(computed.evaluate(run.scope()));
  }

  private void start(String id, @Nullable String state, String event, long delay) {
    Step.Message message = new Step.Message(run.instance, Event.platform(event, null));
    schedule(new Timer(id, null, state, run.now + delay, message));
  }

  void cancel(Timer timer) {
    pending = Run.without(pending, timer);
    changes.add(new TimerChange.Cancelled(timer.id()));
  }

  private @Nullable Timer find(String id) {
    for (Timer timer : pending) {
      if (timer.id().equals(id)) {
        return timer;
      }
    }
    return null;
  }
}
