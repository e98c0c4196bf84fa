package dev.signalbox.definition.yaml;

import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Invariant.Severity;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Writes invariants; the counterpart of {@link InvariantReader}. */
final class InvariantWriter {
  private final ValueWriter values;

  InvariantWriter(ValueWriter values) {
    this.values = values;
  }

  /** Null for no invariants. */
  @Nullable Part invariants(List<Invariant> invariants) {
    return invariants.isEmpty()
        ? null
        : new Part.Items(invariants.stream().map(this::invariant).toList(), true);
  }

  private Part invariant(Invariant invariant) {
    Part.Builder map = new Part.Builder().put("name", invariant.name());
    if (invariant.severity() != Severity.FATAL) {
      map.put("severity", invariant.severity().name().toLowerCase(Locale.ROOT));
    }
    putClaim(map, invariant);
    return map.flow();
  }

  /** What the invariant says, without its name. */
  Part.Entries claim(Invariant invariant) {
    Part.Builder map = new Part.Builder();
    putClaim(map, invariant);
    return map.flow();
  }

  private void putClaim(Part.Builder map, Invariant invariant) {
    switch (invariant) {
      case Invariant.Never(_, _, Fact fact) -> map.put("never", fact(fact));
      case Invariant.Apart(_, _, List<String> states) -> map.put("apart", Part.texts(states));
      case Invariant.Always always ->
          map.put("always", values.condition(always.condition())).put("in", always.in());
      case Invariant.Before(_, _, Fact reaching, Fact first) ->
          map.put("before", pair("reaching", reaching, "must_visit", first));
      case Invariant.LeadsTo leadsTo -> map.put("leads_to", leadsTo(leadsTo));
      case Invariant.Times times -> putTimes(map, times);
      case Invariant.OneAtATime(_, _, Fact opens, Fact closes) ->
          map.put("one_at_a_time", pair("opens", opens, "closes", closes));
      case Invariant.Frozen(_, _, String field, String after) ->
          map.put("frozen", new Part.Builder().put("field", field).put("after", after).flow());
    }
  }

  private static Part pair(String first, Fact one, String second, Fact other) {
    return new Part.Builder().put(first, fact(one)).put(second, fact(other)).flow();
  }

  private Part leadsTo(Invariant.LeadsTo leadsTo) {
    List<Part> responses = leadsTo.responses().stream().map(InvariantWriter::fact).toList();
    Duration within = leadsTo.within();
    return new Part.Builder()
        .put("from", fact(leadsTo.trigger()))
        .put("to", responses.size() == 1 ? responses.getFirst() : Part.list(responses))
        .put("within", within == null ? null : values.duration(within))
        .put("target", leadsTo.target())
        .flow();
  }

  private static void putTimes(Part.Builder map, Invariant.Times times) {
    if (times.min() == 1 && times.max() == 1) {
      map.put("exactly_once", fact(times.fact()));
    } else if (times.min() == 0 && times.max() != Integer.MAX_VALUE) {
      map.put(
          "at_most",
          new Part.Builder()
              .put("fact", fact(times.fact()))
              .put("times", Part.number(times.max()))
              .flow());
    } else {
      boolean bounded = times.max() != Integer.MAX_VALUE;
      map.put(
          "times",
          new Part.Builder()
              .put("fact", fact(times.fact()))
              .put("min", Part.number(times.min()))
              .put("max", bounded ? Part.number(times.max()) : null)
              .flow());
    }
  }

  private static Part fact(Fact fact) {
    return switch (fact) {
      case Fact.Enters(String state) -> Part.text(state);
      case Fact.Moves moves -> Part.text(moves.text());
      case Fact.Receives(String event) -> Part.Entries.of("event", Part.text(event));
      case Fact.Emits(String kind, String key) ->
          new Part.Builder().put("record", kind).put("by", key).flow();
    };
  }
}
