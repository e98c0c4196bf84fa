package dev.signalbox.server.api;

import dev.signalbox.services.system.ProblemException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Small texts that clients send back: where a page ended, which entry an instance had. */
final class Cursors {
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:@-]{0,199}");
  private static final Pattern TAG = Pattern.compile("(?:W/)?\"(\\d{1,18})\"");
  private static final Pattern CURSOR = Pattern.compile("after:(\\d{1,18})");

  private Cursors() {}

  /** Whether an instance may have the id. */
  static boolean isId(String id) {
    return ID.matcher(id).matches();
  }

  /** A place in a list, which nobody but us reads. */
  static String text(long number) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(("after:" + number).getBytes(StandardCharsets.UTF_8));
  }

  /** The place that the text stands for; without one the beginning. */
  static long read(@Nullable String text) {
    if (text == null || text.isEmpty()) {
      return 0;
    }
    try {
      var matcher =
          CURSOR.matcher(new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8));
      if (matcher.matches()) {
        return Long.parseLong(matcher.group(1));
      }
    } catch (IllegalArgumentException e) {
      // Told below, together with texts that decode to something else.
    }
    throw ProblemException.badRequest(
        "Expected 'after' to be the 'next' of the page before, but found another.");
  }

  /** The sequence number in an entity tag. */
  static long tagged(String tag) {
    var matcher = TAG.matcher(tag.strip());
    if (!matcher.matches()) {
      throw ProblemException.badRequest(
          "Expected If-Match to be an instance's ETag, but found another.");
    }
    return Long.parseLong(matcher.group(1));
  }
}
