package dev.signalbox.runtime;

import dev.signalbox.definition.MachineShelf;
import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.machine.Machine;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A runtime without threads: what happens and in which order is up to the caller. Tests and
 * simulations use it with a manual clock; a crash is to forget the object and make another on the
 * same journal.
 *
 * <p>For one thread.
 */
public final class SteppedSignalbox implements Host {
  private final Journal journal;
  private final Settings settings;
  private final InstantSource clock;
  private final Machines machines;
  private final Forks forks;
  private final Corrections corrections;
  private final Engine engine;
  private final EffectWork effects;
  private final Inbox inbox = new Inbox(Integer.MAX_VALUE);
  private final Turns turns;
  private final List<Batch> inFlight = new ArrayList<>();

  /** A runtime whose personal data, if there is any, is sealed with keys of this process. */
  public SteppedSignalbox(
      Journal journal, Settings settings, InstantSource clock, RandomGenerator random) {
    this(journal, settings, clock, random, Keyring.ofThisProcess());
  }

  public SteppedSignalbox(
      Journal journal,
      Settings settings,
      InstantSource clock,
      RandomGenerator random,
      Keyring keyring) {
    this.journal = journal;
    this.settings = settings;
    this.clock = clock;
    this.machines = new Machines(journal, new Seals(journal, keyring, random));
    machines.seals.check();
    this.forks = new Forks(journal, machines);
    this.corrections = new Corrections(journal, machines);
    this.engine = new Engine(journal, machines, settings, clock, new Ids(random));
    this.turns = new Turns(engine, inbox);
    this.effects =
        new EffectWork(
            journal, machines.seals, settings, "stepped-" + Long.toHexString(random.nextLong()));
    engine.recover();
  }

  /** Publishes a machine; whether it is sound is up to the caller. */
  @Override
  public void publish(Machine machine) {
    machines.publish(machine, false);
  }

  @Override
  public void publish(MachineShelf shelf, String name) {
    machines.ship(shelf.machine(name));
  }

  public void handle(String effect, EffectHandler handler) {
    effects.handle(effect, handler);
  }

  /** Takes a command on; it is carried out when {@link #work} comes to it. */
  public CompletableFuture<Reply> submit(Command command) {
    Rejection own = OwnMachines.refusal(command);
    return own == null
        ? submitOwn(command)
        : CompletableFuture.completedFuture(new Reply.Rejected(own));
  }

  /** Takes on what may be asked of the engine's own machines too. */
  CompletableFuture<Reply> submitOwn(Command command) {
    CompletableFuture<Reply> reply = new CompletableFuture<>();
    Door.enter(command, settings, forks, corrections, reply, inbox::offer);
    return reply;
  }

  @Override
  public CompletableFuture<Reply> submitAsync(Command command) {
    return submit(command);
  }

  /** Works out up to so many commands, and fires what is due. */
  public boolean work(int most) {
    turns.collect();
    if (engine.mailWaits()) {
      engine.collectMail();
      engine.mailIsCollected();
      turns.collect();
    }
    long now = clock.millis();
    int worked = 0;
    while (worked < most && !engine.isFull()) {
      Turns.Turn turn = turns.next(now);
      if (turn == Turns.Turn.NOBODY) {
        break;
      }
      worked += turn == Turns.Turn.COMMAND ? 1 : 0;
    }
    while (engine.isDue(now) && !engine.isFull()) {
      engine.fireFirst();
    }
    return worked > 0 || engine.hasOpen();
  }

  /** Where several nodes share the journal: looks for what is due, what waits and what stands. */
  public void poll() {
    if (!turns.hasDue()) {
      turns.due(journal.due(journal.now(), 1_000));
    }
    engine.readStandstills();
    engine.collectMail();
  }

  /** Sends the open group on its way; false when there is none, or as many as may be already. */
  public boolean seal() {
    if (inFlight.size() >= engine.appendsAtOnce()) {
      return false;
    }
    Batch batch = engine.seal();
    if (batch == null) {
      return false;
    }
    inFlight.add(batch);
    return true;
  }

  /** How many groups are on their way. */
  public int inFlight() {
    return inFlight.size();
  }

  /** Appends the group that is longest on its way; false when there is none. */
  public boolean commit() {
    return !inFlight.isEmpty() && commit(0);
  }

  /** Appends one of the groups that are on their way. */
  public boolean commit(int which) {
    Batch batch = inFlight.remove(which);
    try {
      Appended appended = batch.appendTo(journal);
      batch.answer(appended);
      engine.committed(batch, appended);
    } catch (JournalException e) {
      engine.failed(batch, e);
    }
    return true;
  }

  /** Takes up to so many effects and does them; false when there was none. */
  public boolean perform(int most) {
    List<EffectRow> claimed = effects.claim(most);
    for (EffectRow effect : claimed) {
      Command.Conclude conclude = effects.attempt(effect);
      if (conclude != null) {
        inbox.offer(new Ticket(conclude));
      }
    }
    return !claimed.isEmpty();
  }

  /** Does everything there is to do at this moment. */
  public void rest() {
    boolean busy = true;
    while (busy) {
      busy = work(Integer.MAX_VALUE);
      busy |= seal();
      busy |= commit();
      busy |= perform(settings.effectsAtOnce());
      busy |= engine.hasAgain() || !turns.isEmpty();
    }
  }

  /** Lets many instances stand still, as {@link Signalbox#pause} does, and rests after each. */
  public ScopeReport pause(Scope scope, Command.Clocks clocks, Actor actor, @Nullable String key) {
    return scopes().pause(scope, clocks, actor, key);
  }

  /** Lets many instances go on, as {@link Signalbox#resume} does, and rests after each. */
  public ScopeReport resume(Scope scope, Actor actor, @Nullable String key) {
    return scopes().resume(scope, actor, key);
  }

  private Scopes scopes() {
    return new Scopes(journal, machines, c -> rested(submit(c)), c -> rested(submitOwn(c)));
  }

  private CompletableFuture<Reply> rested(CompletableFuture<Reply> reply) {
    rest();
    if (!reply.isDone()) {
      throw new IllegalStateException("What was asked for is answered at rest.");
    }
    return reply;
  }

  /**
   * The instance as it was after the entry with the sequence number.
   *
   * @throws RejectedException when it has no such entry
   */
  public Instance at(String id, long sequence) {
    return Past.of(journal, machines, id, sequence).view();
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

  /** Everything that is committed, in the store's order; its hints never come. */
  public Feed feed() {
    return new Feed(journal, machines);
  }

  /** When the next timer falls due. */
  public long nextDue() {
    return engine.nextDue();
  }

  @Override
  public @Nullable Instance find(String id) {
    InstanceRow row = journal.load(id);
    return row == null ? null : machines.view(row);
  }

  @Override
  public List<Instance> instances(Query query) {
    return journal.query(query).stream().map(machines::view).toList();
  }

  @Override
  public Instance view(InstanceRow row) {
    return machines.view(row);
  }

  @Override
  public List<EntryRow> history(String id, long from, int most) {
    InstanceRow row = journal.load(id);
    return row == null
        ? List.of()
        : machines.seals.opened(row, journal.history(row.number(), Chain.STEPS, from, most));
  }

  @Override
  public Journal journal() {
    return journal;
  }

  @Override
  public InstantSource clock() {
    return clock;
  }
}
