package dev.signalbox.services.tool;

import dev.signalbox.services.evidence.EvidenceStore;
import java.util.Map;

/** Something that can be called. One tool may be called by several threads at a time. */
public interface Tool {
  /**
   * What makes it this tool and no other, for this call: its kind, its command or server, digests
   * of what it is made of. JSON values, without secrets. It is part of what people approve, so it
   * is computed anew right before the call.
   *
   * @throws IllegalArgumentException when the call is none that this tool can do
   * @throws InterruptedException when the thread is interrupted while it asks a server
   */
  Map<String, Object> identity(ToolCall call) throws InterruptedException;

  /**
   * What people are shown and approve of this call: its identity and what the call comes to.
   * Nothing of the tool is started for it.
   *
   * @throws IllegalArgumentException when the call is none that this tool can do
   * @throws InterruptedException when the thread is interrupted while it asks a server
   */
  default Map<String, Object> described(ToolCall call) throws InterruptedException {
    return identity(call);
  }

  /**
   * Does the call and stores what it saw. An outside that fails is a result that says so, not an
   * exception.
   *
   * @throws InterruptedException when the thread is interrupted; everything that was started has
   *     ended by then
   */
  ToolResult run(ToolCall call, EvidenceStore evidence) throws InterruptedException;

  /**
   * Ends what an earlier attempt of the call left running, also when the process that made it is
   * dead. When it returns, nothing of it runs any more.
   */
  default void clear(ToolCall call) throws InterruptedException {}
}
