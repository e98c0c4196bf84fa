package dev.signalbox.runtime;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the JSON that {@link SnapshotCodec} usually writes: no white space, no escapes, no
 * exponents. At anything else it gives up, and {@link dev.signalbox.definition.Json}, which knows
 * all of JSON and takes three times as long, has to say what it is. An instance is read each time
 * it comes back into use, so among many instances every command pays for it.
 */
final class QuickJson {
  /** Nothing was read; another reader has to. */
  static final Object GAVE_UP = new Object();

  private static final int DEPTH = 100;

  /** So many digits always fit into a long. */
  private static final int DIGITS = 18;

  private static final int USUAL_FIELDS = 8;

  /** Longer names are not remembered. */
  private static final int LONGEST_NAME = 32;

  /**
   * Names that were read, so that the same few are not made again and again. Threads overwrite each
   * other's, which costs nothing but a name.
   */
  private static final @Nullable String[] NAMES = new String[1_024];

  private final byte[] bytes;
  private int at;

  private QuickJson(byte[] bytes) {
    this.bytes = bytes;
  }

  /** The value, or {@link #GAVE_UP}. */
  static @Nullable Object parse(byte[] bytes) {
    QuickJson json = new QuickJson(bytes);
    Object value = json.value(0);
    return json.at == bytes.length ? value : GAVE_UP;
  }

  private int next() {
    return at < bytes.length ? bytes[at++] : -1;
  }

  private boolean skip(char expected) {
    if (at < bytes.length && bytes[at] == expected) {
      at++;
      return true;
    }
    return false;
  }

  private @Nullable Object value(int depth) {
    if (depth > DEPTH) {
      return GAVE_UP;
    }
    return switch (next()) {
      case '"' -> text();
      case '{' -> map(depth);
      case '[' -> list(depth);
      case 't' -> word("rue", true);
      case 'f' -> word("alse", false);
      case 'n' -> word("ull", null);
      case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> {
        at--;
        yield number();
      }
      default -> GAVE_UP;
    };
  }

  private @Nullable Object word(String rest, @Nullable Object value) {
    for (int i = 0; i < rest.length(); i++) {
      if (!skip(rest.charAt(i))) {
        return GAVE_UP;
      }
    }
    return value;
  }

  private Object map(int depth) {
    Map<String, @Nullable Object> map = LinkedHashMap.newLinkedHashMap(USUAL_FIELDS);
    if (skip('}')) {
      return Collections.unmodifiableMap(map);
    }
    do {
      String name = skip('"') ? name() : null;
      if (name == null || !skip(':')) {
        return GAVE_UP;
      }
      Object value = value(depth + 1);
      if (value == GAVE_UP) {
        return GAVE_UP;
      }
      map.put(name, value);
    } while (skip(','));
    return skip('}') ? Collections.unmodifiableMap(map) : GAVE_UP;
  }

  private Object list(int depth) {
    List<@Nullable Object> list = new ArrayList<>();
    if (skip(']')) {
      return Collections.unmodifiableList(list);
    }
    do {
      Object value = value(depth + 1);
      if (value == GAVE_UP) {
        return GAVE_UP;
      }
      list.add(value);
    } while (skip(','));
    return skip(']') ? Collections.unmodifiableList(list) : GAVE_UP;
  }

  /** Goes to the end of the text that begins here; false when it needs more than copying. */
  private boolean toEnd() {
    for (; at < bytes.length; at++) {
      byte b = bytes[at];
      if (b == '"') {
        return true;
      }
      if (b == '\\' || (b >= 0 && b < ' ')) {
        return false;
      }
    }
    return false;
  }

  private Object text() {
    int from = at;
    return toEnd() ? string(from) : GAVE_UP;
  }

  /** The text up to the quotation mark, which is passed. */
  private String string(int from) {
    String text = new String(bytes, from, at - from, StandardCharsets.UTF_8);
    at++;
    return text;
  }

  private @Nullable String name() {
    int from = at;
    if (!toEnd()) {
      return null;
    }
    int length = at - from;
    if (length > LONGEST_NAME) {
      return string(from);
    }
    int hash = length;
    for (int i = from; i < at; i++) {
      hash = 31 * hash + bytes[i];
    }
    int place = (hash ^ (hash >>> 10) ^ (hash >>> 20)) & (NAMES.length - 1);
    String known = NAMES[place];
    if (known != null && isHere(known, from, length)) {
      at++;
      return known;
    }
    String name = string(from);
    NAMES[place] = name;
    return name;
  }

  /** Whether the name is what stands there; one beyond ASCII never is. */
  private boolean isHere(String name, int from, int length) {
    if (name.length() != length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (name.charAt(i) != bytes[from + i]) {
        return false;
      }
    }
    return true;
  }

  private Object number() {
    int from = at;
    boolean negative = skip('-');
    int first = at;
    long number = 0;
    for (; at < bytes.length && isDigit(bytes[at]); at++) {
      number = 10 * number + (bytes[at] - '0');
    }
    int digits = at - first;
    if (digits == 0 || digits > DIGITS || (digits > 1 && bytes[first] == '0')) {
      return GAVE_UP;
    }
    if (!skip('.')) {
      return isNumberOver() ? (Object) (negative ? -number : number) : GAVE_UP;
    }
    int point = at;
    while (at < bytes.length && isDigit(bytes[at])) {
      at++;
    }
    if (at == point || !isNumberOver()) {
      return GAVE_UP;
    }
    return Double.valueOf(new String(bytes, from, at - from, StandardCharsets.ISO_8859_1));
  }

  private boolean isNumberOver() {
    return at == bytes.length || (bytes[at] != 'e' && bytes[at] != 'E' && bytes[at] != '.');
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }
}
