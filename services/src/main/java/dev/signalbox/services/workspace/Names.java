package dev.signalbox.services.workspace;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/**
 * Names of files as texts and back, without loss. A name on a disk is bytes; where they are no text
 * of the system's encoding, the name is written as an address writes it, after {@code %uri:}.
 */
final class Names {
  private static final String RELATIVE = "%uri:r:";
  private static final String ABSOLUTE = "%uri:a:";

  private Names() {}

  static String text(Path path) {
    String text = path.toString();
    if (!text.startsWith("%uri:")
        && text.indexOf('\uFFFD') < 0
        && isText(text)
        && path.getFileSystem().getPath(text).equals(path)) {
      return text;
    }
    Path whole = path.isAbsolute() ? path : root(path).resolve(path);
    String address = whole.toUri().getRawPath();
    if (address.endsWith("/")) {
      address = address.substring(0, address.length() - 1);
    }
    String encoded = (path.isAbsolute() ? ABSOLUTE : RELATIVE) + address;
    if (!path(encoded, path).equals(path)) {
      throw new WorkspaceException(
          "Expected a name that can be written down, but '%s' can't. Rename it.".formatted(encoded),
          List.of(encoded));
    }
    return encoded;
  }

  /** The path of a text, in the file system of another path. */
  static Path path(String text, Path other) {
    if (text.startsWith(RELATIVE)) {
      Path whole = Path.of(URI.create("file://" + text.substring(RELATIVE.length())));
      return root(other).relativize(whole);
    }
    if (text.startsWith(ABSOLUTE)) {
      return Path.of(URI.create("file://" + text.substring(ABSOLUTE.length())));
    }
    return other.getFileSystem().getPath(text);
  }

  private static Path root(Path path) {
    return path.getFileSystem().getRootDirectories().iterator().next();
  }

  /** Whether no half of a surrogate pair is in it. */
  private static boolean isText(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isHighSurrogate(text.charAt(i))
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
      } else if (Character.isSurrogate(text.charAt(i))) {
        return false;
      }
    }
    return true;
  }
}
