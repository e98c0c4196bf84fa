package dev.signalbox.services.tool;

import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.services.ExactJson;
import dev.signalbox.services.Sha256;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One call of a tool. It holds copies, so nothing that the caller changes afterwards changes it.
 *
 * @param key the same at every attempt of this call, and no other call's
 * @param name the tool's
 * @param arguments JSON values; secrets are never among them
 * @param folder where it works; absolute
 */
public record ToolCall(
    String key, String name, Map<String, Object> arguments, Path folder, ToolLimits limits) {
  private static final int TEXT = 2_000;
  private static final int ARGUMENTS = 1 << 20;

  /**
   * @throws IllegalArgumentException when a name is empty or long, an argument has no exact JSON
   *     form, or the folder is not absolute
   */
  public ToolCall {
    text(key, "key");
    text(name, "name");
    arguments = ExactJson.fields(arguments);
    int length = CanonicalJson.bytes(arguments).length;
    if (length > ARGUMENTS) {
      throw new IllegalArgumentException(
          "Expected arguments of at most %,d bytes for tool '%s', but they have %,d. Put what is long into a file."
              .formatted(ARGUMENTS, name, length));
    }
    if (!folder.isAbsolute()) {
      throw new IllegalArgumentException(
          "Expected an absolute folder for tool '%s', but found '%s'.".formatted(name, folder));
    }
    folder = folder.normalize();
  }

  public static ToolCall of(String key, String name, Map<String, Object> arguments, Path folder) {
    return new ToolCall(key, name, arguments, folder, ToolLimits.STANDARD);
  }

  /** The same call within other limits. */
  public ToolCall within(ToolLimits others) {
    return new ToolCall(key, name, arguments, folder, others);
  }

  /** The same call in another folder, such as a copy. */
  public ToolCall in(Path other) {
    return new ToolCall(key, name, arguments, other, limits);
  }

  /** Its one text. */
  public String canonical() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("key", key);
    fields.put("name", name);
    fields.put("arguments", arguments);
    fields.put("folder", folder.toString());
    fields.put("limits", limits.fields());
    return CanonicalJson.text(fields);
  }

  /** The SHA-256 of the canonical arguments, in hexadecimal. */
  public String argumentsDigest() {
    return Sha256.hex(CanonicalJson.text(arguments));
  }

  private static void text(String text, String what) {
    if (text.isBlank() || text.length() > TEXT) {
      throw new IllegalArgumentException(
          "Expected a call's %s to have 1 to %,d characters, but it has %,d."
              .formatted(what, TEXT, text.isBlank() ? 0 : text.length()));
    }
  }
}
