package dev.signalbox.services;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256, in hexadecimal. */
public final class Sha256 {
  /** What a chain begins with. */
  public static final String ZEROS = "0".repeat(64);

  private static final int PIECE = 64 * 1024;

  private Sha256() {}

  public static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(digest().digest(bytes));
  }

  /** Of the text's UTF-8. */
  public static String hex(String text) {
    return hex(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Of everything the stream gives; it is not closed. */
  public static String hex(InputStream stream) throws IOException {
    MessageDigest digest = digest();
    byte[] piece = new byte[PIECE];
    for (int n = stream.read(piece); n >= 0; n = stream.read(piece)) {
      digest.update(piece, 0, n);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Whether the text is written as one. */
  public static boolean isHash(String text) {
    return text.length() == 64
        && text.chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
  }

  public static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256.", e);
    }
  }
}
