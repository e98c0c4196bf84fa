package dev.signalbox.runtime;

import dev.signalbox.definition.MachineShelf;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.Count;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.SteadyClock;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.journal.postgres.PostgresJournal;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.machine.Machine;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Durable, audited state machines: the one door. Whatever happens to an instance goes through
 * {@link #submit}, and what it answers is in the journal before it answers. Any thread may use it.
 */
public final class Signalbox implements Host, AutoCloseable {
  static final String SQLITE = "jdbc:sqlite:";

  /** Nanoseconds after which whoever waits for the engine looks again. */
  private static final long PAUSE = 1_000_000;

  private final Journal journal;
  private final Settings settings;
  private final InstantSource clock;
  final Machines machines;
  private final Forks forks;
  private final Corrections corrections;
  private final OldKeys oldKeys;
  private final Feed feed;
  private final Inbox inbox;
  final Lane lane;
  final EffectRunner effects;
  final LeaseRenewer leases;
  private volatile UnaryOperator<EffectHandler> around = UnaryOperator.identity();

  /** The way of commands whose callers go on. */
  private volatile Function<Command, CompletableFuture<Reply>> passing = this::pass;

  /** The way of commands whose callers wait. */
  private volatile Function<Command, CompletableFuture<Reply>> waiting = this::await;

  /** What is around the way of commands that services give. */
  private volatile UnaryOperator<Function<Command, CompletableFuture<Reply>>> aroundServices =
      UnaryOperator.identity();

  private volatile LongConsumer reader = _ -> {};
  private final @Nullable Keyring keyring;
  private final long opened;
  private volatile boolean closed;

  /**
   * A runtime that nobody drives yet.
   *
   * @param launch lets an attempt at an effect run
   */
  Signalbox(
      Journal journal,
      Settings settings,
      InstantSource given,
      @Nullable Keyring keyring,
      List<MachineShelf> shelves,
      RandomGenerator random,
      Consumer<Attempt> launch) {
    this.journal = journal;
    this.keyring = keyring;
    this.settings = settings;
    this.clock = clock(journal, given);
    this.machines = new Machines(journal, new Seals(journal, keyring, random), shelves);
    machines.seals.check();
    this.forks = new Forks(journal, machines);
    this.corrections = new Corrections(journal, machines);
    this.oldKeys = new OldKeys(journal, machines);
    this.feed = new Feed(journal, machines);
    this.inbox = new Inbox(settings.queue());
    String owner = "node-" + Long.toHexString(random.nextLong());
    Engine engine = new Engine(journal, machines, settings, clock, new Ids(random));
    this.leases = new LeaseRenewer(journal, clock, settings.lease().toMillis());
    this.effects =
        new EffectRunner(
            new EffectWork(journal, machines.seals, settings, owner),
            leases,
            settings,
            this::conclude,
            launch);
    this.lane =
        new Lane(
            engine,
            journal,
            clock,
            inbox,
            effects,
            feed::committed,
            new Checkpointer(journal, keyring, settings, clock));
    this.opened = journal.end();
    lane.recover();
  }

  /** One clock for when something falls due and for whether it is. */
  private static InstantSource clock(Journal journal, InstantSource given) {
    if (journal.isShared()) {
      return SharedClock.of(journal, given);
    }
    SteadyClock store = journal.clock();
    return store == null ? SteadyClock.of(given) : store;
  }

  /**
   * Opens a store, or makes it.
   *
   * @param url {@code jdbc:sqlite:} and a file, a {@code jdbc:postgresql:} address, or {@code
   *     memory:}
   */
  public static Signalbox open(String url) {
    return open(url, Settings.DEFAULT, InstantSource.system());
  }

  public static Signalbox open(String url, Settings settings, InstantSource clock) {
    return open(url, settings, clock, Keyring.of(url));
  }

  /**
   * Opens a store with the operator's keys.
   *
   * @param keyring null for none: machines with personal fields are refused then, and no
   *     checkpoints are signed
   */
  public static Signalbox open(
      String url, Settings settings, InstantSource clock, @Nullable Keyring keyring) {
    return open(url, settings, clock, keyring, List.of());
  }

  /**
   * Opens a store with the operator's keys.
   *
   * @param shelves the machines that came with the program: known from the first moment, they are
   *     invoked by one another only
   */
  public static Signalbox open(
      String url,
      Settings settings,
      InstantSource clock,
      @Nullable Keyring keyring,
      List<MachineShelf> shelves) {
    return open(journal(url, clock), settings, clock, keyring, shelves);
  }

  /**
   * Whether the timers that fell due and the messages that waited while the store was closed have
   * been worked off. It takes commands before.
   */
  public boolean isCaughtUp() {
    return lane.isCaughtUp();
  }

  /** Runs on a journal, which it closes when it closes itself. */
  public static Signalbox open(Journal journal, Settings settings, InstantSource clock) {
    String url = journal instanceof MemoryJournal ? "memory:" : "";
    return open(journal, settings, clock, Keyring.of(url));
  }

  /** Runs on a journal with the operator's keys. */
  public static Signalbox open(
      Journal journal, Settings settings, InstantSource clock, @Nullable Keyring keyring) {
    return open(journal, settings, clock, keyring, List.of());
  }

  private static Signalbox open(
      Journal journal,
      Settings settings,
      InstantSource clock,
      @Nullable Keyring keyring,
      List<MachineShelf> shelves) {
    try {
      Signalbox box =
          new Signalbox(
              journal, settings, clock, keyring, shelves, new SecureRandom(), Attempt::start);
      box.lane.start();
      box.effects.start();
      return box;
    } catch (RuntimeException | Error e) {
      journal.close();
      throw e;
    }
  }

  private static Journal journal(String url, InstantSource clock) {
    if (url.startsWith(SQLITE)) {
      return SqliteJournal.open(Path.of(url.substring(SQLITE.length())), clock);
    }
    if (url.startsWith("jdbc:postgresql:")) {
      return PostgresJournal.open(url, null, null);
    }
    if (url.equals("memory:")) {
      return new MemoryJournal(clock);
    }
    throw new IllegalArgumentException(
        "Expected jdbc:sqlite:FILE, jdbc:postgresql://HOST/DATABASE or memory:, but found '%s'."
            .formatted(url));
  }

  /**
   * A store opened for reading alone: nothing is made, migrated or locked, and whoever owns it may
   * go on writing.
   *
   * @throws dev.signalbox.journal.JournalException when there is none
   */
  public static Journal read(String url) {
    return url.startsWith(SQLITE)
        ? SqliteJournal.read(Path.of(url.substring(SQLITE.length())))
        : journal(url, InstantSource.system());
  }

  /**
   * Publishes a machine after checking it. The same machine again changes nothing.
   *
   * @throws dev.signalbox.definition.DefinitionException when the checks find errors
   * @throws IllegalArgumentException when the version is taken by another machine
   */
  @Override
  public void publish(Machine machine) {
    machines.publish(machine, true);
  }

  @Override
  public void publish(MachineShelf shelf, String name) {
    machines.ship(shelf, name);
  }

  /** The published machines, in the order of their publication. */
  public List<Machine> machines() {
    return machines.all().stream().map(m -> m.chart.machine()).toList();
  }

  /**
   * Starts an instance of the newest version.
   *
   * @throws RejectedException when it is refused
   */
  public Instance start(String machine, Map<String, ? extends @Nullable Object> input) {
    Reply reply = submit(new Command.Start(machine, null, input, Actor.SYSTEM, null));
    return switch (reply) {
      case Reply.Accepted(Receipt receipt) -> instance(receipt.instance());
      case Reply.Rejected(Rejection rejection) -> throw new RejectedException(rejection);
    };
  }

  /** Sends an event as the system. */
  public Reply send(String instance, String event, @Nullable Object data) {
    return submit(Command.Send.of(instance, event, data));
  }

  public Reply send(String instance, String event) {
    return send(instance, event, null);
  }

  /**
   * Carries a command out and waits until it is durable.
   *
   * @throws dev.signalbox.journal.JournalException when the store fails; nothing is known to have
   *     happened, and the same command with the same key may be sent again
   */
  public Reply submit(Command command) {
    return joined(submitted(command, waiting));
  }

  static Reply joined(CompletableFuture<Reply> reply) {
    try {
      return reply.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }

  /**
   * Carries a command out; the future completes when it is durable. What depends on the future runs
   * on the thread that drives the engine, so it must be short or go to another.
   */
  @Override
  public CompletableFuture<Reply> submitAsync(Command command) {
    return submitted(command, passing);
  }

  @Override
  public CompletableFuture<Reply> submitForService(String machine, Command command) {
    return unlessOwn(OwnMachines.refusal(command), command, serving(machine));
  }

  @Override
  public CompletableFuture<Reply> submitForCaller(String machine, Command command) {
    return submitted(command, serving(machine));
  }

  /** The way of commands that the service of the machine gives. */
  private Function<Command, CompletableFuture<Reply>> serving(String machine) {
    return aroundServices.apply(command -> enter(command, machine, inbox::offer));
  }

  /**
   * Whether instances of the machine are reached through the service that owns them alone, so that
   * {@link #submit} refuses what users and agents ask of them.
   */
  public boolean isClosed(String machine) {
    return machines.shipped.isClosed(machine);
  }

  private static CompletableFuture<Reply> submitted(
      Command command, Function<Command, CompletableFuture<Reply>> way) {
    Rejection own = OwnMachines.refusal(command);
    return unlessOwn(own == null ? ServiceKey.refusal(command.key()) : own, command, way);
  }

  private static CompletableFuture<Reply> unlessOwn(
      @Nullable Rejection own, Command command, Function<Command, CompletableFuture<Reply>> way) {
    return own == null
        ? way.apply(command)
        : CompletableFuture.completedFuture(new Reply.Rejected(own));
  }

  /** The roles by which machines that came with the program know who may decide. */
  public Set<String> shippedRoles() {
    return machines.shipped.roles();
  }

  /** Takes a command on, also for the engine's own machines; its caller goes on. */
  CompletableFuture<Reply> pass(Command command) {
    return enter(command, null, inbox::offer);
  }

  /** Takes a command on; where the engine is at rest, it is carried out before this returns. */
  CompletableFuture<Reply> await(Command command) {
    return enter(command, null, lane::take);
  }

  private CompletableFuture<Reply> enter(
      Command command, @Nullable String service, Predicate<Ticket> queue) {
    CompletableFuture<Reply> reply = new CompletableFuture<>();
    if (closed) {
      reply.completeExceptionally(new IllegalStateException("The signalbox is closed."));
      return reply;
    }
    Door.enter(
        command,
        settings,
        forks,
        corrections,
        oldKeys,
        reply,
        ticket -> {
          ticket.service = service;
          return queue.test(ticket);
        });
    return reply;
  }

  private void conclude(Command.Conclude conclude) {
    boolean _ = inbox.offer(new Ticket(conclude));
  }

  /** Lets the handler do every effect of the name. */
  public void handle(String effect, EffectHandler handler) {
    effects.handle(effect, around.apply(handler));
  }

  /** Puts something around every handler that is given from now on, such as a trace's span. */
  public void around(UnaryOperator<EffectHandler> wrapping) {
    around = wrapping;
  }

  /** Puts something around every command that is given from now on, such as a trace's span. */
  public void aroundCommands(UnaryOperator<Function<Command, CompletableFuture<Reply>>> wrapping) {
    passing = wrapping.apply(this::pass);
    aroundServices = wrapping;
    waiting = wrapping.apply(this::await);
  }

  /**
   * The instance as the last commit left it.
   *
   * @throws RejectedException when there is none
   */
  public Instance instance(String id) {
    return view(row(id));
  }

  @Override
  public @Nullable Instance find(String id) {
    InstanceRow row = journal.load(id);
    return row == null ? null : view(row);
  }

  private InstanceRow row(String id) {
    InstanceRow row = journal.load(id);
    if (row == null) {
      throw new RejectedException(Admission.unknownInstance(id));
    }
    return row;
  }

  /** Instances that fit the query. */
  @Override
  public List<Instance> instances(Query query) {
    return journal.query(query).stream().map(this::view).toList();
  }

  /** How many live instances there are in each configuration. */
  public List<Count> counts() {
    return journal.counts();
  }

  /**
   * The instance's entries from a sequence number on. Where they are sealed, their bodies are
   * opened; what was hashed is the journal's.
   */
  @Override
  public List<EntryRow> history(String id, long from, int most) {
    InstanceRow row = row(id);
    return machines.seals.opened(row, journal.history(row.number(), Chain.STEPS, from, most));
  }

  /** The instance's refusals from a number on. */
  public List<EntryRow> refusals(String id, long from, int most) {
    InstanceRow row = row(id);
    return machines.seals.opened(row, journal.history(row.number(), Chain.REFUSALS, from, most));
  }

  /**
   * The instance as it was after the entry with the sequence number: its history up to there lived
   * through again. Nothing is written and nothing outside is called. Whether one of its timers was
   * refused after the entry does not show in it.
   *
   * @throws RejectedException when there is no such instance or it has no such entry
   */
  public Instance at(String id, long sequence) {
    return Past.of(journal, machines, id, sequence).view();
  }

  /**
   * Lets many instances stand still, each by an entry of its own, and those that come into being
   * meanwhile too. While a machine is paused none of its instances begins: starts are refused, and
   * children of it are born when it is resumed. Interrupted, it is asked for again with the same
   * key.
   *
   * @param key the idempotency key of each of the commands
   * @throws RejectedException when there is no such instance or machine
   */
  public ScopeReport pause(Scope scope, Command.Clocks clocks, Actor actor, @Nullable String key) {
    checkKey(key);
    return scopes().pause(scope, clocks, actor, key);
  }

  /** Lets many instances go on; see {@link #pause}. */
  public ScopeReport resume(Scope scope, Actor actor, @Nullable String key) {
    checkKey(key);
    return scopes().resume(scope, actor, key);
  }

  private static void checkKey(@Nullable String key) {
    Rejection reserved = ServiceKey.refusal(key);
    if (reserved != null) {
      throw new RejectedException(reserved);
    }
  }

  private Scopes scopes() {
    return new Scopes(journal, machines, this::submitAsync, c -> passing.apply(c));
  }

  /** The machines that stand still, by whom and since when. */
  public List<MachinePause> pausedMachines() {
    return Standstills.read(journal, machines);
  }

  /**
   * Takes what ended before the moment out of the store into a file that verifies by itself, with
   * everything below it. The file is written, flushed and verified first; then an entry says who
   * archived what into which file; then the instances are deleted and leave their tombstones.
   *
   * @param file that must not be there yet; it is not made when there is nothing to archive
   * @param most about how many instances the file may have
   * @throws IllegalStateException when the store was opened without a keyring
   */
  public Archive.Result archive(Path file, long endedBefore, int most, Actor actor)
      throws IOException {
    return Archive.write(
        journal,
        signing(),
        file,
        endedBefore,
        most,
        Archive.through(machines, actor, c -> joined(waiting.apply(c))));
  }

  /** The key that signs for this store; null when it was opened without a keyring. */
  public @Nullable Keyring keyring() {
    return keyring;
  }

  private SigningKey signing() {
    if (keyring == null) {
      throw new IllegalStateException(
          "Expected a key to sign with, but the store was opened without a keyring.");
    }
    return keyring.signing(journal);
  }

  /**
   * Lets somebody have each checkpoint of this node, as its text, once it is in the store: to
   * publish it elsewhere. Also the last one, while the store is closed. It must not wait.
   */
  public void onCheckpoint(Consumer<byte[]> listener) {
    lane.onCheckpoint(listener);
  }

  /** Signs now where the journal ends, if anything came since the last checkpoint. */
  public void checkpoint() {
    lane.checkpoint();
  }

  /** Erases as the system; see {@link #erase(String, Actor)}. */
  public Erasure erase(String id) {
    return erase(id, Actor.SYSTEM);
  }

  /**
   * Erases what is sealed of an ended instance and of everything below it: an entry says who asked
   * and when, and then their keys are destroyed. Of an archived instance that is an entry of an
   * instance of its own, and what was below it is erased one by one. When it returns, nothing in
   * the store gives back what was sealed. Interrupted, it can be asked for again.
   *
   * @throws RejectedException when something of it has not ended or is pending, or nothing of it is
   *     sealed; what was erased before that stays erased
   */
  public Erasure erase(String id, Actor actor) {
    return new Erasing(journal, machines).erase(id, actor, c -> joined(waiting.apply(c)));
  }

  /**
   * Who would be stranded if every live instance of the machine were taken to the version, and how
   * many would not. Nothing changes.
   *
   * @param states for states whose name does not stay, their new one
   * @throws RejectedException when the version was not published
   */
  public MigrationReport stranded(String machine, int toVersion, Map<String, String> states) {
    return Migrations.report(journal, machines, machine, toVersion, states);
  }

  /** The instance that a row of the journal stands for; unreadable where its snapshot is none. */
  @Override
  public Instance view(InstanceRow row) {
    return machines.view(row);
  }

  /** What is wrong with a row of the store, or null when it is what its journal says. */
  public @Nullable RowFault fault(InstanceRow row) {
    return corrections.fault(row);
  }

  /**
   * Of rows that say that their instance has ended, those whose newest entry does not say it; what
   * is wrong with them {@link #fault} tells.
   */
  public List<InstanceRow> unconfirmed(List<InstanceRow> rows) {
    return corrections.unconfirmed(rows);
  }

  /** How many commands wait for their turn on this node. */
  public int waiting() {
    return inbox.size();
  }

  /** Everything that is committed, in the store's order. */
  public Feed feed() {
    return feed;
  }

  /** The journal underneath, for reading. */
  @Override
  public Journal journal() {
    return journal;
  }

  @Override
  public InstantSource clock() {
    return clock;
  }

  /**
   * Waits until this node has nothing to do: messages are with those they are for, and what fell
   * due has happened. Effects may still be at work.
   *
   * @return false when there was something to do all the time
   */
  public boolean rest(Duration most) {
    for (long left = most.toNanos(); !lane.isResting(); left -= PAUSE) {
      if (left <= 0) {
        return false;
      }
      LockSupport.parkNanos(this, PAUSE);
    }
    return true;
  }

  /**
   * Has somebody read the store when this is closed: after its last commit, while the store is
   * still open.
   *
   * @param last is given the position of the newest entry from before this was opened
   */
  public void readAtClose(LongConsumer last) {
    reader = last;
  }

  /** Takes nothing on any more; what drives this finishes the rest. */
  void end() {
    effects.end();
    closed = true;
    lane.end();
  }

  /** Finishes what was taken on, then closes the store. */
  @Override
  public void close() {
    if (!closed) {
      // One after the other, each of them whatever happens to those before.
      try (Part _ = this::finish;
          Part _ = lane::close;
          Part _ = () -> closed = true) {
        effects.close();
      }
    }
  }

  /** After the last commit: has it read, and closes the store. */
  void finish() {
    try (Journal _ = journal;
        Part _ = () -> reader.accept(opened)) {
      feed.close();
    }
  }

  /** Something that ends with this. */
  private interface Part extends AutoCloseable {
    @Override
    void close();
  }
}
