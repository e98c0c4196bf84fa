package dev.signalbox.runtime;

import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.kernel.ChildChange;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.Edge;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.GuardResult;
import dev.signalbox.kernel.Microstep;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.Snapshot;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.Timer;
import dev.signalbox.kernel.TimerChange;
import dev.signalbox.kernel.machine.Retry;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the body of an entry: canonical JSON, written straight down with the keys in their order,
 * because every command pays for it. docs/journal-format.md says what the fields mean. Not for use
 * by several threads at a time.
 */
final class EntryWriter {
  private final StringBuilder out = new StringBuilder(1_024);
  private boolean first = true;

  /**
   * What an entry says besides the step.
   *
   * @param kind start, event, timer, message, effect, cancel, pause, resume, correct, migrate or
   *     fork
   * @param cause the timer's id, the message's number or the effect's key; null for a command
   * @param command the digest of what was asked under the key, or null
   * @param machine for a start: the machine's identity; otherwise null
   * @param trace the caller's {@code traceparent}, or null
   * @param keys how invariants read keys, where a record of the step makes a difference; else null
   */
  record Heading(
      String kind,
      @Nullable Object cause,
      String instance,
      long sequence,
      long at,
      @Nullable String key,
      @Nullable String command,
      @Nullable Object machine,
      @Nullable String trace,
      @Nullable String keys) {

    /** An entry of no command under a key, without records that have no key. */
    Heading(
        String kind,
        @Nullable Object cause,
        String instance,
        long sequence,
        long at,
        @Nullable String key,
        @Nullable Object machine,
        @Nullable String trace) {
      this(kind, cause, instance, sequence, at, key, null, machine, trace, null);
    }
  }

  /** What an entry says whose empty keys are keys like any other. */
  static final String DISTINCT = "distinct";

  /** The body of a step. */
  byte[] step(Heading heading, @Nullable Context before, Step step) {
    begin();
    number("at", heading.at());
    value("cause", heading.cause());
    changes(before, step.after().context());
    list("children", step.children(), this::child);
    cleared(before, step.after().context());
    text("command", heading.command());
    list("effects", step.effects(), this::effect);
    if (step.after().done()) {
      name("ended");
      out.append("true");
    }
    name("event");
    event(step.event());
    list("guards", step.guards(), this::guard);
    text("instance", heading.instance());
    text("key", heading.key());
    text("keys", heading.keys());
    text("kind", heading.kind());
    list("log", step.log(), this::log);
    value("machine", heading.machine());
    list("messages", step.messages(), this::message);
    list("microsteps", step.microsteps(), this::microstep);
    value("output", step.after().memory().output());
    text("parent", heading.sequence() == 1 ? step.after().parent() : null);
    list("records", step.records(), this::record);
    number("sequence", heading.sequence());
    name("states");
    texts(step.after().configuration().leaves());
    list("timers", step.timers(), this::timer);
    text("trace", heading.trace());
    list("violations", step.violations(), this::violation);
    return end();
  }

  /** The body of a refusal. */
  byte[] refusal(
      Heading heading, Event event, @Nullable Snapshot before, long after, Rejection rejection) {
    begin();
    number("after", after);
    number("at", heading.at());
    value("cause", heading.cause());
    text("code", rejection.code().word());
    text("command", heading.command());
    name("event");
    event(event);
    list("guards", rejection.guards(), this::guard);
    text("instance", heading.instance());
    text("key", heading.key());
    text("kind", "refusal");
    text("message", rejection.message());
    number("sequence", heading.sequence());
    name("states");
    texts(before == null ? List.of() : before.configuration().leaves());
    text("trace", heading.trace());
    return end();
  }

  /** The body of an entry that is no step of the kernel: a pause, a resume, a correction. */
  byte[] control(
      Heading heading, Event event, Snapshot after, String detail, @Nullable Object value) {
    boolean beforeSequence = detail.compareTo("sequence") < 0;
    begin();
    number("at", heading.at());
    text("command", heading.command());
    if (heading.kind().equals("correct") && after.done()) {
      name("ended");
      out.append("true");
    }
    name("event");
    event(event);
    text("instance", heading.instance());
    text("key", heading.key());
    text("kind", heading.kind());
    if (beforeSequence) {
      value(detail, value);
    }
    number("sequence", heading.sequence());
    name("states");
    texts(after.configuration().leaves());
    if (!beforeSequence) {
      value(detail, value);
    }
    text("trace", heading.trace());
    return end();
  }

  private void begin() {
    out.setLength(0);
    open();
  }

  private byte[] end() {
    out.append('}');
    return out.toString().getBytes(StandardCharsets.UTF_8);
  }

  private void open() {
    out.append('{');
    first = true;
  }

  private void close() {
    out.append('}');
    first = false;
  }

  private void name(String name) {
    if (!first) {
      out.append(',');
    }
    first = false;
    out.append('"').append(name).append("\":");
  }

  private void number(String name, long value) {
    name(name);
    CanonicalJson.append(value, out);
  }

  private void text(String name, @Nullable String value) {
    if (value != null) {
      name(name);
      CanonicalJson.append(value, out);
    }
  }

  private void value(String name, @Nullable Object value) {
    if (value != null) {
      name(name);
      CanonicalJson.append(value, out);
    }
  }

