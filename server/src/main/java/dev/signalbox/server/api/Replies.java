package dev.signalbox.server.api;

import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.RejectedException;
import dev.signalbox.runtime.Reply;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/** What services answer, as the API tells it. */
final class Replies {
  private Replies() {}

  /** Refuses callers whose token is for other machines. */
  static void check(Request request, String machine) {
    if (!request.caller().mayUse(machine)) {
      throw Rejections.machineForbidden(request.caller(), machine);
    }
  }

  /** Refuses callers whose token is for some things only, where all are told of. */
  static void checkUnrestricted(Request request) {
    if (request.caller().isRestricted()) {
      throw ProblemException.forbidden(
          "Expected a token for everything, but that of '%s' is for some machines or one instance."
              .formatted(request.caller().name()),
          "Use a token without such a limit.");
    }
  }

  /** What the work gives; what it finds wrong with its arguments is the caller's mistake. */
  static <T> T checked(Supplier<T> work) {
    try {
      return work.get();
    } catch (IllegalArgumentException e) {
      throw ProblemException.badRequest(String.valueOf(e.getMessage()));
    }
  }

  /** The receipt of what is asked, or its refusal as a problem. */
  static Response answer(Supplier<Reply> asked) {
    return switch (checked(asked)) {
      case Reply.Accepted(Receipt receipt) -> Response.json(Views.receipt(receipt));
      case Reply.Rejected(Rejection rejection) -> throw new RejectedException(rejection);
    };
  }

  /** The receipt, once it is durable. */
  static Response receipt(CompletableFuture<Reply> reply) {
    return switch (joined(reply)) {
      case Reply.Accepted(Receipt receipt) -> Response.json(Views.receipt(receipt));
      case Reply.Rejected(Rejection rejection) -> throw new RejectedException(rejection);
    };
  }

  /** What the future gives; what it fails with is told as if it had happened here. */
  static <T> T joined(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof IllegalArgumentException bad) {
        throw ProblemException.badRequest(String.valueOf(bad.getMessage()));
      }
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }
}
