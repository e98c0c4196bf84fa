package dev.signalbox.testkit;

import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Archive;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.EffectHandler;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Scope;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.SigningKey;
import dev.signalbox.runtime.SteppedSignalbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A seeded simulation of the runtime: nodes that share a store take commands while everything goes
 * wrong that can, and an {@link Auditor} compares what the journal says with what must have
 * happened. The same seed gives the same simulation.
 */
public final class Simulation {
  /** How often a sweep tries to put one row right while the store fails. */
  private static final int TRIES = 100;

  private static final Actor OPERATOR = new Actor(Actor.Kind.USER, "operator", List.of());

  private final Plan plan;
  private final Random random;
  private final ManualClock clock = new ManualClock();
  private final Journal store;
  private final MailWatch watched;
  private final Auditor auditor;
  private final Mishaps mishaps;
  private final Workload workload;
  private final Intruder intruder;
  private final List<Machine> machines;
  private final SigningKey signing = SigningKey.fresh();
  private final List<@Nullable SteppedSignalbox> nodes = new ArrayList<>();
  private final List<Asked> asked = new ArrayList<>();
  private long actions;
  private long commands;

  /**
   * What to simulate.
   *
   * @param machines the first is started; the others may be invoked by it
   * @param instances how many live at a time
   * @param faults after how many faults to stop
   * @param sabotage changes the store, to see whether the auditor notices; identity for none
   * @param store opens the store on the clock of the simulation, which closes it
   */
  public record Plan(
      List<Machine> machines,
      long seed,
      int nodes,
      int instances,
      long faults,
      UnaryOperator<Journal> sabotage,
      Function<InstantSource, Journal> store) {

    /** A plan whose store is in memory. */
    public Plan(
        List<Machine> machines,
        long seed,
        int nodes,
        int instances,
        long faults,
        UnaryOperator<Journal> sabotage) {
      this(
          machines,
          seed,
          nodes,
          instances,
          faults,
          sabotage,
          clock -> new MemoryJournal(clock, nodes > 1));
    }

    public static Plan of(List<Machine> machines, long seed, long faults) {
      return new Plan(machines, seed, 2, 10, faults, UnaryOperator.identity());
    }

    public Plan sabotaged(UnaryOperator<Journal> how) {
      return new Plan(machines, seed, nodes, instances, faults, how, store);
    }

    /** The same for one node on a store that only one may write. */
    public Plan on(Function<InstantSource, Journal> opened) {
      return new Plan(machines, seed, 1, instances, faults, sabotage, opened);
    }
  }

  /** A command that was sent, and what became of it. */
  private record Asked(Command command, CompletableFuture<Reply> reply) {}

  /**
   * The store as the auditor reads it: what is committed can be read at once, so that it waits for
   * nobody before it says that something is wrong.
   */
  private static final class Settled extends ForwardingJournal {
    Settled(Journal to) {
      super(to);
    }

    @Override
    public boolean isShared() {
      return false;
    }
  }

  private Simulation(Plan plan) {
    this.plan = plan;
    this.random = new Random(plan.seed());
    this.store = plan.store().apply(clock);
    this.watched = new MailWatch(plan.sabotage().apply(store));
    this.auditor = new Auditor(new Settled(store));
    this.mishaps = new Mishaps(random);
    Machine first = plan.machines().getFirst();
    this.workload = new Workload(first, plan.instances(), random, store);
    this.intruder = new Intruder(store, random);
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
    for (int i = 0; i < plan.nodes(); i++) {
      nodes.add(null);
    }
  }

  /** Runs a simulation to its end. */
  public static SimulationReport run(Plan plan) {
    return new Simulation(plan).run();
  }

