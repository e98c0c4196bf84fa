package dev.signalbox.services.evidence;

import dev.signalbox.journal.DurableFile;
import dev.signalbox.services.Sha256;
import dev.signalbox.services.evidence.EvidenceException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A folder of evidence. Several threads may use it, and several processes the same folder: two that
 * put the same bytes write the same file. The limit on everything together is counted by each store
 * from what it found at its opening and what it put itself.
 */
public final class EvidenceStore {
  /** The most bytes of one piece, unless told otherwise. */
  public static final long MOST_EACH = 16L << 20;

  /** The most bytes of all pieces together, unless told otherwise. */
  public static final long MOST_IN_ALL = 1L << 30;

  private final Path folder;
  private final long mostEach;
  private final long mostInAll;
  private long total;

  private EvidenceStore(Path folder, long mostEach, long mostInAll, long total) {
    this.folder = folder;
    this.mostEach = mostEach;
    this.mostInAll = mostInAll;
    this.total = total;
  }

  /** The store in that folder, which is made if it is not there. */
  public static EvidenceStore open(Path folder) {
    return open(folder, MOST_EACH, MOST_IN_ALL);
  }

  public static EvidenceStore open(Path folder, long mostEach, long mostInAll) {
    try {
      DurableFile.folders(folder);
      long total = 0;
      try (Stream<Path> files = Files.walk(folder, 2)) {
        for (Path file : files.toList()) {
          if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && !DurableFile.isPart(file)) {
            total += Files.size(file);
          }
        }
      }
      return new EvidenceStore(folder, mostEach, mostInAll, total);
    } catch (IOException e) {
      throw new EvidenceException(
          Reason.UNREADABLE,
          "Expected to open the evidence in '%s', but the disk refused. Look at the folder."
              .formatted(folder),
          e);
    }
  }

  /** What is in that folder, for reading; it need not be there. */
  public static EvidenceStore reading(Path folder) {
    return new EvidenceStore(folder, MOST_EACH, 0, 0);
  }

  public Path folder() {
    return folder;
  }

  /**
   * Stores the bytes; when it returns, they are on the disk.
   *
   * @throws EvidenceException when they are too many, or the disk refuses
   */
  public Evidence put(String name, byte[] bytes) {
    checkEach(name, bytes.length);
    Evidence evidence = new Evidence(name, Sha256.hex(bytes), bytes.length);
    synchronized (this) {
      if (!isThere(evidence.sha256())) {
        checkInAll(name, bytes.length);
        try {
          DurableFile.write(place(evidence.sha256()), bytes);
        } catch (IOException e) {
          throw refused(name, e);
        }
        total += bytes.length;
      }
    }
    return evidence;
  }

  /** Stores what is in the file, which is not followed if it is a link. */
  public Evidence put(String name, Path file) {
    Path part = folder.resolve(".part-" + UUID.randomUUID());
    try {
      MessageDigest digest = Sha256.digest();
      long bytes = 0;
      try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS);
          FileChannel out =
              FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        byte[] piece = new byte[64 * 1024];
        for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
          bytes += n;
          checkEach(name, bytes);
          digest.update(piece, 0, n);
          DurableFile.append(out, Arrays.copyOf(piece, n));
        }
        out.force(true);
      }
      Evidence evidence = new Evidence(name, HexFormat.of().formatHex(digest.digest()), bytes);
      synchronized (this) {
        if (!isThere(evidence.sha256())) {
          checkInAll(name, bytes);
          Path place = place(evidence.sha256());
          Files.move(
              part, place, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
          DurableFile.force(folder.resolve(evidence.sha256().substring(0, 2)));
          total += bytes;
        }
      }
      return evidence;
    } catch (IOException e) {
      throw refused(name, e);
    } finally {
      try {
        Files.deleteIfExists(part);
      } catch (IOException e) {
        // What stays of it does no harm and is not counted.
      }
    }
  }

  /** Stores the text's UTF-8. */
  public Evidence put(String name, String text) {
    return put(name, text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * The bytes of that hash, which they have.
   *
   * @throws EvidenceException when there are none, or they have another hash
   */
  public byte[] bytes(String sha256) {
    Path file = file(sha256);
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new EvidenceException(
          Reason.MISSING, "Expected evidence %s, but it is not in '%s'.".formatted(sha256, folder));
    }
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file)) {
      bytes = in.readNBytes((int) Math.min(Integer.MAX_VALUE - 16, mostEach + 1));
    } catch (IOException e) {
      throw new EvidenceException(
          Reason.UNREADABLE,
          "Expected to read evidence %s, but the disk refused.".formatted(sha256),
          e);
    }
    if (!Sha256.hex(bytes).equals(sha256)) {
      throw new EvidenceException(
          Reason.ALTERED,
          "Expected evidence %s to be as it was stored, but its bytes have another hash."
              .formatted(sha256));
    }
    return bytes;
  }

  /** Whether something of that hash is there; {@link #bytes} also looks whether it is still it. */
  public boolean contains(String sha256) {
    return Files.isRegularFile(file(sha256), LinkOption.NOFOLLOW_LINKS);
  }

  /** Where the bytes of that hash are. */
  public Path file(String sha256) {
    if (!Sha256.isHash(sha256)) {
      throw new IllegalArgumentException(
          "Expected a SHA-256 in hexadecimal, but found something else.");
    }
    return folder.resolve(sha256.substring(0, 2)).resolve(sha256.substring(2));
  }

  private void checkEach(String name, long bytes) {
    if (bytes > mostEach) {
      throw new EvidenceException(
          Reason.TOO_LARGE,
          "Expected evidence '%s' of at most %,d bytes, but it has more. Store a part, or raise the limit."
              .formatted(name, mostEach));
    }
  }

  private void checkInAll(String name, long bytes) {
    if (total + bytes > mostInAll) {
      throw new EvidenceException(
          Reason.TOO_LARGE,
          "Expected at most %,d bytes of evidence in all, but '%s' would make it %,d. Raise the limit."
              .formatted(mostInAll, name, total + bytes));
    }
  }

  private static EvidenceException refused(String name, IOException e) {
    return new EvidenceException(
        Reason.UNREADABLE,
        "Expected to store evidence '%s', but the disk refused.".formatted(name),
        e);
  }

  /** The file of a hash, in a folder that is there. */
  private Path place(String sha256) throws IOException {
    Path parent = folder.resolve(sha256.substring(0, 2));
    if (!Files.isDirectory(parent, LinkOption.NOFOLLOW_LINKS)) {
      DurableFile.folders(parent);
    }
    return file(sha256);
  }

  /** What is there counts only while it is whole; altered bytes are put again. */
  private boolean isThere(String sha256) {
    if (!contains(sha256)) {
      return false;
    }
    try {
      bytes(sha256);
      return true;
    } catch (EvidenceException e) {
      return false;
    }
  }
}
