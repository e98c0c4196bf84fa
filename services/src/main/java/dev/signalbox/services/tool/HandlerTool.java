package dev.signalbox.services.tool;

import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.services.ExactJson;
import dev.signalbox.services.evidence.EvidenceStore;
import java.util.LinkedHashMap;
import java.util.Map;

/** A tool that is a Java function, such as an agent's turn. */
public final class HandlerTool implements Tool {
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
  public ToolResult run(ToolCall call, EvidenceStore evidence) throws InterruptedException {
    try {
      return handler.handle(call, evidence);
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      if (Thread.currentThread().isInterrupted()) {
        throw new InterruptedException("The handler '%s' was interrupted.".formatted(name));
      }
      // The message may hold anything, so only the kind of the exception is told.
      return ToolResult.fail(
          java.util.List.of(),
          "Expected handler '%s' to do the call, but it failed with %s."
              .formatted(name, e.getClass().getSimpleName()));
    }
  }

  @Override
  public String toString() {
    return "handler " + name + " " + CanonicalJson.text(identity);
  }
}
