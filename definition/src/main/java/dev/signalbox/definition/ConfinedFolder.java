package dev.signalbox.definition;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * A folder whose files a definition may name, and nothing outside it: no absolute path, no {@code
 * ..}, no link that leads out, nothing from the network.
 */
public final class ConfinedFolder {
  private final Path folder;

  public ConfinedFolder(Path folder) {
    this.folder = folder;
  }

  /** What reading a file gave. */
  public sealed interface Content {
    /** The file's text, and its path as far as the folder goes. */
    record Found(Path path, String text) implements Content {}

    /**
     * It may not be read, or is not there.
     *
     * @param why to follow "but"
     */
    record Refused(String why) implements Content {}
  }

  /**
   * The file that a {@code src} names.
   *
   * @param src a relative path with slashes; {@code file:} in front of it is allowed
   */
  public Content read(String src) {
    String name = src.startsWith("file:") ? src.substring("file:".length()) : src;
    if (name.isBlank() || name.indexOf(':') >= 0 || name.indexOf('\\') >= 0) {
      return new Content.Refused("'" + src + "' is not the relative path of a file");
    }
    try {
      Path relative = Path.of(name);
      if (name.startsWith("/") || relative.isAbsolute()) {
        return new Content.Refused("'" + src + "' is an absolute path");
      }
      for (Path part : relative) {
        if (part.toString().equals("..")) {
          return new Content.Refused("'" + src + "' leaves the definition's folder");
        }
      }
      Path path = folder.resolve(relative);
      if (!Files.isRegularFile(path)) {
        return new Content.Refused("there is no file '" + name + "'");
      }
      if (!path.toRealPath().startsWith(folder.toRealPath())) {
        return new Content.Refused("'" + src + "' leaves the definition's folder");
      }
      if (Files.size(path) > Source.LARGEST) {
        return new Content.Refused("'" + name + "' is larger than 10 MB");
      }
      return new Content.Found(path, Files.readString(path, StandardCharsets.UTF_8));
    } catch (CharacterCodingException e) {
      return new Content.Refused("'" + name + "' is not text in UTF-8");
    } catch (IOException | InvalidPathException e) {
      return new Content.Refused("'" + name + "' cannot be read");
    }
  }
}
