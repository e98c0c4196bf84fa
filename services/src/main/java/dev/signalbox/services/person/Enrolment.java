package dev.signalbox.services.person;

import java.util.List;
import java.util.Set;

/**
 * Somebody to be enrolled.
 *
 * @param accounts other names under which the person acts
 * @param ownAllowed whether the person may approve what they started, as long as there is nobody
 *     else
 * @param by who enrols, as a name for the record
 */
public record Enrolment(
    String name, List<String> roles, Set<String> accounts, boolean ownAllowed, String by) {

  /** What the first person of a store may do: everything that people may. */
  public static final List<String> FIRST = List.of("admin", "operator", "approver", "viewer");

  /** What others may do when nothing else is said. */
  public static final List<String> OTHERS = List.of("approver", "viewer");

  public Enrolment {
    roles = List.copyOf(roles);
    accounts = Set.copyOf(accounts);
  }
}
