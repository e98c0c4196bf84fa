package dev.signalbox.kernel;

import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Sends events as SCXML 6.2 says, to the addresses that a step can know. */
final class Sending {
  private static final String PROCESSOR = "http://www.w3.org/TR/scxml/#SCXMLEventProcessor";

  /** The types of send and invoke that mean other machines. */
  private static final Set<String> MACHINES =
      Set.of("scxml", "http://www.w3.org/TR/scxml", "http://www.w3.org/TR/scxml/", PROCESSOR);

  private final Run run;
  private final @Nullable String parent;

  Sending(Run run, @Nullable String parent) {
    this.run = run;
    this.parent = parent;
  }

  static boolean isMachines(@Nullable String type) {
    return type == null || MACHINES.contains(type);
  }

  /**
   * Sends an event. A type or target that cannot be is a failure of the block; a target that is not
   * there is {@code error.communication}.
   */
  void send(
      String name,
      @Nullable String target,
      @Nullable String type,
      @Nullable String sendId,
      long delay,
      Supplier<@Nullable Object> data) {
    if (!isMachines(type)) {
      throw unsendable("Expected a type of event processor, but found '%s'.", type, sendId);
    }
    Object payload;
    try {
      payload = data.get();
    } catch (EvaluationException e) {
      throw run.blockEnded(e, sendId);
    }
    if ("#_internal".equals(target)) {
      if (delay > 0) {
        throw unsendable("Expected no delay for an event to '%s', but found one.", target, sendId);
      }
      run.raise(new Event(name, Event.Kind.INTERNAL, payload, null, sendId, null, null, null));
      return;
    }
    String to = address(target, sendId);
    if (to == null) {
      String message = "Expected to reach '%s', but there is no such instance.".formatted(target);
      run.raise(Run.error("error.communication", message, sendId));
      return;
    }
    String origin = "#_scxml_" + run.instance;
    String invokeId = to.equals(parent) ? invokeId() : null;
    Event sent =
        new Event(name, Event.Kind.EXTERNAL, payload, null, sendId, origin, PROCESSOR, invokeId);
    Step.Message message = new Step.Message(to, sent);
    if (delay == 0) {
      run.release(message);
    } else {
      String id = "send:" + run.freshNumber();
      run.timers.schedule(new Timer(id, sendId, null, run.now + delay, message));
    }
  }

  private RuntimeException unsendable(
      String message, @Nullable String found, @Nullable String sendId) {
    return run.blockEnded(new EvaluationException(message.formatted(found)), sendId);
  }

  /** The instance behind an SCXML target; null when it is not there. */
  private @Nullable String address(@Nullable String target, @Nullable String sendId) {
    if (target == null) {
      return run.instance;
    }
    if (target.equals("#_parent")) {
      return parent;
    }
    if (target.startsWith("#_scxml_")) {
      String id = target.substring("#_scxml_".length());
      return run.chart.strict || isKnown(id, target) ? id : null;
    }
    if (target.startsWith("#_")) {
      String invokeId = target.substring(2);
      return run.children().stream()
          .filter(c -> c.id().equals(invokeId))
          .map(ChildChange.Invocation::instance)
          .findFirst()
          .orElse(null);
    }
    throw unsendable("Expected the address of an instance, but found '%s'.", target, sendId);
  }

  private boolean isKnown(String id, String target) {
    Event current = run.event;
    return id.equals(run.instance)
        || id.equals(parent)
        || (current != null && target.equals(current.origin()))
        || run.children().stream().anyMatch(c -> c.instance().equals(id));
  }

  /** The id under which the parent invoked this instance. */
  private @Nullable String invokeId() {
    return parent == null ? null : Kernel.invokeId(parent, run.instance);
  }
}
