package dev.signalbox.definition;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON text to the values that machines compute with, and back: null, Boolean, Long, Double,
 * String, List and Map.
 */
public final class Json {
  /** What canonical JSON writes can be read again, an entry's own levels around it included. */
  private static final int DEPTH = 1_100;

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(DEPTH)
                          .maxNameLength(Integer.MAX_VALUE)
                          .maxStringLength(Integer.MAX_VALUE)
                          .build())
                  .build())
          .enable(DeserializationFeature.USE_LONG_FOR_INTS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private Json() {}

  /**
   * The value that the text stands for. A whole number is a Long, or a Double when no Long holds
   * it.
   *
   * @throws SyntaxException when the text is not one JSON value
   */
  public static @Nullable Object parse(String text) throws SyntaxException {
    try {
      return plain(MAPPER.readValue(text, Object.class));
    } catch (JacksonException e) {
      TokenStreamLocation where = e.getLocation();
      throw new SyntaxException(
          e.getOriginalMessage(),
          where == null ? Place.START : new Place(line(where), column(where)));
    }
  }

  /** The value on one line. */
  public static String text(@Nullable Object value) {
    return MAPPER.writeValueAsString(value);
  }

  /** The value over several lines, for people. */
  public static String pretty(@Nullable Object value) {
    return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(value);
  }

  /** The text is not JSON. */
  public static final class SyntaxException extends Exception {
    private final Place place;

    SyntaxException(String message, Place place) {
      super(message);
      this.place = place;
    }

    public Place place() {
      return place;
    }
  }

  private static @Nullable Object plain(@Nullable Object value) throws SyntaxException {
    return switch (value) {
      case BigInteger big -> finite(big.doubleValue());
      case Double number -> finite(number);
      case List<?> list -> {
        List<@Nullable Object> items = new ArrayList<>(list.size());
        for (Object item : list) {
          items.add(plain(item));
        }
        yield Collections.unmodifiableList(items);
      }
      case Map<?, ?> map -> {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          fields.put(String.valueOf(entry.getKey()), plain(entry.getValue()));
        }
        yield Collections.unmodifiableMap(fields);
      }
      case null, default -> value;
    };
  }

  private static Double finite(double number) throws SyntaxException {
    if (Double.isInfinite(number) || Double.isNaN(number)) {
      throw new SyntaxException("the number is too large", Place.START);
    }
    return number;
  }

  private static int line(TokenStreamLocation where) {
    return Math.max(1, where.getLineNr());
  }

  private static int column(TokenStreamLocation where) {
    return Math.max(1, where.getColumnNr());
  }
}
