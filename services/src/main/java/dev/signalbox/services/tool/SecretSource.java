package dev.signalbox.services.tool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where the secrets of tools are found by their names. They are asked for at each call. */
@FunctionalInterface
public interface SecretSource {
  /** The fewest characters of a secret: shorter ones could not be told from other text. */
  int SHORTEST = 8;

  /** A source that has none. */
  SecretSource NONE =
      name -> {
        throw new IllegalArgumentException(
            "Expected the secret '%s', but there is no source of secrets. Configure one."
                .formatted(name));
      };

  /**
   * The secret of a name.
   *
   * @throws IllegalArgumentException when there is none or it is bad; the message shows no secret
   */
  String named(String name);

  /** From variables: {@code deploy-token} is in {@code SIGNALBOX_SECRET_DEPLOY_TOKEN}. */
  static SecretSource environment(Map<String, String> variables) {
    return name -> {
      String variable =
          "SIGNALBOX_SECRET_" + checked(name).toUpperCase(Locale.ROOT).replace('-', '_');
      return whole(name, variables.get(variable), "the variable " + variable);
    };
  }

  /** From files of a folder: the name is the file's. */
  static SecretSource folder(Path folder) {
    return name -> {
      Path file = folder.resolve(checked(name));
      try {
        return whole(name, Files.isRegularFile(file) ? Files.readString(file) : null, "its file");
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

  private static String whole(String name, @Nullable String text, String where) {
    if (text == null || text.isBlank()) {
      throw new IllegalArgumentException(
          "Expected the secret '%s' in %s, but it is not there.".formatted(name, where));
    }
    String secret = text.strip();
    if (secret.length() < SHORTEST) {
      throw new IllegalArgumentException(
          "Expected the secret '%s' to have at least %d characters, but it has fewer."
              .formatted(name, SHORTEST));
    }
    return secret;
  }
}
