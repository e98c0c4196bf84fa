package dev.signalbox.server;

import dev.signalbox.server.access.Access;
import dev.signalbox.server.access.ClientAddresses;
import dev.signalbox.server.access.RateLimit;
import dev.signalbox.server.access.Sessions;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.ProblemException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.time.InstantSource;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds out who asks. A credential that is good is never refused because of bad ones that came from
 * the same address: it is looked at first, and only then is the address asked how often it was
 * wrong. What an address that was wrong too often brings is looked up a few at a time, so that
 * guessing costs the store next to nothing; a token that was good a while ago does not wait with
 * them.
 */
final class Authenticator {
  static final String CSRF = "X-CSRF-Token";

  /** How many credentials of addresses that were wrong too often are looked up at once. */
  private static final int SUSPECTS = 2;

  private final Access access;
  private final RateLimit failures;
  private final Semaphore suspects = new Semaphore(SUSPECTS, true);

  Authenticator(Access access, ServerSettings.Limits limits, InstantSource clock) {
    this.access = access;
    this.failures =
        new RateLimit(limits.failuresPerMinute() / 60.0, limits.failuresPerMinute(), clock);
  }

  /**
   * Who asks, and whether that is still so later.
   *
   * @param session the session by which it came, or null
   */
  record Known(Caller caller, BooleanSupplier good, Sessions.@Nullable Session session) {}

  /**
   * Who asks.
   *
   * @param page whether nothing but a file of the page is asked for, which the cookie alone opens
   * @throws ProblemException when nobody does
   */
  Known identify(HttpServletRequest request, String from, boolean page) {
    String header = request.getHeader("Authorization");
    String cookie = header == null ? cookie(request) : null;
    Known known = header != null ? bearer(header, from) : cookie != null ? session(cookie) : null;
    if (known == null) {
      if (header != null || cookie != null) {
        wrong(from);
      }
      throw ProblemException.of(
          401,
          "unauthenticated",
          "Expected a token or a session, but there is none that is good.",
          "Send 'Authorization: Bearer TOKEN', or sign in at /sign-in.");
    }
    Sessions.Session session = known.session;
    if (session != null && !page && !Sessions.isFrom(session, request.getHeader(CSRF))) {
      throw ProblemException.of(
          403,
          "csrf-token-missing",
          "Expected the session's token in the header %s, but it is not there.".formatted(CSRF),
          "It was in the answer that opened the session, for the page that signed in; sign in"
              + " again where it is lost.");
    }
    return known;
  }

  private @Nullable Known bearer(String header, String from) {
    if (!header.regionMatches(true, 0, "Bearer ", 0, 7)) {
      return null;
    }
    String token = header.substring(7).strip();
    Caller caller = lookUp(token, from, () -> access.bearer(token));
    return caller == null
        ? null
        : new Known(caller, () -> caller.equals(access.bearer(token)), null);
  }

  private @Nullable Known session(String secret) {
    Sessions.Session session = access.sessions().find(secret);
    return session == null
        ? null
        : new Known(session.caller(), () -> access.sessions().isOpen(secret), session);
  }

  /** What the look-up gives, in line where the address was wrong too often. */
  <T> @Nullable T lookUp(String token, String from, Supplier<@Nullable T> look) {
    if (failures.hasLeft(ClientAddresses.share(from)) || access.isFamiliar(token)) {
      return look.get();
    }
    suspects.acquireUninterruptibly();
    try {
      return look.get();
    } finally {
      suspects.release();
    }
  }

  /**
   * Counts a wrong credential.
   *
   * @throws ProblemException when there were too many before
   */
  void wrong(String from) {
    if (!failures.take(ClientAddresses.share(from))) {
      throw ProblemException.of(
          429,
          "too-many-requests",
          "Expected a credential that is good, but there were too many that are not.",
          "Wait a minute, or send one that is good.");
    }
  }

  /** The secret in the session's cookie, or null. */
  @Nullable String cookie(HttpServletRequest request) {
    Cookie[] cookies = request.getCookies();
    if (cookies != null) {
      for (Cookie cookie : cookies) {
        if (cookie.getName().equals(access.cookieName())) {
          return cookie.getValue();
        }
      }
    }
    return null;
  }
}
