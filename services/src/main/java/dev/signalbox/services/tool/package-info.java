/**
 * Work on the outside that a machine lets an agent do: what is called, how it is done, and what
 * came of it.
 *
 * <pre>
 *   ToolCall (data) ─▶ Tool ─▶ ToolResult (data)
 *                       │ └──▶ EvidenceStore: what it saw, by hash
 *                       └ SubprocessTool, HttpTool, McpTool, HandlerTool
 * </pre>
 *
 * <ul>
 *   <li>A {@link dev.signalbox.services.tool.ToolCall} has a key that is the same at every attempt,
 *       and one canonical form. What a tool is beyond its name ({@link
 *       dev.signalbox.services.tool.Tool#identity}) belongs to what people approve.
 *   <li>A pass without evidence can't be made. What a tool says of itself never makes its result
 *       better than what was seen: a process that exits with 1 has failed, whatever it wrote.
 *   <li>Whoever interrupts the thread ends the tool with everything it started; the same happens
 *       when its time or its output is over. What an attempt of a process that died left running is
 *       ended by the next attempt of the same key, or by {@link
 *       dev.signalbox.services.tool.Tool#clear}.
 *   <li>Secrets are named in a tool and never in a call. Their values are put in at the last
 *       moment, and taken out of everything that comes back.
 *   <li>Nothing here knows who asked, who approved, or which machine wants it.
 * </ul>
 */
@NullMarked
package dev.signalbox.services.tool;

import org.jspecify.annotations.NullMarked;
