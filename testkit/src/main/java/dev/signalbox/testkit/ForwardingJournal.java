package dev.signalbox.testkit;

import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.Checkpoint;
import dev.signalbox.journal.CommittedEntry;
import dev.signalbox.journal.CommittedGroup;
import dev.signalbox.journal.Count;
import dev.signalbox.journal.Due;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.GroupHead;
import dev.signalbox.journal.InstanceKey;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Lease;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.journal.PublishedMachine;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.Sorted;
import dev.signalbox.journal.Sorting;
import dev.signalbox.journal.SteadyClock;
import dev.signalbox.journal.Tombstone;
import dev.signalbox.journal.Turn;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A journal that does what another does, for those that change a part of it. */
public class ForwardingJournal implements Journal {
  private final Journal to;

  public ForwardingJournal(Journal to) {
    this.to = to;
  }

  @Override
  public boolean isShared() {
    return to.isShared();
  }

  @Override
  public @Nullable SteadyClock clock() {
    return to.clock();
  }

  @Override
  public long now() {
    return to.now();
  }

  @Override
  public long reserve(int count) {
    return to.reserve(count);
  }

  @Override
  public PublishedMachine publish(PublishedMachine machine) {
    return to.publish(machine);
  }

  @Override
  public List<PublishedMachine> machines() {
    return to.machines();
  }

  @Override
  public int newestVersion(String machine) {
    return to.newestVersion(machine);
  }

  @Override
  public long configuration(long machine, List<String> leaves, List<String> states) {
    return to.configuration(machine, leaves, states);
  }

  @Override
  public void checkWritable() {
    to.checkWritable();
  }

  @Override
  public Appended append(Group group) {
    return to.append(group);
  }

  @Override
  public @Nullable Turn turn(long instance) {
    return to.turn(instance);
  }

  @Override
  public @Nullable InstanceRow load(String id) {
    return to.load(id);
  }

  @Override
  public @Nullable InstanceRow load(long number) {
    return to.load(number);
  }

  @Override
  public List<InstanceRow> load(Collection<Long> numbers) {
    return to.load(numbers);
  }

  @Override
  public List<EntryRow> allKeyed(long instance, String key) {
    return to.allKeyed(instance, key);
  }

  @Override
  public @Nullable List<String> keys(long instance, int most) {
    return to.keys(instance, most);
  }

  @Override
  public List<EntryRow> history(long instance, Chain chain, long from, int most) {
    return to.history(instance, chain, from, most);
  }

  @Override
  public List<EntryRow> newest(Collection<Long> instances) {
    return to.newest(instances);
  }

  @Override
  public void eachDue(Consumer<Due> consumer) {
    to.eachDue(consumer);
  }

  @Override
  public List<Due> due(long until, int most) {
    return to.due(until, most);
  }

  @Override
  public List<EffectRow> claim(String owner, Collection<String> names, long lease, int most) {
    return to.claim(owner, names, lease, most);
  }

  @Override
  public @Nullable EffectRow effect(long number) {
    return to.effect(number);
  }

  @Override
  public List<EffectRow> effects(long after, int most) {
    return to.effects(after, most);
  }

  @Override
  public boolean postpone(long effect, long fence, long due, boolean released) {
    return to.postpone(effect, fence, due, released);
  }

  @Override
  public List<Lease> begin(Collection<Lease> leases) {
    return to.begin(leases);
  }

  @Override
  public List<Lease> renew(Collection<Lease> leases, long lease) {
    return to.renew(leases, lease);
  }

  @Override
  public List<MessageRow> messages(long after, int most) {
    return to.messages(after, most);
  }

  @Override
  public List<MessageRow> deliverable(long after, int most) {
    return to.deliverable(after, most);
  }

  @Override
  public @Nullable MessageRow message(long number) {
    return to.message(number);
  }

  @Override
  public List<InstanceRow> query(Query query) {
    return to.query(query);
  }

  @Override
  public Sorted sorted(Query query, Sorting sorting) {
    return to.sorted(query, sorting);
  }

  @Override
  public List<Count> counts() {
    return to.counts();
  }

  @Override
  public List<Long> misplaced(int most) {
    return to.misplaced(most);
  }

  @Override
  public List<CommittedGroup> groups(long after, int most) {
    return to.groups(after, most);
  }

  @Override
  public List<CommittedEntry> entries(long after, int most) {
    return to.entries(after, most);
  }

  @Override
  public long end() {
    return to.end();
  }

  @Override
  public List<Tombstone> archive(List<Tombstone> tombstones) {
    return to.archive(tombstones);
  }

  @Override
  public List<Tombstone> tombstones(long after, int most) {
    return to.tombstones(after, most);
  }

  @Override
  public boolean isPending(long instance, String id) {
    return to.isPending(instance, id);
  }

  @Override
  public void keepKeys(List<InstanceKey> keys) {
    to.keepKeys(keys);
  }

  @Override
  public byte @Nullable [] key(long instance) {
    return to.key(instance);
  }

  @Override
  public void condemnKeys(Collection<Long> instances) {
    to.condemnKeys(instances);
  }

  @Override
  public List<Long> condemnedKeys() {
    return to.condemnedKeys();
  }

  @Override
  public void destroyKeys(Collection<Long> instances) {
    to.destroyKeys(instances);
  }

  @Override
  public List<GroupHead> heads() {
    return to.heads();
  }

  @Override
  public void keepCheckpoint(byte[] text) {
    to.keepCheckpoint(text);
  }

  @Override
  public @Nullable Checkpoint newestCheckpoint() {
    return to.newestCheckpoint();
  }

  @Override
  public List<Checkpoint> checkpoints(long after, int most) {
    return to.checkpoints(after, most);
  }

  @Override
  public void close() {
    to.close();
  }
}
