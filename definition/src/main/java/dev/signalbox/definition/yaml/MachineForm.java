package dev.signalbox.definition.yaml;

import dev.signalbox.definition.Places;
import dev.signalbox.definition.Problems;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Machine.Mode;
import dev.signalbox.kernel.machine.State;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a machine from its map: a document, or what stands under {@code inline}. */
final class MachineForm {
  private static final Set<String> KEYS =
      TypeReader.ordered(
          "machine",
          "version",
          "mode",
          "description",
          "context",
          "events",
          "initial",
          "states",
          "invariants",
          "limits",
          "on",
          "always",
          "after",
          "transitions",
          "entry",
          "exit",
          "parallel",
          "invoke",
          "tools",
          "waits",
          "note",
          "data");
  private static final Set<String> LIMIT_KEYS =
      TypeReader.ordered(
          "microsteps", "queue", "iterations", "timers", "context_bytes", "step_bytes");

  private MachineForm() {}

  /** The machine; null when there is no telling what it is called or which states it has. */
  static @Nullable Machine read(Node node, Problems problems, Places places) {
    Reading reading = new Reading(problems, places, modeOf(node));
    Keys keys = Keys.of(reading, node, "a machine", KEYS);
    if (keys == null) {
      return null;
    }
    String name = name(reading, keys);
    refuseUnknownMode(reading, keys.node("mode"));
    TypeReader types = new TypeReader(reading);
    keys.required("states", "a machine");
    State root = new StateReader(reading).state(Machine.ROOT, keys, 0);
    Machine machine =
        new Machine(
            name == null ? "(unnamed)" : name,
            keys.number("version", 1, 1),
            reading.mode(),
            keys.text("description"),
            types.fields(keys.node("context")),
            types.events(keys.node("events")),
            reading.placed(root, keys.place()),
            new InvariantReader(reading).invariants(keys.node("invariants")),
            limits(reading, keys.node("limits")));
    reading.checkReferences();
    return name == null || root.children().isEmpty() ? null : machine;
  }

  private static @Nullable String name(Reading reading, Keys keys) {
    Node node = keys.required("machine", "a machine");
    String name = node == null ? null : Keys.name(reading, node, "the name of the machine");
    if (node == null || name == null) {
      return null;
    }
    if (!Names.isMachineName(name)) {
      reading.error(
          "bad-name",
          node.place(),
          "Expected the name of the machine, but found '" + Reading.shortened(name) + "'.",
          "It is made of letters, digits, _ - and . only.");
    }
    return name;
  }

  /** The mode decides how the rest is read, so it is looked for first. */
  private static Mode modeOf(Node node) {
    if (node instanceof Node.Mapping mapping) {
      for (Node.Entry entry : mapping.entries()) {
        if (entry.key() instanceof Node.Scalar key
            && key.text().equals("mode")
            && entry.value() instanceof Node.Scalar value) {
          return value.text().equals("scxml") ? Mode.SCXML : Mode.STRICT;
        }
      }
    }
    return Mode.STRICT;
  }

  private static void refuseUnknownMode(Reading reading, @Nullable Node node) {
    if (node == null) {
      return;
    }
    boolean known =
        node instanceof Node.Scalar mode
            && (mode.text().equals("strict") || mode.text().equals("scxml"));
    if (!known) {
      reading.wrongType(node, "'strict' or 'scxml'", "");
    }
  }

  private static Limits limits(Reading reading, @Nullable Node node) {
    Keys keys = node == null ? null : Keys.of(reading, node, "the limits", LIMIT_KEYS);
    Limits byDefault = Limits.DEFAULT;
    return keys == null
        ? byDefault
        : new Limits(
            keys.number("microsteps", 1, byDefault.microsteps()),
            keys.number("queue", 1, byDefault.queue()),
            keys.number("iterations", 1, byDefault.iterations()),
            keys.number("timers", 1, byDefault.timers()),
            keys.number("context_bytes", 1, Limits.MOST_BYTES, byDefault.contextBytes()),
            keys.number("step_bytes", 1, Limits.MOST_BYTES, byDefault.stepBytes()));
  }
}
