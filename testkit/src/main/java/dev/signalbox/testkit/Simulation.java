package dev.signalbox.testkit;

import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.Lease;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Archive;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.EffectHandler;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.ManualSignalbox;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.RejectedException;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Scope;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.SigningKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
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
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * A seeded simulation of the runtime: nodes that share a store take commands while everything goes
 * wrong that can, and an {@link Auditor} compares what the journal says with what must have
 * happened. The same seed gives the same simulation.
 */
public final class Simulation {
  /** How often a sweep tries to put one row right while the store fails. */
  private static final int TRIES = 100;

  /** Few enough that what others outrun comes to the end of them. */
  private static final int RETRIES = 20;

  /** Held, because a logger that nobody holds forgets its level. What it says is expected here. */
  private static final Logger LOG = Logger.getLogger("dev.signalbox.runtime");

  private static final Actor OPERATOR = new Actor(Actor.Kind.USER, "operator", List.of());

  private final Plan plan;
  private final Random random;
  private final ManualClock clock = new ManualClock();
  private final SimulatedStore store;
  private final Journal view;
  private final Visitor visitor;
  private final List<NodeClock> clocks = new ArrayList<>();
  private @Nullable MailWatch watch;
  private @Nullable Journal sabotaged;
  private long faultsBefore = -1;
  private int depth;
  private final Auditor auditor;
  private final Mishaps mishaps;
  private final Workload workload;
  private final Intruder intruder;
  private final List<Machine> machines;
  private final SigningKey signing = SigningKey.fresh();
  private final List<@Nullable SimulatedNode> nodes = new ArrayList<>();
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
   * @param store makes the store on the clock of the simulation, which closes it
   */
  public record Plan(
      List<Machine> machines,
      long seed,
      int nodes,
      int instances,
      long faults,
      UnaryOperator<Journal> sabotage,
      Function<InstantSource, SimulatedStore> store) {

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
          clock -> SimulatedStore.inMemory(clock, nodes > 1));
    }

    public static Plan of(List<Machine> machines, long seed, long faults) {
      return new Plan(machines, seed, 2, 10, faults, UnaryOperator.identity());
    }

    public Plan sabotaged(UnaryOperator<Journal> how) {
      return new Plan(machines, seed, nodes, instances, faults, how, store);
    }

    /** The same for so many nodes on another store. */
    public Plan on(int many, Function<InstantSource, SimulatedStore> made) {
      return new Plan(machines, seed, many, instances, faults, sabotage, made);
    }

    /** The same for one node on a file, which is closed and opened again. */
    public Plan onFile(Path folder) {
      return on(1, clock -> new SqliteFiles(folder, clock));
    }

    /** The same for two nodes on an empty PostgreSQL database. */
    public Plan onDatabase(String url) {
      return on(2, _ -> new PostgresDatabase(url));
    }
  }

  /** A command that was sent, to which node, and what became of it. */
  private record Asked(
      Command command, @Nullable SimulatedNode node, CompletableFuture<Reply> reply) {}

  private Simulation(Plan plan) {
    this.plan = plan;
    this.random = new Random(plan.seed());
    this.store = plan.store().apply(clock);
    this.view = view(store);
    this.auditor = new Auditor(view);
    this.mishaps = new Mishaps(random);
    this.visitor = new Visitor(random);
    Machine first = plan.machines().getFirst();
    this.workload = new Workload(first, plan.instances(), random, view);
    this.intruder = new Intruder(view, random);
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
      boolean lone = plan.nodes() == 1 || store.isOnRealTime();
      clocks.add(new NodeClock(now(), lone ? 0 : random.nextInt(200) - 100));
    }
  }

  private InstantSource now() {
    return store.isOnRealTime() ? InstantSource.system() : clock;
  }

  /**
   * The store as the auditor reads it: what is committed can be read at once, so that it waits for
   * nobody before it says that something is wrong.
   */
  private static Journal view(SimulatedStore store) {
    return (Journal)
        Proxy.newProxyInstance(
            Journal.class.getClassLoader(),
            new Class<?>[] {Journal.class},
            (_, method, arguments) -> {
              try {
                return method.getName().equals("isShared")
                    ? (Object) false
                    : method.invoke(store.view(), arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** Runs a simulation to its end. */
  public static SimulationReport run(Plan plan) {
    return new Simulation(plan).run();
  }

  private SimulationReport run() {
    LOG.setLevel(Level.OFF);
    try {
      while (mishaps.total() < plan.faults() && auditor.isContent()) {
        act();
        actions++;
        if (actions % 512 == 0) {
          settleAsked();
          auditor.follow();
        }
      }
      calmDown();
      ManualSignalbox box = alive(0).box;
      auditor.finish(now().millis(), box, box::at);
      if (watch != null) {
        watch.finish(view, auditor::found);
      }
    } catch (RuntimeException e) {
      auditor.fault(e);
    } finally {
      store.close();
      LOG.setLevel(null);
    }
    return new SimulationReport(
        plan.seed(),
        store.kind(),
        store.reopened(),
        faultsBefore < 0 ? 0 : mishaps.total() - faultsBefore,
        actions,
        commands,
        auditor.entries(),
        auditor.effects(),
        auditor.timers(),
        auditor.messages(),
        mishaps.counts(),
        mishaps.methods(),
        auditor.findings());
  }

  private void act() {
    int n = random.nextInt(nodes.size());
    try {
      SimulatedNode node = alive(n);
      node.store.begin();
      act(n, node);
      if (!node.store.isDead() && node == nodes.get(n)) {
        node.audit(view, auditor::found);
      }
    } catch (JournalException | RejectedException e) {
      // The store failed in the middle of something; the node goes on.
    } catch (RuntimeException | Error e) {
      fault(e);
    } finally {
      bury(n);
    }
  }

  private void act(int n, SimulatedNode node) {
    ManualSignalbox box = node.box;
    int dice = random.nextInt(100);
    if (dice < 24) {
      send(node);
    } else if (dice < 28) {
      visitor.visit(box, workload.someone());
    } else if (dice < 56) {
      boolean _ = box.step();
    } else if (dice < 72) {
      if (box.toAppend() > 0) {
        int which = random.nextInt(box.toAppend());
        if (random.nextBoolean()) {
          boolean _ = box.commit(which);
        } else {
          box.append(which);
        }
      }
    } else if (dice < 76) {
      boolean _ = box.claim();
    } else if (dice < 84) {
      if (box.attempts() > 0) {
        int which = random.nextInt(box.attempts());
        node.lease = box.lease(which);
        box.attempt(which);
      }
    } else if (dice < 86) {
      box.renew();
    } else if (dice < 88) {
      box.poll();
    } else if (dice < 94) {
      clock.advance(Duration.ofMillis(random.nextInt(2_000)));
    } else if (dice < 95) {
      jump(n);
    } else if (dice < 96) {
      if (isSlowToOpen() && random.nextInt(8) > 0) {
        return;
      }
      mishaps.count(Fault.CRASH);
      node.store.die();
    } else {
      rarely(n, node);
    }
  }

  /** A clock jumps: the store's, and with it everybody's, or a node's own. */
  private void jump(int n) {
    boolean ahead = random.nextBoolean();
    mishaps.count(ahead ? Fault.CLOCK_AHEAD : Fault.CLOCK_BACK);
    Duration by =
        ahead
            ? Duration.ofMinutes(random.nextInt(10) == 0 ? random.nextInt(600) : 3)
            : Duration.ofSeconds(-random.nextInt(30));
    if (nodes.size() > 1 && random.nextBoolean()) {
      clocks.get(n).jump(by.dividedBy(10));
    } else {
      clock.advance(by);
    }
  }

  /** Something came out of a node that is not the store's failure. */
  private void fault(Throwable e) {
    if (!(e instanceof Mishaps.Death) && !FaultyStore.isSimulated(e)) {
      auditor.fault(e);
    }
  }

  /** Whether to start a node takes much longer than to be one. */
  private boolean isSlowToOpen() {
    return !store.kind().equals("memory");
  }

  /** What a dead node leaves is what the next finds. */
  private void bury(int n) {
    SimulatedNode node = nodes.get(n);
    if (node != null && node.store.isDead()) {
      nodes.set(n, null);
      if (node.store.isEndless()) {
        auditor.found("a node asks the store for ever");
      }
      store.killed(node.opened);
    }
  }

  private void rarely(int n, SimulatedNode node) {
    int dice = random.nextInt(400);
    if (dice < 20) {
      archive(node);
    } else if (dice < 30) {
      spoil(n);
    } else if (dice < 40) {
      takeEffect(node);
    } else if (dice < 70) {
      standStill(node.box);
    } else if (dice < 130) {
      erase(node.box);
    } else if (dice < 220) {
      close(n, node);
    } else {
      repeat(node);
    }
  }

  /** An operator erases an instance and what is below it. */
  private void erase(ManualSignalbox box) {
    var _ = box.erase(workload.someone(), OPERATOR);
  }

  /** A node is closed, perhaps while nothing can be written, and the store opened again. */
  private void close(int n, SimulatedNode node) {
    if (isSlowToOpen() && random.nextInt(8) > 0) {
      return;
    }
    boolean trouble = !store.isOnRealTime() && random.nextInt(4) == 0;
    if (trouble) {
      mishaps.count(Fault.CLOSE_IN_TROUBLE);
      mishaps.appendsFail(true);
    }
    try {
      boolean ended = store.isOnRealTime() || Probes.ends(node.box, clock);
      if (!ended && !node.store.isDead()) {
        auditor.found("a node can't be closed" + (trouble ? " while every append fails" : ""));
      }
    } finally {
      mishaps.appendsFail(false);
    }
    if (node.store.isDead()) {
      return;
    }
    try {
      node.box.close();
    } finally {
      // Whether it could or not, its process ends here.
      nodes.set(n, null);
      node.opened.close();
      store.closed(node.opened);
    }
  }

  private SimulatedNode alive(int n) {
    SimulatedNode known = nodes.get(n);
    if (known != null) {
      return known;
    }
    Journal raw = store.open(clocks.get(n));
    for (int i = 0; isSlowToOpen() && i < TRIES; i++) {
      try {
        return begun(n, raw, new FaultyStore(watched(raw), mishaps, random));
      } catch (JournalException e) {
        // What is open need not be opened again to be tried again.
      } catch (Error e) {
        if (!FaultyStore.isSimulated(e) || e instanceof Mishaps.Death) {
          store.killed(raw);
          throw e;
        }
      }
    }
    try {
      return begun(n, raw, new FaultyStore(watched(raw), mishaps, random));
    } catch (RuntimeException | Error e) {
      store.killed(raw);
      throw e;
    }
  }

  private SimulatedNode begun(int n, Journal raw, FaultyStore faulty) {
    try {
      if (store.reopened() > 0 && faultsBefore < 0) {
        faultsBefore = mishaps.total();
      }
      ManualSignalbox box =
          new ManualSignalbox(
              faulty.journal(), settings(), clocks.get(n), new Random(random.nextLong()));
      box.onFault(this::fault);
      SimulatedNode fresh = new SimulatedNode(box, faulty, raw);
      machines.forEach(box::publish);
      for (Machine machine : plan.machines()) {
        for (Action.Perform effect : machine.effects()) {
          box.handle(effect.effect(), call -> handle(call, fresh));
        }
      }
      box.handle(Probes.EFFECT, _ -> Outcome.succeeded());
      nodes.set(n, fresh);
      return fresh;
    } catch (RuntimeException | Error e) {
      faulty.die();
      throw e;
    }
  }

  /** Where time passes by itself, leases and delays are short. */
  private Settings settings() {
    Settings usual = Settings.DEFAULT;
    return new Settings(
        usual.queue(),
        usual.groupSize(),
        usual.dataBytes(),
        usual.cacheBytes(),
        usual.refusals(),
        RETRIES,
        store.isOnRealTime() ? Duration.ofMillis(500) : usual.lease(),
        usual.attempts(),
        store.isOnRealTime() ? Duration.ofMillis(5) : usual.firstDelay(),
        usual.effectsAtOnce(),
        20,
        Duration.ofMinutes(1));
  }

  private MailWatch watched(Journal raw) {
    Journal under = sabotaged;
    if (under == null || !store.kind().equals("memory")) {
      under = plan.sabotage().apply(raw);
      sabotaged = under;
    }
    watch = watch == null ? new MailWatch(under) : watch.over(under);
    return watch;
  }

  private void send(SimulatedNode node) {
    Command command = workload.next();
    if (command != null) {
      var _ = ask(node, command);
      for (Command below : workload.below(command)) {
        var _ = ask(node, below);
      }
    }
  }

  /** Asks a node, now and then as somebody who waits for the answer. */
  private CompletableFuture<Reply> ask(SimulatedNode node, Command command) {
    commands++;
    CompletableFuture<Reply> reply =
        random.nextInt(4) == 0 ? node.box.call(command) : node.box.submit(command);
    asked.add(new Asked(command, node, reply));
    return reply;
  }

  /**
   * A row changes past the runtime, and a node that starts just then sweeps before it does anything
   * else. A node that took a step on a spoilt row could not know; so nobody else moves meanwhile,
   * but what the others have in memory or on its way is still there afterwards.
   */
  private void spoil(int n) {
    auditor.follow();
    InstanceRow before = intruder.spoil();
    if (before == null) {
      return;
    }
    mishaps.count(Fault.ROW_CHANGED);
    Command.Correct correct = workload.correction(before.id());
    for (int i = 0; i < TRIES && !hasMovedOn(before); i++) {
      kill(n);
      try {
        SimulatedNode sweeping = alive(n);
        CompletableFuture<Reply> reply = sweeping.box.submit(correct);
        asked.add(new Asked(correct, sweeping, reply));
        if (reply.isDone()) {
          // The store failed at the door, and nothing else may be done with the row as it is.
          continue;
        }
        boolean _ = sweeping.box.step();
        boolean _ = sweeping.box.commit();
      } catch (JournalException e) {
        // The next one sweeps.
      } catch (Error e) {
        fault(e);
      }
    }
    bury(n);
    auditor.corrected(before);
  }

  private void kill(int n) {
    SimulatedNode node = nodes.get(n);
    if (node != null) {
      node.store.die();
      bury(n);
    }
  }

  private boolean hasMovedOn(InstanceRow before) {
    InstanceRow now = Objects.requireNonNull(view.load(before.number()));
    return now.sequence() > before.sequence();
  }

  /** An effect is gone, and a sweep notices at once or only when everything has come to rest. */
  private void takeEffect(SimulatedNode node) {
    if (nodes.stream().anyMatch(other -> other != null && other.box.attempts() > 0) || depth > 0) {
      // Somebody may have it already.
      return;
    }
    EffectRow effect = intruder.takeEffect();
    if (effect == null) {
      return;
    }
    mishaps.count(Fault.EFFECT_TAKEN);
    auditor.taken(effect);
    if (random.nextBoolean()) {
      var _ = ask(node, workload.givingUp(Auditor.instance(effect.key()), effect.reply()));
    }
  }

  /** An operator lets a whole machine stand still, or more often go on. */
  private void standStill(ManualSignalbox box) {
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
  private void archive(SimulatedNode node) {
    auditor.follow();
    Path file = null;
    try {
      file = Files.createTempFile("simulation", ".jsonl");
      Files.delete(file);
      Archive.write(node.box.journal(), signing, file, now().millis(), 10);
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

  private void repeat(SimulatedNode node) {
    if (!asked.isEmpty()) {
      mishaps.count(Fault.DUPLICATE);
      Command command = asked.get(random.nextInt(asked.size())).command();
      asked.add(new Asked(command, node, node.box.submit(command)));
    }
  }

  /** Tells the auditor what was answered, and forgets it but for some to be sent again. */
  private void settleAsked() {
    List<Asked> waiting = new ArrayList<>();
    for (Asked one : asked) {
      if (!one.reply().isDone()) {
        waiting.add(unanswered(one));
      } else if (!one.reply().isCompletedExceptionally()) {
        auditor.answered(one.command(), one.reply().join());
        if (random.nextInt(16) == 0) {
          waiting.add(new Asked(one.command(), null, one.reply()));
        }
      } else if (random.nextInt(2) == 0) {
        waiting.add(new Asked(one.command(), null, one.reply()));
      }
    }
    asked.clear();
    // A command whose node died waits for ever.
    int from = Math.max(0, waiting.size() - 1_000);
    asked.addAll(waiting.subList(from, waiting.size()));
  }

  /** Whoever asked a node that has nothing to do any more has an answer. */
  private Asked unanswered(Asked one) {
    SimulatedNode node = one.node();
    if (node == null || node.store.isDead() || !nodes.contains(node)) {
      return new Asked(one.command(), null, one.reply());
    }
    if (node.box.isResting()) {
      auditor.found("%s was never answered".formatted(one.command()));
    }
    return one;
  }

  private Outcome handle(EffectHandler.Call call, SimulatedNode node) {
    Lease lease = node.lease;
    auditor.performed(call);
    if (mishaps.chance(30)) {
      mishaps.count(Fault.CRASH_IN_HANDLER);
      throw node.store.death();
    }
    if (mishaps.chance(60)) {
      mishaps.count(Fault.HANDLER_FAILS);
      throw new IllegalStateException("the handler failed");
    }
    if (mishaps.chance(30)) {
      mishaps.count(Fault.HANDLER_ENDS_IN_ERROR);
      throw new StackOverflowError(FaultyStore.SIMULATED);
    }
    if (depth == 0 && mishaps.chance(60)) {
      hang(node);
    }
    int dice = random.nextInt(10);
    if (dice < 2 && !mishaps.areOver()) {
      auditor.notDone(call);
      int longest = store.isOnRealTime() ? 50 : 60_000;
      return new Outcome.RetryAfter(Duration.ofMillis(random.nextInt(longest)), "not now");
    }
    if (mishaps.chance(30)) {
      mishaps.count(Fault.CRASH_IN_HANDLER);
      throw node.store.death();
    }
    EffectRow now = lease == null ? null : view.effect(lease.effect());
    if (lease != null
        && now != null
        && now.key().equals(call.key())
        && now.fence() == lease.fence()) {
      node.answered(now);
    }
    return dice < 4 ? Outcome.failed(Map.of("why", "no")) : Outcome.succeeded(Map.of("n", dice));
  }

  /** The world goes on while a handler does not. */
  private void hang(SimulatedNode node) {
    mishaps.count(Fault.HANDLER_HANGS);
    depth++;
    try {
      for (int i = random.nextInt(12); i > 0; i--) {
        clock.advance(Duration.ofSeconds(random.nextInt(20)));
        act();
      }
    } finally {
      depth--;
    }
    if (node.store.isDead() || !nodes.contains(node)) {
      throw new Mishaps.Death();
    }
  }

  /** Lets everything that is pending come to its end, with nothing going wrong any more. */
  private void calmDown() {
    mishaps.end();
    for (int i = 0; i < nodes.size(); i++) {
      kill(i);
    }
    settleAsked();
    if (auditor.isContent() && !store.isOnRealTime()) {
      new Probes(view, clock, mishaps, intruder, this::restarted, _ -> commands++, auditor::found)
          .run(nodes.size() > 1);
      for (int i = 0; i < nodes.size(); i++) {
        kill(i);
      }
    }
    SimulatedNode node = alive(0);
    ManualSignalbox box = node.box;
    plan.machines().forEach(machine -> box.resume(scope(machine), OPERATOR, null));
    for (int round = 0; round < 20; round++) {
      box.poll();
      box.rest();
      clock.advance(Duration.ofHours(1));
      if (store.isOnRealTime()) {
        LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
      }
    }
    giveUp(node);
    box.poll();
    box.rest();
    settleAsked();
  }

  private SimulatedNode restarted(int n) {
    kill(n);
    return alive(n);
  }

  /** A last sweep: whoever waits for a result that can't come, a fork for instance, is told so. */
  private void giveUp(SimulatedNode node) {
    long after = 0;
    List<Instance> page;
    do {
      page = node.box.instances(Query.ALL.that(InstanceRow.Status.LIVE).page(after, Query.MOST));
      for (Instance waiting : page) {
        after = waiting.number();
        String reply = auditor.missing(waiting);
        if (reply != null) {
          var _ = ask(node, workload.givingUp(waiting.id(), reply));
        }
      }
    } while (page.size() == Query.MOST);
  }
}
