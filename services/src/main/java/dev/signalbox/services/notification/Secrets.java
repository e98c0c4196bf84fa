package dev.signalbox.services.notification;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
    return name -> {
      String variable =
          "SIGNALBOX_SECRET_" + checked(name).toUpperCase(Locale.ROOT).replace('-', '_');
      return parse(name, variables.get(variable), "the variable " + variable);
    };
  }

  /** From files of a folder: the name is the file's, several secrets are on lines of their own. */
  static Secrets folder(Path folder) {
    return name -> {
      Path file = folder.resolve(checked(name));
      try {
        return parse(name, Files.isRegularFile(file) ? Files.readString(file) : null, "its file");
      } catch (IOException e) {
        throw new IllegalArgumentException(
            "Expected to read the file of secret '%s', but it failed.".formatted(name));
      }
    };
  }

  /** A name that can't lead out of a folder. */
  private static String checked(String name) {
    if (!name.matches("[a-z0-9][a-z0-9_-]{0,99}")) {
      throw new IllegalArgumentException(
          "Expected a secret's name to be small letters, digits, '-' and '_'.");
    }
    return name;
  }

  private static List<WebhookSecret> parse(String name, @Nullable String text, String where) {
    if (text == null || text.isBlank()) {
      throw new IllegalArgumentException(
          "Expected the secret '%s' in %s, but it is not there.".formatted(name, where));
    }
    List<String> parts = Arrays.stream(text.strip().split("\\s+")).toList();
    if (parts.size() > MOST) {
      throw new IllegalArgumentException(
          "Expected at most %d secrets named '%s', but there are more.".formatted(MOST, name));
    }
    return parts.stream().map(WebhookSecret::of).toList();
  }
}
