package dev.signalbox.services.system;

import java.util.Locale;

/**
 * What the holder of a token may do with the API. Machines may ask for other roles than these for
 * their events; those mean nothing to the routes.
 */
public enum Role {
  /** Looks. */
  VIEWER,
  /** Starts, sends, pauses, cancels. */
  OPERATOR,
  /** Decides on approvals. */
  APPROVER,
  /**
   * A program under governance: it starts, sends and looks, and never approves, publishes,
   * migrates, erases or makes tokens, whatever else its token says.
   */
  AGENT,
  /** Publishes, migrates, erases, makes tokens. */
  ADMIN;

  /** The role as tokens and machines write it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
