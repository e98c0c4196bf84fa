package dev.signalbox.runtime;

import dev.signalbox.journal.Hashing;
import dev.signalbox.journal.InstanceRow;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Instances that are not in use, as bytes: a quarter of what they take in use, and nothing that the
 * garbage collector has to look into. They stand in the order in which they were put there, in a
 * ring of slabs; when it is full, the oldest are overwritten. Everything on it is in the store too,
 * so it may forget.
 *
 * <p>Where an instance stands is found by the hash of its id, in a bucket of eight places; a ninth
 * takes the place of the oldest. For one thread at a time.
 */
final class Shelf {
  /** Just below a megabyte, so that a slab fills a region of the collector's. */
  private static final int SLAB = (1 << 20) - 64;

  private static final int MOST_SLABS = 64 * 1024;
  private static final int WAYS = 8;

  /** A larger instance is not worth its place. */
  private static final int LARGEST = 64 * 1024;

  /** What an instance takes here, about; it decides how many places there are. */
  private static final int USUAL = 192;

  private final int slabs;
  private final byte[] @Nullable [] memory;

  /** For each place the position of a record and, in the low bits, a part of its hash. */
  private long[] places = new long[0];

  private final ByteBuffer scratch = ByteBuffer.allocate(LARGEST);

  /** Where the next record goes, counted from the first that ever was. */
  private long end = SLAB;

  Shelf(long mostBytes) {
    this.slabs = (int) Math.min(mostBytes / SLAB, MOST_SLABS);
    this.memory = new byte[slabs][];
  }

  /** What stood on the shelf: an instance, and its idempotency keys or null when unknown. */
  record Item(InstanceRow row, @Nullable Set<String> keys) {}

  /** Puts an instance on the shelf, in the place of what stood there of it. */
  void put(InstanceRow row, @Nullable Set<String> keys) {
    if (slabs < 2 || !write(row, keys)) {
      return;
    }
    if (places.length == 0) {
      places = new long[Math.max(WAYS, Integer.highestOneBit(slabs * (SLAB / USUAL)))];
    }
    int length = scratch.position();
    if (SLAB - (int) (end % SLAB) < length) {
      end += SLAB - end % SLAB;
    }
    byte[] slab = memory[slab(end)];
    if (slab == null) {
      slab = new byte[SLAB];
      memory[slab(end)] = slab;
    }
    System.arraycopy(scratch.array(), 0, slab, (int) (end % SLAB), length);
    long hash = hash(row.id());
    places[placeFor(hash, row.id())] = (end << 16) | (hash & 0xffff);
    end += length;
  }

  /** Takes an instance from the shelf; null when it does not stand there. */
  @Nullable Item take(String id) {
    int place = place(id);
    if (place < 0) {
      return null;
    }
    ByteBuffer record = at(places[place] >>> 16);
    places[place] = 0;
    return read(record, id);
  }

  /** Forgets an instance. */
  void remove(String id) {
    int place = place(id);
    if (place >= 0) {
      places[place] = 0;
    }
  }

  private int place(String id) {
    if (places.length == 0) {
      return -1;
    }
    long hash = hash(id);
    int bucket = bucket(hash);
    for (int i = bucket; i < bucket + WAYS; i++) {
      if (isOf(places[i], hash, id)) {
        return i;
      }
    }
    return -1;
  }

  /** The instance's own place, or one that is free, or that of the oldest in the bucket. */
  private int placeFor(long hash, String id) {
    int own = place(id);
    if (own >= 0) {
      return own;
    }
    int bucket = bucket(hash);
    int oldest = bucket;
    for (int i = bucket + 1; i < bucket + WAYS; i++) {
      if (places[i] >>> 16 < places[oldest] >>> 16) {
        oldest = i;
      }
    }
    return oldest;
  }

  private boolean isOf(long place, long hash, String id) {
    long position = place >>> 16;
    if (place == 0
        || (place & 0xffff) != (hash & 0xffff)
        || position / SLAB <= end / SLAB - slabs) {
      return false;
    }
    ByteBuffer record = at(position);
    return (record.getInt() == id.length() && isAscii(record, id)) || text(at(position)).equals(id);
  }

  /** Whether the id stands there and every character of it is one byte. */
  private static boolean isAscii(ByteBuffer record, String id) {
    for (int i = 0; i < id.length(); i++) {
      if (id.charAt(i) != record.get()) {
        return false;
      }
    }
    return true;
  }

  private int bucket(long hash) {
    return (int) (hash >>> 32) & (places.length - 1) & -WAYS;
  }

  private static long hash(String id) {
    long mixed = id.hashCode() * 0x9E3779B97F4A7C15L;
    return mixed ^ (mixed >>> 29);
  }

  private int slab(long position) {
    return (int) (position / SLAB % slabs);
  }

  private ByteBuffer at(long position) {
    byte[] slab = memory[slab(position)];
    if (slab == null) {
      throw new IllegalStateException("A place leads to a slab that was never written.");
    }
    int offset = (int) (position % SLAB);
    return ByteBuffer.wrap(slab, offset, SLAB - offset);
  }

  private boolean write(InstanceRow row, @Nullable Set<String> keys) {
    scratch.clear();
    try {
      put(row.id());
      put(row.parent());
      scratch
          .putLong(row.number())
          .putLong(row.machine())
          .putLong(row.configuration())
          .put((byte) row.status().code())
          .putLong(row.sequence())
          .put(row.head())
          .putLong(row.refusals())
          .putLong(row.at())
          .putLong(row.since())
          .putLong(row.due());
      if (row.refusals() > 0) {
        scratch.put(row.refusalHead());
      }
      scratch.putInt(row.snapshot().length).put(row.snapshot());
      scratch.putInt(keys == null ? -1 : keys.size());
      if (keys != null) {
        keys.forEach(this::put);
      }
      return true;
    } catch (BufferOverflowException e) {
      return false;
    }
  }

  private void put(@Nullable String text) {
    if (text == null) {
      scratch.putInt(-1);
    } else {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      scratch.putInt(bytes.length).put(bytes);
    }
  }

  private static Item read(ByteBuffer record, String id) {
    String _ = text(record);
    String parent = optional(record);
    long number = record.getLong();
    long machine = record.getLong();
    long configuration = record.getLong();
    InstanceRow.Status status = InstanceRow.Status.of(record.get());
    long sequence = record.getLong();
    byte[] head = bytes(record, Hashing.LENGTH);
    long refusals = record.getLong();
    long at = record.getLong();
    long since = record.getLong();
    long due = record.getLong();
    byte[] refusalHead = refusals > 0 ? bytes(record, Hashing.LENGTH) : Hashing.origin();
    byte[] snapshot = bytes(record, record.getInt());
    int count = record.getInt();
    Set<String> keys = count < 0 ? null : new HashSet<>(count);
    for (int i = 0; keys != null && i < count; i++) {
      keys.add(text(record));
    }
    InstanceRow row =
        new InstanceRow(
            number,
            id,
            machine,
            parent,
            configuration,
            status,
            sequence,
            head,
            refusals,
            refusalHead,
            at,
            since,
            due,
            snapshot);
    return new Item(row, keys);
  }

  private static String text(ByteBuffer record) {
    String text = optional(record);
    return text == null ? "" : text;
  }

  private static @Nullable String optional(ByteBuffer record) {
    int length = record.getInt();
    return length < 0 ? null : new String(bytes(record, length), StandardCharsets.UTF_8);
  }

  private static byte[] bytes(ByteBuffer record, int length) {
    byte[] bytes = new byte[length];
    record.get(bytes);
    return bytes;
  }
}
