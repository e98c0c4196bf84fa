package dev.signalbox.cli;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Why a file or a folder can't be used, in words for the person who named it. */
final class Unusable {
  private Unusable() {}

  static String file(Path file, IOException e) {
    if (e instanceof CharacterCodingException) {
      return "it is not text in UTF-8";
    }
    return Files.isDirectory(file)
        ? "it is a folder"
        : Files.exists(file) ? "it can't be read" : "there is no such file";
  }

  static String folder(Path folder, IOException e) {
    for (Path part = folder.toAbsolutePath(); part != null; part = part.getParent()) {
      if (Files.isRegularFile(part)) {
        return "'%s' is a file".formatted(part.equals(folder.toAbsolutePath()) ? folder : part);
      }
    }
    return String.valueOf(e.getMessage());
  }
}
