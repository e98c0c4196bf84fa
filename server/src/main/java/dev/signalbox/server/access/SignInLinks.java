package dev.signalbox.server.access;

import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Codes that open one session each, for a while: what a sign-in link carries. */
public final class SignInLinks {
  private static final Duration GOOD_FOR = Duration.ofHours(1);
  private static final int MOST = 100;

  private final InstantSource clock;
  private final Map<String, Link> links =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Link> eldest) {
          return size() > MOST;
        }
      };

  private record Link(Sessions.Credential credential, long until) {}

  public SignInLinks(InstantSource clock) {
    this.clock = clock;
  }

  /** A code that opens a session of the credential, once. */
  public String fresh(Sessions.Credential credential) {
    String code = Secrets.fresh();
    synchronized (links) {
      links.put(Secrets.digest(code), new Link(credential, clock.millis() + GOOD_FOR.toMillis()));
    }
    return code;
  }

  /** What the code opens; null when it was used, is too old or never was. */
  public Sessions.@Nullable Credential use(String code) {
    if (code.length() > 100) {
      return null;
    }
    synchronized (links) {
      Link link = links.remove(Secrets.digest(code));
      return link == null || clock.millis() > link.until ? null : link.credential;
    }
  }
}
