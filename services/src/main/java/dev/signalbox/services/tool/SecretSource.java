package dev.signalbox.services.tool;

import dev.signalbox.services.SecretTexts;
import java.nio.file.Path;
import java.util.Map;

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

  /** From variables: {@code deploy-token} is in {@code SIGNALBOX_TOOL_SECRET_DEPLOY_TOKEN}. */
  static SecretSource environment(Map<String, String> variables) {
    return of(SecretTexts.environment("SIGNALBOX_TOOL_SECRET_", variables));
  }

  /** From files of a folder: the name is the file's. */
  static SecretSource folder(Path folder) {
    return of(SecretTexts.folder(folder));
  }

  private static SecretSource of(SecretTexts texts) {
    return name -> {
      String secret = texts.named(name);
      if (secret.length() < SHORTEST) {
        throw new IllegalArgumentException(
            "Expected the secret '%s' to have at least %d characters, but it has fewer."
                .formatted(name, SHORTEST));
      }
      return secret;
    };
  }
}
