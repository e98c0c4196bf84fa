package dev.signalbox.services;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the texts of secrets are found by their names. They are asked for each time, so that a new
 * one is used at once.
 */
@FunctionalInterface
public interface SecretTexts {
  /**
   * The text of a secret, without the space around it.
   *
   * @throws IllegalArgumentException when there is none; the message shows no secret
   */
  String named(String name);

  /** From variables: {@code signing-key} is in {@code SIGNALBOX_SECRET_SIGNING_KEY}. */
  static SecretTexts environment(Map<String, String> variables) {
    return environment("SIGNALBOX_SECRET_", variables);
  }

  /**
   * From variables that begin so: what a tool names and what signs an approver's answers are apart,
   * so that no tool gets hold of the other by its name.
   */
  static SecretTexts environment(String beginning, Map<String, String> variables) {
    return name -> {
      String variable = beginning + checked(name).toUpperCase(Locale.ROOT).replace('-', '_');
      return there(name, variables.get(variable), "the variable " + variable);
    };
  }

  /** From files of a folder: the name is the file's. */
  static SecretTexts folder(Path folder) {
    return name -> {
      Path file = folder.resolve(checked(name));
      try {
        return there(name, Files.isRegularFile(file) ? Files.readString(file) : null, "its file");
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

  private static String there(String name, @Nullable String text, String where) {
    if (text == null || text.isBlank()) {
      throw new IllegalArgumentException(
          "Expected the secret '%s' in %s, but it is not there.".formatted(name, where));
    }
    return text.strip();
  }
}
