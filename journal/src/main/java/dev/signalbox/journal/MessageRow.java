package dev.signalbox.journal;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Something on its way to an instance.
 *
 * @param from the id of the instance that sent it
 * @param to the id of the instance that gets it
 * @param body canonical JSON
 */
public record MessageRow(long number, String from, String to, byte[] body) {
  private static final byte[] END = "{\"cancel\":true}".getBytes(StandardCharsets.UTF_8);

  /** The body of a message that ends its recipient, whether that stands still or not. */
  public static byte[] end() {
    return END.clone();
  }

  /** Whether it waits while its recipient stands still. */
  public boolean isPatient() {
    return !Arrays.equals(body, END);
  }
}
