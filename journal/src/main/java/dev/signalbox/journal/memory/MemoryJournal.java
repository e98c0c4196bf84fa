package dev.signalbox.journal.memory;

import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.Change;
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
import dev.signalbox.journal.NewEntry;
import dev.signalbox.journal.PublishedMachine;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.Sorted;
import dev.signalbox.journal.Sorting;
import dev.signalbox.journal.SteadyClock;
import dev.signalbox.journal.Tombstone;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A journal that lives as long as its object. Several runtimes may share one, as several nodes
 * share a database.
 */
public final class MemoryJournal implements Journal {
  private final SteadyClock clock;
  private final boolean shared;

  private final List<PublishedMachine> machines = new ArrayList<>();
  private final List<States> configurations = new ArrayList<>();
  private final Map<String, Long> numbers = new HashMap<>();
  private final TreeMap<Long, Kept> instances = new TreeMap<>();
  private final TreeSet<Due> dues =
      new TreeSet<>(Comparator.comparingLong(Due::at).thenComparingLong(Due::instance));
  private final Effects effects = new Effects();
  private final TreeMap<Long, MessageRow> messages = new TreeMap<>();
  private final Groups groups = new Groups();
  private final TreeMap<Long, Tombstone> tombstones = new TreeMap<>();
  private final Map<Long, byte[]> keys = new HashMap<>();
  private final Set<Long> condemned = new TreeSet<>();
  private final List<Checkpoint> checkpoints = new ArrayList<>();
  private long reserved;
  private long position;

  /** A journal that one runtime uses. */
  public MemoryJournal(InstantSource clock) {
    this(clock, false);
  }

  public MemoryJournal(InstantSource clock, boolean shared) {
    this.clock = SteadyClock.of(clock);
    this.shared = shared;
  }

  private record States(long machine, List<String> leaves, List<String> states) {}

  /** An instance with its entries. */
  private static final class Kept {
    InstanceRow row;
    final Map<Chain, List<EntryRow>> chains = new HashMap<>();
    final Map<String, List<EntryRow>> keyed = new LinkedHashMap<>();
    final Map<String, String> search = new HashMap<>();

    Kept(InstanceRow row) {
      this.row = row;
    }

    List<EntryRow> chain(Chain chain) {
      return chains.computeIfAbsent(chain, _ -> new ArrayList<>());
    }
  }

  @Override
  public boolean isShared() {
    return shared;
  }

  @Override
  public @Nullable SteadyClock clock() {
    return shared ? null : clock;
  }

  @Override
  public long now() {
    return clock.millis();
  }

  @Override
  public synchronized long reserve(int count) {
    long first = reserved + 1;
    reserved += count;
    return first;
  }

  @Override
  public synchronized PublishedMachine publish(PublishedMachine machine) {
    for (PublishedMachine known : machines) {
      if (known.name().equals(machine.name()) && known.version() == machine.version()) {
        return known;
      }
    }
    PublishedMachine kept = machine.numbered(machines.size() + 1L);
    machines.add(kept);
    return kept;
  }

  @Override
  public synchronized List<PublishedMachine> machines() {
    return List.copyOf(machines);
  }

  @Override
  public synchronized int newestVersion(String machine) {
    return machines.stream()
        .filter(published -> published.name().equals(machine))
        .mapToInt(PublishedMachine::version)
        .max()
        .orElse(0);
  }

  @Override
  public synchronized long configuration(long machine, List<String> leaves, List<String> states) {
    States wanted = new States(machine, List.copyOf(leaves), List.copyOf(states));
    int index = configurations.indexOf(wanted);
    if (index < 0) {
      index = configurations.size();
      configurations.add(wanted);
    }
    return index + 1L;
  }

  @Override
  public void checkWritable() {}

