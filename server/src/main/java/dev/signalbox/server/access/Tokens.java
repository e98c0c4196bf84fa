package dev.signalbox.server.access;

import dev.signalbox.definition.MachineShelf;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.RejectedException;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.person.People;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Role;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The tokens of a store: made, found by their secret, listed and revoked. Any thread may ask. */
public final class Tokens {
  /** The name of the machine whose instances are the tokens. */
  public static final String MACHINE = "token";

  /** How long a token lives when nothing else is said. */
  public static final Duration LIFETIME = Duration.ofDays(90);

  private static final Duration LONGEST = Duration.ofDays(3_650);
  private static final String PREFIX = "sbx_";
  private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{N}][\\p{L}\\p{N} ._@+-]{0,63}");
  private static final Pattern WORD = Pattern.compile("[a-z][a-z0-9_.-]{0,63}");
  private static final int MOST_WORDS = 32;

  /**
   * Roles by which the engine's own parts are known; no token has them. A worker of another process
   * speaks through its own routes, which give it the role for itself alone.
   */
  private static final Set<String> RESERVED =
      Set.of("system", "timer", "user", "queue", "sweep", "worker", "courier", "alerts");

  /** For so long what was found is believed without asking the store. */
  private static final long BELIEVED_MS = 2_000;

  private static final int MOST_BELIEVED = 10_000;

  /** Where the machine is. */
  public static final MachineShelf SHELF =
      new MachineShelf(Tokens.class, Map.of(MACHINE, "token.yaml")).closing(MACHINE);

  private final Signalbox box;
  private final InstantSource clock;
  private final Map<String, Found> believed =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Found> eldest) {
          return size() > MOST_BELIEVED;
        }
      };

  private record Found(Caller caller, long expires, long until) {}

  /** A token that was just made; the secret is never seen again. */
  public record Fresh(String secret, Token token) {}

  /** A token as it is known. */
  public record Token(
      String id,
      String name,
      List<String> roles,
      List<String> machines,
      @Nullable String instance,
      long expires,
      String state) {

    /** The token as JSON. */
    public Map<String, @Nullable Object> asMap() {
      Map<String, @Nullable Object> map = new LinkedHashMap<>();
      map.put("id", id);
      map.put("name", name);
      map.put("roles", roles);
      map.put("machines", machines);
      map.put("instance", instance);
      map.put("expires_at", expires);
      map.put("state", state);
      return map;
    }
  }

  /**
   * What a token shall be.
   *
   * @param machines the only ones it may see and use; empty means all
   * @param instance the only one it may see and use; null means all
   */
  public record Order(
      String name,
      List<String> roles,
      List<String> machines,
      @Nullable String instance,
      Duration lifetime) {
    /** For every instance of the machines. */
    public Order(String name, List<String> roles, List<String> machines, Duration lifetime) {
      this(name, roles, machines, null, lifetime);
    }
  }

  public Tokens(Signalbox box, InstantSource clock) {
    this.box = box;
    this.clock = clock;
    box.publish(SHELF, MACHINE);
  }

  /**
   * Makes a token.
   *
   * @throws ProblemException when the order can't be given
   */
  public Fresh create(Order order, Actor by) {
    check(order);
    String secret = PREFIX + Secrets.fresh();
    long expires = clock.millis() + order.lifetime().toMillis();
    String instance = order.instance();
    Map<String, Object> input =
        Map.of(
            "name", order.name(),
            "digest", Secrets.digest(secret),
            "roles", order.roles(),
            "machines", order.machines(),
            "instance", instance == null ? "" : instance,
            "lifetime_ms", order.lifetime().toMillis(),
            "expires_at", expires);
    Reply reply = box.carryOutForCaller(MACHINE, new Command.Start(MACHINE, null, input, by, null));
    return switch (reply) {
      case Reply.Accepted(Receipt receipt) ->
          new Fresh(secret, token(box.instance(receipt.instance())));
      case Reply.Rejected(var rejection) -> throw new RejectedException(rejection);
    };
  }

  /**
   * The roles that an agent may have of those it was given: none by which a machine that ships
   * knows who may decide, or it would decide about itself.
   */
  List<String> forAgent(List<String> roles) {
    Set<String> deciding = box.shippedRoles();
    return roles.stream()
        .filter(role ->
            role.equals(Role.AGENT.word())
                || (!RESERVED.contains(role) && !deciding.contains(role)))
        .toList();
  }

  private void check(Order order) {
    if (!NAME.matcher(order.name()).matches()) {
      throw ProblemException.badRequest(
          "Expected a name of at most 64 letters, digits, spaces and . _ @ + -, but found"
              + " another.");
    }
    words(order.roles(), "role");
    words(order.machines(), "machine");
    if (order.roles().isEmpty()) {
      throw ProblemException.badRequest(
          "Expected at least one role (viewer, operator, agent, admin), but there is none.");
    }
    if (order.roles().contains(People.APPROVER)) {
      throw ProblemException.badRequest(
          "Expected roles that a token may have, but 'approver' is a person's, who says a"
              + " passphrase. Enrol people with 'signalbox person add'.");
    }
    for (String role : order.roles()) {
      if (RESERVED.contains(role)) {
        throw ProblemException.badRequest(
            "Expected a role that people and programs may have, but '%s' is the engine's own."
                .formatted(role));
      }
    }
    if (order.roles().contains(Role.AGENT.word())) {
      for (Role role : Role.values()) {
        if (role != Role.AGENT && order.roles().contains(role.word())) {
          throw ProblemException.badRequest(
              "Expected an agent to have no other role of the API, but found '%s' too. Make two tokens."
                  .formatted(role.word()));
        }
      }
      for (String role : order.roles()) {
        if (!forAgent(order.roles()).contains(role)) {
          throw ProblemException.badRequest(
              "Expected an agent to have no role that decides in a machine that ships, but found '%s'. Give it to a person."
                  .formatted(role));
        }
      }
    }
    String instance = order.instance();
    if (instance != null && (instance.isBlank() || instance.length() > 200)) {
      throw ProblemException.badRequest(
          "Expected the id of an instance, of at most 200 characters, but found another.");
    }
    if (order.lifetime().isNegative()
        || order.lifetime().isZero()
        || order.lifetime().compareTo(LONGEST) > 0) {
      throw ProblemException.badRequest(
          "Expected a lifetime of at most %d days, but found another.".formatted(LONGEST.toDays()));
    }
  }

  /** Whether it is a role that people and programs may have. */
  public static boolean isRole(String word) {
    return WORD.matcher(word).matches() && !RESERVED.contains(word);
  }

  private static void words(List<String> words, String what) {
    if (words.size() > MOST_WORDS || !words.stream().allMatch(w -> WORD.matcher(w).matches())) {
      throw ProblemException.badRequest(
          "Expected at most %d names of a %s in small letters, but found others."
              .formatted(MOST_WORDS, what));
    }
  }

  /** Whose the secret is; null when there is no such token that is still good. */
  public @Nullable Caller find(String secret) {
    if (!secret.startsWith(PREFIX) || secret.length() > 100) {
      return null;
    }
    return known(Secrets.digest(secret));
  }

  /**
   * Whether a token of the secret was found not long ago, which costs nothing to ask. It may be
   * over meanwhile.
   */
  public boolean isFamiliar(String secret) {
    if (secret.length() > 100) {
      return false;
    }
    String digest = Secrets.digest(secret);
    synchronized (believed) {
      return believed.containsKey(digest);
    }
  }

  /** The caller of the token with the digest, as {@link #find}. */
  @Nullable Caller known(String digest) {
    long now = clock.millis();
    synchronized (believed) {
      Found found = believed.get(digest);
      if (found != null && now < found.until) {
        return now < found.expires ? found.caller : null;
      }
    }
    List<Instance> found =
        box
            .instances(
                Query.ALL
                    .ofMachine(MACHINE)
                    .that(InstanceRow.Status.LIVE)
                    .with(Map.of("digest", digest)))
            .stream()
            .filter(Tokens::isMadeHere)
            .toList();
    synchronized (believed) {
      believed.remove(digest);
      if (found.size() != 1) {
        return null;
      }
      Token token = token(found.getFirst());
      Caller caller = caller(token);
      believed.put(digest, new Found(caller, token.expires, now + BELIEVED_MS));
      return now < token.expires ? caller : null;
    }
  }

  /**
   * Whether somebody made it who may. Any machine can invoke any other, so what an instance invoked
   * is nobody's token.
   */
  private static boolean isMadeHere(Instance instance) {
    return instance.parent() == null;
  }

  /**
   * Whose the token is. An older one may have been given more than it may have: an agent's roles
   * that decide, anybody's role approver, which has become a person's.
   */
  private Caller caller(Token token) {
    boolean agent = token.roles.contains(Role.AGENT.word());
    List<String> roles =
        token.roles.stream().filter(role -> !role.equals(People.APPROVER)).toList();
    return new Caller(
        agent ? Actor.Kind.AGENT : Actor.Kind.USER,
        token.name,
        agent ? forAgent(roles) : roles,
        Set.copyOf(token.machines),
        token.instance,
        token.id);
  }

  /** Tokens in the order in which they were made. */
  public List<Token> list() {
    return box.instances(Query.ALL.ofMachine(MACHINE).page(0, Query.MOST)).stream()
        .filter(Tokens::isMadeHere)
        .map(Tokens::token)
        .toList();
  }

  /**
   * Ends a token and every session that came from it.
   *
   * @throws RejectedException when there is none, or it has ended
   */
  public Token revoke(String id, Actor by) {
    if (!box.instance(id).machine().equals(MACHINE)) {
      throw ProblemException.notFound("Expected a token, but '%s' is none.".formatted(id));
    }
    Reply reply = box.carryOutForCaller(MACHINE, Command.Send.of(id, "revoke", null).by(by));
    if (reply instanceof Reply.Rejected(var rejection)) {
      throw new RejectedException(rejection);
    }
    synchronized (believed) {
      believed.values().removeIf(found -> found.caller.credential().equals(id));
    }
    return token(box.instance(id));
  }

  private static Token token(Instance instance) {
    Map<String, @Nullable Object> context = instance.context();
    return new Token(
        instance.id(),
        String.valueOf(context.get("name")),
        texts(context.get("roles")),
        texts(context.get("machines")),
        context.get("instance") instanceof String only && !only.isEmpty() ? only : null,
        context.get("expires_at") instanceof Number at ? at.longValue() : 0,
        instance.leaf());
  }

  private static List<String> texts(@Nullable Object value) {
    return value instanceof List<?> list ? list.stream().map(String::valueOf).toList() : List.of();
  }
}
