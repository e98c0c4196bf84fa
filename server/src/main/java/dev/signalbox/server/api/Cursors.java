package dev.signalbox.server.api;

import dev.signalbox.journal.Sorting;
import dev.signalbox.services.system.ProblemException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.MatchResult;
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

  /** A place in a list by number, which nobody but us reads. */
  static String text(long number) {
    return encoded("after:" + number);
  }

  /** A place in another order. */
  static String text(Sorting sorting) {
    return encoded("%s:%d:%d".formatted(sorting.by(), sorting.value(), sorting.number()));
  }

  private static String encoded(String place) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(place.getBytes(StandardCharsets.UTF_8));
  }

  /** The place that the text stands for; without one the beginning. */
  static long read(@Nullable String text) {
    return isBeginning(text) ? 0 : read(text, CURSOR, found -> Long.parseLong(found.group(1)));
  }

  /** The place in another order that the text stands for; without one its beginning. */
  static Sorting read(Sorting.By by, @Nullable String text) {
    if (isBeginning(text)) {
      return Sorting.by(by);
    }
    return read(
        text,
        Pattern.compile(by + ":(-?\\d{1,19}):(\\d{1,19})"),
        found -> new Sorting(by, Long.parseLong(found.group(1)), Long.parseLong(found.group(2))));
  }

  /** Whether there is no place yet. */
  static boolean isBeginning(@Nullable String text) {
    return text == null || text.isEmpty();
  }

  private static <T> T read(@Nullable String text, Pattern form, Function<MatchResult, T> place) {
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(Objects.requireNonNull(text));
      var matcher = form.matcher(new String(bytes, StandardCharsets.UTF_8));
      if (matcher.matches()) {
        return place.apply(matcher);
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