  @Override
  public synchronized Appended append(Group group) {
    Undoing undoing = new Undoing();
    try {
      List<Change> lost = new ArrayList<>();
      List<EntryRow> written = new ArrayList<>();
      long before = position;
      undoing.with(() -> position = before);
      for (Change change : group.changes()) {
        if (stands(change)) {
          write(change, written, undoing);
        } else {
          lost.add(change);
        }
      }
      Appended appended = new Appended(groups.size() + (written.isEmpty() ? 0 : 1), lost);
      if (!written.isEmpty()) {
        groups.add(group.at(), written);
      }
      return appended;
    } catch (RuntimeException | Error e) {
      undoing.undo();
      throw e;
    }
  }

  private boolean stands(Change change) {
    Kept kept = instances.get(change.after().number());
    if (change.isCreation()) {
      if (kept != null || numbers.containsKey(change.after().id())) {
        return false;
      }
    } else if (kept == null
        || !Arrays.equals(kept.row.head(), change.expectedHead())
        || !Arrays.equals(kept.row.refusalHead(), change.expectedRefusalHead())) {
      return false;
    }
    return effects.haveFences(change.ended())
        && change.delivered().stream().distinct().count() == change.delivered().size()
        && change.delivered().stream().allMatch(messages::containsKey);
  }

  private void write(Change change, List<EntryRow> written, Undoing undoing) {
    InstanceRow after = change.after();
    Kept known = instances.get(after.number());
    Kept kept = known == null ? new Kept(after) : known;
    undoing.put(instances, after.number(), kept);
    InstanceRow before = kept.row;
    reschedule(before.due(), after, undoing);
    undoing.with(() -> kept.row = before);
    kept.row = after;
    undoing.put(numbers, after.id(), after.number());
    for (NewEntry entry : change.entries()) {
      EntryRow row =
          new EntryRow(
              ++position,
              after.number(),
              entry.chain(),
              entry.sequence(),
              entry.hash(),
              entry.body(),
              entry.key());
      List<EntryRow> chain = kept.chain(entry.chain());
      int size = chain.size();
      undoing.with(() -> chain.subList(size, chain.size()).clear());
      chain.add(row);
      if (entry.key() != null) {
        List<EntryRow> all = new ArrayList<>(kept.keyed.getOrDefault(entry.key(), List.of()));
        all.add(row);
        undoing.put(kept.keyed, entry.key(), all);
      }
      written.add(row);
    }
    effects.write(after.number(), change, undoing);
    change.messages().forEach(m -> undoing.put(messages, m.number(), m));
    change.delivered().forEach(number -> undoing.remove(messages, number));
    change
        .search()
        .forEach((field, value) -> {
          if (value == null) {
            undoing.remove(kept.search, field);
          } else {
            undoing.put(kept.search, field, value);
          }
        });
  }

  private void reschedule(long before, InstanceRow after, Undoing undoing) {
    Due old = new Due(after.number(), before);
    Due next = new Due(after.number(), after.due());
    boolean wasThere = dues.contains(old);
    undoing.with(() -> {
      dues.remove(next);
      if (wasThere) {
        dues.add(old);
      }
    });
    dues.remove(old);
    if (after.due() != InstanceRow.NEVER) {
      dues.add(next);
    }
  }

  @Override
  public synchronized @Nullable InstanceRow load(String id) {
    Long number = numbers.get(id);
    return number == null ? null : load(number);
  }

  @Override
  public synchronized @Nullable InstanceRow load(long number) {
    Kept kept = instances.get(number);
    return kept == null ? null : kept.row;
  }

  @Override
  public synchronized List<InstanceRow> load(Collection<Long> wanted) {
    return wanted.stream()
        .distinct()
        .map(instances::get)
        .filter(Objects::nonNull)
        .map(kept -> kept.row)
        .toList();
  }

  @Override
  public synchronized List<EntryRow> allKeyed(long instance, String key) {
    Kept kept = instances.get(instance);
    return kept == null ? List.of() : List.copyOf(kept.keyed.getOrDefault(key, List.of()));
  }

  @Override
  public synchronized @Nullable List<String> keys(long instance, int most) {
    Kept kept = instances.get(instance);
    if (kept == null) {
      return List.of();
    }
    return kept.keyed.size() > most ? null : List.copyOf(kept.keyed.keySet());
  }

