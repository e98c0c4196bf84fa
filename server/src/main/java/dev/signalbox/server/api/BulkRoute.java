package dev.signalbox.server.api;

import static dev.signalbox.services.system.Role.ADMIN;
import static dev.signalbox.services.system.Role.AGENT;
import static dev.signalbox.services.system.Role.APPROVER;
import static dev.signalbox.services.system.Role.OPERATOR;

import dev.signalbox.definition.Json;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.CallerTrace;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.server.access.AuditLog;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.Fields;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Role;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Many commands in one request: a line of JSON in for each, a line of JSON out for each, in the
 * same order. Lines are submitted as they come in, so that many share a commit, and answered as
 * they become durable; so many may be under way at once, and then reading waits.
 */
public final class BulkRoute {
  private static final int UNDER_WAY = 1_500;
  private static final int LONGEST_LINE = 512 * 1024;
  private static final int MOST_LINES = 100_000;

  /** How often the credential is asked for again while lines come. */
  private static final long LOOK_MS = 5_000;

  private static final String TYPE = "application/x-ndjson";
  private static final String PATH = "/events";

  private final Signalbox box;
  private final AuditLog audit;
  private final InstantSource clock;

  public BulkRoute(Signalbox box, AuditLog audit, InstantSource clock) {
    this.box = box;
    this.audit = audit;
    this.clock = clock;
  }

  public List<Route> routes() {
    return List.of(
        Route.post(PATH, "Many commands in one request, a line of JSON each")
            .withoutKey()
            .may(OPERATOR, APPROVER, AGENT, ADMIN)
            .takes(TYPE, Schema.named("BulkLine"))
            .gives(200, "A line for each, in order", TYPE, Schema.named("BulkAnswer"))
            .by(this::answer));
  }

  /** A line that is under way; the last one has no reply. */
  private record Pending(long line, @Nullable CompletableFuture<Reply> reply) {}

  private Response answer(Request request) throws IOException {
    Caller caller = request.caller();
    String from = request.from();
    InputStream in = request.stream();
    return Response.flow(TYPE, out -> run(in, out, caller, request::isStillGood, from));
  }

  private void run(
      InputStream in, OutputStream out, Caller caller, BooleanSupplier good, String from)
      throws IOException {
    BlockingQueue<Pending> pending = new ArrayBlockingQueue<>(UNDER_WAY);
    CallerTrace trace = CallerTrace.current();
    Thread reader =
        Thread.ofVirtual()
            .name("signalbox-bulk")
            .start(() -> trace.run(() -> read(in, caller, good, pending)));
    Map<String, Refusals> refused = new LinkedHashMap<>();
    try {
      write(pending, out, refused);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      reader.interrupt();
      refused.forEach((code, lines) ->
          audit.note(
              "refused",
              caller.name(),
              from,
              "POST",
              "/api/v1%s, %s".formatted(PATH, lines),
              lines.status,
              code));
    }
  }

  /** Lines that were refused with one code: they are noted together, however many they are. */
  private record Refusals(int status, long first, long count) {
    static Refusals of(int status, long line) {
      return new Refusals(status, line, 1);
    }

    Refusals and(Refusals more) {
      return new Refusals(status, first, count + more.count);
    }

    @Override
    public String toString() {
      return count == 1 ? "line " + first : "line %d and %d more".formatted(first, count - 1);
    }
  }

  private void read(
      InputStream in, Caller caller, BooleanSupplier good, BlockingQueue<Pending> pending) {
    long number = 0;
    long looked = clock.millis();
    try {
      Lines lines = new Lines(in, LONGEST_LINE);
      Actor actor = caller.actor();
      String line;
      while ((line = lines.next()) != null) {
        if (line.isBlank()) {
          continue;
        }
        number++;
        if (number > MOST_LINES) {
          throw ProblemException.of(
              413,
              "too-large",
              "Expected at most %,d lines, but there are more.".formatted(MOST_LINES),
              "Send the rest in another request.");
        }
        // A request may last for hours; whoever was shut out meanwhile sends no more.
        if (Math.abs(clock.millis() - looked) >= LOOK_MS) {
          looked = clock.millis();
          if (!good.getAsBoolean()) {
            throw ProblemException.of(
                401,
                "unauthenticated",
                "Expected a credential that is good, but it is so no more.",
                "Send the rest with another.");
          }
        }
        pending.put(new Pending(number, submit(line, caller, actor)));
      }
    } catch (ProblemException e) {
      give(pending, new Pending(number + 1, CompletableFuture.failedFuture(e)));
    } catch (IOException e) {
      // The client stopped sending; what it sent is carried out and answered if it still listens.
      give(
          pending,
          new Pending(
              number + 1,
              CompletableFuture.failedFuture(
                  ProblemException.badRequest("Expected more lines, but the body ended early."))));
    } catch (InterruptedException e) {
      return;
    }
    give(pending, new Pending(0, null));
  }

