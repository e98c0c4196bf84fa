package dev.signalbox.testkit;

import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.InstanceKey;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import dev.signalbox.runtime.Archive;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.EffectHandler;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.SigningKey;
import dev.signalbox.runtime.SteppedSignalbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A seeded simulation of the runtime: nodes that share a store take commands while everything goes
 * wrong that can, and an {@link Auditor} compares what the journal says with what must have
 * happened. The same seed gives the same simulation.
 */
public final class Simulation {
  private final Plan plan;
  private final Random random;
  private final ManualClock clock = new ManualClock();
  private final MemoryJournal store;
  private final Journal sabotaged;
  private final Auditor auditor;
  private final List<Machine> machines;
  private final SigningKey signing = SigningKey.fresh();
  private final Map<Fault, Long> faults = new EnumMap<>(Fault.class);
  private final List<@Nullable SteppedSignalbox> nodes = new ArrayList<>();
  private final List<Asked> asked = new ArrayList<>();
  private final List<String> ids = new ArrayList<>();
  private final List<String> eventNames = new ArrayList<>();
  private final Map<String, List<String>> byState = new HashMap<>();
  private boolean calm;
  private long serial;
  private long actions;
  private long commands;

  /**
   * What to simulate.
   *
   * @param machines the first is started; the others may be invoked by it
   * @param instances how many live at a time
   * @param faults after how many faults to stop
   * @param sabotage changes the store, to see whether the auditor notices; identity for none
   */
  public record Plan(
      List<Machine> machines,
      long seed,
      int nodes,
      int instances,
      long faults,
      UnaryOperator<Journal> sabotage) {

    public static Plan of(List<Machine> machines, long seed, long faults) {
      return new Plan(machines, seed, 2, 10, faults, UnaryOperator.identity());
    }

    public Plan sabotaged(UnaryOperator<Journal> how) {
      return new Plan(machines, seed, nodes, instances, faults, how);
    }
  }

  /** A command that was sent, and what became of it. */
  private record Asked(Command command, CompletableFuture<Reply> reply) {}

  /** The node dies here. */
  private static final class Death extends Error {
    Death() {
      super(null, null, false, false);
    }
  }

  private Simulation(Plan plan) {
    this.plan = plan;
    this.random = new Random(plan.seed());
    this.store = new MemoryJournal(clock, plan.nodes() > 1);
    this.sabotaged = plan.sabotage().apply(store);
    this.auditor = new Auditor(store);
    Machine first = plan.machines().getFirst();
    // Two versions that differ in their number alone, so that every instance has a place in both.
    this.machines = new ArrayList<>(plan.machines());
    machines.add(
        new Machine(
            first.name(),
            first.version() + 1,
            first.mode(),
            first.description(),
            first.context(),
            first.events(),
            first.root(),
            first.invariants(),
            first.limits()));
    collect(plan.machines().getFirst().root(), List.of());
    for (int i = 0; i < plan.nodes(); i++) {
      nodes.add(null);
    }
  }

  /** Runs a simulation to its end. */
  public static SimulationReport run(Plan plan) {
    return new Simulation(plan).run();
  }

  private SimulationReport run() {
    long enough = plan.faults();
    while (count() < enough && auditor.isContent()) {
      act();
      actions++;
      if (actions % 512 == 0) {
        settleAsked();
        auditor.follow();
      }
    }
    try {
      calmDown();
    } catch (RuntimeException e) {
      auditor.fault(e);
    }
    auditor.finish(clock.millis());
    return new SimulationReport(
        plan.seed(),
        actions,
        commands,
        auditor.entries(),
        auditor.effects(),
        auditor.timers(),
        auditor.messages(),
        new EnumMap<>(faults),
        auditor.findings());
  }

  private long count() {
    return faults.values().stream().mapToLong(Long::longValue).sum();
  }

  private void fault(Fault fault) {
    faults.merge(fault, 1L, Long::sum);
  }

  private boolean chance(int inThousand) {
    return !calm && random.nextInt(1_000) < inThousand;
  }

  private void act() {
    int node = random.nextInt(nodes.size());
    try {
      SteppedSignalbox box = alive(node);
      int dice = random.nextInt(100);
      if (dice < 34) {
        send(box);
      } else if (dice < 56) {
        box.work(1 + random.nextInt(8));
      } else if (dice < 66) {
        box.seal();
      } else if (dice < 80) {
        if (box.inFlight() > 0) {
          box.commit(random.nextInt(box.inFlight()));
        }
      } else if (dice < 88) {
        box.perform(1 + random.nextInt(4));
      } else if (dice < 92) {
        box.poll();
      } else if (dice < 95) {
        clock.advance(Duration.ofMillis(random.nextInt(2_000)));
      } else if (dice < 96) {
        fault(Fault.CLOCK_AHEAD);
        clock.advance(Duration.ofMinutes(random.nextInt(10) == 0 ? random.nextInt(600) : 3));
      } else if (dice < 97) {
        fault(Fault.CLOCK_BACK);
        clock.advance(Duration.ofSeconds(-random.nextInt(30)));
      } else if (dice < 98) {
        fault(Fault.CRASH);
        nodes.set(node, null);
      } else if (random.nextInt(400) == 0) {
        archive();
      } else {
        repeat(box);
      }
    } catch (Death e) {
      nodes.set(node, null);
    } catch (JournalException e) {
      // The store failed in the middle of something; the node goes on.
    } catch (RuntimeException e) {
      auditor.fault(e);
    }
  }

