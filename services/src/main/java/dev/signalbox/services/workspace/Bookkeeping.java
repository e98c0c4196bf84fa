package dev.signalbox.services.workspace;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Files that programs write for themselves while they only read, so that they read faster the next
 * time: git's index, where {@code git status} notes the times of files.
 */
public final class Bookkeeping {
  private static final Pattern INDEX =
      Pattern.compile("(.*/)?\\.git/((modules|worktrees)/.*/)?index(\\.lock)?");

  private Bookkeeping() {}

  /** The paths of which a change means more than that somebody looked. */
  public static List<String> without(List<String> paths) {
    return paths.stream().filter(path -> !INDEX.matcher(path).matches()).toList();
  }
}