  private static void give(BlockingQueue<Pending> pending, Pending one) {
    try {
      pending.put(one);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private CompletableFuture<Reply> submit(String line, Caller caller, Actor actor) {
    try {
      Fields fields = Fields.of(Json.parse(line));
      return box.submitAsync(command(fields, caller, actor));
    } catch (Json.SyntaxException e) {
      return CompletableFuture.failedFuture(
          ProblemException.badRequest(
              "Expected a JSON object on the line, but it is none, at column %d."
                  .formatted(e.place().column())));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private Command command(Fields fields, Caller caller, Actor actor) {
    String machine = fields.textOrNull("start");
    if (machine != null) {
      fields.only("start", "id", "input", "key");
      if (!caller.hasAny(STARTERS)) {
        throw ProblemException.forbidden(
            "Expected '%s' to have the role operator or agent, but it has neither."
                .formatted(caller.name()),
            "Let someone with the role start it.");
      }
      InstanceRoutes.checkStart(machine, caller);
      return new Command.Start(
          machine,
          InstanceRoutes.id(fields.textOrNull("id")),
          fields.object("input"),
          actor,
          InstanceRoutes.key(fields.textOrNull("key")));
    }
    fields.only("instance", "event", "data", "key", "expected_sequence");
    String id = fields.text("instance");
    if (caller.isRestricted()) {
      InstanceRoutes.changeable(box, id, caller);
    }
    return new Command.Send(
        id,
        fields.text("event"),
        fields.value("data"),
        actor,
        InstanceRoutes.key(fields.textOrNull("key")),
        fields.numberOrNull("expected_sequence"));
  }

  private static final Set<Role> STARTERS = Set.of(OPERATOR, AGENT, ADMIN);

  private static void write(
      BlockingQueue<Pending> pending, OutputStream raw, Map<String, Refusals> refused)
      throws IOException, InterruptedException {
    BufferedOutputStream out = new BufferedOutputStream(raw, 1 << 16);
    StringBuilder text = new StringBuilder(256);
    while (true) {
      Pending next = pending.poll();
      if (next == null) {
        out.flush();
        next = pending.poll(1, TimeUnit.HOURS);
      }
      if (next == null || next.reply == null) {
        out.flush();
        return;
      }
      if (!next.reply.isDone()) {
        out.flush();
      }
      text.setLength(0);
      ProblemException problem = line(next.line, next.reply, text);
      if (problem != null) {
        refused.merge(problem.code(), Refusals.of(problem.status(), next.line), Refusals::and);
      }
      out.write(text.toString().getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Writes the answer to a line; says what was wrong with it, or null. */
  private static @Nullable ProblemException line(
      long number, CompletableFuture<Reply> future, StringBuilder text) {
    text.append("{\"line\":").append(number);
    try {
      switch (future.join()) {
        case Reply.Accepted(Receipt receipt) -> {
          text.append(",\"instance\":");
          quote(receipt.instance(), text);
          text.append(",\"sequence\":").append(receipt.sequence());
          text.append(",\"hash\":\"").append(receipt.hash()).append("\",\"states\":[");
          String comma = "";
          for (String state : receipt.states()) {
            text.append(comma);
            quote(state, text);
            comma = ",";
          }
          text.append("],\"ended\":").append(receipt.ended()).append("}\n");
          return null;
        }
        case Reply.Rejected(Rejection rejection) -> {
          return problem(Rejections.problem(rejection, null), text);
        }
      }
    } catch (CompletionException e) {
      return problem(
          e.getCause() instanceof ProblemException known
              ? known
              : ProblemException.of(
                  503,
                  "store-unavailable",
                  "Expected to use the store, but it can't be used now.",
                  "Send the same again in a moment, with the same key."),
          text);
    }
  }

  private static ProblemException problem(ProblemException problem, StringBuilder text) {
    Map<String, Object> view =
        Map.of(
            "status", (long) problem.status(),
            "code", problem.code(),
            "detail", String.valueOf(problem.getMessage()),
            "hint", problem.hint());
    text.append(",\"problem\":").append(Json.text(view)).append("}\n");
    return problem;
  }

  private static void quote(String value, StringBuilder text) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c < ' ' || c == '"' || c == '\\' || c > '~') {
        text.append(Json.text(value));
        return;
      }
    }
    text.append('"').append(value).append('"');
  }
}
