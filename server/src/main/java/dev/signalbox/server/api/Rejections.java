package dev.signalbox.server.api;

import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Instance;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.ProblemException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The engine's rejections as the API tells them. */
public final class Rejections {
  private Rejections() {}

  /**
   * The problem that tells of the rejection.
   *
   * @param more what is permitted instead, or null where no instance is known
   */
  public static ProblemException problem(
      Rejection rejection, @Nullable Map<String, ? extends @Nullable Object> more) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    if (!rejection.guards().isEmpty()) {
      members.put("guards", rejection.guards().stream().map(Views::guard).toList());
    }
    if (more != null) {
      members.putAll(more);
    }
    return new ProblemException(
        status(rejection.code()),
        rejection.code().word(),
        rejection.message(),
        hint(rejection.code()),
        members);
  }

  /** What is permitted instead: the instance's states, and the events the caller may send. */
  static Map<String, Object> instead(Instance instance, List<?> permitted) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("states", instance.leaves());
    members.put("sequence", instance.sequence());
    members.put("permitted", permitted);
    return members;
  }

  /** Of an instance that the caller may not see. */
  static ProblemException forbidden(Caller caller, Instance instance) {
    return caller.mayUse(instance.machine()) && caller.instance() != null
        ? ProblemException.forbidden(
            "Expected to use '%s', but the token of '%s' is for another instance."
                .formatted(instance.id(), caller.name()),
            "Use a token for that instance.")
        : machineForbidden(caller, instance.machine());
  }

  static ProblemException machineForbidden(Caller caller, String machine) {
    return ProblemException.forbidden(
        "Expected to use machine '%s', but the token of '%s' is for others."
            .formatted(machine, caller.name()),
        "Use a token for that machine.");
  }

  static int status(Rejection.Code code) {
    return switch (code) {
      case BUSY -> 429;
      case TOO_LARGE -> 413;
      case BAD_DATA -> 400;
      case UNKNOWN_MACHINE, UNKNOWN_INSTANCE, UNKNOWN_ENTRY -> 404;
      case STALE_SEQUENCE -> 412;
      case RESERVED_EVENT, RESERVED_KEY, RESERVED_MACHINE, ROLE_REQUIRED -> 403;
      case DATA_MISMATCH, EXPRESSION_FAILED, KEY_TAKEN -> 422;
      // Whatever else is refused, is refused because of where the instance stands.
      default -> 409;
    };
  }

  /** What to do; docs/rejections.md says the same. */
  static String hint(Rejection.Code code) {
    return switch (code) {
      case BUSY -> "wait a moment and send again, with the same idempotency key";
      case TOO_LARGE -> "send a reference instead, or raise the limit";
      case BAD_DATA -> "send JSON values; choose another id";
      case RESERVED_KEY -> "choose another key";
      case UNKNOWN_MACHINE -> "publish it; the message names those that are there";
      case RESERVED_MACHINE -> "use another name, or the route or command that is for it";
      case MACHINE_PAUSED -> "resume the machine";
      case UNKNOWN_INSTANCE -> "look at the id; archived instances are gone from the store";
      case UNKNOWN_ENTRY -> "look at its history; the numbers begin with 1";
      case INSTANCE_EXISTS -> "choose another id, or send to the one that is there";
      case KEY_TAKEN -> "give every command a key of its own; send the same again to repeat it";
      case STALE_SEQUENCE -> "read it again and decide anew";
      case INSTANCE_PAUSED -> "resume it";
      case INSTANCE_HALTED ->
          "the refusals or the message say why; resume or cancel it, or let a sweep put its row"
              + " right";
      case NOT_PAUSED -> "nothing; it runs";
      case NOT_ENDED -> "let it end, or cancel it";
      case NOT_SEALED -> "nothing; archive it if it is to leave the store";
      case STILL_PENDING -> "wait until they are";
      case INSTANCE_ERASED -> "nothing; what is in the clear is in its history";
      case RESERVED_EVENT -> "send an event of your own";
      case ROLE_REQUIRED -> "let someone with the role send it";
      case DATA_MISMATCH -> "the message names the first field that does not fit";
      case LATE_RESULT -> "nothing; the result is recorded and not applied";
      case STRANDED -> "map its states, or let it end as it is";
      case INSTANCE_FINAL -> "start a new instance";
      case TIMER_NOT_PENDING -> "nothing; it is late news";
      case NO_TRANSITION -> "send one of the awaited events that the message names";
      case GUARD_REFUSED ->
          "the message says which guard and which values; change the data or wait";
      case EXPRESSION_FAILED -> "send data of the declared form";
      case LIMIT_REACHED ->
          "look for a loop; raise `limits` if it is meant; keep large things outside and a"
              + " reference in the context";
      case INVARIANT_BROKEN ->
          "the invariant is named; the machine lets this path exist, so let `check` refute it and"
              + " mend the machine";
    };
  }
}
