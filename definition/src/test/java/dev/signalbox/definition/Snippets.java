package dev.signalbox.definition;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The fenced blocks of the project's documents, so that tests can run them. */
public final class Snippets {
  private Snippets() {}

  /** The blocks of the language in the document, in order. */
  public static List<String> of(String document, String language) {
    List<String> found = new ArrayList<>();
    StringBuilder block = null;
    for (String line : lines(document)) {
      if (block != null && line.startsWith("```")) {
        found.add(block.toString());
        block = null;
      } else if (block != null) {
        block.append(line).append('\n');
      } else if (line.equals("```" + language)) {
        block = new StringBuilder();
      }
    }
    return found;
  }

  private static List<String> lines(String document) {
    Path root = Path.of(System.getProperty("project.root", ".."));
    try {
      return Files.readAllLines(root.resolve(document));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