  private SteppedSignalbox alive(int node) {
    SteppedSignalbox known = nodes.get(node);
    if (known != null) {
      return known;
    }
    SteppedSignalbox fresh =
        new SteppedSignalbox(
            new TroubledStore(sabotaged), Settings.DEFAULT, clock, new Random(random.nextLong()));
    machines.forEach(fresh::publish);
    for (Machine machine : plan.machines()) {
      for (Action.Perform effect : machine.effects()) {
        fresh.handle(effect.effect(), this::handle);
      }
    }
    nodes.set(node, fresh);
    return fresh;
  }

  private void send(SteppedSignalbox box) {
    Command command;
    String key = "k-" + ++serial;
    if (ids.size() < plan.instances()) {
      String id = "i-" + serial;
      ids.add(id);
      command = new Command.Start(name(), id, Map.of(), actor(), key);
    } else {
      int which = random.nextInt(ids.size());
      String id = ids.get(which);
      InstanceRow row = store.load(id);
      boolean over = row == null || row.status() == InstanceRow.Status.ENDED;
      if (over && random.nextInt(4) == 0) {
        ids.remove(which);
        return;
      }
      command = command(id, key);
    }
    ask(box, command);
    if (command instanceof Command.Fork fork) {
      ids.add(Objects.requireNonNull(fork.id()));
    }
    if (command instanceof Command.Pause || command instanceof Command.Resume) {
      standstill(box, command);
    }
  }

  private void ask(SteppedSignalbox box, Command command) {
    commands++;
    asked.add(new Asked(command, box.submit(command)));
  }

  /** Half of the pauses and resumes are for everything below the instance too. */
  private void standstill(SteppedSignalbox box, Command command) {
    if (random.nextBoolean()) {
      return;
    }
    String top =
        command instanceof Command.Pause pause
            ? pause.instance()
            : ((Command.Resume) command).instance();
    for (InstanceRow child : store.query(Query.ALL.below(top))) {
      ask(
          box,
          switch (command) {
            case Command.Pause p -> new Command.Pause(child.id(), p.clocks(), p.actor(), p.key());
            case Command.Resume r -> new Command.Resume(child.id(), r.actor(), r.key());
            default -> throw new IllegalStateException("Only pauses and resumes stand still.");
          });
    }
  }

  /** Takes ended instances out of the store, as an operator does while nodes run. */
  private void archive() {
    auditor.follow();
    Path file = null;
    try {
      file = Files.createTempFile("simulation", ".jsonl");
      Files.delete(file);
      Archive.write(new TroubledStore(sabotaged), signing, file, clock.millis(), 10);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      auditor.archived().forEach(ids::remove);
      delete(file);
    }
  }