  private SimulationReport run() {
    while (mishaps.total() < plan.faults() && auditor.isContent()) {
      act();
      actions++;
      if (actions % 512 == 0) {
        settleAsked();
        auditor.follow();
      }
    }
    try (store) {
      calmDown();
      SteppedSignalbox box = alive(0);
      auditor.finish(clock.millis(), box, box::at);
      watched.finish(auditor::found);
    } catch (RuntimeException e) {
      auditor.fault(e);
    }
    return new SimulationReport(
        plan.seed(),
        actions,
        commands,
        auditor.entries(),
        auditor.effects(),
        auditor.timers(),
        auditor.messages(),
        mishaps.counts(),
        auditor.findings());
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
        mishaps.count(Fault.CLOCK_AHEAD);
        clock.advance(Duration.ofMinutes(random.nextInt(10) == 0 ? random.nextInt(600) : 3));
      } else if (dice < 97) {
        mishaps.count(Fault.CLOCK_BACK);
        clock.advance(Duration.ofSeconds(-random.nextInt(30)));
      } else if (dice < 98) {
        mishaps.count(Fault.CRASH);
        nodes.set(node, null);
      } else {
        rarely(node, box);
      }
    } catch (Mishaps.Death e) {
      nodes.set(node, null);
    } catch (JournalException e) {
      // The store failed in the middle of something; the node goes on.
    } catch (RuntimeException e) {
      auditor.fault(e);
    }
  }

  private void rarely(int node, SteppedSignalbox box) {
    int dice = random.nextInt(400);
    if (dice == 0) {
      archive();
    } else if (dice < 40) {
      spoil(node);
    } else if (dice < 80) {
      takeEffect(box);
    } else if (dice < 110) {
      standStill(box);
    } else {
      repeat(box);
    }
  }

  private SteppedSignalbox alive(int node) {
    SteppedSignalbox known = nodes.get(node);
    if (known != null) {
      return known;
    }
    SteppedSignalbox fresh =
        new SteppedSignalbox(
            new TroubledStore(watched, mishaps),
            Settings.DEFAULT,
            clock,
            new Random(random.nextLong()));
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
    Command command = workload.next();
    if (command != null) {
      var _ = ask(box, command);
      for (Command below : workload.below(command)) {
        var _ = ask(box, below);
      }
    }
  }

  private CompletableFuture<Reply> ask(SteppedSignalbox box, Command command) {
    commands++;
    CompletableFuture<Reply> reply = box.submit(command);
    asked.add(new Asked(command, reply));
    return reply;
  }

  /**
   * A row changes past the runtime, and a node that starts just then sweeps before it does anything
   * else. A node that took a step on a spoilt row could not know; so nobody else moves meanwhile,
   * but what the others have in memory or on its way is still there afterwards.
   */
  private void spoil(int node) {
    auditor.follow();
    InstanceRow before = intruder.spoil();
    if (before == null) {
      return;
    }
    mishaps.count(Fault.ROW_CHANGED);
    Command.Correct correct = workload.correction(before.id());
    for (int i = 0; i < TRIES && !hasMovedOn(before); i++) {
      nodes.set(node, null);
      try {
        SteppedSignalbox sweeping = alive(node);
        if (ask(sweeping, correct).isDone()) {
          // The store failed at the door, and nothing else may be done with the row as it is.
          continue;
        }
        sweeping.work(1);
        sweeping.seal();
        sweeping.commit();
      } catch (Mishaps.Death e) {
        nodes.set(node, null);
      } catch (JournalException e) {
        // The next one sweeps.
      }
    }
    auditor.corrected(before);
  }

  private boolean hasMovedOn(InstanceRow before) {
    InstanceRow now = Objects.requireNonNull(store.load(before.number()));
    return now.sequence() > before.sequence();
  }

  /** An effect is gone, and a sweep notices at once or only when everything has come to rest. */
  private void takeEffect(SteppedSignalbox box) {
    EffectRow effect = intruder.takeEffect();
    if (effect == null) {
      return;
    }
    mishaps.count(Fault.EFFECT_TAKEN);
    auditor.taken(effect);
    if (random.nextBoolean()) {
      var _ = ask(box, workload.givingUp(Auditor.instance(effect.key()), effect.reply()));
    }
  }

  /** An operator lets a whole machine stand still, or more often go on. */
  private void standStill(SteppedSignalbox box) {
    Scope scope = scope(plan.machines().get(random.nextInt(plan.machines().size())));
    if (random.nextInt(4) == 0) {
      Command.Clocks clocks =
          random.nextBoolean() ? Command.Clocks.STOPPED : Command.Clocks.RUNNING;
      var _ = box.pause(scope, clocks, OPERATOR, null);
    } else {
      var _ = box.resume(scope, OPERATOR, null);
    }
  }

  private static Scope scope(Machine machine) {
    return new Scope.OfMachine(machine.name());
  }

  /** Takes ended instances out of the store, as an operator does while nodes run. */
  private void archive() {
    auditor.follow();
    Path file = null;
    try {
      file = Files.createTempFile("simulation", ".jsonl");
      Files.delete(file);
      Archive.write(new TroubledStore(watched, mishaps), signing, file, clock.millis(), 10);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      workload.forget(auditor.archived());
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

  private void repeat(SteppedSignalbox box) {
    if (!asked.isEmpty()) {
      mishaps.count(Fault.DUPLICATE);
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
    if (mishaps.chance(60)) {
      mishaps.count(Fault.CRASH_IN_HANDLER);
      throw new Mishaps.Death();
    }
    if (mishaps.chance(60)) {
      mishaps.count(Fault.HANDLER_FAILS);
      throw new IllegalStateException("the handler failed");
    }
    int dice = random.nextInt(10);
    if (dice < 2 && !mishaps.areOver()) {
      auditor.notDone(call);
      return new Outcome.RetryAfter(Duration.ofSeconds(random.nextInt(60)), "not now");
    }
    return dice < 4 ? Outcome.failed(Map.of("why", "no")) : Outcome.succeeded(Map.of("n", dice));
  }

  /** Lets everything that is pending come to its end, with nothing going wrong any more. */
  private void calmDown() {
    mishaps.end();
    settleAsked();
    for (int i = 0; i < nodes.size(); i++) {
      nodes.set(i, null);
    }
    SteppedSignalbox box = alive(0);
    plan.machines().forEach(machine -> box.resume(scope(machine), OPERATOR, null));
    for (int round = 0; round < 20; round++) {
      box.poll();
      box.rest();
      clock.advance(Duration.ofHours(1));
    }
    giveUp(box);
    box.poll();
    box.rest();
    settleAsked();
  }

  /** A last sweep: whoever waits for a result that can't come, a fork for instance, is told so. */
  private void giveUp(SteppedSignalbox box) {
    long after = 0;
    List<Instance> page;
    do {
      page = box.instances(Query.ALL.that(InstanceRow.Status.LIVE).page(after, Query.MOST));
      for (Instance waiting : page) {
        after = waiting.number();
        String reply = auditor.missing(waiting);
        if (reply != null) {
          var _ = ask(box, workload.givingUp(waiting.id(), reply));
        }
      }
    } while (page.size() == Query.MOST);
  }
}
