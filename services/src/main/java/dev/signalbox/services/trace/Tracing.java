package dev.signalbox.services.trace;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.CallerTrace;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.EffectHandler;
import dev.signalbox.runtime.FeedEntry;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.FeedFollower;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes spans of commands, effects and their results. */
public final class Tracing implements AutoCloseable {
  private static final int REMEMBERED = 10_000;

  /** How many entries back the one that asked for an effect is looked for. */
  private static final int FURTHEST = 100;

  private final Signalbox box;
  private final Tracer tracer;
  private final FeedFollower follower;

  /** The attempts of this node, by their effect's key, until the result is in the journal. */
  private final Map<String, SpanContext> attempts =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, SpanContext> eldest) {
          return size() > REMEMBERED;
        }
      };

  public Tracing(Signalbox box, OpenTelemetry telemetry) {
    this.box = box;
    this.tracer = telemetry.getTracer("dev.signalbox");
    this.follower =
        new FeedFollower(
            "signalbox-traces", box.feed(), box.feed().end(), Duration.ofSeconds(1), this::result);
  }

  /**
   * Carries commands out in a span below the caller's, which is the command's own {@code
   * traceparent}, the one of {@link CallerTrace} or the current span. What nobody asked for has no
   * span.
   */
  public Function<Command, CompletableFuture<Reply>> around(
      Function<Command, CompletableFuture<Reply>> door) {
    return command -> submit(command, door);
  }

  private CompletableFuture<Reply> submit(
      Command command, Function<Command, CompletableFuture<Reply>> door) {
    CallerTrace caller = CallerTrace.current();
    String trace = command.trace() == null ? caller.traceparent() : command.trace();
    Context parent = Traceparent.in(Context.current(), trace);
    if (!caller.asked() && !Span.fromContext(parent).getSpanContext().isValid()) {
      return door.apply(command);
    }
    Span span =
        tracer
            .spanBuilder("signalbox.step")
            .setParent(parent)
            .setSpanKind(SpanKind.INTERNAL)
            .startSpan();
    String own = Traceparent.of(span.getSpanContext());
    Command traced =
        switch (command) {
          case Command.Send send -> {
            span.setAttribute("signalbox.event", send.event());
            yield send.traced(own);
          }
          case Command.Start start -> {
            span.setAttribute("signalbox.machine", start.machine());
            yield start.traced(own);
          }
          default -> command;
        };
    return CallerTrace.of(own)
        .during(() -> door.apply(traced))
        .whenComplete((reply, failure) -> {
          if (failure != null) {
            span.setStatus(StatusCode.ERROR, "the store failed");
          } else {
            describe(span, reply);
          }
          span.end();
        });
  }

  private static void describe(Span span, Reply reply) {
    switch (reply) {
      case Reply.Accepted(Receipt receipt) -> {
        span.setAttribute("signalbox.instance", receipt.instance());
        span.setAttribute("signalbox.sequence", receipt.sequence());
        span.setAttribute("signalbox.states", String.join(",", receipt.states()));
      }
      case Reply.Rejected(Rejection rejection) -> {
        span.setAttribute("signalbox.rejection", rejection.code().word());
        span.setStatus(StatusCode.ERROR, rejection.code().word());
      }
    }
  }

  /** The handler, with a span around every attempt, in the trace of the step that asked for it. */
  public EffectHandler traced(EffectHandler handler) {
    return call -> {
      String asking = asking(call.instance(), call.key());
      Span span =
          tracer
              .spanBuilder("signalbox.effect")
              .setParent(Traceparent.in(Context.root(), asking))
              .setSpanKind(SpanKind.CLIENT)
              .setAttribute("signalbox.effect", call.effect())
              .setAttribute("signalbox.effect.key", call.key())
              .setAttribute("signalbox.instance", call.instance())
              .setAttribute("signalbox.attempt", call.attempt())
              .startSpan();
      synchronized (attempts) {
        attempts.put(call.key(), span.getSpanContext());
      }
      try (Scope _ = span.makeCurrent()) {
        Outcome outcome = handler.handle(call);
        if (!(outcome instanceof Outcome.Succeeded)) {
          span.setStatus(StatusCode.ERROR, outcome.getClass().getSimpleName());
        }
        return outcome;
      } catch (Exception e) {
        span.setStatus(StatusCode.ERROR, e.getClass().getSimpleName());
        throw e;
      } finally {
        span.end();
      }
    };
  }

  /** The trace of the entry that asked for the effect, or null. */
  private @Nullable String asking(String instance, String key) {
    Journal journal = box.journal();
    InstanceRow row = journal.load(instance);
    return row == null ? null : asking(row.number(), row.sequence(), key);
  }

  /**
   * Looks back for the entry that asked for the effect. A result that asked for the next effect is
   * in the trace of the one before.
   */
  private @Nullable String asking(long instance, long newest, String key) {
    String wanted = key;
    for (long at = newest; at > 0 && at > newest - FURTHEST; at--) {
      List<EntryRow> entry = box.journal().history(instance, Chain.STEPS, at, 1);
      Map<?, ?> body = entry.isEmpty() ? Map.of() : body(entry.getFirst());
      if (asksFor(body, wanted)) {
        if (body.get("trace") instanceof String trace) {
          return trace;
        }
        if (!"effect".equals(body.get("kind")) || !(body.get("cause") instanceof String before)) {
          return null;
        }
        wanted = before;
      }
    }
    return null;
  }

  private static boolean asksFor(Map<?, ?> body, String key) {
    return body.get("effects") instanceof List<?> effects
        && effects.stream().anyMatch(e -> e instanceof Map<?, ?> m && key.equals(m.get("key")));
  }

  private static Map<?, ?> body(EntryRow entry) {
    try {
      return Json.parse(new String(entry.body(), StandardCharsets.UTF_8)) instanceof Map<?, ?> map
          ? map
          : Map.of();
    } catch (Json.SyntaxException e) {
      return Map.of();
    }
  }

  /** The step that a result caused, in the trace of the step that asked. */
  private void result(FeedEntry entry) {
    if (entry.isRefusal()
        || entry.isArchived()
        || !entry.kind().equals("effect")
        || !(entry.body().get("cause") instanceof String key)) {
      return;
    }
    SpanContext attempt;
    synchronized (attempts) {
      attempt = attempts.remove(key);
    }
    if (attempt == null) {
      return;
    }
    String asking = asking(entry.number(), entry.sequence() - 1, key);
    SpanBuilder builder =
        tracer
            .spanBuilder("signalbox.result")
            .setParent(
                asking == null
                    ? Context.root().with(Span.wrap(attempt))
                    : Traceparent.in(Context.root(), asking))
            .addLink(attempt)
            .setStartTimestamp(entry.at(), TimeUnit.MILLISECONDS)
            .setAttribute("signalbox.event", entry.eventName())
            .setAttribute("signalbox.effect.key", key)
            .setAttribute("signalbox.instance", entry.instance())
            .setAttribute("signalbox.sequence", entry.sequence())
            .setAttribute("signalbox.states", String.join(",", entry.states()));
    builder.startSpan().end(entry.at(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    while (follower.catchUp()) {
      // There is more.
    }
    follower.close();
  }
}
