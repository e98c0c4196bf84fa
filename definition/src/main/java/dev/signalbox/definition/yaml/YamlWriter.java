package dev.signalbox.definition.yaml;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes a machine as YAML, in the form that docs/machines.md specifies. The text is read again
 * before it is given out: what reading would not give back is a problem, never a silent loss.
 */
public final class YamlWriter {
  private static final String CODE = "not-writable";

  /** Faults that the machine brought along, and that the text only repeats. */
  private static final Set<String> DANGLING = Set.of("unknown-target", "unknown-state");

  private YamlWriter() {}

  /** The text; what it cannot say of the machine is among the problems. */
  public static String write(Machine machine, Problems problems) {
    String hint = "Change the machine, or choose another format.";
    Consumer<String> cannotSay =
        what ->
            problems.error(
                CODE, Place.START, "Expected a machine that YAML can say, but " + what + ".", hint);
    int before = problems.list().size();
    String text = Printer.print(machine(machine, cannotSay));
    boolean alreadySaid = problems.list().size() > before;
    Definition again = YamlReader.read(new Source(machine.name(), text));
    List<Problem> reasons =
        again.problems().stream().filter(p -> !DANGLING.contains(p.code())).toList();
    if (!alreadySaid) {
      reasons.forEach(r -> problems.error(CODE, Place.START, r.message(), hint));
      if (reasons.isEmpty() && !machine.equals(again.machine())) {
        cannotSay.accept("the text is read as another machine");
      }
    }
    return text;
  }

  /** What an invariant says, on one line, as in {@code before: { reaching: B, must_visit: A }}. */
  public static String claim(Invariant invariant) {
    return Printer.line(new InvariantWriter(new ValueWriter(_ -> {})).claim(invariant));
  }

  static Part.Entries machine(Machine machine, Consumer<String> cannotSay) {
    ValueWriter values = new ValueWriter(cannotSay);
    TypeWriter types = new TypeWriter(values);
    State root = machine.root();
    Part.Builder map =
        new Part.Builder()
            .put("machine", machine.name())
            .put("version", machine.version() == 1 ? null : Part.number(machine.version()))
            .put("mode", machine.mode() == Machine.Mode.SCXML ? "scxml" : null)
            .put("description", machine.description())
            .put("limits", limits(machine.limits()))
            .put("context", types.fields(machine.context()))
            .put("events", types.events(machine.events()));
    new StateWriter(cannotSay).putState(map, root);
    map.put("invariants", new InvariantWriter(values).invariants(machine.invariants()));
    return new Part.Entries(map.entries(), true);
  }

  private static @Nullable Part limits(Limits limits) {
    Limits usual = Limits.DEFAULT;
    Part.Builder map = new Part.Builder();
    putLimit(map, "microsteps", limits.microsteps(), usual.microsteps());
    putLimit(map, "queue", limits.queue(), usual.queue());
    putLimit(map, "iterations", limits.iterations(), usual.iterations());
    putLimit(map, "timers", limits.timers(), usual.timers());
    putLimit(map, "context_bytes", limits.contextBytes(), usual.contextBytes());
    putLimit(map, "step_bytes", limits.stepBytes(), usual.stepBytes());
    return map.entries().isEmpty() ? null : map.flow();
  }

  private static void putLimit(Part.Builder map, String key, int value, int usual) {
    map.put(key, value == usual ? null : Part.number(value));
  }
}
