package dev.signalbox.runtime;

import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;

/**
 * Why something failed, in words. Many exceptions of the JDK say nothing, or a path and nothing
 * else; what is told of them here is never empty and never {@code null}.
 */
public final class Why {
  private static final int DEEPEST = 20;

  private Why() {}

  /** What is said of the failure: by itself, by what caused it, or else by what kind it is. */
  public static String of(Throwable failure) {
    Throwable one = failure;
    for (int i = 0; i < DEEPEST && one != null; i++) {
      String said = said(one);
      if (said != null) {
        return said;
      }
      one = one.getCause();
    }
    return kind(failure);
  }

  private static @Nullable String said(Throwable one) {
    String message = one.getMessage();
    boolean silent = message == null || message.isBlank() || message.equals("null");
    return switch (one) {
      case NoSuchFileException e when isPath(e.getReason()) ->
          "there is no '%s'".formatted(message);
      case AccessDeniedException e when isPath(e.getReason()) ->
          "'%s' may not be used".formatted(message);
      case FileAlreadyExistsException e when isPath(e.getReason()) ->
          "'%s' is there already".formatted(message);
      case UnknownHostException _ -> "there is no host '%s'".formatted(message);
      case ConnectException _ when silent -> "nothing answers there";
      case ClosedChannelException _ when silent -> "the connection ended";
      case StackOverflowError _ -> "it is nested too deeply";
      case OutOfMemoryError _ -> "there is not enough memory";
      // What wraps another and says only that it does.
      case Throwable t when t.getCause() != null && t.getCause().toString().equals(message) -> null;
      default -> silent ? null : message;
    };
  }

  private static boolean isPath(@Nullable String reason) {
    return reason == null || reason.isBlank();
  }

  /** The exception's kind as words, such as {@code closed by interrupt}. */
  private static String kind(Throwable failure) {
    String name = failure.getClass().getSimpleName().replaceFirst("(Exception|Error)$", "");
    String words =
        name.replaceAll("(?<=[a-z0-9])(?=[A-Z])", " ").toLowerCase(java.util.Locale.ROOT);
    return words.isBlank() ? "nobody knows why" : words.strip();
  }
}
