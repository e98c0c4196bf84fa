package dev.signalbox.services.notification;

import dev.signalbox.services.SecretTexts;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Where secrets are found by their names. They are asked for at each attempt, so that a new one is
 * used at once; while one replaces another there are several, and a message is signed with each.
 */
@FunctionalInterface
public interface Secrets {
  /** The most secrets of one name. */
  int MOST = 5;

  /**
   * The secrets of a name, the newest first.
   *
   * @throws IllegalArgumentException when there is none or one is bad; the message shows no secret
   */
  List<WebhookSecret> named(String name);

  /**
   * From variables: {@code signing-key} is in {@code SIGNALBOX_SECRET_SIGNING_KEY}, several
   * separated by spaces.
   */
  static Secrets environment(Map<String, String> variables) {
    return of(SecretTexts.environment(variables));
  }

  /** From files of a folder: the name is the file's, several secrets are on lines of their own. */
  static Secrets folder(Path folder) {
    return of(SecretTexts.folder(folder));
  }

  private static Secrets of(SecretTexts texts) {
    return name -> parse(name, texts.named(name));
  }

  private static List<WebhookSecret> parse(String name, String text) {
    List<String> parts = Arrays.stream(text.split("\\s+")).toList();
    if (parts.size() > MOST) {
      throw new IllegalArgumentException(
          "Expected at most %d secrets named '%s', but there are more.".formatted(MOST, name));
    }
    return parts.stream().map(WebhookSecret::of).toList();
  }
}
