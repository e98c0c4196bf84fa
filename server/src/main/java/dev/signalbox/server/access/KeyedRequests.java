package dev.signalbox.server.access;

import dev.signalbox.definition.Json;
import dev.signalbox.definition.MachineShelf;
import dev.signalbox.journal.JournalException;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.RejectedException;
import dev.signalbox.runtime.Reply;
import dev.signalbox.services.MachineDoor;
import dev.signalbox.services.Sha256;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Response;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What requests with an idempotency key were answered, for routes whose own commands keep none.
 * Each is an instance of the machine {@code keyed-request}, begun before anything is done and ended
 * with the answer, so that the same request is carried out once, whichever node it comes to and
 * whatever ends in between. A key belongs to the caller and to what is asked for by its path; the
 * same key with another body is refused.
 */
public final class KeyedRequests {
  /** The name of the machine whose instances they are. */
  public static final String MACHINE = "keyed-request";

  /** Where the machine is. */
  public static final MachineShelf SHELF =
      new MachineShelf(KeyedRequests.class, Map.of(MACHINE, "keyed-request.yaml"))
          .closing(MACHINE)
          .keepingIds(MACHINE + "-");

  private static final Actor SERVER = new Actor(Actor.Kind.SYSTEM, "server", List.of("system"));

  /** A longer answer is not kept; who asks again is told that it was carried out. */
  private static final int LONGEST = 64 * 1024;

  /** Refusals that say nothing of the request itself, so that the same may come again. */
  private static final Set<Integer> PASSING = Set.of(401, 403, 408, 413, 429, 500, 503);

  private final MachineDoor door;

  /**
   * Those whose work failed in this process before anything happened, but could not be released.
   */
  private final Set<String> untouched = ConcurrentHashMap.newKeySet();

  public KeyedRequests(Host host) {
    this.door = new MachineDoor(host, SHELF, MACHINE);
  }

  /** What is done once. */
  @FunctionalInterface
  public interface Work {
    Response answer() throws IOException;
  }

  /**
   * The answer of the work, which is done at most once.
   *
   * @param request the method and path
   * @param body what is asked; the same key with another is refused
   * @param problems what is told of an exception
   */
  public Response once(
      Caller caller,
      String request,
      String key,
      byte[] body,
      Function<RuntimeException, ProblemException> problems,
      Work work)
      throws IOException {
    String who = caller.kind() + "\n" + caller.name();
    String id = MACHINE + "-" + Sha256.hex(who + "\n" + request + "\n" + key);
    String command = Sha256.hex(body);
    Map<String, Object> input =
        Map.of("caller", caller.name(), "request", request, "command", command);
    Reply begun = door.submitForService(new Command.Start(door.machine(), id, input, SERVER, null));
    if (begun instanceof Reply.Rejected(Rejection rejection)) {
      if (rejection.code() != Rejection.Code.INSTANCE_EXISTS) {
        throw new RejectedException(rejection);
      }
      Response known = known(id, command);
      if (known != null) {
        return known;
      }
    }
    return carryOut(id, problems, work);
  }

  /** What was answered before; null when it is ours to carry out. */
  private @Nullable Response known(String id, String command) {
    Instance found = door.find(id);
    if (found == null) {
      throw inUse();
    }
    if (!command.equals(found.context().get("command"))) {
      throw ProblemException.of(
          422,
          Rejection.Code.KEY_TAKEN.word(),
          "Expected the request that the Idempotency-Key was first sent with, but this one is"
              + " another.",
          "Give every request a key of its own; send the same again to repeat it.");
    }
    return switch (found.leaf()) {
      case "ANSWERED" -> answered(String.valueOf(found.context().get("answer")));
      case "RELEASED" -> {
        if (door.submitForService(
                new Command.Send(id, "again", null, SERVER, null, found.sequence()))
            instanceof Reply.Rejected) {
          throw inUse();
        }
        yield null;
      }
      case "UNDER_WAY" -> {
        if (!untouched.remove(id)) {
          throw inUse();
        }
        yield null;
      }
      default ->
          throw ProblemException.of(
              409,
              "key-in-use",
              "Expected an answer under the Idempotency-Key, but it was forgotten before there was"
                  + " one.",
              "Look whether it happened, and use another key.");
    };
  }

