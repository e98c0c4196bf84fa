package dev.signalbox.services.system;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a route is asked. */
public interface Request {
  /**
   * The header of W3C Trace Context. What a route asks of the store keeps it by itself ({@link
   * dev.signalbox.runtime.CallerTrace}).
   */
  String TRACE = "traceparent";

  Caller caller();

  /**
   * Whether the credential with which the request came is still good. Whatever lasts, such as a
   * stream, asks again and again.
   */
  boolean isStillGood();

  /** The address of whoever asks. */
  String from();

  /** A part of the path, by the name that the route's path gives it. */
  String path(String name);

  /** A parameter of the query, or null. */
  @Nullable String query(String name);

  /** Every parameter of the query with the prefix, without it. */
  Map<String, String> queries(String prefix);

  @Nullable String header(String name);

  /**
   * The body as JSON; null when there is none.
   *
   * @throws ProblemException when it is too large, too deep or not JSON
   */
  @Nullable Object json() throws IOException;

  /** The body as text in UTF-8. */
  String text() throws IOException;

  /** The body as it comes in. */
  InputStream stream() throws IOException;

  /** The body as an object whose fields are read by name; without a body one without fields. */
  default Fields fields() throws IOException {
    return Fields.of(json());
  }

  /** A whole number of the query. */
  default long number(String name, long otherwise, long least, long most) {
    String text = query(name);
    if (text == null) {
      return otherwise;
    }
    try {
      long value = Long.parseLong(text);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Told below, together with numbers out of bounds.
    }
    throw ProblemException.badRequest(
        "Expected '%s' to be a whole number from %d to %d, but found '%s'."
            .formatted(name, least, most, clipped(text)));
  }

  private static String clipped(String text) {
    return text.length() <= 40 ? text : text.substring(0, 40) + "…";
  }
}