  @Override
  public synchronized List<EntryRow> history(long instance, Chain chain, long from, int most) {
    Kept kept = instances.get(instance);
    return kept == null
        ? List.of()
        : kept.chain(chain).stream().filter(e -> e.sequence() >= from).limit(most).toList();
  }

  @Override
  public synchronized List<EntryRow> newest(Collection<Long> wanted) {
    return wanted.stream()
        .map(instances::get)
        .filter(Objects::nonNull)
        .map(kept -> kept.chain(Chain.STEPS).getLast())
        .toList();
  }

  @Override
  public synchronized void eachDue(Consumer<Due> consumer) {
    due(InstanceRow.NEVER - 1, Integer.MAX_VALUE).forEach(consumer);
  }

  @Override
  public synchronized List<Due> due(long until, int most) {
    return dues.stream().takeWhile(due -> due.at() <= until).limit(most).toList();
  }

  @Override
  public synchronized List<EffectRow> claim(
      String owner, Collection<String> names, long lease, int most) {
    return effects.claim(owner, names, now(), lease, most);
  }

  @Override
  public synchronized @Nullable EffectRow effect(long number) {
    return effects.get(number);
  }

  @Override
  public synchronized List<EffectRow> effects(long after, int most) {
    return effects.page(after, most);
  }

  @Override
  public synchronized boolean postpone(long effect, long fence, long due, boolean released) {
    return effects.postpone(effect, fence, due, released);
  }

  @Override
  public synchronized List<Lease> renew(Collection<Lease> leases, long lease) {
    return effects.renew(leases, now() + lease);
  }

  @Override
  public synchronized List<Lease> begin(Collection<Lease> leases) {
    return effects.begin(leases);
  }

  @Override
  public synchronized List<MessageRow> messages(long after, int most) {
    return messages.tailMap(after, false).values().stream().limit(most).toList();
  }

  @Override
  public synchronized List<MessageRow> deliverable(long after, int most) {
    return messages.tailMap(after, false).values().stream()
        .filter(m -> !m.isPatient() || !InstanceRow.isStanding(load(m.to())))
        .limit(most)
        .toList();
  }

  @Override
  public synchronized @Nullable MessageRow message(long number) {
    return messages.get(number);
  }

  @Override
  public synchronized List<InstanceRow> query(Query query) {
    return (query.newestFirst()
            ? instances.headMap(query.bound(), false).descendingMap()
            : instances.tailMap(query.bound(), false))
        .values().stream()
            .filter(kept -> fits(kept, query))
            .limit(query.most())
            .map(kept -> kept.row)
            .toList();
  }

  @Override
  public synchronized Sorted sorted(Query query, Sorting sorting) {
    return new Sorted(
        instances.values().stream()
            .filter(kept -> fits(kept, query) && sorting.takes(query, kept.row))
            .map(kept -> kept.row)
            .sorted(sorting.order())
            .limit(query.most())
            .toList(),
        true);
  }

  private boolean fits(Kept kept, Query query) {
    InstanceRow row = kept.row;
    Long before = query.enteredBefore();
    String state = query.state();
    String machine = query.machine();
    return (machine == null || machines.get((int) row.machine() - 1).name().equals(machine))
        && (state == null
            || configurations.get((int) row.configuration() - 1).states().contains(state))
        && (query.parent() == null || Objects.equals(query.parent(), row.parent()))
        && (query.status() == null || query.status() == row.status())
        && (before == null || row.since() < before)
        && query.fields().entrySet().stream()
            .allMatch(f -> f.getValue().equals(kept.search.get(f.getKey())));
  }

  @Override
  public synchronized List<Count> counts() {
    Map<Long, Long> counted = new TreeMap<>();
    for (Kept kept : instances.values()) {
      if (kept.row.status() != InstanceRow.Status.ENDED) {
        counted.merge(kept.row.configuration(), 1L, Long::sum);
      }
    }
    return counted.entrySet().stream()
        .map(c -> {
          States states = configurations.get((int) (c.getKey() - 1));
          return new Count(states.machine(), states.leaves(), c.getValue());
        })
        .toList();
  }

