package dev.signalbox.services.lock;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.CallerTrace;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.Reply;
import dev.signalbox.services.ServiceMachines;
import dev.signalbox.services.Ticker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The locks of a store. Everything is a call with names and tokens, so that a holder may be
 * anywhere; what is refused is an answer, and is recorded. Any thread may use it.
 */
public final class Locks implements AutoCloseable {
  private static final String PREFIX = "lock:";
  private static final int LONGEST_NAME = 200;
  private static final Duration LONGEST_LIMIT = Duration.ofDays(30);
  private static final int TRIES = 20;

  private final Host host;
  private final Waiters waiters;
  private final Ticker ticker;
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  /** Where it goes on after an answer of the engine, whose thread must not read the store. */
  private final Executor beside;

  private Locks(Host host, Executor beside) {
    this.host = host;
    this.beside = beside;
    host.publish(ServiceMachines.SHELF, Lock.MACHINE);
    this.waiters = new Waiters(this, host.clock());
    this.ticker = new Ticker("signalbox-locks", this::tick);
  }

  /** The locks on a runtime, with a thread that looks after those who wait until it is closed. */
  public static Locks open(Host host) {
    Locks locks = new Locks(host, task -> Thread.ofVirtual().start(task));
    locks.ticker.start();
    return locks;
  }

  /** The locks without a thread: whoever made it calls {@link #tick}. */
  public static Locks stepped(Host host) {
    return new Locks(host, Runnable::run);
  }

  /**
   * Looks whether it is the turn of someone who waits here.
   *
   * @return in how many milliseconds it should be called again
   */
  public long tick() {
    return waiters.pass();
  }

  /**
   * Takes the lock, or a place in its queue. Who is queued asks again, with the same call; a
   * reservation is kept for 30 seconds.
   *
   * @param limit after which the lock is broken; null is five minutes
   */
  public CompletableFuture<Locked> ask(String name, String holder, @Nullable Duration limit) {
    String fault = fault(name, holder, limit);
    return fault != null
        ? refused(Rejection.Code.BAD_DATA, fault)
        : made(name)
            .thenComposeAsync(no -> no != null ? now(no) : ask(name, holder, limit, 1), onward());
  }

  private CompletableFuture<Locked> ask(
      String name, String holder, @Nullable Duration limit, int attempt) {
    if (attempt > TRIES) {
      return refused(
          Rejection.Code.BUSY,
          "Expected '%s' to get an answer about lock '%s' within %d tries, but others were always faster; ask again."
              .formatted(holder, name, TRIES));
    }
    Lock lock = find(name);
    if (lock == null) {
      // Somebody is just making it; what is sent to it is answered when it is there.
      return leave(name, holder)
          .thenComposeAsync(_ -> ask(name, holder, limit, attempt + 1), onward());
    }
    if (lock.holder().equals(holder)) {
      return refused(
          Rejection.Code.GUARD_REFUSED,
          "Expected to lock '%s' for '%s', but '%s' has it already, with token %d. Locks are not re-entrant; release it first."
              .formatted(name, holder, holder, lock.token()));
    }
    if (lock.isFreeFor(holder)) {
      return take(name, holder, limit, attempt);
    }
    int before = lock.queue().indexOf(holder);
    if (before >= 0) {
      return now(
          new Locked.Queued(name, holder, before + (lock.state().equals("RESERVED") ? 1 : 0)));
    }
    if (lock.queue().size() >= 1_000) {
      return refused(
          Rejection.Code.BUSY,
          "Expected fewer than 1,000 to wait for lock '%s', but there are as many; try again later."
              .formatted(name));
    }
    return send(name, "enqueue", Map.of("holder", holder), Actor.SYSTEM)
        .thenComposeAsync(_ -> ask(name, holder, limit, attempt + 1), onward());
  }

