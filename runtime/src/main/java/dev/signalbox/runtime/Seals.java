package dev.signalbox.runtime;

import dev.signalbox.journal.Chain;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceKey;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.Snapshot;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The seals of a store's instances: their keys are the store's, the key that wraps them is the
 * operator's. Any thread may use it.
 */
final class Seals {
  /** The number under which a store keeps what tells the operator's key from another. */
  private static final long TOKEN = 0;

  private static final int PAGE = 500;

  private final Journal journal;
  private final @Nullable Keyring keyring;
  private final RandomGenerator random;
  private boolean ready;

  /**
   * @param keyring null where nothing can be sealed or opened
   */
  Seals(Journal journal, @Nullable Keyring keyring, RandomGenerator random) {
    this.journal = journal;
    this.keyring = keyring;
    this.random = random;
  }

  /**
   * Sees whether the operator's key is the one that wrapped the store's keys.
   *
   * @throws JournalException when it is another, or there is none and the store has keys
   */
  void check() {
    byte[] token = journal.key(TOKEN);
    if (token == null) {
      return;
    }
    WrappingKey known = keyring == null ? null : keyring.knownWrapping();
    if (known == null || known.unwrap(TOKEN, token) == null) {
      throw new JournalException(
          "Expected the key that wraps the keys of this store's instances, but %s. Name the folder"
                  .formatted(known == null ? "there is none" : "found another")
              + " with its wrapping.key in SIGNALBOX_KEYS, or open the store with its keyring.",
          null);
    }
  }

  /**
   * Makes sure that instances can be sealed.
   *
   * @throws IllegalArgumentException when there is no keyring
   */
  synchronized WrappingKey wrapping() {
    if (keyring == null) {
      throw new IllegalArgumentException(
          "Expected a keyring for a machine with personal fields, but the store was opened without"
              + " one. Open it with a Keyring, or name a folder for the keys in SIGNALBOX_KEYS.");
    }
    WrappingKey wrapping = keyring.wrapping();
    if (!ready) {
      byte[] nothing = new byte[Seal.KEY];
      journal.keepKeys(List.of(new InstanceKey(TOKEN, wrapping.wrap(TOKEN, nothing, random))));
      check();
      ready = true;
    }
    return wrapping;
  }

  /** Gives a new instance a seal; its key is to be kept before anything sealed with it. */
  void begin(Working working) {
    byte[] key = new byte[Seal.KEY];
    random.nextBytes(key);
    long number = working.row.number();
    working.newKey = new InstanceKey(number, wrapping().wrap(number, key, random));
    working.seal = new Seal(number, key);
  }

  /** Gives an instance that had none a seal. Another node may be doing the same. */
  void adopt(Working working) {
    byte[] key = new byte[Seal.KEY];
    random.nextBytes(key);
    long number = working.row.number();
    journal.keepKeys(List.of(new InstanceKey(number, wrapping().wrap(number, key, random))));
    working.seal = of(number);
  }

  /** The seal of an instance, or null when its key is not there or can't be unwrapped. */
  @Nullable Seal find(long number) {
    byte[] wrapped = journal.key(number);
    WrappingKey known = keyring == null ? null : keyring.knownWrapping();
    byte[] key = wrapped == null || known == null ? null : known.unwrap(number, wrapped);
    return key == null ? null : new Seal(number, key);
  }

  /**
   * The seal of an instance that has one.
   *
   * @throws IllegalStateException when its key is gone
   */
  Seal of(long number) {
    Seal seal = find(number);
    if (seal == null) {
      throw new IllegalStateException(
          "Expected the key of instance %d, but it is not there or another key wrapped it. Restore"
                  .formatted(number)
              + " the store's keys.");
    }
    return seal;
  }

  /** The seal that the row's snapshot has, or null. */
  @Nullable Seal of(InstanceRow row) {
    return Seal.isSealed(row.snapshot()) ? of(row.number()) : null;
  }

  /**
   * The seal of an instance whose row may be wrong: where the store has a key for it, it is sealed,
   * whatever its snapshot looks like; and where none of its entries is sealed, it never was.
   */
  @Nullable Seal ofDoubtful(InstanceRow row) {
    Seal seal = find(row.number());
    return seal != null || !Seal.isSealed(row.snapshot()) || !hasSealed(row)
        ? seal
        : of(row.number());
  }

  /** Whether an entry of the instance is sealed. */
  private boolean hasSealed(InstanceRow row) {
    long next = 1;
    List<EntryRow> page;
    do {
      page = journal.history(row.number(), Chain.STEPS, next, PAGE);
      if (page.stream().anyMatch(entry -> Seal.keyOf(Ledger.body(entry)) != 0)) {
        return true;
      }
      next += PAGE;
    } while (page.size() == PAGE);
    return false;
  }

  /** The row's snapshot, opened with its seal. */
  static Snapshot snapshot(Chart chart, InstanceRow row, @Nullable Seal seal) {
    byte[] bytes = row.snapshot();
    byte[] plain =
        seal != null
            ? seal.plain(place(row), bytes)
            : Seal.isErased(bytes) ? java.util.Arrays.copyOfRange(bytes, 1, bytes.length) : bytes;
    return SnapshotCodec.read(chart, plain);
  }

  Snapshot snapshot(PublishedChart machine, InstanceRow row) {
    return snapshot(machine.chart, row, of(row));
  }

  /** The instance's snapshot as its row has it. */
  static byte[] bytes(Working working) {
    byte[] plain = SnapshotCodec.bytes(working.snapshot);
    if (working.seal != null) {
      return working.seal.bytes(place(working.row), plain);
    }
    return working.erased ? Seal.erased(plain) : plain;
  }

  /** A snapshot belongs to the entry it came after. */
  private static String place(InstanceRow row) {
    return "snapshot %s %s".formatted(row.number(), java.util.HexFormat.of().formatHex(row.head()));
  }

  static String place(String effect) {
    return "effect " + effect;
  }

  static String place(long number, String from, String to) {
    return "message %d from %s to %s".formatted(number, from, to);
  }

  /** What the effect is done with. */
  byte[] input(EffectRow effect) {
    return Seal.isSealed(effect.input())
        ? of(effect.instance()).plain(place(effect.key()), effect.input())
        : effect.input();
  }

  /** The message with its body readable. */
  static MessageRow opened(MessageRow message, @Nullable Seal sender) {
    if (!Seal.isSealed(message.body())) {
      return message;
    }
    if (sender == null) {
      throw new IllegalStateException(
          "Expected the key of '%s', which sent message %d, but it is gone."
              .formatted(message.from(), message.number()));
    }
    String place = place(message.number(), message.from(), message.to());
    return new MessageRow(
        message.number(), message.from(), message.to(), sender.plain(place, message.body()));
  }

  /** What a body says: all of it where it can be opened, otherwise its clear part. */
  Map<?, ?> whole(Map<?, ?> body) {
    long key = Seal.keyOf(body);
    Seal seal = key == 0 ? null : find(key);
    return seal == null ? body : ClearPart.read(seal.opened(body));
  }

  /** The entries with their bodies readable where the instance has a seal. */
  List<EntryRow> opened(InstanceRow row, List<EntryRow> entries) {
    Seal seal = of(row);
    return seal == null ? entries : entries.stream().map(e -> opened(e, seal)).toList();
  }

  private static EntryRow opened(EntryRow e, Seal seal) {
    return new EntryRow(
        e.position(),
        e.instance(),
        e.chain(),
        e.sequence(),
        e.hash(),
        e.body().length == 0 ? e.body() : seal.opened(e.body()),
        e.key());
  }
}
