package dev.signalbox.kernel;

import dev.signalbox.kernel.machine.Machine;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A machine compiled to tables: states by index in document order, transitions by state and event,
 * expressions as code. Immutable but for a cache of configurations that any thread may fill.
 */
public final class Chart {
  private static final int CACHED = 256;

  final Machine machine;
  final boolean strict;
  final Context.Layout layout;
  final Node[] nodes;
  final Node root;
  final Map<String, Integer> indexes;
  final EventTable events;
  final Node.Slot[] slots;
  final SlotType @Nullable [] types;
  final Monitor[] monitors;
  final Move[] moves;

  private final Environment environment;
  private final @Nullable Configuration[] cache = new @Nullable Configuration[CACHED];

  Chart(ChartCompiler compiler) {
    this.machine = compiler.machine;
    this.strict = machine.mode() == Machine.Mode.STRICT;
    this.layout = compiler.layout;
    this.nodes = compiler.nodes.toArray(new Node[0]);
    this.root = nodes[0];
    this.indexes = Map.copyOf(compiler.indexes);
    this.events = compiler.events;
    this.slots = compiler.slots.toArray(new Node.Slot[0]);
    this.types = compiler.types;
    this.moves = compiler.moves.toArray(new Move[0]);
    this.monitors = compiler.monitors.toArray(new Monitor[0]);
    this.environment = Environment.of(machine);
  }

  /**
   * The machine in the form the kernel runs.
   *
   * @throws IllegalArgumentException when the machine is not sound; the checks of the definition
   *     module name every fault with its place, this names the first
   */
  public static Chart compile(Machine machine, ExpressionCompiler expressions) {
    return new ChartCompiler(machine, expressions).compile();
  }

  public Machine machine() {
    return machine;
  }

  /** What the outside may do to instances of the machine. */
  public Environment environment() {
    return environment;
  }

  /** The slots of an instance's context: declared fields first, then foreach variables. */
  public Context.Layout layout() {
    return layout;
  }

  /** Whether {@link EmptyKeys} decides what one of the records means to an invariant. */
  public boolean meetsEmptyKey(List<Step.Emitted> records) {
    if (records.isEmpty()) {
      return false;
    }
    for (Monitor monitor : monitors) {
      if (monitor.meetsEmptyKey(records)) {
        return true;
      }
    }
    return false;
  }

  /** The event descriptors that transitions of the active states wait for, innermost first. */
  public List<String> awaited(Configuration configuration) {
    Set<String> awaited = new LinkedHashSet<>();
    for (int i = nodes.length - 1; i >= 0; i--) {
      if (configuration.contains(i)) {
        for (Move move : nodes[i].moves) {
          if (move.descriptors.length > 0) {
            awaited.addAll(Arrays.asList(move.edge.trigger().split(" ")));
          }
        }
      }
    }
    return List.copyOf(awaited);
  }

  /** The configuration with exactly these states and their ancestors active. */
  Configuration configurationOf(Iterable<String> states) {
    long[] bits = Bits.empty(nodes.length);
    Bits.add(bits, 0);
    for (String state : states) {
      Integer index = indexes.get(state);
      if (index == null) {
        throw new IllegalArgumentException(
            "Expected a state of machine '%s', but found '%s'.".formatted(machine.name(), state));
      }
      for (Node n = nodes[index]; n != null; n = n.parent) {
        Bits.add(bits, n.index);
      }
    }
    return configuration(bits);
  }

  /** The configuration of the bits, which the caller may go on changing. */
  Configuration configuration(long[] bits) {
    int slot = (Arrays.hashCode(bits) * 0x9E3779B9) >>> 24;
    Configuration cached = cache[slot];
    if (cached != null && Arrays.equals(cached.bits(), bits)) {
      return cached;
    }
    Configuration fresh = new Configuration(this, bits.clone());
    cache[slot] = fresh;
    return fresh;
  }

  /** The names of the members in document order, without the root. */
  List<String> names(long[] bits, boolean leavesOnly) {
    List<String> names = new ArrayList<>();
    for (int i = Bits.next(bits, 1); i >= 0; i = Bits.next(bits, i + 1)) {
      if (!leavesOnly || !Bits.intersects(nodes[i].descendants, bits)) {
        names.add(nodes[i].id);
      }
    }
    return List.copyOf(names);
  }

  int indexOf(String state) {
    Integer index = indexes.get(state);
    return index == null ? -1 : index;
  }

  /** A declared type that assignments are held to. */
  record SlotType(String name, dev.signalbox.kernel.machine.Type type) {}
}
