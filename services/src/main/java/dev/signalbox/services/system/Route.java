package dev.signalbox.services.system;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One thing the API does: who may ask for it, what it takes, what it gives, and who does it.
 *
 * @param path below {@code /api/v1}, with parts in braces
 * @param roles who may use it; empty means that no token is needed
 * @param takes the body by its media type
 * @param gives the answers by their status
 * @param keys what it makes of an idempotency key
 */
public record Route(
    String method,
    String path,
    String summary,
    Set<Role> roles,
    List<Parameter> parameters,
    Map<String, Schema> takes,
    Map<Integer, Answer> gives,
    Keys keys,
    Handler handler) {

  public Route {
    roles = Set.copyOf(roles);
    parameters = List.copyOf(parameters);
    takes = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(takes));
    gives = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(gives));
  }

  /** The header with the idempotency key. */
  public static final String KEY = "Idempotency-Key";

  /** What a route makes of an idempotency key. Whatever changes something has an answer to it. */
  public enum Keys {
    /** Its own command keeps the key. */
    OWN,
    /** The server keeps the answer under the key. */
    KEPT,
    /** It takes none, and says so. */
    REFUSED,
    /** It changes nothing, so the same again is the same anyhow. */
    NEEDLESS
  }

  /** Everybody who has a token. */
  public static final Set<Role> ALL = Set.copyOf(EnumSet.allOf(Role.class));

  /** Does what is asked. */
  @FunctionalInterface
  public interface Handler {
    Response answer(Request request) throws IOException;
  }

  /**
   * A parameter.
   *
   * @param in {@code query} or {@code header}; those of the path are known from the path
   */
  public record Parameter(String name, String in, String meaning, Schema type) {}

  /**
   * An answer.
   *
   * @param type its media type; empty for none
   */
  public record Answer(String meaning, String type, Schema schema) {}

  /** Whether no token is needed. */
  public boolean isOpen() {
    return roles.isEmpty();
  }

  /** Whether it changes nothing. */
  public boolean isSafe() {
    return method.equals("GET");
  }

  public static Draft get(String path, String summary) {
    return new Draft("GET", path, summary);
  }

  public static Draft post(String path, String summary) {
    return new Draft("POST", path, summary);
  }

  public static Draft delete(String path, String summary) {
    return new Draft("DELETE", path, summary);
  }

  /** A route in the making. Who may use it must be said: {@link #by} refuses a draft without. */
  public static final class Draft {
    private final String method;
    private final String path;
    private final String summary;
    private @Nullable Set<Role> roles;
    private @Nullable Keys keys;
    private final List<Parameter> parameters = new ArrayList<>();
    private final Map<String, Schema> takes = new LinkedHashMap<>();
    private final Map<Integer, Answer> gives = new LinkedHashMap<>();

    private Draft(String method, String path, String summary) {
      this.method = method;
      this.path = path;
      this.summary = summary;
    }

    /** No token is needed. */
    public Draft open() {
      roles = Set.of();
      return this;
    }

    public Draft may(Role first, Role... more) {
      roles = EnumSet.of(first, more);
      return this;
    }

    /** Everybody who has a token. */
    public Draft anyone() {
      roles = ALL;
      return this;
    }

    /** It looks and computes, and leaves everything as it was. */
    public Draft changingNothing() {
      keys = Keys.NEEDLESS;
      return this;
    }

    /** It takes no idempotency key: its answer is a secret, or its body has keys of its own. */
    public Draft withoutKey() {
      keys = Keys.REFUSED;
      return this;
    }

    /** Its own command keeps the idempotency key. */
    public Draft keyed(String meaning) {
      keys = Keys.OWN;
      return header(KEY, meaning);
    }

    public Draft query(String name, Schema type, String meaning) {
      parameters.add(new Parameter(name, "query", meaning, type));
      return this;
    }

    public Draft header(String name, String meaning) {
      parameters.add(new Parameter(name, "header", meaning, Schema.TEXT));
      return this;
    }

    public Draft takes(Schema json) {
      return takes(Response.JSON, json);
    }

    public Draft takes(String type, Schema schema) {
      takes.put(type, schema);
      return this;
    }

    public Draft gives(Schema json) {
      return gives(200, "As asked", json);
    }

    public Draft gives(int status, String meaning, Schema json) {
      return gives(status, meaning, Response.JSON, json);
    }

    public Draft gives(int status, String meaning, String type, Schema schema) {
      gives.put(status, new Answer(meaning, type, schema));
      return this;
    }

    /** The route, done by the handler. */
    public Route by(Handler handler) {
      if (roles == null) {
        throw new IllegalStateException(
            "Expected %s %s to say who may use it, but it does not.".formatted(method, path));
      }
      Keys said = keys;
      if (said == null) {
        said = method.equals("POST") ? Keys.KEPT : Keys.NEEDLESS;
      }
      if (said == Keys.KEPT) {
        header(KEY, "the same key and body give the same answer, and happen once");
      }
      return new Route(method, path, summary, roles, parameters, takes, gives, said, handler);
    }
  }
}
