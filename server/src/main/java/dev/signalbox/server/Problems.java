package dev.signalbox.server;

import dev.signalbox.definition.DefinitionException;
import dev.signalbox.definition.Problem;
import dev.signalbox.journal.JournalException;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.RejectedException;
import dev.signalbox.server.api.Rejections;
import dev.signalbox.server.api.Views;
import dev.signalbox.services.system.ProblemException;
import jakarta.servlet.ServletException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** What went wrong, as RFC 9457 has it. */
public final class Problems {
  static final String TYPE = "application/problem+json";

  private static final int DEEPEST = 16;

  private Problems() {}

  /** The problem that tells of the exception; of our own faults it tells nothing but that. */
  public static ProblemException of(Throwable thrown) {
    return switch (telling(thrown)) {
      case ProblemException problem -> problem;
      case RejectedException rejected -> Rejections.problem(rejected.rejection(), null);
      case DefinitionException bad ->
          new ProblemException(
              422,
              "definition-refused",
              "Expected a machine without errors, but it has %d."
                  .formatted(bad.problems().stream().filter(Problem::isError).count()),
              "Mend what the problems name; POST /api/v1/machines/check shows them without"
                  + " publishing.",
              Map.of("problems", bad.problems().stream().map(Views::problem).toList()));
      case JournalException store -> storeUnavailable(store.outcomeUnknown());
      default ->
          ProblemException.of(
              500,
              "internal",
              "Expected to answer, but something in the server is wrong; its log has more.",
              "");
    };
  }

  /** The store can't be used now, on whichever path that was noticed. */
  static ProblemException storeUnavailable(boolean unknown) {
    return ProblemException.of(
        503,
        "store-unavailable",
        "Expected to use the store, but it can't be used now.",
        unknown
            ? "It may have happened; send the same again with the same Idempotency-Key."
            : "Send the same again in a moment.");
  }

  /** What says most of what went wrong: a store that is lost may be deep below. */
  private static Throwable telling(Throwable thrown) {
    if (isKnown(thrown)) {
      return thrown;
    }
    Throwable cause = thrown.getCause();
    for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
      if (cause instanceof JournalException || (isCarrier(thrown) && isKnown(cause))) {
        return cause;
      }
      cause = cause.getCause();
    }
    return thrown;
  }

  private static boolean isKnown(Throwable thrown) {
    return thrown instanceof ProblemException
        || thrown instanceof RejectedException
        || thrown instanceof DefinitionException
        || thrown instanceof JournalException;
  }

  /** Whether it only says that something went wrong elsewhere. */
  private static boolean isCarrier(Throwable thrown) {
    return thrown instanceof CompletionException
        || thrown instanceof ExecutionException
        || thrown instanceof ServletException;
  }

  /** What is told of the problem. */
  public static Map<String, @Nullable Object> body(ProblemException problem) {
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    body.put("type", "urn:signalbox:problem:" + problem.code());
    body.put("title", title(problem.code()));
    body.put("status", (long) problem.status());
    body.put("code", problem.code());
    body.put("detail", problem.getMessage());
    if (!problem.hint().isEmpty()) {
      body.put("hint", problem.hint());
    }
    body.putAll(problem.more());
    return body;
  }

  private static String title(String code) {
    String words = code.replace('-', ' ');
    return Character.toUpperCase(words.charAt(0)) + words.substring(1);
  }

  /** Whether the code is one of the engine's rejections. */
  static boolean isRejection(String code) {
    for (Rejection.Code known : Rejection.Code.values()) {
      if (known.word().equals(code)) {
        return true;
      }
    }
    return false;
  }
}
