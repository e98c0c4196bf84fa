package dev.signalbox.runtime;

import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.kernel.Conformance;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Type;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Who may send what: everything that can be said of a command before the kernel is asked. */
final class Admission {
  /** What the role of a machine begins with; its name follows. */
  private static final String MACHINE = "machine:";

  private Admission() {}

  /**
   * Why the actor may not send the event, or null.
   *
   * @param data in its journal form
   */
  static @Nullable Rejection refusal(
      PublishedChart machine, String event, @Nullable Object data, Actor actor) {
    if (machine.isReserved(event)) {
      return reserved(event);
    }
    EventType type = machine.event(event);
    if (type == null) {
      return null;
    }
    if (!type.roles().isEmpty() && !hasRole(actor, type.roles())) {
      return rejection(
          Rejection.Code.ROLE_REQUIRED,
          "Expected '%s' from someone with the role %s, but %s '%s' has %s."
              .formatted(
                  event,
                  String.join(" or ", type.roles()),
                  word(actor),
                  actor.name(),
                  actor.roles().isEmpty() ? "none" : String.join(", ", actor.roles())));
    }
    Type declared = type.data();
    String fault = declared == null ? null : Conformance.fault(declared, data, "event");
    return fault == null
        ? null
        : rejection(
            Rejection.Code.DATA_MISMATCH,
            "Expected the data of '%s' to have its declared form, but %s.".formatted(event, fault));
  }

  /**
   * Why an instance may not send the event to another, or null. Whoever started it may have chosen
   * whom it tells what, so it has no role but that of its own machine; a child may tell the parent
   * that invoked it everything.
   *
   * @param sender null when it is not there any more
   */
  static @Nullable Rejection refusal(Working recipient, String event, @Nullable Working sender) {
    PublishedChart machine = recipient.machine;
    if (machine.isReserved(event)) {
      return reserved(event);
    }
    EventType type = machine.event(event);
    if (type == null || type.roles().isEmpty()) {
      return null;
    }
    String id = recipient.row.id();
    String name = sender == null ? null : sender.machine.published.name();
    boolean permitted =
        sender != null && (id.equals(sender.row.parent()) || type.roles().contains(MACHINE + name));
    return permitted
        ? null
        : rejection(
            Rejection.Code.ROLE_REQUIRED,
            "Expected '%s' for '%s' from someone with the role %s, but %s sent it. Name '%s' among its roles if it may."
                .formatted(
                    event,
                    id,
                    String.join(" or ", type.roles()),
                    sender == null
                        ? "an instance that is not there any more"
                        : "the instance '%s' of machine '%s'".formatted(sender.row.id(), name),
                    MACHINE + (name == null ? "NAME" : name)));
  }

  private static Rejection reserved(String event) {
    return rejection(
        Rejection.Code.RESERVED_EVENT,
        "Expected an event that may be sent, but only the engine sends '%s'.".formatted(event));
  }

  /** The kind of an actor is a role that it has; the role of a machine nobody outside has. */
  private static boolean hasRole(Actor actor, List<String> roles) {
    return roles.contains(word(actor))
        || actor.roles().stream().anyMatch(r -> !r.startsWith(MACHINE) && roles.contains(r));
  }

  private static String word(Actor actor) {
    return actor.kind().name().toLowerCase(Locale.ROOT);
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
