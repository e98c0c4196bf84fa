package dev.signalbox.runtime;

import dev.signalbox.kernel.CanonicalJson;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The seal of one instance: AES-256-GCM under a key of its own. docs/decisions/0008 says what is
 * sealed and why.
 *
 * <p>The nonce is not random: it is the first 96 bits of an HMAC-SHA-256 over what is sealed and
 * what it is bound to. The same text in the same place seals to the same bytes, so a replay can be
 * compared byte for byte; and a step that is lost and worked out anew with other content has
 * another nonce, where a counter would use one twice.
 *
 * <p>Any thread may use it.
 */
final class Seal {
  /** The bytes of an instance's key. */
  static final int KEY = 32;

  private static final int NONCE = 12;
  private static final int TAG_BITS = 128;

  /** The first byte of what is sealed; no text in UTF-8 has it. */
  private static final byte SEALED = (byte) 0xFE;

  /** The first byte of the snapshot of an instance that was erased. */
  private static final byte ERASED = (byte) 0xFF;

  private final long number;
  private final SecretKeySpec sealing;
  private final SecretKeySpec naming;

  /**
   * @param number the instance's, by which its key is found
   */
  Seal(long number, byte[] key) {
    this.number = number;
    this.sealing = new SecretKeySpec(derived(key, "signalbox seal"), "AES");
    this.naming = new SecretKeySpec(derived(key, "signalbox nonce"), "HmacSHA256");
  }

  private static byte[] derived(byte[] key, String purpose) {
    return mac(new SecretKeySpec(key, "HmacSHA256"), purpose.getBytes(StandardCharsets.UTF_8));
  }

  /** An entry's body: its clear part, and the whole of it sealed. */
  byte[] entry(byte[] body) {
    Map<String, @Nullable Object> clear = ClearPart.of(body);
    byte[] sealed = seal(CanonicalJson.bytes(clear), body);
    Base64.Encoder base64 = Base64.getEncoder();
    Map<String, @Nullable Object> whole = new TreeMap<>(clear);
    whole.put(
        "sealed",
        Map.of(
            "key", number,
            "nonce", base64.encodeToString(Arrays.copyOf(sealed, NONCE)),
            "text", base64.encodeToString(Arrays.copyOfRange(sealed, NONCE, sealed.length))));
    return CanonicalJson.bytes(whole);
  }

  /** The number of the key that an entry is sealed with; 0 when it is not sealed. */
  static long keyOf(Map<?, ?> body) {
    return body.get("sealed") instanceof Map<?, ?> sealed && sealed.get("key") instanceof Long key
        ? key
        : 0;
  }

  /**
   * The whole body of an entry, whether it is sealed or not.
   *
   * @throws IllegalArgumentException when it was changed, or sealed with another key
   */
  byte[] opened(byte[] body) {
    Map<?, ?> read = ClearPart.read(body);
    return keyOf(read) == 0 ? body : opened(read);
  }

  /** The whole body of a sealed entry. */
  byte[] opened(Map<?, ?> body) {
    Map<Object, @Nullable Object> clear = new TreeMap<>(body);
    if (!(clear.remove("sealed") instanceof Map<?, ?> sealed)
        || !(sealed.get("nonce") instanceof String nonce)
        || !(sealed.get("text") instanceof String text)) {
      throw new IllegalArgumentException("it is not sealed as entries are");
    }
    byte[] first = Base64.getDecoder().decode(nonce);
    byte[] rest = Base64.getDecoder().decode(text);
    byte[] all = ByteBuffer.allocate(first.length + rest.length).put(first).put(rest).array();
    return open(CanonicalJson.bytes(clear), all, 0);
  }

  /**
   * Something that is not an entry.
   *
   * @param place what it is bound to; elsewhere it does not open
   */
  byte[] bytes(String place, byte[] plain) {
    byte[] sealed = seal(place.getBytes(StandardCharsets.UTF_8), plain);
    return ByteBuffer.allocate(1 + sealed.length).put(SEALED).put(sealed).array();
  }

  /**
   * What {@link #bytes} sealed.
   *
   * @throws IllegalArgumentException when it was changed, sealed with another key or for elsewhere
   */
  byte[] plain(String place, byte[] sealed) {
    return open(place.getBytes(StandardCharsets.UTF_8), sealed, 1);
  }

  static boolean isSealed(byte[] bytes) {
    return bytes.length > 0 && bytes[0] == SEALED;
  }

  /** Whether it is the snapshot of an instance that was erased. */
  static boolean isErased(byte[] snapshot) {
    return snapshot.length > 0 && snapshot[0] == ERASED;
  }

  /** What is left of a snapshot, marked as such. */
  static byte[] erased(byte[] rest) {
    return ByteBuffer.allocate(1 + rest.length).put(ERASED).put(rest).array();
  }

  /** A nonce and the sealed text. */
  private byte[] seal(byte[] clear, byte[] plain) {
    byte[] length = ByteBuffer.allocate(Long.BYTES).putLong(clear.length).array();
    byte[] nonce = Arrays.copyOf(mac(naming, length, clear, plain), NONCE);
    try {
      byte[] text = cipher(Cipher.ENCRYPT_MODE, nonce, clear).doFinal(plain);
      return ByteBuffer.allocate(NONCE + text.length).put(nonce).put(text).array();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Expected to seal with AES.", e);
    }
  }

  private byte[] open(byte[] clear, byte[] sealed, int from) {
    try {
      byte[] nonce = Arrays.copyOfRange(sealed, from, from + NONCE);
      return cipher(Cipher.DECRYPT_MODE, nonce, clear)
          .doFinal(sealed, from + NONCE, sealed.length - from - NONCE);
    } catch (GeneralSecurityException | IndexOutOfBoundsException e) {
      throw new IllegalArgumentException("it can't be opened with its key, so it was changed", e);
    }
  }

  private Cipher cipher(int mode, byte[] nonce, byte[] clear) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, sealing, new GCMParameterSpec(TAG_BITS, nonce));
    cipher.updateAAD(clear);
    return cipher;
  }

  private static byte[] mac(SecretKeySpec key, byte[]... parts) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      for (byte[] part : parts) {
        mac.update(part);
      }
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every Java has HmacSHA256.", e);
    }
  }
}
