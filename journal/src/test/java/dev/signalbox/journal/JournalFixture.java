package dev.signalbox.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A journal to be tested, and instances to put into it. */
abstract class JournalFixture {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  final Hashing hashing = new Hashing();
  long machine;
  long running;
  long ended;
  Journal journal;

  /** A new, empty journal. */
  abstract Journal open() throws Exception;

  /** The same journal after everything in memory is gone; the same object where nothing else is. */
  abstract Journal reopen(Journal open) throws Exception;

  static InstantSource clock() {
    return InstantSource.fixed(START);
  }

  @BeforeEach
  void opened() throws Exception {
    journal = open();
    machine = journal.publish(new PublishedMachine(0, "run", 1, "d1", "machine: run", 1)).number();
    running = journal.configuration(machine, List.of("A"), List.of("R", "A"));
    ended = journal.configuration(machine, List.of("Z"), List.of("Z"));
  }

  @AfterEach
  void closed() {
    if (journal != null) {
      journal.close();
    }
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  InstanceRow born(String id, String snapshot) {
    return new InstanceRow(
        journal.reserve(1),
        id,
        machine,
        null,
        running,
        InstanceRow.Status.LIVE,
        0,
        Hashing.origin(),
        0,
        Hashing.origin(),
        5,
        5,
        InstanceRow.NEVER,
        bytes(snapshot));
  }

  /** The row after one more step, and the change that takes it there. */
  InstanceRow step(Change change, InstanceRow before, String body, @Nullable String key) {
    byte[] hash = hashing.chain(before.head(), bytes(body));
    long sequence = before.sequence() + 1;
    change.entries().add(new NewEntry(Chain.STEPS, sequence, hash, bytes(body), key));
    InstanceRow after = moved(before, sequence, hash, before.due(), body);
    change.after(after);
    return after;
  }

  InstanceRow refuse(Change change, InstanceRow before, String body, @Nullable String key) {
    byte[] hash = hashing.chain(before.refusalHead(), bytes(body));
    long count = before.refusals() + 1;
    change.entries().add(new NewEntry(Chain.REFUSALS, count, hash, bytes(body), key));
    InstanceRow after =
        new InstanceRow(
            before.number(),
            before.id(),
            before.machine(),
            before.parent(),
            before.configuration(),
            before.status(),
            before.sequence(),
            before.head(),
            count,
            hash,
            before.at(),
            before.since(),
            before.due(),
            before.snapshot());
    change.after(after);
    return after;
  }

  static InstanceRow moved(InstanceRow b, long sequence, byte[] head, long due, String snapshot) {
    return new InstanceRow(
        b.number(),
        b.id(),
        b.machine(),
        b.parent(),
        b.configuration(),
        b.status(),
        sequence,
        head,
        b.refusals(),
        b.refusalHead(),
        b.at() + 1,
        b.since(),
        due,
        bytes(snapshot));
  }

  Appended append(Change... changes) {
    return journal.append(new Group(7, List.of(changes)));
  }

  InstanceRow created(String id) {
    Change change = Change.creation();
    InstanceRow row = step(change, born(id, ""), id + ":1", null);
    assertThat(append(change).lost()).isEmpty();
    return row;
  }

  static void assertSame(@Nullable InstanceRow found, InstanceRow expected) {
    assertThat(found).usingRecursiveComparison().isEqualTo(expected);
  }

  List<String> ids(Query query) {
    return journal.query(query).stream().map(InstanceRow::id).toList();
  }

  /** Every writer's groups and every instance's entries follow one another by their hashes. */
  static void assertChainsHold(List<CommittedGroup> groups) {
    Hashing hashing = new Hashing();
    Map<Long, CommittedGroup> last = new HashMap<>();
    Map<String, byte[]> heads = new HashMap<>();
    Map<String, List<EntryRow>> chains = new HashMap<>();
    for (CommittedGroup group : groups) {
      CommittedGroup before = last.put(group.writer(), group);
      assertThat(group.previous()).isEqualTo(before == null ? 0 : before.number());
      assertThat(group.root())
          .isEqualTo(
              hashing.root(
                  before == null ? Hashing.origin() : before.root(),
                  group.entries().stream().map(EntryRow::hash).toList()));
      for (EntryRow entry : group.entries()) {
        chains
            .computeIfAbsent(entry.instance() + " " + entry.chain(), _ -> new ArrayList<>())
            .add(entry);
      }
    }
    chains.forEach((chain, entries) -> {
      for (int i = 0; i < entries.size(); i++) {
        EntryRow entry = entries.get(i);
        assertThat(entry.sequence()).as(chain).isEqualTo(i + 1);
        byte[] head = heads.getOrDefault(chain, Hashing.origin());
        assertThat(entry.hash()).isEqualTo(hashing.chain(head, entry.body()));
        heads.put(chain, entry.hash());
      }
    });
  }
}
