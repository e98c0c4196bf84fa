package dev.signalbox.services.person;

import dev.signalbox.kernel.Actor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Somebody who decides, and how it is known who it is.
 *
 * @param actor with the roles that they have
 * @param accounts other names under which they act, such as that of the folder's token
 * @param own whether they may decide on what they themselves asked for
 */
public record Decider(
    Actor actor, Authentication authentication, Set<String> accounts, boolean own) {

  private static final String SELF = "self:allowed";
  private static final String NOT_SELF = "self:refused";

  public Decider {
    accounts = Set.copyOf(accounts);
  }

  /** Somebody with one name, who decides on what others ask for. */
  public static Decider of(Actor actor, Authentication authentication) {
    return new Decider(actor, authentication, Set.of(), false);
  }

  /** Somebody for whom the program that Signalbox is a part of vouches. */
  public static Decider vouchedFor(Actor actor) {
    return of(actor, new Authentication.Program());
  }

  /** Whether one of the names is theirs, however it is written. */
  public boolean isOneOf(Collection<String> names) {
    Set<String> mine = accounts.stream().map(PersonName::normal).collect(Collectors.toSet());
    mine.add(PersonName.normal(actor.name()));
    return names.stream().map(PersonName::normal).anyMatch(mine::contains);
  }

  /**
   * The actor of a decision: its roles say how it is known who it is, and whether they decide on
   * something of their own.
   *
   * @param askers who asked
   */
  public Actor deciding(Collection<String> askers) {
    List<String> roles = new ArrayList<>(actor.roles());
    roles.removeIf(role -> role.indexOf(':') >= 0);
    roles.add(authentication.role());
    if (isOneOf(askers)) {
      roles.add(own ? SELF : NOT_SELF);
    }
    return new Actor(actor.kind(), actor.name(), roles);
  }
}
