package dev.signalbox.definition.scxml;

import dev.signalbox.kernel.machine.Durations;
import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Invariant.Severity;
import dev.signalbox.kernel.machine.Type;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Invariants and types in our namespace. */
final class InvariantWriter {
  private InvariantWriter() {}

  static XmlTag tag(Invariant invariant) {
    XmlTag tag =
        switch (invariant) {
          case Invariant.Never never -> new XmlTag("sb:never").add(fact("fact", never.fact()));
          case Invariant.Apart apart -> new XmlTag("sb:apart").ownWords("states", apart.states());
          case Invariant.Always always ->
              new XmlTag("sb:always")
                  .with("condition", always.condition().text())
                  .with("in", always.in());
          case Invariant.Before before ->
              new XmlTag("sb:before")
                  .add(fact("reaching", before.reaching()))
                  .add(fact("first", before.first()));
          case Invariant.LeadsTo response -> leadsTo(response);
          case Invariant.Times times ->
              new XmlTag("sb:times")
                  .with("min", Integer.toString(times.min()))
                  .with("max", Integer.toString(times.max()))
                  .add(fact("fact", times.fact()));
          case Invariant.OneAtATime pair ->
              new XmlTag("sb:one-at-a-time")
                  .add(fact("opens", pair.opens()))
                  .add(fact("closes", pair.closes()));
          case Invariant.Frozen frozen ->
              new XmlTag("sb:frozen").with("field", frozen.field()).with("after", frozen.after());
        };
    Severity severity = invariant.severity();
    return tag.with("name", invariant.name())
        .with("severity", severity == Severity.FATAL ? null : lower(severity));
  }

  private static XmlTag leadsTo(Invariant.LeadsTo response) {
    Duration within = response.within();
    XmlTag tag =
        new XmlTag("sb:leads-to")
            .with("within", within == null ? null : Durations.text(within))
            .with("target", response.target())
            .add(fact("trigger", response.trigger()));
    return tag.addAll(
        response.responses().stream().map(answer -> fact("response", answer)).toList());
  }

  private static XmlTag fact(String role, Fact fact) {
    XmlTag tag = new XmlTag(XmlTag.OURS + role);
    return switch (fact) {
      case Fact.Enters(String state) -> tag.with("enters", state);
      case Fact.Moves(String from, String to) -> tag.with("from", from).with("to", to);
      case Fact.Receives(String event) -> tag.with("receives", event);
      case Fact.Emits(String kind, String key) -> tag.with("emits", kind).with("by", key);
    };
  }

  /** The type as {@link TypeReader} reads it. */
  static String text(Type type) {
    return form(type) instanceof String name ? name : XmlTag.json(form(type));
  }

  private static Object form(Type type) {
    String name = lower(type.kind());
    if (type.equals(Type.of(type.kind()))) {
      return name;
    }
    Map<String, Object> parts = new LinkedHashMap<>();
    parts.put("type", name);
    Type item = type.item();
    if (item != null) {
      parts.put("items", form(item));
    }
    if (!type.fields().isEmpty()) {
      Map<String, Object> fields = new LinkedHashMap<>();
      type.fields().forEach((field, part) -> fields.put(field, form(part)));
      parts.put("fields", fields);
    }
    if (!type.values().isEmpty()) {
      parts.put("values", List.copyOf(type.values()));
    }
    if (type.optional()) {
      parts.put("optional", true);
    }
    return parts;
  }

  private static String lower(Enum<?> word) {
    return word.name().toLowerCase(Locale.ROOT);
  }
}
