package dev.signalbox.kernel;

import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Type;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the outside may do with events of one name: part of a machine's {@link Environment}.
 *
 * @param standing whether it may be sent at all
 * @param types what was declared of the name and of those above it, outermost first; all of it
 *     holds
 */
public record EventRule(String event, Standing standing, List<EventType> types) {

  /** Roles that stand for parts of the program, which nobody has by being given them. */
  private static final Set<String> OF_THE_PROGRAM = Set.of("system", "timer");

  public EventRule {
    types = List.copyOf(types);
  }

  /** Whether an event may be sent. */
  public enum Standing {
    /** By those who have the roles, with data of the declared form. */
    OPEN,
    /** By the engine alone. */
    RESERVED,
    /** By nobody: the author wrote no such name. Only strict machines have such events. */
    UNKNOWN
  }

  public boolean isOpen() {
    return standing == Standing.OPEN;
  }

  /** What says most about the event, or null where nothing was declared. */
  public @Nullable EventType nearest() {
    return types.isEmpty() ? null : types.getLast();
  }

  /** Of each of these lists the sender needs one role; empty means anyone who may send at all. */
  public List<List<String>> roles() {
    return types.stream().map(EventType::roles).filter(roles -> !roles.isEmpty()).toList();
  }

  /** Whether a user or an agent may send it, given the right roles. */
  public boolean isForCallers() {
    return isOpen()
        && roles().stream()
            .allMatch(roles ->
                roles.stream().anyMatch(r -> !isMachine(r) && !OF_THE_PROGRAM.contains(r)));
  }

  /** Whether another instance may send it, given the right machine. */
  public boolean isForInstances() {
    return isOpen()
        && roles().stream().allMatch(roles -> roles.stream().anyMatch(EventRule::isMachine));
  }

  /** Whether the sender may send the event, whatever its data. */
  public boolean permits(Environment.Sender sender) {
    return isOpen() && lacking(sender) == null;
  }

  /**
   * Why the event may not be sent, or null.
   *
   * @param data in its journal form
   */
  public @Nullable Rejection refusal(@Nullable Object data, Environment.Sender sender) {
    if (standing == Standing.OPEN && types.isEmpty()) {
      return null;
    }
    return switch (standing) {
      case RESERVED ->
          rejection(
              Rejection.Code.RESERVED_EVENT,
              "Expected an event that may be sent, but only the engine sends '%s'."
                  .formatted(event));
      case UNKNOWN ->
          rejection(
              Rejection.Code.NO_TRANSITION,
              "Expected an event that the machine names, but it names no '%s'.".formatted(event));
      case OPEN -> {
        EventType lacking = lacking(sender);
        yield lacking != null ? roleRequired(lacking, sender) : mismatch(data, sender);
      }
    };
  }

  /** What was declared whose roles the sender does not have, or null. */
  private @Nullable EventType lacking(Environment.Sender sender) {
    for (EventType type : types) {
      if (!type.roles().isEmpty() && !hasRole(sender, type.roles())) {
        return type;
      }
    }
    return null;
  }

  /** The kind of an actor is a role that it has; the role of a machine nobody outside has. */
  private static boolean hasRole(Environment.Sender sender, List<String> roles) {
    return switch (sender) {
      case Environment.Sender.Caller(Actor actor) ->
          roles.contains(word(actor)) || actor.roles().stream().anyMatch(r -> isGiven(r, roles));
      case Environment.Sender.Instance(String machine, boolean child) ->
          machine != null && (child || roles.contains(Environment.MACHINE_ROLE + machine));
    };
  }

  /** Being a person is a kind too, which no agent has by being given the word. */
  private static boolean isGiven(String role, List<String> roles) {
    return !isMachine(role)
        && !OF_THE_PROGRAM.contains(role)
        && !role.equals("user")
        && roles.contains(role);
  }

  private static boolean isMachine(String role) {
    return role.startsWith(Environment.MACHINE_ROLE);
  }

  private Rejection roleRequired(EventType lacking, Environment.Sender sender) {
    String found =
        switch (sender) {
          case Environment.Sender.Caller(Actor actor) ->
              "%s '%s' has %s."
                  .formatted(
                      word(actor),
                      actor.name(),
                      actor.roles().isEmpty() ? "none" : String.join(", ", actor.roles()));
          case Environment.Sender.Instance(String machine, boolean _) ->
              machine == null
                  ? "an instance that is not there any more sent it."
                  : "an instance of machine '%s' sent it. Name '%s' among its roles if it may."
                      .formatted(machine, Environment.MACHINE_ROLE + machine);
        };
    return rejection(
        Rejection.Code.ROLE_REQUIRED,
        "Expected '%s' from someone with the role %s, but %s"
            .formatted(event, String.join(" or ", lacking.roles()), found));
  }

  private @Nullable Rejection mismatch(@Nullable Object data, Environment.Sender sender) {
    for (EventType type : types) {
      Type declared = type.data();
      String fault =
          declared == null
              ? null
              : Conformance.fault(declared, asDeclared(data, declared, sender), "event");
      if (fault != null) {
        return rejection(
            Rejection.Code.DATA_MISMATCH,
            "Expected the data of '%s' to have its declared form, but %s.".formatted(event, fault));
      }
    }
    return null;
  }

  /**
   * The part of the data that is held to the declared form. What a caller sends has no other
   * fields; an instance sends all of its recipients the same, which may be more than one of them
   * asks for.
   */
  private static @Nullable Object asDeclared(
      @Nullable Object data, Type declared, Environment.Sender sender) {
    if (sender instanceof Environment.Sender.Caller
        || declared.fields().isEmpty()
        || !(data instanceof Map<?, ?> map)) {
      return data;
    }
    Map<Object, @Nullable Object> part = new HashMap<>(map);
    part.keySet().retainAll(declared.fields().keySet());
    return part;
  }

  private static String word(Actor actor) {
    return actor.kind().name().toLowerCase(Locale.ROOT);
  }

  private static Rejection rejection(Rejection.Code code, String message) {
    return new Rejection(code, message, List.of());
  }
}
