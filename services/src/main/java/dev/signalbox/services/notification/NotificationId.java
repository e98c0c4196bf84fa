package dev.signalbox.services.notification;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Ids of notifications, from the hash of their entry, so that they are the same everywhere. */
final class NotificationId {
  private NotificationId() {}

  static String of(byte[] entry, String rule, int index) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(entry);
      digest.update((rule + "/" + index).getBytes(StandardCharsets.UTF_8));
      return "ntf_" + HexFormat.of().formatHex(digest.digest(), 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256.", e);
    }
  }
}
