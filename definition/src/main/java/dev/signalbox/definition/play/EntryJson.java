package dev.signalbox.definition.play;

import dev.signalbox.kernel.ChildChange;
import dev.signalbox.kernel.Edge;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.GuardResult;
import dev.signalbox.kernel.Microstep;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.TimerChange;
import dev.signalbox.kernel.machine.Machine;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Entries as JSON values, in the words of the vocabulary. */
final class EntryJson {
  private EntryJson() {}

  static Map<String, @Nullable Object> of(Entry entry) {
    Fields json = new Fields();
    json.put("instance", entry.instance());
    json.put("sequence", entry.sequence());
    json.put("time", time(entry.time()));
    json.put("event", entry.event().name());
    json.putIfPresent("data", entry.event().data());
    json.put("before", entry.before());
    json.put("after", entry.after());
    switch (entry.answer()) {
      case Step step -> {
        json.putList("microsteps", step.microsteps(), EntryJson::microstep);
        json.putList("guards", step.guards(), EntryJson::guard);
        json.putList("records", step.records(), EntryJson::emitted);
        json.putList("effects", step.effects(), EntryJson::effect);
        json.putList("messages", step.messages(), EntryJson::message);
        json.putList("timers", step.timers(), EntryJson::timer);
        json.putList("children", step.children(), EntryJson::child);
        json.putList("violations", step.violations(), EntryJson::violation);
        json.putList("log", step.log(), EntryJson::logLine);
      }
      case Rejection rejection -> {
        json.putList("guards", rejection.guards(), EntryJson::guard);
        Fields refused = new Fields();
        refused.put("code", rejection.code().word());
        refused.put("message", rejection.message());
        json.put("rejection", refused.map);
      }
    }
    return json.map;
  }

  private static Object microstep(Microstep microstep) {
    Fields json = new Fields();
    json.putIfPresent("event", microstep.event());
    json.putList("edges", microstep.edges(), EntryJson::edge);
    json.putList("exited", microstep.exited(), Function.identity());
    json.putList("entered", microstep.entered(), Function.identity());
    return json.map;
  }

  private static Object edge(Edge edge) {
    Fields json = new Fields();
    json.put("from", edge.from());
    if (!edge.trigger().isEmpty()) {
      json.put("trigger", edge.trigger());
    }
    json.putList("to", edge.to(), Function.identity());
    return json.map;
  }

  private static Object guard(GuardResult result) {
    Fields json = new Fields();
    json.put("from", result.edge().from());
    json.putList("to", result.edge().to(), Function.identity());
    json.putIfPresent("guard", result.guard().name());
    json.put("condition", result.guard().condition().text());
    json.put("verdict", result.verdict().name().toLowerCase(Locale.ROOT));
    if (!result.why().isEmpty()) {
      json.put("why", result.why());
    }
    return json.map;
  }

  private static Object emitted(Step.Emitted emitted) {
    Fields json = new Fields();
    json.put("record", emitted.kind());
    json.putIfPresent("data", emitted.data());
    return json.map;
  }

  private static Object effect(Step.Effect effect) {
    Fields json = new Fields();
    json.put("key", effect.key());
    json.put("effect", effect.name());
    json.put("reply", effect.reply());
    json.put("idempotent", effect.idempotent());
    json.putIfPresent("retry", effect.retry() == null ? null : effect.retry().fields());
    json.putIfPresent("with", effect.input());
    return json.map;
  }

  private static Object message(Step.Message message) {
    Fields json = new Fields();
    json.put("to", message.to());
    addEvent(json, message.event());
    return json.map;
  }

  private static void addEvent(Fields json, Event event) {
    json.put("event", event.name());
    json.putIfPresent("data", event.data());
  }

  private static Object timer(TimerChange change) {
    Fields json = new Fields();
    switch (change) {
      case TimerChange.Scheduled(var timer) -> {
        json.put("scheduled", timer.id());
        json.put("due", time(timer.due()));
        json.put("to", timer.message().to());
        addEvent(json, timer.message().event());
      }
      case TimerChange.Cancelled(String id) -> json.put("cancelled", id);
      case TimerChange.Fired(String id) -> json.put("fired", id);
    }
    return json.map;
  }

  private static Object child(ChildChange change) {
    Fields json = new Fields();
    switch (change) {
      case ChildChange.Started started -> {
        json.put("started", started.invocation().instance());
        Machine inline = started.inline();
        json.putIfPresent("machine", inline == null ? started.source() : inline.name());
        if (!started.input().isEmpty()) {
          json.put("with", started.input());
        }
      }
      case ChildChange.Cancelled(var invocation) -> json.put("cancelled", invocation.instance());
    }
    return json.map;
  }

  private static Object violation(Step.Violation violation) {
    Fields json = new Fields();
    json.put("invariant", violation.invariant());
    json.put("severity", violation.severity().name().toLowerCase(Locale.ROOT));
    json.put("message", violation.message());
    return json.map;
  }

  private static Object logLine(Step.LogLine line) {
    Fields json = new Fields();
    json.putIfPresent("label", line.label());
    json.put("value", line.value());
    return json.map;
  }

  private static String time(long millis) {
    return Instant.ofEpochMilli(millis).toString();
  }

  /** An object that leaves out what is not there. */
  private static final class Fields {
    final Map<String, @Nullable Object> map = new LinkedHashMap<>();

    void put(String name, @Nullable Object value) {
      map.put(name, value);
    }

    void putIfPresent(String name, @Nullable Object value) {
      if (value != null) {
        map.put(name, value);
      }
    }

    <T> void putList(String name, List<T> items, Function<? super T, ?> form) {
      if (!items.isEmpty()) {
        map.put(name, items.stream().map(form).toList());
      }
    }
  }
}
