package dev.signalbox.runtime;

import dev.signalbox.journal.InstanceRow;

/** The row of an instance is none that its machine can go on from: a fault of ours or worse. */
final class UnreadableRowException extends IllegalStateException {
  private final transient InstanceRow row;

  UnreadableRowException(InstanceRow row, Throwable cause) {
    super(
        "Expected to go on with '%s', but its row can't be read: %s. Let a sweep put it right."
            .formatted(row.id(), reason(cause)),
        cause);
    this.row = row;
  }

  private static String reason(Throwable cause) {
    boolean expected =
        cause instanceof IllegalArgumentException || cause instanceof IllegalStateException;
    String message = expected ? String.valueOf(cause.getMessage()) : cause.toString();
    return message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
  }

  InstanceRow row() {
    return row;
  }
}
