package dev.signalbox.services.approval;

import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.services.ExactJson;
import dev.signalbox.services.Sha256;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One exact action: everything that makes it this one and no other. It holds copies, so nothing
 * that the caller changes afterwards changes it.
 *
 * @param subject what it is done to or for, such as a run
 * @param name what is done
 * @param arguments with what: JSON values
 * @param identity what else makes it this action, such as the tool's server and the digest of its
 *     schema
 */
public record Action(
    String subject, String name, @Nullable Object arguments, Map<String, Object> identity) {

  /**
   * @throws IllegalArgumentException when something has no exact JSON form
   */
  public Action {
    arguments = ExactJson.value(arguments);
    identity = ExactJson.fields(identity);
  }

  public static Action of(String subject, String name, @Nullable Object arguments) {
    return new Action(subject, name, arguments, Map.of());
  }

  /**
   * The action of a request as a store has it, whoever wrote it: what has no exact form is shown as
   * the text of its canonical JSON.
   */
  static Action recorded(
      String subject, String name, @Nullable Object arguments, Map<String, Object> identity) {
    return new Action(subject, name, shown(arguments), shownFields(identity));
  }

  private static @Nullable Object shown(@Nullable Object value) {
    try {
      return ExactJson.value(value);
    } catch (IllegalArgumentException e) {
      return CanonicalJson.text(value);
    }
  }

  private static Map<String, Object> shownFields(Map<String, Object> fields) {
    try {
      return ExactJson.fields(fields);
    } catch (IllegalArgumentException e) {
      return Map.of("identity", CanonicalJson.text(fields));
    }
  }

  /** The same action, done by exactly that tool. */
  public Action by(Map<String, Object> toolIdentity) {
    return new Action(subject, name, arguments, toolIdentity);
  }

  /** What is hashed. */
  public String canonical() {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    all.put("action", name);
    all.put("arguments", arguments);
    all.put("identity", identity);
    all.put("subject", subject);
    return CanonicalJson.text(all);
  }

  /** The SHA-256 of the canonical JSON, in hexadecimal. */
  public String digest() {
    return Sha256.hex(canonical());
  }
}
