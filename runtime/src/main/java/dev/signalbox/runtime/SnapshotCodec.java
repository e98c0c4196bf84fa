package dev.signalbox.runtime;

import dev.signalbox.definition.Json;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.Snapshot;
import dev.signalbox.kernel.Snapshots;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Snapshots as the bytes that the journal keeps. Unlike the entries they are not canonical JSON:
 * here 1.0 stays a double and a long whole number a whole number, because the instance goes on
 * computing with them.
 */
final class SnapshotCodec {
  /** Few are longer, so the text rarely has to be copied while it grows. */
  private static final int USUAL = 1_024;

  private SnapshotCodec() {}

  static byte[] bytes(Snapshot snapshot) {
    StringBuilder out = new StringBuilder(USUAL);
    value(Snapshots.parts(snapshot), out);
    return out.toString().getBytes(StandardCharsets.UTF_8);
  }

  /**
   * The snapshot that {@link #bytes} wrote.
   *
   * @throws IllegalArgumentException when it is not one of the chart's machine
   */
  static Snapshot read(Chart chart, byte[] bytes) {
    if (parse(bytes) instanceof Map<?, ?> map) {
      @SuppressWarnings("unchecked")
      Map<String, @Nullable Object> value = (Map<String, @Nullable Object>) map;
      return Snapshots.fromValue(chart, value);
    }
    throw new IllegalArgumentException("Expected a snapshot, but found other JSON.");
  }

  private static @Nullable Object parse(byte[] bytes) {
    Object value = QuickJson.parse(bytes);
    if (value != QuickJson.GAVE_UP) {
      return value;
    }
    try {
      return Json.parse(new String(bytes, StandardCharsets.UTF_8));
    } catch (Json.SyntaxException e) {
      throw new IllegalArgumentException("Expected a snapshot, but found no JSON.", e);
    }
  }

  private static void value(@Nullable Object value, StringBuilder out) {
    switch (value) {
      case null -> out.append("null");
      case String text -> string(text, out);
      case Context context -> fields(context, out);
      case Map<?, ?> map -> {
        out.append('{');
        boolean first = true;
        for (Map.Entry<?, ?> field : map.entrySet()) {
          if (!first) {
            out.append(',');
          }
          first = false;
          string((String) field.getKey(), out);
          out.append(':');
          value(field.getValue(), out);
        }
        out.append('}');
      }
      case List<?> list -> {
        out.append('[');
        for (int i = 0; i < list.size(); i++) {
          if (i > 0) {
            out.append(',');
          }
          value(list.get(i), out);
        }
        out.append(']');
      }
      case Double number when !Double.isFinite(number) ->
          throw new IllegalArgumentException("the number " + number + " has no JSON form");
      default -> out.append(value);
    }
  }

  private static void fields(Context context, StringBuilder out) {
    char before = '{';
    Context.Layout layout = context.layout();
    for (int i = 0; i < layout.size(); i++) {
      Object value = context.slot(i);
      if (value != Context.ABSENT) {
        out.append(before);
        before = ',';
        string(layout.name(i), out);
        out.append(':');
        value(value, out);
      }
    }
    out.append(before == '{' ? "{}" : "}");
  }

  /** Runs of characters that stand for themselves are copied whole. */
  private static void string(String text, StringBuilder out) {
    out.append('"');
    int from = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= ' ' && c != '"' && c != '\\') {
        continue;
      }
      out.append(text, from, i).append('\\');
      if (c < ' ') {
        out.append("u00")
            .append(Character.forDigit(c >> 4, 16))
            .append(Character.forDigit(c & 15, 16));
      } else {
        out.append(c);
      }
      from = i + 1;
    }
    out.append(text, from, text.length()).append('"');
  }
}
