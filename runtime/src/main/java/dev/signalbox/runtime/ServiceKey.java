package dev.signalbox.runtime;

import dev.signalbox.kernel.Rejection;
import org.jspecify.annotations.Nullable;

/**
 * An idempotency key that a service chooses by itself, for something that it would do twice
 * otherwise. It begins with what no key from outside may begin with, so that nobody can take it
 * before the service does. What it names is the same work for ever: a later version of the service
 * may put the command in other words and still gets the answer of the first time.
 */
public final class ServiceKey {
  public static final String PREFIX = "signalbox/";

  private ServiceKey() {}

  /** The key under which a service does the work; see {@link Host#submitForService}. */
  public static String of(String work) {
    return PREFIX + work;
  }

  /** The command with its key, if it has one, as a service's own. */
  public static Command.Send on(Command.Send send) {
    String key = send.key();
    return key == null ? send : send.key(of(key));
  }

  /** Whether only a service may give a command under the key. */
  static boolean isOne(@Nullable String key) {
    return key != null && key.startsWith(PREFIX);
  }

  /** The key as services chose it before they had a prefix. */
  static String without(String key) {
    return isOne(key) ? key.substring(PREFIX.length()) : key;
  }

  /** Why nobody outside may give a command under the key, or null. */
  static @Nullable Rejection refusal(@Nullable String key) {
    return isOne(key)
        ? Admission.rejection(
            Rejection.Code.RESERVED_KEY,
            "Expected an idempotency key of the caller's own, but what begins with '%s' is for the services. Choose another key."
                .formatted(PREFIX))
        : null;
  }
}
