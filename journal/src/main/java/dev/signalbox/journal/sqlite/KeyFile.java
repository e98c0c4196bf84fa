package dev.signalbox.journal.sqlite;

import dev.signalbox.journal.DurableFile;
import dev.signalbox.journal.InstanceKey;
import dev.signalbox.journal.JournalException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The keys of instances, in a file of their own beside the journal's. It is not a database on
 * purpose: a database moves rows about and logs them, and what it once wrote stays in freed pages
 * and logs. Here a key has one place for ever, and destroying it overwrites that place.
 *
 * <p>After a heading come slots of 80 bytes: the instance's number, a state, the key's length, the
 * key, and a CRC-32 over number, length and key. The state is one byte outside the checksum, so
 * that condemning a key can't damage it. A slot whose checksum is wrong is a write that was cut
 * off: of a new key, which nobody relied on yet, or of a destruction, which is then finished. A
 * slot whose key was destroyed keeps the number, so that no other instance is given it.
 */
final class KeyFile implements AutoCloseable {
  private static final byte[] HEADING = "signalbox-keys 1".getBytes(StandardCharsets.US_ASCII);
  private static final int SLOT = 80;
  private static final int STATE = 8;
  private static final byte KEPT = 1;
  private static final byte CONDEMNED = 2;
  private static final byte DESTROYED = 3;

  private final Path file;
  private final boolean writable;

  /** For each instance that has a key, its slot. */
  private final Map<Long, Integer> slots = new HashMap<>();

  private final TreeSet<Long> condemned = new TreeSet<>();

  /** Not a channel: that one is closed for everybody when a thread that reads is interrupted. */
  private @Nullable RandomAccessFile opened;

  private int count;

  /** The highest number of an instance that has a key or had one. */
  private long highest;

  private KeyFile(Path file, boolean writable) {
    this.file = file;
    this.writable = writable;
  }

  /** The keys beside a journal; the file is made with the first of them. */
  static KeyFile of(Path journal, boolean writable) {
    Location location = Location.of(journal);
    return at(writable ? location.keys() : location.readableKeys(), writable);
  }

  /** The keys in the file. */
  static KeyFile at(Path file, boolean writable) {
    KeyFile keys = new KeyFile(file, writable);
    try {
      keys.open();
      return keys;
    } catch (IOException e) {
      keys.close();
      throw keys.fault("open", e);
    }
  }

  /** How many keys of the file were destroyed or are being; 0 where there is none. */
  static long destroyed(Path file) throws IOException {
    byte[] bytes = Files.exists(file) ? Files.readAllBytes(file) : HEADING;
    long destroyed = 0;
    for (int place = HEADING.length; place + SLOT <= bytes.length; place += SLOT) {
      byte state = bytes[place + STATE];
      destroyed += state == CONDEMNED || state == DESTROYED ? 1 : 0;
    }
    return destroyed;
  }

  /**
   * Copies the keys beside whoever writes them, up to one that is just being written.
   *
   * @return false when there are none
   */
  static boolean copy(Path file, Path to) throws IOException {
    if (Files.notExists(file)) {
      return false;
    }
    byte[] bytes = Files.readAllBytes(file);
    if (bytes.length < HEADING.length) {
      return false;
    }
    int end = HEADING.length;
    while (end + SLOT <= bytes.length) {
      byte[] slot = Arrays.copyOfRange(bytes, end, end + SLOT);
      if (slot[STATE] == KEPT && !isWhole(slot)) {
        break;
      }
      end += SLOT;
    }
    DurableFile.writeForOwner(to, Arrays.copyOf(bytes, end));
    return true;
  }

  private void open() throws IOException {
    if (Files.notExists(file)) {
      return;
    }
    RandomAccessFile from = new RandomAccessFile(file.toFile(), writable ? "rw" : "r");
    opened = from;
    byte[] heading = new byte[HEADING.length];
    if (from.length() > 0 && (!fill(from, heading, 0) || !Arrays.equals(heading, HEADING))) {
      throw new IOException("it does not begin as a file of keys");
    }
    scan(from);
  }

  /** Notes the slots that were not seen before. */
  private void scan(RandomAccessFile from) throws IOException {
    byte[] slot = new byte[SLOT];
    while (fill(from, slot, place(count))) {
      byte state = slot[STATE];
      if (isWhole(slot)) {
        long instance = number(slot);
        slots.put(instance, count);
        highest = Math.max(highest, instance);
        if (state == CONDEMNED) {
          condemned.add(instance);
        }
      } else if (state == CONDEMNED) {
        highest = Math.max(highest, number(slot));
        if (writable) {
          wipe(from, count, number(slot));
        }
      } else if (state == DESTROYED) {
        highest = Math.max(highest, number(slot));
      } else if (!writable && state == KEPT) {
        // Its writer is in the middle of it.
        return;
      }
      count++;
    }
  }

  /**
   * The highest number of an instance that has a key or had one. A key is durable before the commit
   * that makes its instance, and the journal may be an older copy, so the journal need not know it.
   */
  synchronized long highest() {
    return highest;
  }

  private static long number(byte[] slot) {
    return ByteBuffer.wrap(slot).getLong(0);
  }

