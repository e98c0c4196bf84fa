package dev.signalbox.runtime;

import dev.signalbox.journal.DurableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.random.RandomGenerator;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The operator's key, under which a store keeps the keys of its instances. Whoever has the store
 * without it has nothing of what is sealed. It is not needed to erase: an instance's own key is
 * destroyed then.
 */
public final class WrappingKey {
  private static final int LENGTH = 32;
  private static final int NONCE = 12;
  private static final int TAG_BITS = 128;

  private final SecretKeySpec key;

  private WrappingKey(byte[] key) {
    this.key = new SecretKeySpec(key, "AES");
  }

  /** A new key that lives as long as its object. */
  public static WrappingKey fresh() {
    byte[] key = new byte[LENGTH];
    new SecureRandom().nextBytes(key);
    return new WrappingKey(key);
  }

  /** The key in the file, which is made, readable by its owner only, when there is none. */
  public static WrappingKey at(Path file) throws IOException {
    if (Files.notExists(file)) {
      byte[] key = new byte[LENGTH];
      new SecureRandom().nextBytes(key);
      String text = Base64.getEncoder().encodeToString(key) + "\n";
      if (DurableFile.createForOwner(file, text.getBytes(StandardCharsets.US_ASCII))) {
        return new WrappingKey(key);
      }
    }
    try {
      byte[] key =
          Base64.getDecoder().decode(Files.readString(file, StandardCharsets.US_ASCII).strip());
      if (key.length == LENGTH) {
        return new WrappingKey(key);
      }
    } catch (IllegalArgumentException e) {
      throw bad(file, e);
    }
    throw bad(file, null);
  }

  private static IOException bad(Path file, @Nullable Exception cause) {
    return new IOException(
        "Expected '%s' to hold a wrapping key (32 bytes in base64), but it does not."
            .formatted(file),
        cause);
  }

  /** An instance's key under this one: a nonce and the sealed bytes. */
  byte[] wrap(long instance, byte[] secret, RandomGenerator random) {
    byte[] nonce = new byte[NONCE];
    random.nextBytes(nonce);
    try {
      byte[] sealed = cipher(Cipher.ENCRYPT_MODE, nonce, instance).doFinal(secret);
      return ByteBuffer.allocate(NONCE + sealed.length).put(nonce).put(sealed).array();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Expected to wrap a key with AES.", e);
    }
  }

  /** The instance's key, or null when another key wrapped it or it was changed. */
  byte @Nullable [] unwrap(long instance, byte[] wrapped) {
    if (wrapped.length <= NONCE) {
      return null;
    }
    byte[] nonce = java.util.Arrays.copyOf(wrapped, NONCE);
    try {
      return cipher(Cipher.DECRYPT_MODE, nonce, instance)
          .doFinal(wrapped, NONCE, wrapped.length - NONCE);
    } catch (GeneralSecurityException e) {
      return null;
    }
  }

  private Cipher cipher(int mode, byte[] nonce, long instance) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
    cipher.updateAAD(ByteBuffer.allocate(Long.BYTES).putLong(instance).flip());
    return cipher;
  }
}
