package dev.signalbox.journal;

/**
 * The key that seals an instance's entries, as the store keeps it.
 *
 * @param instance the instance's number; 0 is nobody's and tells one operator's key from another
 * @param wrapped the key under another one that the store never sees
 */
public record InstanceKey(long instance, byte[] wrapped) {
  /** The most bytes that a wrapped key has. */
  public static final int MOST = 66;

  public InstanceKey {
    if (wrapped.length < 1 || wrapped.length > MOST) {
      throw new IllegalArgumentException(
          "Expected a wrapped key of 1 to %d bytes, but found %d.".formatted(MOST, wrapped.length));
    }
  }
}
