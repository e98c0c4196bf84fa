package dev.signalbox.services.system;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request that is refused: what the RFC 9457 problem in the answer will say. */
public final class ProblemException extends RuntimeException {
  private final int status;
  private final String code;
  private final String hint;
  private final transient Map<String, @Nullable Object> more;

  /**
   * @param code kebab-case, listed in docs/http.md or docs/rejections.md
   * @param hint what to do about it; empty when the message says it all
   * @param more further members of the problem
   */
  public ProblemException(
      int status,
      String code,
      String message,
      String hint,
      Map<String, ? extends @Nullable Object> more) {
    super(message, null, false, false);
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.more = Collections.unmodifiableMap(new LinkedHashMap<>(more));
  }

  public static ProblemException of(int status, String code, String message, String hint) {
    return new ProblemException(status, code, message, hint, Map.of());
  }

  public static ProblemException badRequest(String message) {
    return of(400, "bad-request", message, "");
  }

  public static ProblemException notFound(String message) {
    return of(404, "not-found", message, "");
  }

  public static ProblemException forbidden(String message, String hint) {
    return of(403, "forbidden", message, hint);
  }

  public int status() {
    return status;
  }

  public String code() {
    return code;
  }

  public String hint() {
    return hint;
  }

  public Map<String, @Nullable Object> more() {
    return more;
  }
}
