package dev.signalbox.journal;

import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/** The journal's hashes, all SHA-256. Not for use by several threads at a time. */
public final class Hashing {
  /** The bytes of a hash. */
  public static final int LENGTH = 32;

  private static final byte LEAF = 0;
  private static final byte NODE = 1;

  private final MessageDigest digest;

  public Hashing() {
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256.", e);
    }
  }

  /** What a chain begins with. */
  public static byte[] origin() {
    return new byte[LENGTH];
  }

  /** The hash of an entry: of the previous entry's hash and its own body. */
  public byte[] chain(byte[] previous, byte[] body) {
    begin();
    digest.update(previous);
    return digest.digest(body);
  }

  /**
   * The hash of a group: of the writer's previous root and the Merkle tree over its entries' hashes
   * (RFC 6962: leaves and nodes are told apart by their first byte; an odd node goes up as it is).
   */
  public byte[] root(byte[] previous, List<byte[]> entries) {
    begin();
    byte[] level = new byte[entries.size() * LENGTH];
    for (int i = 0; i < entries.size(); i++) {
      digest.update(LEAF);
      digest.update(entries.get(i));
      put(level, i);
    }
    for (int count = entries.size(); count > 1; count = (count + 1) / 2) {
      for (int i = 0; i < count; i += 2) {
        if (i + 1 < count) {
          digest.update(NODE);
          digest.update(level, i * LENGTH, 2 * LENGTH);
          put(level, i / 2);
        } else {
          System.arraycopy(level, i * LENGTH, level, i / 2 * LENGTH, LENGTH);
        }
      }
    }
    digest.update(previous);
    digest.update(level, 0, Math.min(LENGTH, level.length));
    return digest.digest();
  }

  /** Lets go of what a hash left behind that an Error cut off. */
  private void begin() {
    digest.reset();
  }

  private void put(byte[] level, int index) {
    try {
      digest.digest(level, index * LENGTH, LENGTH);
    } catch (DigestException e) {
      throw new IllegalStateException("The level has room for every hash.", e);
    }
  }
}