  private static void delete(@Nullable Path file) {
    try {
      if (file != null) {
        Files.deleteIfExists(file);
        Files.deleteIfExists(file.resolveSibling(file.getFileName() + ".part"));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String name() {
    return plan.machines().getFirst().name();
  }

  private Command command(String id, String key) {
    int dice = random.nextInt(100);
    if (dice < 2) {
      return new Command.Pause(
          id, random.nextBoolean() ? Command.Clocks.STOPPED : Command.Clocks.RUNNING, actor(), key);
    }
    if (dice < 6) {
      return new Command.Resume(id, actor(), key);
    }
    if (dice < 7) {
      return new Command.Cancel(id, actor(), key);
    }
    InstanceRow row = store.load(id);
    if (dice < 8 && row != null) {
      long sequence = 1 + random.nextLong(row.sequence());
      return new Command.Fork(id, sequence, "f-" + serial, actor(), key);
    }
    if (dice < 10) {
      int version = plan.machines().getFirst().version() + random.nextInt(2);
      return new Command.Migrate(id, version, Map.of(), actor(), key);
    }
    boolean ended = row != null && row.status() == InstanceRow.Status.ENDED;
    if (dice < (ended ? 50 : 11)) {
      return new Command.Erase(id, actor(), key);
    }
    List<String> names = random.nextInt(5) == 0 ? eventNames : awaited(id);
    String event = names.isEmpty() ? "event" : names.get(random.nextInt(names.size()));
    return new Command.Send(id, event, data(event), actor(), key, null);
  }

  /** The events that the states of the instance's newest entry wait for. */
  private List<String> awaited(String id) {
    InstanceRow row = store.load(id);
    if (row == null) {
      return eventNames;
    }
    EntryRow newest = store.history(row.number(), Chain.STEPS, row.sequence(), 1).getFirst();
    List<String> names = new ArrayList<>();
    if (Auditor.body(newest).get("states") instanceof List<?> states) {
      states.forEach(state -> names.addAll(byState.getOrDefault(String.valueOf(state), List.of())));
    }
    return names;
  }

  private @Nullable Object data(String event) {
    for (EventType type : plan.machines().getFirst().events()) {
      if (type.name().equals(event) && type.data() != null) {
        return new RandomValues(random).of(type.data());
      }
    }
    return null;
  }

  private Actor actor() {
    Set<String> roles = new LinkedHashSet<>();
    plan.machines().getFirst().events().forEach(type -> roles.addAll(type.roles()));
    return random.nextInt(10) == 0
        ? new Actor(Actor.Kind.AGENT, "stranger", List.of())
        : new Actor(Actor.Kind.USER, "everyone", List.copyOf(roles));
  }

  private void repeat(SteppedSignalbox box) {
    if (!asked.isEmpty()) {
      fault(Fault.DUPLICATE);
      Command command = asked.get(random.nextInt(asked.size())).command();
      asked.add(new Asked(command, box.submit(command)));
    }
  }

  /** Tells the auditor what was answered, and forgets it but for some to be sent again. */
  private void settleAsked() {
    List<Asked> waiting = new ArrayList<>();
    for (Asked one : asked) {
      if (!one.reply().isDone()) {
        waiting.add(one);
      } else if (!one.reply().isCompletedExceptionally()) {
        auditor.answered(one.command(), one.reply().join());
        if (random.nextInt(16) == 0) {
          waiting.add(one);
        }
      } else if (random.nextInt(2) == 0) {
        waiting.add(one);
      }
    }
    asked.clear();
    // A command whose node died waits for ever.
    int from = Math.max(0, waiting.size() - 1_000);
    asked.addAll(waiting.subList(from, waiting.size()));
  }

  private Outcome handle(EffectHandler.Call call) {
    auditor.performed(call);
    if (chance(60)) {
      fault(Fault.CRASH_IN_HANDLER);
      throw new Death();
    }
    if (chance(60)) {
      fault(Fault.HANDLER_FAILS);
      throw new IllegalStateException("the handler failed");
    }
    int dice = random.nextInt(10);
    if (dice < 2 && !calm) {
      auditor.notDone(call);
      return new Outcome.RetryAfter(Duration.ofSeconds(random.nextInt(60)), "not now");
    }
    return dice < 4 ? Outcome.failed(Map.of("why", "no")) : Outcome.succeeded(Map.of("n", dice));
  }

  /** Lets everything that is pending come to its end, with nothing going wrong any more. */
  private void calmDown() {
    calm = true;
    settleAsked();
    for (int i = 0; i < nodes.size(); i++) {
      nodes.set(i, null);
    }
    SteppedSignalbox box = alive(0);
    for (int round = 0; round < 20; round++) {
      box.poll();
      box.rest();
      clock.advance(Duration.ofHours(1));
    }
    box.poll();
    box.rest();
    settleAsked();
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

  /** The store as a node sees it in bad times. */
  private final class TroubledStore extends ForwardingJournal {
    TroubledStore(Journal to) {
      super(to);
    }

    @Override
    public Appended append(Group group) {
      if (chance(15)) {
        fault(Fault.CRASH_BEFORE_COMMIT);
        throw new Death();
      }
      if (chance(15)) {
        fault(Fault.STORE_FAILS);
        throw new JournalException("Expected to append, but the store fails.", null);
      }
      Appended appended = super.append(group);
      if (chance(15)) {
        fault(Fault.CRASH_AFTER_COMMIT);
        throw new Death();
      }
      if (chance(15)) {
        fault(Fault.OUTCOME_UNKNOWN);
        throw new JournalException("Expected an answer, but the connection broke.", null, true);
      }
      return appended;
    }

    private void mayFail() {
      if (chance(2)) {
        fault(Fault.READ_FAILS);
        throw new JournalException("Expected to read, but the store fails.", null);
      }
    }

    @Override
    public @Nullable InstanceRow load(String id) {
      mayFail();
      return super.load(id);
    }

    @Override
    public @Nullable InstanceRow load(long number) {
      mayFail();
      return super.load(number);
    }

    @Override
    public @Nullable EntryRow keyed(long instance, String key) {
      mayFail();
      return super.keyed(instance, key);
    }

    @Override
    public void keepKeys(List<InstanceKey> keys) {
      mayFail();
      super.keepKeys(keys);
    }

    @Override
    public void destroyKeys(Collection<Long> instances) {
      if (!instances.isEmpty() && chance(150)) {
        fault(Fault.CRASH_AT_ERASURE);
        throw new Death();
      }
      mayFail();
      super.destroyKeys(instances);
      if (!instances.isEmpty() && chance(100)) {
        fault(Fault.CRASH_AT_ERASURE);
        throw new Death();
      }
    }

    @Override
    public long reserve(int count) {
      mayFail();
      return super.reserve(count);
    }
  }
}
