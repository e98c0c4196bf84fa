package dev.signalbox.server.access;

import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.Role;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Every way to come in. */
public final class Access {
  private final Tokens tokens;
  private final @Nullable Jwts jwts;
  private final Sessions sessions;
  private final SignInLinks links;
  private final Supplier<String> cookieName;

  public Access(
      Tokens tokens,
      @Nullable Jwts jwts,
      Sessions sessions,
      SignInLinks links,
      Supplier<String> cookieName) {
    this.tokens = tokens;
    this.jwts = jwts;
    this.sessions = sessions;
    this.links = links;
    this.cookieName = cookieName;
  }

  public Tokens tokens() {
    return tokens;
  }

  public Sessions sessions() {
    return sessions;
  }

  public SignInLinks links() {
    return links;
  }

  /** The session cookie's name; it tells apart servers that share a host. */
  public String cookieName() {
    return cookieName.get();
  }

  /** Whose the token or JWT is; null when it is not good. */
  public @Nullable Caller bearer(String credential) {
    if (jwts != null && credential.indexOf('.') > 0) {
      return limited(jwts.find(credential));
    }
    return tokens.find(credential);
  }

  /** Whether the token was found good not long ago. */
  public boolean isFamiliar(String credential) {
    return tokens.isFamiliar(credential);
  }

  /** An agent has no role that decides in a machine that ships, whoever gave it one. */
  private @Nullable Caller limited(@Nullable Caller caller) {
    return caller == null || !caller.has(Role.AGENT)
        ? caller
        : new Caller(
            caller.kind(),
            caller.name(),
            tokens.forAgent(caller.roles()),
            caller.machines(),
            caller.instance(),
            caller.credential());
  }

  /** What a session that is opened with the token or JWT depends on. */
  public Sessions.Credential credential(String credential) {
    if (jwts != null && credential.indexOf('.') > 0) {
      return () -> limited(jwts.find(credential));
    }
    String digest = Secrets.digest(credential);
    return credential.length() > 100 ? () -> null : () -> tokens.known(digest);
  }
}
