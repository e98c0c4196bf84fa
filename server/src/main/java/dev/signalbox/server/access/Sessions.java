package dev.signalbox.server.access;

import dev.signalbox.services.system.Caller;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of browsers, in memory. Each comes from a credential and ends with it, after a while
 * without requests, or when it is signed out. Any thread may ask.
 */
public final class Sessions {
  private static final int MOST = 1_000;
  private static final Duration IDLE = Duration.ofHours(12);
  private static final Duration LONGEST = Duration.ofDays(7);

  private final InstantSource clock;
  private final Map<String, Open> sessions =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Open> eldest) {
          return size() > MOST;
        }
      };

  public Sessions(InstantSource clock) {
    this.clock = clock;
  }

  /** Says whether the credential of a session is still good, and whose it is. */
  @FunctionalInterface
  public interface Credential {
    @Nullable Caller caller();
  }

  /**
   * A session.
   *
   * @param csrf what an unsafe request must bring along, to show that our page made it
   */
  public record Session(Caller caller, String csrf) {}

  private static final class Open {
    final Credential credential;
    final String csrf = Secrets.fresh();
    final long began;
    long used;

    Open(Credential credential, long now) {
      this.credential = credential;
      this.began = now;
      this.used = now;
    }
  }

  /** A session that was just opened; the secret goes into the cookie. */
  public record Fresh(String secret, Session session) {}

  /** Opens a session; null when the credential is not good. */
  public @Nullable Fresh open(Credential credential) {
    Caller caller = credential.caller();
    if (caller == null) {
      return null;
    }
    String secret = Secrets.fresh();
    Open open = new Open(credential, clock.millis());
    synchronized (sessions) {
      sessions.put(Secrets.digest(secret), open);
    }
    return new Fresh(secret, new Session(caller, open.csrf));
  }

  /** The session of the secret; null when there is none any more. */
  public @Nullable Session find(String secret) {
    if (secret.length() > 100) {
      return null;
    }
    String digest = Secrets.digest(secret);
    long now = clock.millis();
    Open open;
    synchronized (sessions) {
      open = sessions.get(digest);
      if (open == null) {
        return null;
      }
      if (now - open.used > IDLE.toMillis() || now - open.began > LONGEST.toMillis()) {
        sessions.remove(digest);
        return null;
      }
      open.used = now;
    }
    Caller caller = open.credential.caller();
    if (caller == null) {
      close(secret);
      return null;
    }
    return new Session(caller, open.csrf);
  }

  public void close(String secret) {
    synchronized (sessions) {
      sessions.remove(Secrets.digest(secret));
    }
  }

  /** Whether the session's page made the request. */
  public static boolean isFrom(Session session, @Nullable String csrf) {
    return csrf != null && Secrets.same(session.csrf, csrf);
  }
}
