package dev.signalbox.bench.journal;

import java.io.IOException;

/** What a load has written and the system has not brought to the disk yet. */
final class DirtyPages {
  private DirtyPages() {}

  /**
   * Has them written; otherwise the next load is measured while the disk is still busy with what
   * the one before left.
   */
  static void settle() throws InterruptedException {
    try {
      int _ = new ProcessBuilder("sync").start().waitFor();
    } catch (IOException e) {
      System.out.println("  (no sync here: what the last load left may disturb the next)");
    }
  }
}
