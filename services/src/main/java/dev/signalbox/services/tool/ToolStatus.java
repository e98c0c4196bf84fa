package dev.signalbox.services.tool;

import java.util.Locale;

/** How a call ended. */
public enum ToolStatus {
  /** Done, with evidence. */
  PASS,
  /** Not done. */
  FAIL,
  /** A person is to be asked before it is done. */
  NEEDS_APPROVAL,
  /** It stopped itself because going on would be unsafe. */
  HALTED;

  /** As JSON and machines write it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The status of that word.
   *
   * @throws IllegalArgumentException when it is no such word
   */
  public static ToolStatus of(String word) {
    for (ToolStatus status : values()) {
      if (status.word().equals(word)) {
        return status;
      }
    }
    throw new IllegalArgumentException(
        "Expected a status of pass, fail, needs_approval or halted, but found something else.");
  }
}
