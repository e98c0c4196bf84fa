package dev.signalbox.runtime;

import dev.signalbox.journal.Hashing;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.random.RandomGenerator;

/**
 * Ids for new instances: the machine's name, the time and chance, so that younger ones come later.
 */
final class Ids {
  private static final String DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";
  private static final int TIME = 9;
  private static final int CHANCE = 7;

  private final RandomGenerator random;

  Ids(RandomGenerator random) {
    this.random = random;
  }

  String fresh(String machine, long now) {
    StringBuilder id = new StringBuilder(machine).append('-');
    for (int i = TIME - 1; i >= 0; i--) {
      id.append(DIGITS.charAt((int) (now >>> (5 * i)) & 31));
    }
    for (int i = 0; i < CHANCE; i++) {
      id.append(DIGITS.charAt(random.nextInt(32)));
    }
    return id.toString();
  }

  /** The same id for the same key. */
  static String ofKey(String machine, String key) {
    byte[] hash =
        new Hashing()
            .chain(machine.getBytes(StandardCharsets.UTF_8), key.getBytes(StandardCharsets.UTF_8));
    return machine + "-" + HexFormat.of().formatHex(hash, 0, 10);
  }
}
