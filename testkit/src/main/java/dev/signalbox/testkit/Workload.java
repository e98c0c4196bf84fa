package dev.signalbox.testkit;

import dev.signalbox.journal.Chain;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Environment;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import dev.signalbox.runtime.Command;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What callers ask for in a simulation: mostly events that somebody waits for, now and then
 * anything else there is, by somebody who may or not. Every command has a key of its own.
 */
final class Workload {
  /** Who sweeps; what it may do, nobody else may. */
  static final Actor SWEEP = new Actor(Actor.Kind.SYSTEM, "sweep", List.of("sweep"));

  private final Machine machine;
  private final int most;
  private final Random random;
  private final Journal store;
  private final List<String> ids = new ArrayList<>();
  private final List<String> eventNames = new ArrayList<>();
  private final List<String> replies;
  private final Map<String, List<String>> byState = new HashMap<>();
  private final Environment environment;
  private long serial;

  Workload(Machine machine, int most, Random random, Journal store) {
    this.machine = machine;
    this.most = most;
    this.random = random;
    this.store = store;
    this.environment = Environment.of(machine);
    this.replies = machine.effects().stream().map(Action.Perform::reply).distinct().toList();
    collect(machine.root(), List.of());
  }

  /** The next command; null when there is none this time. */
  @Nullable Command next() {
    String key = key();
    if (ids.size() < most) {
      String id = "i-" + serial;
      ids.add(id);
      return new Command.Start(machine.name(), id, Map.of(), actor(), key);
    }
    int which = random.nextInt(ids.size());
    String id = ids.get(which);
    InstanceRow row = store.load(id);
    boolean over = row == null || row.status() == InstanceRow.Status.ENDED;
    if (over && random.nextInt(4) == 0) {
      ids.remove(which);
      return null;
    }
    Command command = command(id, key);
    if (command instanceof Command.Fork fork) {
      ids.add(Objects.requireNonNull(fork.id()));
    }
    return command;
  }

  /** Something for the instance, which leaves an entry at least of its refusal. */
  Command forInstance(String id) {
    String key = key();
    Command command = command(id, key);
    return command == null || command instanceof Command.Fork
        ? new Command.Resume(id, actor(), key)
        : command;
  }

  /** Half of the pauses and resumes are for everything below the instance too. */
  List<Command> below(Command command) {
    List<Command> commands = new ArrayList<>();
    switch (command) {
      case Command.Pause p -> {
        for (InstanceRow child : children(p.instance())) {
          commands.add(new Command.Pause(child.id(), p.clocks(), p.actor(), p.key()));
        }
      }
      case Command.Resume r -> {
        for (InstanceRow child : children(r.instance())) {
          commands.add(new Command.Resume(child.id(), r.actor(), r.key()));
        }
      }
      default -> {
        // Everything else is for one instance.
      }
    }
    return commands;
  }

  private List<InstanceRow> children(String top) {
    return random.nextBoolean() ? List.of() : store.query(Query.ALL.below(top));
  }

  /** What a sweep asks for where a row is not what its journal says. */
  Command.Correct correction(String id) {
    return new Command.Correct(id, "its row was changed", SWEEP, key());
  }

  /** What a sweep asks for where an effect is gone from the store. */
  Command.GiveUp givingUp(String id, String reply) {
    return new Command.GiveUp(id, reply, "the store has it no more", SWEEP, key());
  }

  /** An instance that was started, or would have been. */
  String someone() {
    return ids.isEmpty() ? "nobody" : ids.get(random.nextInt(ids.size()));
  }

  /** These instances are not in the store any more. */
  void forget(Collection<String> gone) {
    ids.removeAll(gone);
  }

  private String key() {
    return "k-" + ++serial;
  }

  private @Nullable Command command(String id, String key) {
    int dice = random.nextInt(100);
    InstanceRow row = store.load(id);
    if (dice < 40 && row != null && InstanceRow.isStanding(row)) {
      return new Command.Resume(id, actor(), key);
    }
    if (dice < 2) {
      return new Command.Pause(
          id, random.nextBoolean() ? Command.Clocks.STOPPED : Command.Clocks.RUNNING, actor(), key);
    }
    if (dice < 4) {
      return new Command.Resume(id, actor(), key);
    }
    if (dice < 5) {
      return new Command.Cancel(id, actor(), key);
    }
    if (dice < 8 && row != null) {
      long sequence = 1 + random.nextLong(row.sequence());
      return new Command.Fork(id, sequence, "f-" + serial, actor(), key);
    }
    if (dice < 10) {
      return new Command.Migrate(id, machine.version() + random.nextInt(2), Map.of(), actor(), key);
    }
    if (dice < 12) {
      return new Command.Correct(id, "somebody thinks so", sweeper(), key);
    }
    if (dice < 13 && !replies.isEmpty()) {
      String reply = replies.get(random.nextInt(replies.size()));
      return new Command.GiveUp(id, reply, "somebody thinks so", sweeper(), key);
    }
    boolean ended = row != null && row.status() == InstanceRow.Status.ENDED;
    if (dice < (ended ? 50 : 14)) {
      return new Command.Erase(id, actor(), key);
    }
    List<String> names = random.nextInt(10) == 0 ? eventNames : awaited(row);
    if (names.isEmpty()) {
      // It waits for what nobody may send.
      return null;
    }
    String event = names.get(random.nextInt(names.size()));
    return new Command.Send(id, event, data(event), actor(), key, expected(row));
  }

  /** Now and then somebody has looked before, and the instance may have moved on since. */
  private @Nullable Long expected(@Nullable InstanceRow row) {
    return row == null || random.nextInt(10) > 0 ? null : row.sequence() - random.nextInt(2);
  }

  /** The events that the states of the instance's newest entry wait for, and anyone may send. */
  private List<String> awaited(@Nullable InstanceRow row) {
    if (row == null) {
      return eventNames;
    }
    EntryRow newest = store.history(row.number(), Chain.STEPS, row.sequence(), 1).getFirst();
    List<String> names = new ArrayList<>();
    if (Auditor.body(newest).get("states") instanceof List<?> states) {
      states.forEach(state -> names.addAll(byState.getOrDefault(String.valueOf(state), List.of())));
    }
    names.removeIf(name -> !environment.isOpen(name));
    return names;
  }

  private @Nullable Object data(String event) {
    for (EventType type : machine.events()) {
      if (type.name().equals(event) && type.data() != null) {
        return new RandomValues(random).of(type.data());
      }
    }
    return null;
  }

  private Actor actor() {
    Set<String> roles = new LinkedHashSet<>();
    machine.events().forEach(type -> roles.addAll(type.roles()));
    return random.nextInt(10) == 0
        ? new Actor(Actor.Kind.AGENT, "stranger", List.of())
        : new Actor(Actor.Kind.USER, "everyone", List.copyOf(roles));
  }

  private Actor sweeper() {
    return random.nextInt(4) == 0 ? actor() : SWEEP;
  }

  /** Notes the events that a state, and those around it, wait for. */
  private void collect(State state, List<String> around) {
    List<String> names = new ArrayList<>(around);
    for (Transition transition : state.transitions()) {
      if (transition.trigger() instanceof Trigger.On on) {
        on.descriptors().stream()
            .map(name -> name.replace(".*", "").replace("*", "anything"))
            .forEach(names::add);
      }
    }
    byState.put(state.id(), names);
    names.stream().filter(name -> !eventNames.contains(name)).forEach(eventNames::add);
    state.children().forEach(child -> collect(child, names));
  }
}
