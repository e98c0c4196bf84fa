package dev.signalbox.services.tool;

import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.services.ExactJson;
import dev.signalbox.services.evidence.EvidenceStore;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A tool that is a Java function, such as an agent's turn. */
public final class HandlerTool implements Tool {
  private static final Duration FAREWELL = Duration.ofSeconds(10);

  private final String name;
  private final Map<String, Object> identity;
  private final Handler handler;

  /** The function. It ends what it started when its thread is interrupted. */
  @FunctionalInterface
  public interface Handler {
    /**
     * @throws Exception when it failed; the result then says so, without the exception's message
     */
    ToolResult handle(ToolCall call, EvidenceStore evidence) throws Exception;

    /**
     * What makes it this function and no other: unless it says more, such as its version or the
     * digest of a prompt, the class that its code is in and the digest of that.
     */
    default Map<String, Object> version() {
      return Versions.of(getClass());
    }
  }

  private HandlerTool(String name, Map<String, Object> identity, Handler handler) {
    this.name = name;
    this.identity = ExactJson.fields(identity);
    this.handler = handler;
  }

  /**
   * The function under a name.
   *
   * @param identity what makes the function this one and no other, such as its version, or the
   *     model and the digest of the prompt of an agent
   */
  public static HandlerTool of(String name, Map<String, Object> identity, Handler handler) {
    return new HandlerTool(name, identity, handler);
  }

  @Override
  public Map<String, Object> identity(ToolCall call) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("kind", "handler");
    all.put("handler", name);
    all.put("of", identity);
    return all;
  }

  @Override
  public Map<String, Object> described(ToolCall call) {
    Map<String, Object> all = new LinkedHashMap<>(identity(call));
    all.put("version", ExactJson.fields(handler.version()));
    return all;
  }

  @Override
  public ToolResult run(ToolCall call, EvidenceStore evidence) throws InterruptedException {
    CompletableFuture<ToolResult> done = new CompletableFuture<>();
    Thread thread =
        Thread.ofVirtual()
            .name("handler " + name)
            .start(() -> {
              try {
                done.complete(handler.handle(call, evidence));
              } catch (Throwable e) {
                done.completeExceptionally(e);
              }
            });
    boolean ended = false;
    try {
      ToolResult result = done.get(call.limits().time().toMillis(), TimeUnit.MILLISECONDS);
      ended = true;
      return result;
    } catch (TimeoutException e) {
      ended = ended(thread);
      return ToolResult.of(
          ended ? ToolStatus.FAIL : ToolStatus.HALTED,
          List.of(),
          "Expected handler '%s' to end within %s, but it did not and %s."
              .formatted(
                  name,
                  call.limits().time(),
                  ended ? "was interrupted" : "goes on though it was interrupted"));
    } catch (ExecutionException e) {
      ended = true;
      // The message may hold anything, so only the kind of the exception is told.
      return ToolResult.fail(
          List.of(),
          "Expected handler '%s' to do the call, but it failed with %s."
              .formatted(name, kind(e.getCause())));
    } finally {
      if (!ended) {
        ended(thread);
      }
    }
  }

  private static String kind(@Nullable Throwable e) {
    return e == null ? "nothing" : e.getClass().getSimpleName();
  }

  /** Interrupts the handler and waits until it has ended, but not for ever. */
  private static boolean ended(Thread thread) {
    boolean interrupted = Thread.interrupted();
    try {
      thread.interrupt();
      return thread.join(FAREWELL);
    } catch (InterruptedException e) {
      interrupted = true;
      return false;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public String toString() {
    return "handler " + name + " " + CanonicalJson.text(identity);
  }
}
