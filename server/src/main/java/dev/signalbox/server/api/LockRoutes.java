package dev.signalbox.server.api;

import static dev.signalbox.services.system.Role.ADMIN;
import static dev.signalbox.services.system.Role.AGENT;
import static dev.signalbox.services.system.Role.OPERATOR;

import dev.signalbox.journal.Query;
import dev.signalbox.runtime.RejectedException;
import dev.signalbox.services.lock.Lock;
import dev.signalbox.services.lock.Locked;
import dev.signalbox.services.lock.Locks;
import dev.signalbox.services.system.Fields;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Routes over locks. Who takes one is its token's name, so nobody holds, waits or releases in the
 * name of another.
 */
public final class LockRoutes {
  private static final String MACHINE = "lock";
  private static final long LONGEST_WAIT_MS = 20_000;

  private final Locks locks;

  public LockRoutes(Locks locks) {
    this.locks = locks;
  }

  public List<Route> routes() {
    Schema receipt = Schema.named("Receipt");
    Schema holder = Schema.object().maybe("for", Schema.TEXT.described("which part of the caller"));
    return List.of(
        Route.get("/locks", "Locks, the youngest first")
            .anyone()
            .query("most", Schema.WHOLE, "how many, at most 1000; 100 if not said")
            .gives(Schema.object().field("locks", Schema.listOf(Schema.named("Lock"))))
            .by(this::list),
        Route.post("/locks/{name}/take", "Take a lock, or a place in its queue")
            .may(AGENT, OPERATOR, ADMIN)
            .takes(
                holder
                    .maybe("limit_ms", Schema.WHOLE.described("when it is broken; five minutes"))
                    .maybe("wait_ms", Schema.WHOLE.described("at most 20000; 0 if not said")))
            .gives(
                Schema.object()
                    .field("state", Schema.oneOf("held", "queued"))
                    .field("holder", Schema.TEXT)
                    .maybe("token", Schema.WHOLE)
                    .maybe("until", Schema.WHOLE)
                    .maybe("before", Schema.WHOLE.described("how many go first")))
            .by(this::take),
        Route.post("/locks/{name}/release", "Give a lock back, with its token")
            .may(AGENT, OPERATOR, ADMIN)
            .keyed("the same key gives the same answer")
            .takes(Schema.object().field("token", Schema.WHOLE))
            .gives(receipt)
            .by(this::release),
        Route.post("/locks/{name}/leave", "Leave the queue, and give up a reservation")
            .may(AGENT, OPERATOR, ADMIN)
            .takes(holder)
            .gives(receipt)
            .by(r -> {
              String name = found(r).name();
              return Replies.receipt(locks.leave(name, holder(r, r.fields().only("for"))));
            }),
        Route.post("/locks/{name}/break", "Break a lock; its holder's token is worth nothing then")
            .may(OPERATOR, ADMIN)
            .takes(Schema.object().field("reason", Schema.TEXT))
            .gives(receipt)
            .by(r -> {
              Replies.check(r, MACHINE);
              String reason = r.fields().only("reason").text("reason");
              return Replies.receipt(locks.breakOpen(r.path("name"), reason, r.caller().actor()));
            }));
  }

  private Response list(Request request) {
    Replies.check(request, MACHINE);
    Query query = Query.ALL.newest().page(0, (int) request.number("most", 100, 1, Query.MOST));
    return Response.json(
        Map.of("locks", locks.locks(query).stream().map(LockRoutes::view).toList()));
  }

  /** Without waiting a place in the queue is kept; after waiting it is given up. */
  private Response take(Request request) throws IOException {
    Replies.check(request, MACHINE);
    Fields body = request.fields().only("for", "limit_ms", "wait_ms");
    Long wait = body.numberOrNull("wait_ms");
    if (wait != null && (wait < 0 || wait > LONGEST_WAIT_MS)) {
      throw ProblemException.badRequest(
          "Expected 'wait_ms' from 0 to %d, but found another.".formatted(LONGEST_WAIT_MS));
    }
    Long millis = body.numberOrNull("limit_ms");
    Duration limit = millis == null ? null : Duration.ofMillis(millis);
    String name = request.path("name");
    String holder = holder(request, body);
    Map<String, @Nullable Object> answer = new LinkedHashMap<>();
    switch (Replies.joined(
        wait == null || wait == 0
            ? locks.ask(name, holder, limit)
            : locks.lock(name, holder, limit, Duration.ofMillis(wait)))) {
      case Locked.Held held -> {
        answer.put("state", "held");
        answer.put("holder", held.holder());
        answer.put("token", held.token());
        answer.put("until", held.until());
      }
      case Locked.Queued queued -> {
        answer.put("state", "queued");
        answer.put("holder", queued.holder());
        answer.put("before", (long) queued.before());
      }
      case Locked.Refused refused -> throw new RejectedException(refused.rejection());
    }
    return Response.json(answer);
  }

  /** A token is no secret, so whoever knows one could release another's lock. */
  private Response release(Request request) throws IOException {
    Lock lock = found(request);
    Long token = request.fields().only("token").numberOrNull("token");
    if (token == null) {
      throw ProblemException.badRequest("Expected the lock's 'token', but it is missing.");
    }
    String caller = request.caller().name();
    boolean own = lock.holder().equals(caller) || lock.holder().startsWith(caller + "/");
    if (lock.token() == token && !own && !request.caller().hasAny(Set.of(OPERATOR, ADMIN))) {
      throw ProblemException.forbidden(
          "Expected a lock of '%s', but another has it.".formatted(caller),
          "Release what you have taken; an operator may break it.");
    }
    return Replies.receipt(
        locks.release(
            lock.name(),
            token,
            request.caller().actor(),
            InstanceRoutes.key(request.header("Idempotency-Key"))));
  }

  private Lock found(Request request) {
    Replies.check(request, MACHINE);
    Lock lock = locks.find(request.path("name"));
    if (lock == null) {
      throw ProblemException.notFound("Expected a lock, but there is no such one.");
    }
    return lock;
  }

  /** The caller, or a part of it: one token may stand for several threads. */
  private static String holder(Request request, Fields body) {
    String part = body.textOrNull("for");
    String caller = request.caller().name();
    return part == null ? caller : caller + "/" + part;
  }

  private static Map<String, @Nullable Object> view(Lock lock) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("name", lock.name());
    view.put("state", lock.state());
    view.put("holder", lock.holder());
    view.put("reserved_for", lock.reservedFor());
    view.put("token", lock.token());
    view.put("until", lock.until());
    view.put("queue", lock.queue());
    return view;
  }
}