  @Override
  public List<Long> misplaced(int most) {
    return List.of();
  }

  @Override
  public synchronized List<CommittedGroup> groups(long after, int most) {
    return groups.page(after, most);
  }

  @Override
  public synchronized List<CommittedEntry> entries(long after, int most) {
    List<CommittedEntry> found = new ArrayList<>();
    groups.eachEntry(
        after,
        entry -> {
          found.add(committed(entry));
          return found.size() < most;
        });
    return found;
  }

  private CommittedEntry committed(EntryRow entry) {
    Kept kept = instances.get(entry.instance());
    if (kept != null) {
      return new CommittedEntry(entry, kept.row.id(), kept.row.machine());
    }
    Tombstone tombstone = Objects.requireNonNull(tombstones.get(entry.instance()));
    return new CommittedEntry(entry, tombstone.id(), tombstone.machine());
  }

  @Override
  public synchronized long end() {
    return position;
  }

  @Override
  public synchronized List<Tombstone> archive(List<Tombstone> given) {
    List<Tombstone> kept = new ArrayList<>();
    Undoing undoing = new Undoing();
    try {
      Set<Long> gone = new HashSet<>();
      for (Tombstone tombstone : given) {
        if (isAtRest(tombstone)) {
          gone.add(tombstone.number());
          undoing.put(tombstones, tombstone.number(), tombstone);
          undoing.remove(instances, tombstone.number());
          undoing.remove(numbers, tombstone.id());
        } else {
          kept.add(tombstone);
        }
      }
      groups.empty(gone);
      return kept;
    } catch (RuntimeException | Error e) {
      undoing.undo();
      throw e;
    }
  }

  private boolean isAtRest(Tombstone tombstone) {
    Kept kept = instances.get(tombstone.number());
    return kept != null
        && kept.row.status() == InstanceRow.Status.ENDED
        && Arrays.equals(kept.row.head(), tombstone.head())
        && Arrays.equals(kept.row.refusalHead(), tombstone.refusalHead())
        && !isPending(tombstone.number(), tombstone.id());
  }

  @Override
  public synchronized boolean isPending(long instance, String id) {
    return effects.areOf(instance)
        || messages.values().stream().anyMatch(m -> m.from().equals(id) || m.to().equals(id));
  }

  @Override
  public synchronized List<Tombstone> tombstones(long after, int most) {
    return tombstones.tailMap(after, false).values().stream().limit(most).toList();
  }

  @Override
  public synchronized void keepKeys(List<InstanceKey> given) {
    given.forEach(key -> keys.putIfAbsent(key.instance(), key.wrapped().clone()));
  }

  @Override
  public synchronized byte @Nullable [] key(long instance) {
    return keys.get(instance);
  }

  @Override
  public synchronized void condemnKeys(Collection<Long> numbers) {
    numbers.stream().filter(keys::containsKey).forEach(condemned::add);
  }

  @Override
  public synchronized List<Long> condemnedKeys() {
    return List.copyOf(condemned);
  }

  @Override
  public synchronized void destroyKeys(Collection<Long> numbers) {
    for (long number : numbers) {
      byte[] key = keys.remove(number);
      if (key != null) {
        Arrays.fill(key, (byte) 0);
      }
      condemned.remove(number);
    }
  }

  @Override
  public synchronized List<GroupHead> heads() {
    return groups.heads();
  }

  @Override
  public synchronized void keepCheckpoint(byte[] text) {
    checkpoints.add(new Checkpoint(checkpoints.size() + 1L, text.clone()));
  }

  @Override
  public synchronized @Nullable Checkpoint newestCheckpoint() {
    return checkpoints.isEmpty() ? null : checkpoints.getLast();
  }

  @Override
  public synchronized List<Checkpoint> checkpoints(long after, int most) {
    return checkpoints.stream().filter(c -> c.number() > after).limit(most).toList();
  }

  @Override
  public void close() {
    // It lives as long as its object.
  }
}
