package dev.signalbox.services.workspace;

import java.util.List;

/** A folder that can't be looked at, backed up or put back; it says which paths. */
public final class WorkspaceException extends RuntimeException {
  private static final int SHOWN = 10;

  private final List<String> paths;

  WorkspaceException(String message, List<String> paths) {
    super(message);
    this.paths = List.copyOf(paths);
  }

  WorkspaceException(String message, Throwable cause) {
    super(message, cause);
    this.paths = List.of();
  }

  /** The paths that it is about; empty when it is about the whole folder. */
  public List<String> paths() {
    return paths;
  }

  /** Some of the paths, for a message. */
  static String shown(List<String> paths) {
    String some = String.join("', '", paths.subList(0, Math.min(SHOWN, paths.size())));
    return "'%s'%s"
        .formatted(
            some, paths.size() > SHOWN ? " and %,d more".formatted(paths.size() - SHOWN) : "");
  }
}
