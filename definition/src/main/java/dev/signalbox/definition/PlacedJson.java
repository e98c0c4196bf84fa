package dev.signalbox.definition;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;

/**
 * A JSON text's value together with the places of everything in it, for readers that tell where a
 * problem is. An object that has a name twice is refused, since readers differ in what they take it
 * for.
 *
 * @param places by the JSON pointer (RFC 6901) of each value; of a field, where its name stands
 */
public record PlacedJson(@Nullable Object value, Map<String, Place> places) {

  private static final JsonFactory FACTORY = new JsonFactory();

  public PlacedJson {
    places = Collections.unmodifiableMap(new LinkedHashMap<>(places));
  }

  /**
   * The value of a text, and where everything is.
   *
   * @throws Json.SyntaxException when the text is not one JSON value
   */
  public static PlacedJson parse(String text) throws Json.SyntaxException {
    Object value = Json.parse(text);
    Map<String, Place> places = new LinkedHashMap<>();
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
      parser.nextToken();
      places.put("", place(parser));
      walk(parser, "", places);
    } catch (JacksonException e) {
      throw new Json.SyntaxException(e.getOriginalMessage(), Place.START);
    }
    return new PlacedJson(value, places);
  }

  /** The pointer of a field or an item below another. */
  public static String below(String pointer, Object step) {
    return pointer + "/" + String.valueOf(step).replace("~", "~0").replace("/", "~1");
  }

  private static void walk(JsonParser parser, String pointer, Map<String, Place> places)
      throws Json.SyntaxException {
    if (parser.currentToken() == JsonToken.START_OBJECT) {
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String name = Objects.requireNonNull(parser.currentName());
        String at = below(pointer, name);
        if (places.put(at, place(parser)) != null) {
          throw new Json.SyntaxException("'" + name + "' is there twice", place(parser));
        }
        parser.nextToken();
        walk(parser, at, places);
      }
    } else if (parser.currentToken() == JsonToken.START_ARRAY) {
      for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
        String at = below(pointer, i);
        places.put(at, place(parser));
        walk(parser, at, places);
      }
    }
  }

  private static Place place(JsonParser parser) {
    TokenStreamLocation where = parser.currentTokenLocation();
    return new Place(Math.max(1, where.getLineNr()), Math.max(1, where.getColumnNr()));
  }
}
