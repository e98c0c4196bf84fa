package dev.signalbox.services.person;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a passphrase: PBKDF2 with HMAC-SHA-512 over a salt of its own, slow enough that
 * guessing takes long and fast enough that a person does not wait.
 *
 * @param scheme names how the hash is made, so that later ones may be made otherwise
 */
public record Passphrase(String scheme, int rounds, String salt, String hash) {
  private static final String SCHEME = "pbkdf2-hmac-sha512";
  private static final int ROUNDS = 210_000;
  private static final int MOST_ROUNDS = 10_000_000;
  private static final int BITS = 256;
  private static final int SHORTEST = 8;
  private static final int LONGEST = 256;
  private static final SecureRandom RANDOM = new SecureRandom();

  /** What is wrong with the passphrase, in words; null when it is fit. */
  public static @Nullable String objection(char[] text) {
    int length = Character.codePointCount(text, 0, text.length);
    if (length < SHORTEST || length > LONGEST) {
      return "Expected a passphrase of %d to %d characters, but it has %d."
          .formatted(SHORTEST, LONGEST, length);
    }
    return new String(text).chars().distinct().count() < 3
        ? "Expected a passphrase that is hard to guess, but it is one or two characters again and"
            + " again."
        : null;
  }

  /** What is kept of the passphrase. */
  public static Passphrase of(char[] text) {
    byte[] salt = new byte[16];
    RANDOM.nextBytes(salt);
    String hex = HexFormat.of().formatHex(salt);
    return new Passphrase(SCHEME, ROUNDS, hex, hash(text, hex, ROUNDS));
  }

  /** Whether it is this one. It takes as long whether it is or not. */
  public boolean isOf(char[] text) {
    if (!scheme.equals(SCHEME) || rounds < 1 || rounds > MOST_ROUNDS || text.length > LONGEST * 2) {
      return false;
    }
    return MessageDigest.isEqual(
        HexFormat.of().parseHex(hash), HexFormat.of().parseHex(hash(text, salt, rounds)));
  }

  private static String hash(char[] text, String salt, int rounds) {
    char[] composed = Normalizer.normalize(new String(text), Normalizer.Form.NFC).toCharArray();
    PBEKeySpec spec = new PBEKeySpec(composed, HexFormat.of().parseHex(salt), rounds, BITS);
    try {
      return HexFormat.of()
          .formatHex(
              SecretKeyFactory.getInstance("PBKDF2WithHmacSHA512")
                  .generateSecret(spec)
                  .getEncoded());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Expected PBKDF2 in the JDK, but it is not there.", e);
    } finally {
      spec.clearPassword();
      Arrays.fill(composed, '\0');
    }
  }

  Map<String, Object> asMap() {
    return Map.of("scheme", scheme, "rounds", (long) rounds, "salt", salt, "hash", hash);
  }

  /** Never shows what it holds. */
  @Override
  public String toString() {
    return scheme;
  }
}
