package dev.signalbox.runtime;

import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an entry says of the erasure of an archived instance.
 *
 * @param where the entry
 * @param number of the tombstone
 * @param instance the id that the archived instance had
 * @param head the hash of its last entry, in hexadecimal
 */
record ErasureRecord(String where, long number, String instance, String head) {

  /** What the entry says, or null when it says nothing of the kind. */
  static @Nullable ErasureRecord of(String where, Map<?, ?> entry) {
    return "start".equals(entry.get("kind"))
            && entry.get("machine") instanceof Map<?, ?> machine
            && OwnMachines.ERASURE.equals(machine.get("name"))
            && entry.get("changes") instanceof Map<?, ?> changes
            && changes.get("number") instanceof Long number
        ? new ErasureRecord(
            where,
            number,
            String.valueOf(changes.get("instance")),
            String.valueOf(changes.get("head")))
        : null;
  }

  /** Whether the chain that ends with the hash is the one that it names. */
  boolean fits(byte @Nullable [] end) {
    return end != null && head.equals(HexFormat.of().formatHex(end));
  }
}