  private static long place(int slot) {
    return HEADING.length + (long) slot * SLOT;
  }

  private static boolean fill(RandomAccessFile from, byte[] bytes, long position)
      throws IOException {
    from.seek(position);
    int filled = 0;
    while (filled < bytes.length) {
      int read = from.read(bytes, filled, bytes.length - filled);
      if (read < 0) {
        return false;
      }
      filled += read;
    }
    return true;
  }

  private static void put(RandomAccessFile to, byte[] bytes, long position) throws IOException {
    to.seek(position);
    to.write(bytes);
  }

  private static int checksum(byte[] slot) {
    CRC32 crc = new CRC32();
    crc.update(slot, 0, STATE);
    crc.update(slot, STATE + 1, 1 + InstanceKey.MOST);
    return (int) crc.getValue();
  }

  private static boolean isWhole(byte[] slot) {
    boolean used = slot[STATE] == KEPT || slot[STATE] == CONDEMNED;
    return used && ByteBuffer.wrap(slot).getInt(SLOT - Integer.BYTES) == checksum(slot);
  }

  synchronized void keep(List<InstanceKey> keys) {
    List<InstanceKey> fresh =
        keys.stream().filter(key -> !slots.containsKey(key.instance())).toList();
    if (fresh.isEmpty()) {
      return;
    }
    try {
      RandomAccessFile to = made();
      ByteBuffer buffer = ByteBuffer.allocate(fresh.size() * SLOT);
      for (InstanceKey key : fresh) {
        buffer.put(slot(key));
      }
      put(to, buffer.array(), place(count));
      to.getFD().sync();
      for (InstanceKey key : fresh) {
        slots.put(key.instance(), count++);
        highest = Math.max(highest, key.instance());
      }
    } catch (IOException e) {
      throw fault("write", e);
    }
  }

  private static byte[] slot(InstanceKey key) {
    byte[] slot = new byte[SLOT];
    ByteBuffer buffer = ByteBuffer.wrap(slot);
    buffer.putLong(key.instance()).put(KEPT).put((byte) key.wrapped().length).put(key.wrapped());
    buffer.putInt(SLOT - Integer.BYTES, checksum(slot));
    return slot;
  }

  private RandomAccessFile made() throws IOException {
    if (!writable) {
      throw new IOException("it was opened for reading alone");
    }
    RandomAccessFile made = opened;
    if (made == null) {
      Path folder = file.toAbsolutePath().getParent();
      if (folder != null
          && Files.getFileStore(folder).supportsFileAttributeView("posix")
          && Files.notExists(file)) {
        Files.createFile(
            file,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      }
      made = new RandomAccessFile(file.toFile(), "rw");
      if (folder != null) {
        try {
          DurableFile.force(folder);
        } catch (IOException e) {
          made.close();
          throw e;
        }
      }
      opened = made;
    }
    if (made.length() < HEADING.length) {
      put(made, HEADING, 0);
    }
    return made;
  }

  synchronized byte @Nullable [] key(long instance) {
    try {
      if (!writable) {
        refresh();
      }
      Integer known = slots.get(instance);
      RandomAccessFile from = opened;
      if (known == null || from == null) {
        return null;
      }
      byte[] slot = new byte[SLOT];
      // A reader may find that the owner has destroyed it meanwhile.
      if (!fill(from, slot, place(known)) || !isWhole(slot)) {
        return null;
      }
      return Arrays.copyOfRange(slot, STATE + 2, STATE + 2 + slot[STATE + 1]);
    } catch (IOException e) {
      throw fault("read", e);
    }
  }

  private void refresh() throws IOException {
    if (opened == null) {
      open();
    } else {
      scan(opened);
    }
  }

  synchronized void condemn(Collection<Long> instances) {
    try {
      for (long instance : instances) {
        Integer slot = slots.get(instance);
        if (slot != null) {
          put(made(), new byte[] {CONDEMNED}, place(slot) + STATE);
          condemned.add(instance);
        }
      }
      if (opened != null) {
        opened.getFD().sync();
      }
    } catch (IOException e) {
      throw fault("write", e);
    }
  }

  synchronized List<Long> condemned() {
    return new ArrayList<>(condemned);
  }

  synchronized void destroy(Collection<Long> instances) {
    condemn(instances);
    try {
      for (long instance : instances) {
        Integer slot = slots.get(instance);
        if (slot != null) {
          wipe(made(), slot, instance);
        }
      }
      if (opened != null) {
        opened.getFD().sync();
      }
      instances.forEach(slots::remove);
      condemned.removeAll(instances);
    } catch (IOException e) {
      throw fault("write", e);
    }
  }

  private static void wipe(RandomAccessFile to, int slot, long instance) throws IOException {
    put(to, ByteBuffer.allocate(SLOT).putLong(instance).put(DESTROYED).array(), place(slot));
  }

  private JournalException fault(String doing, IOException e) {
    return new JournalException(
        "Expected to %s the keys in '%s', but: %s.".formatted(doing, file, e.getMessage()), e);
  }

  @Override
  public synchronized void close() {
    try {
      if (opened != null) {
        opened.close();
      }
    } catch (IOException e) {
      throw fault("close", e);
    }
  }
}
