package dev.signalbox.server.api;

import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.trace.Tracing;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The one door as the routes use it: a command keeps the trace of the request that brought it. */
public final class Commands {
  private final Signalbox box;
  private final @Nullable Tracing tracing;

  /**
   * @param tracing makes a span of every command; null for none
   */
  public Commands(Signalbox box, @Nullable Tracing tracing) {
    this.box = box;
    this.tracing = tracing;
  }

  Reply submit(Command command, @Nullable String trace) {
    Command traced = traced(command, trace);
    return tracing == null ? box.submit(traced) : tracing.submit(traced);
  }

  CompletableFuture<Reply> submitAsync(Command command, @Nullable String trace) {
    Command traced = traced(command, trace);
    return tracing == null ? box.submitAsync(traced) : tracing.submitAsync(traced);
  }

  private static Command traced(Command command, @Nullable String trace) {
    if (trace == null) {
      return command;
    }
    return switch (command) {
      case Command.Send send -> send.traced(trace);
      case Command.Start start -> start.traced(trace);
      default -> command;
    };
  }
}
