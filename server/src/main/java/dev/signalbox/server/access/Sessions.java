package dev.signalbox.server.access;

import dev.signalbox.services.system.Caller;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of browsers, in memory. Each comes from a credential and ends with it, after a while
 * without requests, or when it is signed out. Any thread may ask.
 *
 * <p>A session has two secrets. The one in the cookie goes to every server on the host, whatever
 * its port, because cookies know no ports; so it opens nothing but the files of the page. The other
 * is given once, to the page that signed in, which keeps it in its origin's own storage and sends
 * it in a header with every request. Neither can be had for the other.
 *
 * <p>There is room for so many, and for so many of one person: whoever opens more loses their own
 * oldest, and when there is no room at all, whoever has the most.
 */
public final class Sessions {
  static final int MOST = 1_000;
  static final int MOST_OF_ONE = 32;
  private static final Duration IDLE = Duration.ofHours(12);
  private static final Duration LONGEST = Duration.ofDays(7);

  private final InstantSource clock;
  private final PersonAccess people;

  /** The least recently used first. */
  private final Map<String, Open> sessions = new LinkedHashMap<>(16, 0.75f, true);

  public Sessions(InstantSource clock, PersonAccess people) {
    this.clock = clock;
    this.people = people;
  }

  /** Says whether the credential of a session is still good, and whose it is. */
  @FunctionalInterface
  public interface Credential {
    @Nullable Caller caller();
  }

  /**
   * A session.
   *
   * @param page the digest of what every request must bring along, to show that our page made it
   */
  public record Session(Caller caller, String page) {}

  private static final class Open {
    final Credential credential;
    final String who;
    final String page;
    final long began;
    long used;
    volatile PersonAccess.@Nullable Proved proved;

    Open(Credential credential, String who, String page, long now) {
      this.credential = credential;
      this.who = who;
      this.page = page;
      this.began = now;
      this.used = now;
    }

    boolean isOver(long now) {
      return now - used > IDLE.toMillis() || now - began > LONGEST.toMillis();
    }
  }

  /**
   * A session that was just opened.
   *
   * @param secret goes into the cookie
   * @param page goes to the page that signed in, and nowhere else
   */
  public record Fresh(String secret, String page, Session session) {}

  /** Opens a session; null when the credential is not good. */
  public @Nullable Fresh open(Credential credential) {
    Caller caller = credential.caller();
    if (caller == null) {
      return null;
    }
    String secret = Secrets.fresh();
    String page = Secrets.fresh();
    String who = caller.kind() + " " + caller.name();
    Open open = new Open(credential, who, Secrets.digest(page), clock.millis());
    synchronized (sessions) {
      makeRoomFor(who);
      sessions.put(Secrets.digest(secret), open);
    }
    return new Fresh(secret, page, new Session(caller, open.page));
  }

  private void makeRoomFor(String who) {
    if (count(who) >= MOST_OF_ONE) {
      endOldestOf(who);
    }
    if (sessions.size() >= MOST) {
      sessions.values().removeIf(open -> open.isOver(clock.millis()));
    }
    if (sessions.size() >= MOST) {
      Map<String, Integer> counts = new HashMap<>();
      sessions.values().forEach(open -> counts.merge(open.who, 1, Integer::sum));
      endOldestOf(Collections.max(counts.entrySet(), Map.Entry.comparingByValue()).getKey());
    }
  }

  private long count(String who) {
    return sessions.values().stream().filter(open -> open.who.equals(who)).count();
  }

  private void endOldestOf(String who) {
    for (Iterator<Open> each = sessions.values().iterator(); each.hasNext(); ) {
      if (each.next().who.equals(who)) {
        each.remove();
        return;
      }
    }
  }

  /** The session of the secret; null when there is none any more. */
  public @Nullable Session find(String secret) {
    return find(secret, true);
  }

  /** Whether the session is still there; unlike a request, to ask does not keep it. */
  public boolean isOpen(String secret) {
    return find(secret, false) != null;
  }

  private @Nullable Session find(String secret, boolean used) {
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
      if (open.isOver(now)) {
        sessions.remove(digest);
        return null;
      }
      if (used) {
        open.used = now;
      }
    }
    Caller caller = open.credential.caller();
    if (caller == null) {
      close(secret);
      return null;
    }
    return new Session(people.caller(caller, open.proved), open.page);
  }

  /** The passphrase was said in the session; false when there is none any more. */
  public boolean prove(String secret, PersonAccess.Proved proved) {
    synchronized (sessions) {
      Open open = sessions.get(Secrets.digest(secret));
      if (open != null) {
        open.proved = proved;
      }
      return open != null;
    }
  }

  public void close(String secret) {
    synchronized (sessions) {
      sessions.remove(Secrets.digest(secret));
    }
  }

  /** Whether the session's page made the request. */
  public static boolean isFrom(Session session, @Nullable String page) {
    return page != null && page.length() <= 100 && Secrets.same(session.page, Secrets.digest(page));
  }
}