  private void texts(List<String> texts) {
    out.append('[');
    for (int i = 0; i < texts.size(); i++) {
      if (i > 0) {
        out.append(',');
      }
      CanonicalJson.append(texts.get(i), out);
    }
    out.append(']');
  }

  private <T> void list(String name, List<T> items, java.util.function.Consumer<T> writer) {
    if (items.isEmpty()) {
      return;
    }
    name(name);
    out.append('[');
    for (int i = 0; i < items.size(); i++) {
      if (i > 0) {
        out.append(',');
      }
      writer.accept(items.get(i));
    }
    out.append(']');
    first = false;
  }

  private void changes(@Nullable Context before, Context after) {
    boolean any = each(before, after, (_, _) -> {});
    if (!any) {
      return;
    }
    name("changes");
    // Fields are declared in any order; canonical JSON has them by name.
    java.util.TreeMap<String, @Nullable Object> changed = new java.util.TreeMap<>();
    each(before, after, changed::put);
    CanonicalJson.append(changed, out);
  }

  private static boolean each(
      @Nullable Context before, Context after, BiConsumer<String, @Nullable Object> consumer) {
    boolean any = false;
    if (before == after) {
      return false;
    }
    Context.Layout layout = after.layout();
    for (int i = 0; i < layout.size(); i++) {
      Object now = after.slot(i);
      Object then = before == null ? Context.ABSENT : before.slot(i);
      if (now != then && now != Context.ABSENT && !Objects.equals(now, then)) {
        consumer.accept(layout.name(i), now);
        any = true;
      }
    }
    return any;
  }

  private void cleared(@Nullable Context before, Context after) {
    if (before == null || before == after) {
      return;
    }
    List<String> cleared = new java.util.ArrayList<>(0);
    for (int i = 0; i < after.layout().size(); i++) {
      if (after.slot(i) == Context.ABSENT && before.slot(i) != Context.ABSENT) {
        cleared.add(after.layout().name(i));
      }
    }
    if (!cleared.isEmpty()) {
      name("cleared");
      texts(cleared);
    }
  }

  private void event(Event event) {
    open();
    Actor actor = event.actor();
    if (actor != null) {
      name("actor");
      open();
      text("kind", actor.kind().name().toLowerCase(Locale.ROOT));
      text("name", actor.name());
      if (!actor.roles().isEmpty()) {
        name("roles");
        texts(actor.roles());
      }
      close();
    }
    value("data", event.data());
    text("invoke_id", event.invokeId());
    if (event.kind() != Event.Kind.EXTERNAL) {
      text("kind", event.kind().word());
    }
    text("name", event.name());
    text("origin", event.origin());
    text("origin_type", event.originType());
    text("send_id", event.sendId());
    close();
  }

  private void child(ChildChange change) {
    open();
    switch (change) {
      case ChildChange.Started started -> {
        name("started");
        open();
        text("id", started.invocation().id());
        if (!started.input().isEmpty()) {
          value("input", started.input());
        }
        text("instance", started.invocation().instance());
        text("machine", started.source());
        close();
      }
      case ChildChange.Cancelled(ChildChange.Invocation child) -> {
        name("cancelled");
        open();
        text("id", child.id());
        text("instance", child.instance());
        close();
      }
    }
    close();
  }

  private void effect(Step.Effect effect) {
    open();
    text("during", effect.during());
    name("idempotent");
    out.append(effect.idempotent());
    value("input", effect.input());
    text("key", effect.key());
    text("name", effect.name());
    text("reply", effect.reply());
    Retry retry = effect.retry();
    if (retry != null) {
      value("retry", retry.fields());
    }
    close();
  }

  private void guard(GuardResult result) {
    open();
    text("answer", result.verdict().name().toLowerCase(Locale.ROOT));
    String name = result.guard().name();
    text("from", result.edge().from());
    text("guard", name != null ? name : result.guard().condition().text());
    text("on", result.edge().trigger());
    text("why", result.why().isEmpty() ? null : result.why());
    close();
  }

  private void log(Step.LogLine line) {
    open();
    text("label", line.label());
    value("value", line.value());
    close();
  }

  private void message(Step.Message message) {
    open();
    name("event");
    event(message.event());
    text("to", message.to());
    close();
  }

  private void microstep(Microstep microstep) {
    open();
    name("entered");
    texts(microstep.entered());
    text("event", microstep.event());
    name("exited");
    texts(microstep.exited());
    list("taken", microstep.edges(), this::edge);
    close();
  }

  private void edge(Edge edge) {
    open();
    text("from", edge.from());
    text("on", edge.trigger());
    name("to");
    texts(edge.to());
    close();
  }

  private void record(Step.Emitted record) {
    open();
    value("data", record.data());
    text("kind", record.kind());
    close();
  }

  private void timer(TimerChange change) {
    open();
    switch (change) {
      case TimerChange.Scheduled(Timer timer) -> {
        name("scheduled");
        open();
        value("data", timer.message().event().data());
        number("due", timer.due());
        text("event", timer.message().event().name());
        text("id", timer.id());
        text("state", timer.state());
        close();
      }
      case TimerChange.Cancelled(String id) -> text("cancelled", id);
      case TimerChange.Fired(String id) -> text("fired", id);
    }
    close();
  }

  private void violation(Step.Violation violation) {
    open();
    text("invariant", violation.invariant());
    text("message", violation.message());
    text("severity", violation.severity().name().toLowerCase(Locale.ROOT));
    close();
  }
}
