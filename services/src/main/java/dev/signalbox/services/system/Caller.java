package dev.signalbox.services.system;

import dev.signalbox.kernel.Actor;
import dev.signalbox.services.person.Decider;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who calls the API, as the credential says; nothing in a request's body changes it.
 *
 * @param roles those of {@link Role} and any that machines ask for
 * @param machines the only machines it may see and use; empty means all
 * @param instance the only instance it may see and use; null means all
 * @param credential what it came with, for the audit log: a token's or a session's id, never the
 *     secret
 * @param decider as whom the caller decides, where it is known that a person is there; null for a
 *     token, which decides nothing
 */
public record Caller(
    Actor.Kind kind,
    String name,
    List<String> roles,
    Set<String> machines,
    @Nullable String instance,
    String credential,
    @Nullable Decider decider) {

  public Caller {
    roles = List.copyOf(roles);
    machines = Set.copyOf(machines);
  }

  /** A caller that decides nothing. */
  public Caller(
      Actor.Kind kind,
      String name,
      List<String> roles,
      Set<String> machines,
      @Nullable String instance,
      String credential) {
    this(kind, name, roles, machines, instance, credential, null);
  }

  /** A caller that is for every instance. */
  public Caller(
      Actor.Kind kind, String name, List<String> roles, Set<String> machines, String credential) {
    this(kind, name, roles, machines, null, credential);
  }

  /** Whether it may see and use some machines or one instance only. */
  public boolean isRestricted() {
    return instance != null || !machines.isEmpty();
  }

  /** The caller as the journal names it. */
  public Actor actor() {
    return new Actor(kind, name, roles);
  }

  public boolean has(Role role) {
    return roles.contains(role.word());
  }

  /** Whether one of the roles is the caller's. An agent has no other role of the API. */
  public boolean hasAny(Set<Role> allowed) {
    return has(Role.AGENT) ? allowed.contains(Role.AGENT) : allowed.stream().anyMatch(this::has);
  }

  public boolean mayUse(String machine) {
    return machines.isEmpty() || machines.contains(machine);
  }
}
