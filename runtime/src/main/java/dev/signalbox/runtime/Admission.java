package dev.signalbox.runtime;

import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.Environment;
import dev.signalbox.kernel.EventRule;
import dev.signalbox.kernel.Kernel;
import dev.signalbox.kernel.Rejection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Who may send what: everything that can be said of a command before the kernel is asked. */
final class Admission {
  private Admission() {}

  /**
   * Why the event may not be sent to the instance, or null. Who may send what the machine's
   * environment says; to one that has ended the kernel says why not.
   *
   * @param data in its journal form
   */
  static @Nullable Rejection refusal(
      Working recipient, String event, @Nullable Object data, Environment.Sender sender) {
    Chart chart = recipient.machine.chart;
    EventRule rule = chart.environment().rule(event);
    if (rule.standing() != EventRule.Standing.UNKNOWN) {
      return rule.refusal(data, sender);
    }
    return recipient.snapshot.done() ? null : Kernel.notAwaited(chart, recipient.snapshot, event);
  }

  /** Why the data is too large, or null; it also finds what has no JSON form. */
  static @Nullable Rejection size(@Nullable Object data, int most) {
    if (data == null) {
      return null;
    }
    try {
      int length = bytes(CanonicalJson.text(data));
      return length <= most
          ? null
          : rejection(
              Rejection.Code.TOO_LARGE,
              "Expected at most %,d bytes of data, but found %,d; send a reference instead."
                  .formatted(most, length));
    } catch (IllegalArgumentException e) {
      return rejection(
          Rejection.Code.BAD_DATA,
          "Expected JSON data. %s".formatted(String.valueOf(e.getMessage())));
    }
  }

  /** What is refused before anyone knows how large it is. */
  static Rejection tooLarge(int most) {
    return rejection(
        Rejection.Code.TOO_LARGE,
        "Expected at most %,d bytes of data, but found more; send a reference instead."
            .formatted(most));
  }

  /** How many bytes the text has in UTF-8. */
  private static int bytes(String text) {
    int more = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      // Each half of a character beyond the basic ones is two of its four bytes.
      more += c < 0x80 ? 0 : c < 0x800 || Character.isSurrogate(c) ? 1 : 2;
    }
    return text.length() + more;
  }

  static Rejection unknownInstance(String id) {
    return rejection(
        Rejection.Code.UNKNOWN_INSTANCE,
        "Expected an instance, but there is no '%s'.".formatted(id));
  }

  static Rejection rejection(Rejection.Code code, String message) {
    return new Rejection(code, message, List.of());
  }
}