  private static ProblemException inUse() {
    return ProblemException.of(
        409,
        "key-in-use",
        "Expected an answer under the Idempotency-Key, but the request it was first sent with has"
            + " none yet.",
        "Wait a moment and send the same again. Should the server have ended meanwhile, look"
            + " whether it happened, and use another key.");
  }

  private Response carryOut(
      String id, Function<RuntimeException, ProblemException> problems, Work work)
      throws IOException {
    try {
      Response answer = work.answer();
      keep(id, text(answer));
      return answer;
    } catch (RuntimeException e) {
      ProblemException problem = problems.apply(e);
      if (e instanceof JournalException store && store.outcomeUnknown()) {
        throw e;
      }
      if (!PASSING.contains(problem.status())) {
        keep(id, text(problem));
        throw e;
      }
      release(id);
      throw e;
    } catch (IOException e) {
      release(id);
      throw e;
    }
  }

  private void release(String id) {
    try {
      if (door.submitForService(new Command.Send(id, "released", null, SERVER, null, null))
          instanceof Reply.Accepted) {
        return;
      }
    } catch (RuntimeException e) {
      // The store is away; this process remembers that nothing happened.
    }
    untouched.add(id);
  }

  private void keep(String id, String answer) {
    Reply reply =
        door.submitForService(
            new Command.Send(id, "answered", Map.of("answer", answer), SERVER, null, null));
    if (reply instanceof Reply.Rejected(Rejection rejection)) {
      throw new RejectedException(rejection);
    }
  }

  private static String text(Response answer) {
    Map<String, @Nullable Object> kept = new LinkedHashMap<>();
    kept.put("status", (long) answer.status());
    kept.put("type", answer.type());
    kept.put("headers", answer.headers());
    kept.put(
        "body",
        switch (answer.body()) {
          case Response.Body.Value(var value) -> Json.text(value);
          case Response.Body.Bytes(byte[] bytes) -> new String(bytes, StandardCharsets.UTF_8);
          case Response.Body.Nothing() -> "";
          case Response.Body.Flow _ -> null;
        });
    return fitting(kept);
  }

  private static String text(ProblemException problem) {
    Map<String, @Nullable Object> kept = new LinkedHashMap<>();
    kept.put("status", (long) problem.status());
    kept.put("code", problem.code());
    kept.put("message", problem.getMessage());
    kept.put("hint", problem.hint());
    kept.put("more", problem.more());
    return fitting(kept);
  }

  private static String fitting(Map<String, @Nullable Object> kept) {
    String whole = Json.text(kept);
    return whole.length() <= LONGEST
        ? whole
        : Json.text(Map.of("status", String.valueOf(kept.get("status"))));
  }

  private static Response answered(String text) {
    Map<?, ?> kept = parsed(text);
    if (!(kept.get("status") instanceof Long status)) {
      throw ProblemException.of(
          409,
          "answer-not-kept",
          "Expected the answer of the request, but it was too long to be kept.",
          "It was carried out once, and is not again.");
    }
    if (kept.get("code") instanceof String code) {
      Map<String, @Nullable Object> more = new LinkedHashMap<>();
      if (kept.get("more") instanceof Map<?, ?> members) {
        members.forEach((name, value) -> more.put(String.valueOf(name), value));
      }
      throw new ProblemException(
          status.intValue(),
          code,
          String.valueOf(kept.get("message")),
          String.valueOf(kept.get("hint")),
          more);
    }
    Map<String, String> headers = new LinkedHashMap<>();
    if (kept.get("headers") instanceof Map<?, ?> all) {
      all.forEach((name, value) -> headers.put(String.valueOf(name), String.valueOf(value)));
    }
    String body = kept.get("body") instanceof String known ? known : "";
    return new Response(
        status.intValue(),
        String.valueOf(kept.get("type")),
        headers,
        body.isEmpty()
            ? new Response.Body.Nothing()
            : new Response.Body.Bytes(body.getBytes(StandardCharsets.UTF_8)));
  }

  private static Map<?, ?> parsed(String text) {
    try {
      return Json.parse(text) instanceof Map<?, ?> map ? map : Map.of();
    } catch (Json.SyntaxException e) {
      return Map.of();
    }
  }
}
