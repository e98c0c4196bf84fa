package dev.signalbox.journal;

import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The append-only record of what happened, and what it left behind: instances, effects, messages.
 *
 * <p>The contract, which one suite of tests holds every store to:
 *
 * <ul>
 *   <li>{@link #append} is one commit. When it returns, what it accepted survives the death of the
 *       process and of the machine; when it throws, nothing of the group is there, or {@link
 *       JournalException#outcomeUnknown()} says that it can't be known before the next read.
 *   <li>A change whose expectations no longer hold loses alone; the rest of its group is written.
 *   <li>What {@link #load} and the queries see is exactly what the committed entries say.
 *   <li>Any thread may call any method.
 * </ul>
 */
public interface Journal extends AutoCloseable {

  /** Whether other processes may write too, so that what was read may be stale. */
  boolean isShared();

  /** The store's clock, in milliseconds since 1970; leases are measured by it. */
  long now();

  /**
   * The clock behind {@link #now} where it is this process's own, so that due times are computed
   * from the clock by which they are found; null where the store has one of its own.
   */
  default @Nullable SteadyClock clock() {
    return null;
  }

  /**
   * Sets numbers aside, which nothing else in the store has or will have; gives the first. No key
   * is kept under any of them: one that was kept for an instance whose commit never came, or that
   * an older copy of the journal does not know, is never another's.
   */
  long reserve(int count);

  /**
   * Keeps a machine, or finds the one of the same name and version.
   *
   * @return what is in the store, which has another digest when the version was taken
   */
  PublishedMachine publish(PublishedMachine machine);

  /** Every machine in the order in which they were published. */
  List<PublishedMachine> machines();

  /** The highest version of the machine that was published; 0 when there is none of the name. */
  int newestVersion(String machine);

  /**
   * The number under which a combination of active states is known, for queries by state.
   *
   * @param leaves the innermost active states
   * @param states all active states
   */
  long configuration(long machine, List<String> leaves, List<String> states);

  /**
   * Sees whether something could be written now, by a commit that changes nothing.
   *
   * @throws JournalException when nothing could be
   */
  void checkWritable();

  /** Writes everything of the group that still can be written, in one commit. */
  Appended append(Group group);

  /**
   * Waits until nobody else writes the instance, and keeps it so until the turn is closed. For one
   * that lost race after race: those who wait get it one after the other.
   *
   * @return null where nobody else writes, or there is nothing to wait for
   */
  default @Nullable Turn turn(long instance) {
    return null;
  }

  /** The instance as the last commit left it, or null. */
  @Nullable InstanceRow load(String id);

  /** The instance as the last commit left it, or null. */
  @Nullable InstanceRow load(long number);

  /** Those of the instances that are there, as the last commit left them; in no order. */
  List<InstanceRow> load(Collection<Long> numbers);

  /** The first entry or refusal that was written under the idempotency key, or null. */
  default @Nullable EntryRow keyed(long instance, String key) {
    List<EntryRow> all = allKeyed(instance, key);
    return all.isEmpty() ? null : all.getFirst();
  }

  /** The entries and refusals that were written under the idempotency key, the oldest first. */
  List<EntryRow> allKeyed(long instance, String key);

  /** Every key of the instance when there are at most {@code most} of them, otherwise null. */
  @Nullable List<String> keys(long instance, int most);

  /** Entries of one chain of an instance with sequence numbers from {@code from}, in order. */
  List<EntryRow> history(long instance, Chain chain, long from, int most);

  /** The newest step of each of the instances, in no order; none for one that is not there. */
  List<EntryRow> newest(Collection<Long> instances);

  /** Tells every instance that has a due time, in no order; for rebuilding the timers at start. */
  void eachDue(Consumer<Due> consumer);

  /** Instances that fell due until the moment, the earliest first. */
  List<Due> due(long until, int most);

  /**
   * Takes effects that are due, in the order in which they were asked for. Until the lease ends
   * nobody else gets them; each time the fence grows. One whose handler {@link #begin began} under
   * an earlier taking, which was not released since, is cut off.
   *
   * @param names of the effects that the owner can do
   */
  List<EffectRow> claim(String owner, Collection<String> names, long lease, int most);

  /**
   * Marks that handlers are about to begin. What was taken and never marked was never begun, so
   * that it is no matter who died in between; when this returns, the marks are durable.
   *
   * @return those whose effect has ended or is another's; nothing changed for them
   */
  List<Lease> begin(Collection<Lease> leases);

  /** The effect as it stands, or null when it has ended. */
  @Nullable EffectRow effect(long number);

  /** Effects that have not ended with numbers above {@code after}, ordered by number. */
  List<EffectRow> effects(long after, int most);

  /**
   * Moves an effect's due time, for a later attempt.
   *
   * @param released whether its holder gives it back, so that the next who takes it may repeat it
   * @return false when the fence is not the caller's any more; nothing changed then
   */
  boolean postpone(long effect, long fence, long due, boolean released);

  /**
   * Lets leases end later: so long from now, by the store's clock. A lease whose time is over is
   * renewed too, as long as nobody else has taken the effect.
   *
   * @return those whose effect has ended or is another's; nothing changed for them
   */
  List<Lease> renew(Collection<Lease> leases, long lease);

  /** Messages with numbers above {@code after} that were not delivered, the oldest first. */
  List<MessageRow> messages(long after, int most);

  /**
   * Those of {@link #messages} that can be delivered: without the ones that wait, because their
   * recipient is paused or halted. The store passes over them itself, however many there are.
   */
  List<MessageRow> deliverable(long after, int most);

  /** The message, or null when it was delivered. */
  @Nullable MessageRow message(long number);

  /** Instances that fit the query, ordered by number. */
  List<InstanceRow> query(Query query);

  /**
   * Instances that fit the query in another order, from a place in it. Where the query itself
   * begins and ends does not count, but how many it wants. Who stands still while page after page
   * is read is on exactly one of them.
   */
  Sorted sorted(Query query, Sorting sorting);

  /** How many live instances stand in each configuration. */
  List<Count> counts();

  /**
   * Positions of entries that nothing leads to, or that lead to another than the one before them in
   * their chain: what no group has, and what a history would pass over or show in place of another.
   * A sound store has none.
   */
  List<Long> misplaced(int most);

  /** Groups with numbers above {@code after}, the oldest first, each with its entries. */
  List<CommittedGroup> groups(long after, int most);

  /**
   * Entries of both chains with positions above {@code after}, in the order of their positions.
   * What commits later has a position above all that was given, so whoever goes on from the last
   * one misses nothing and gets nothing twice.
   */
  List<CommittedEntry> entries(long after, int most);

  /** The position of the newest entry that {@link #entries} would give; 0 when there is none. */
  long end();

  /**
   * Takes ended instances out of the store, in one commit, and leaves their tombstones. Their
   * entries keep position, instance, chain, sequence and hash, so that the groups still verify;
   * bodies and keys are gone.
   *
   * @return those that stay as they are: they have not ended, have other heads than the tombstone
   *     says, or have effects or messages pending
   */
  List<Tombstone> archive(List<Tombstone> tombstones);

  /** Tombstones of instances with numbers above {@code after}, ordered by number. */
  List<Tombstone> tombstones(long after, int most);

  /** Whether effects of the instance, or messages from or to it, are still to be done. */
  boolean isPending(long instance, String id);

  /**
   * Keeps keys apart from what they seal; they are durable when it returns. An instance that has
   * one keeps the one it has.
   */
  void keepKeys(List<InstanceKey> keys);

  /** The instance's key, or null when it has none or it was destroyed. */
  byte @Nullable [] key(long instance);

  /** Marks keys that are about to be destroyed, so that it can be finished after a crash. */
  void condemnKeys(Collection<Long> instances);

  /** The instances whose keys are condemned and still there. */
  List<Long> condemnedKeys();

  /** Destroys keys, so that nothing in the store gives them back. What is not there is passed. */
  void destroyKeys(Collection<Long> instances);

  /** Where the chains of groups end that this journal's own writers write. */
  List<GroupHead> heads();

  /** Keeps a checkpoint; its number is given by the store. */
  void keepCheckpoint(byte[] text);

  /** The checkpoint that was kept last, or null. */
  @Nullable Checkpoint newestCheckpoint();

  /** Checkpoints with numbers above {@code after}, the oldest first. */
  List<Checkpoint> checkpoints(long after, int most);

  /** Releases everything; what was committed stays. */
  @Override
  void close();
}
