package dev.signalbox.runtime;

import dev.signalbox.definition.MachineShelf;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.Lease;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.machine.Machine;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Signalbox} whose threads are whoever calls this: nothing happens but what is called, and
 * always in the same order. Each method is one turn of a loop that a thread runs otherwise, so a
 * test or a simulation on a manual clock has every interleaving of what ships. A crash is to forget
 * the object and make another on the same journal.
 *
 * <table>
 *   <caption>What stands for which thread</caption>
 *   <tr><td>{@link #step}</td><td>the engine's</td></tr>
 *   <tr><td>{@link #append}</td><td>one of those that append</td></tr>
 *   <tr><td>{@link #claim}</td><td>the one that takes effects</td></tr>
 *   <tr><td>{@link #attempt}</td><td>an effect's, with its handler</td></tr>
 *   <tr><td>{@link #renew}</td><td>the one that renews leases</td></tr>
 *   <tr><td>{@link #call}</td><td>a caller's who waits for the answer</td></tr>
 * </table>
 *
 * <p>For one thread, which may come back in from within a handler.
 */
public final class ManualSignalbox implements Host {
  private final Journal journal;
  private final Signalbox box;
  private final List<Attempt> attempts = new ArrayList<>();
  private boolean over;

  /** A runtime whose personal data, if there is any, is sealed with keys of this process. */
  public ManualSignalbox(
      Journal journal, Settings settings, InstantSource clock, RandomGenerator random) {
    this(journal, settings, clock, random, Keyring.ofThisProcess());
  }

  public ManualSignalbox(
      Journal journal,
      Settings settings,
      InstantSource clock,
      RandomGenerator random,
      @Nullable Keyring keyring) {
    this.journal = journal;
    this.box =
        new Signalbox(journal, settings, clock, keyring, List.of(), random, attempts::addLast);
  }

  /** The runtime that is driven; what waits in it for an answer waits for ever. */
  public Signalbox signalbox() {
    return box;
  }

  /** Tells somebody else than the log of faults that are the engine's own. */
  public void onFault(Consumer<Throwable> told) {
    box.lane.onFault(told);
  }

  /** Publishes a machine; whether it is sound is up to the caller. */
  @Override
  public void publish(Machine machine) {
    box.machines.publish(machine, false);
  }

  @Override
  public void publish(MachineShelf shelf, String name) {
    box.publish(shelf, name);
  }

  public void handle(String effect, EffectHandler handler) {
    box.handle(effect, handler);
  }

  /** Takes a command on; it is carried out when {@link #step} comes to it. */
  public CompletableFuture<Reply> submit(Command command) {
    return box.submitAsync(command);
  }

  /** Takes on what may be asked of the engine's own machines too. */
  CompletableFuture<Reply> submitOwn(Command command) {
    return box.pass(command);
  }

  @Override
  public CompletableFuture<Reply> submitForService(String machine, Command command) {
    return box.submitForService(machine, command);
  }

  @Override
  public CompletableFuture<Reply> submitForCaller(String machine, Command command) {
    return box.submitForCaller(machine, command);
  }

  @Override
  public CompletableFuture<Reply> submitAsync(Command command) {
    return submit(command);
  }

  /** Takes a command on as from a caller who waits, and who drives the engine if it is at rest. */
  public CompletableFuture<Reply> call(Command command) {
    Rejection own = OwnMachines.refusal(command);
    return own == null
        ? box.await(command)
        : CompletableFuture.completedFuture(new Reply.Rejected(own));
  }

  /**
   * One round of the engine's thread: takes up how appends went, works out what waits and is due,
   * and sends the group on its way; or the append of a group that came alone.
   *
   * @return whether there is more to do at this moment
   */
  public boolean step() {
    long rest = over ? Lane.OVER : box.lane.step();
    over = rest == Lane.OVER;
    return rest == 0;
  }

  /** Has the next step look at what other nodes did, which it does by itself after a while. */
  public void poll() {
    box.lane.pollSoon();
  }

  /** How many groups wait to be appended. */
  public int toAppend() {
    return over ? 0 : box.lane.toAppend();
  }

  /** Appends one of the groups that wait; nobody is told before the next step. */
  public void append(int which) {
    box.lane.append(which);
  }

  /** Appends the group that waits longest and tells everybody; false when there is none. */
  public boolean commit() {
    return toAppend() > 0 && commit(0);
  }

  /** Appends one of the groups that wait and tells everybody. */
  public boolean commit(int which) {
    append(which);
    box.lane.settle();
    return true;
  }

  /** Takes the effects that can be done; false when there was none. */
  public boolean claim() {
    return box.effects.step() == 0;
  }

  /** How many effects are taken whose handlers have not run. */
  public int attempts() {
    return attempts.size();
  }

  /** The lease under which one of them was taken. */
  public Lease lease(int which) {
    return attempts.get(which).lease();
  }

  /** Runs the handler of one of the effects that are taken, and reports what it answers. */
  public void attempt(int which) {
    attempts.remove(which).run();
  }

  /** Takes effects and does all that are taken; false when there was none. */
  public boolean perform() {
    boolean _ = claim();
    boolean some = !attempts.isEmpty();
    while (!attempts.isEmpty()) {
      attempt(0);
    }
    return some;
  }

  /** Renews the leases whose time it is, and tells the handlers to stop that lost theirs. */
  public void renew() {
    long _ = box.leases.step();
  }

  /** Does everything there is to do at this moment. */
  public void rest() {
    boolean busy = true;
    while (busy) {
      busy = step();
      busy |= commit();
      busy |= perform();
    }
  }

  /** Takes nothing on any more; further steps finish what was taken on. */
  public void end() {
    box.end();
  }

  /** Whether what was taken on before the end is finished. */
  public boolean isOver() {
    return over;
  }

  /** Once it is over: the last checkpoint, and the store is closed. */
  public void close() {
    box.lane.checkpoint();
    box.finish();
  }

  /** Whether there is nothing to do: what was committed has led to nothing that is to come. */
  public boolean isResting() {
    return toAppend() == 0 && box.lane.isResting();
  }

  /** Archives as {@link Signalbox#archive} does, and rests after each record. */
  public Archive.Result archive(Path file, SigningKey key, long endedBefore, int most, Actor actor)
      throws IOException {
    return Archive.write(
        journal,
        key,
        file,
        endedBefore,
        most,
        Archive.through(box.machines, actor, c -> Signalbox.joined(rested(submitOwn(c)))));
  }

  /** Erases an instance and what is below it, as {@link Signalbox#erase} does. */
  public Erasure erase(String id, Actor actor) {
    return new Erasing(journal, box.machines)
        .erase(id, actor, c -> Signalbox.joined(rested(submitOwn(c))));
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
    return new Scopes(journal, box.machines, c -> rested(submit(c)), c -> rested(submitOwn(c)));
  }

  private CompletableFuture<Reply> rested(CompletableFuture<Reply> reply) {
    rest();
    if (!reply.isDone()) {
      throw new JournalException("Expected an answer at rest, but the store fails.", null);
    }
    return reply;
  }

  /**
   * The instance as it was after the entry with the sequence number.
   *
   * @throws RejectedException when it has no such entry
   */
  public Instance at(String id, long sequence) {
    return box.at(id, sequence);
  }

  /** Who would be stranded by a migration; see {@link Signalbox#stranded}. */
  public MigrationReport stranded(String machine, int toVersion, Map<String, String> states) {
    return box.stranded(machine, toVersion, states);
  }

  /** Everything that is committed, in the store's order. */
  public Feed feed() {
    return box.feed();
  }

  @Override
  public @Nullable Instance find(String id) {
    return box.find(id);
  }

  @Override
  public List<Instance> instances(Query query) {
    return box.instances(query);
  }

  @Override
  public Instance view(InstanceRow row) {
    return box.view(row);
  }

  @Override
  public List<EntryRow> history(String id, long from, int most) {
    return journal.load(id) == null ? List.of() : box.history(id, from, most);
  }

  @Override
  public Journal journal() {
    return journal;
  }

  @Override
  public InstantSource clock() {
    return box.clock();
  }
}