  private CompletableFuture<Locked> take(
      String name, String holder, @Nullable Duration limit, int attempt) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("holder", holder);
    if (limit != null) {
      data.put("limit_ms", limit.toMillis());
    }
    return send(name, "lock", data, Actor.SYSTEM)
        .thenComposeAsync(
            reply ->
                switch (reply) {
                  case Reply.Accepted(Receipt receipt) -> now(held(name, holder, receipt, limit));
                  case Reply.Rejected(Rejection no)
                      when no.code() == Rejection.Code.GUARD_REFUSED
                          || no.code() == Rejection.Code.NO_TRANSITION ->
                      ask(name, holder, limit, attempt + 1);
                  case Reply.Rejected(Rejection no) -> now(new Locked.Refused(no));
                },
            onward());
  }

  /** Where it goes on for the same caller. */
  private Executor onward() {
    CallerTrace caller = CallerTrace.current();
    return task -> beside.execute(() -> caller.run(task));
  }

  /** The token stands in the entry itself; by now the lock may be someone else's. */
  private Locked held(String name, String holder, Receipt receipt, @Nullable Duration limit) {
    List<EntryRow> entries = host.history(receipt.instance(), receipt.sequence(), 1);
    try {
      if (!entries.isEmpty()
          && Json.parse(new String(entries.getFirst().body(), StandardCharsets.UTF_8))
              instanceof Map<?, ?> entry
          && entry.get("changes") instanceof Map<?, ?> changes
          && changes.get("token") instanceof Number token
          && entry.get("at") instanceof Number at) {
        long millis = limit == null ? Duration.ofMinutes(5).toMillis() : limit.toMillis();
        return new Locked.Held(name, holder, token.longValue(), at.longValue() + millis);
      }
    } catch (Json.SyntaxException e) {
      throw new IllegalStateException("Expected an entry to be JSON.", e);
    }
    throw new IllegalStateException(
        "Expected entry %d of '%s' to have the token.".formatted(receipt.sequence(), name));
  }

  /**
   * Takes the lock when it is the holder's turn.
   *
   * @param patience how long to wait; then the place in the queue is given up, and the answer is
   *     {@link Locked.Queued}
   */
  public CompletableFuture<Locked> lock(
      String name, String holder, @Nullable Duration limit, Duration patience) {
    return ask(name, holder, limit)
        .thenCompose(answer ->
            answer instanceof Locked.Queued queued
                ? patience.isZero()
                    ? leave(name, holder).thenApply(_ -> queued)
                    : waited(queued, limit, patience)
                : now(answer));
  }

  private CompletableFuture<Locked> waited(
      Locked.Queued queued, @Nullable Duration limit, Duration patience) {
    CompletableFuture<Locked> answer = waiters.add(queued, limit, patience);
    ticker.wake();
    return answer;
  }

  /** Gives the lock back. Only the newest token does; an older one is refused. */
  public CompletableFuture<Reply> release(String name, long token, @Nullable String key) {
    return release(name, token, Actor.SYSTEM, key);
  }

  /**
   * Gives the lock back for somebody, whose key is nobody else's.
   *
   * @param actor is known by its name; that it may release was looked at before
   */
  public CompletableFuture<Reply> release(
      String name, long token, Actor actor, @Nullable String key) {
    Actor sender = new Actor(Actor.Kind.SYSTEM, actor.name(), List.of());
    return awaited(
        name,
        host.submitForCaller(
            Lock.MACHINE,
            new Command.Send(PREFIX + name, "release", Map.of("token", token), sender, key, null)));
  }

  /** The id of the instance that is the lock. */
  public static String id(String name) {
    return PREFIX + name;
  }

  /** Leaves the queue, and gives up a reservation. */
  public CompletableFuture<Reply> leave(String name, String holder) {
    return awaited(name, send(name, "leave", Map.of("holder", holder), Actor.SYSTEM));
  }

  /** Breaks a lock; its holder's token is worth nothing from here on. */
  public CompletableFuture<Reply> breakOpen(String name, String reason, Actor actor) {
    return awaited(name, send(name, "deadline", Map.of("reason", reason), actor));
  }

  private CompletableFuture<Reply> awaited(String name, CompletableFuture<Reply> reply) {
    return reply.whenComplete((_, _) -> {
      if (waiters.hint(name)) {
        ticker.wake();
      }
    });
  }

  /** The lock as it stands, or null when nobody ever wanted it. */
  public @Nullable Lock find(String name) {
    Instance instance = host.find(PREFIX + name);
    return instance == null ? null : Lock.of(instance);
  }

  /**
   * Locks in the order in which they were first wanted.
   *
   * @param query of any machine; it is asked for locks alone
   */
  public List<Lock> locks(Query query) {
    return host.instances(query.ofMachine(Lock.MACHINE)).stream().map(Lock::of).toList();
  }

  boolean isShared() {
    return host.journal().isShared();
  }

  /** Makes sure that the lock is there; null, or why it can't be made. */
  private CompletableFuture<Locked.@Nullable Refused> made(String name) {
    if (known.contains(name) || host.find(PREFIX + name) != null) {
      known.add(name);
      return CompletableFuture.completedFuture(null);
    }
    return host.submitForCaller(
            Lock.MACHINE,
            new Command.Start(
                Lock.MACHINE, PREFIX + name, Map.of("resource", name), Actor.SYSTEM, null))
        .thenApply(reply -> {
          if (reply instanceof Reply.Rejected(Rejection no)
              && no.code() != Rejection.Code.INSTANCE_EXISTS) {
            return new Locked.Refused(no);
          }
          known.add(name);
          return null;
        });
  }

  private CompletableFuture<Reply> send(String name, String event, Object data, Actor actor) {
    return host.submitForCaller(
        Lock.MACHINE, Command.Send.of(PREFIX + name, event, data).by(actor));
  }

  private static @Nullable String fault(String name, String holder, @Nullable Duration limit) {
    if (name.isBlank() || name.length() > LONGEST_NAME) {
      return "Expected a lock's name of 1 to %d characters, but found %d."
          .formatted(LONGEST_NAME, name.length());
    }
    if (holder.isBlank() || holder.length() > LONGEST_NAME) {
      return "Expected a holder's name of 1 to %d characters, but found %d."
          .formatted(LONGEST_NAME, holder.length());
    }
    if (limit != null && (limit.toMillis() < 1 || limit.compareTo(LONGEST_LIMIT) > 0)) {
      return "Expected a lock's limit between a millisecond and 30 days, but found %s."
          .formatted(limit);
    }
    return null;
  }

  private static CompletableFuture<Locked> now(Locked answer) {
    return CompletableFuture.completedFuture(answer);
  }

  private static CompletableFuture<Locked> refused(Rejection.Code code, String message) {
    return now(new Locked.Refused(new Rejection(code, message, List.of())));
  }

  /** Ends looking after those who wait here; they leave the queue. */
  @Override
  public void close() {
    ticker.close();
    waiters.close();
  }
}
