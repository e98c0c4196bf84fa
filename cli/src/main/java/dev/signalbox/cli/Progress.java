package dev.signalbox.cli;

import java.io.PrintStream;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A line on the terminal that says what is going on, from one second on, and goes away when it is
 * over. It is written to the error stream, and only when that is a terminal, so that no file and no
 * program ever sees it.
 */
final class Progress implements AutoCloseable {
  private static final String WHEEL = "|/-\\";

  private final PrintStream out;
  private final ScheduledExecutorService ticker;
  private String what = "";
  private int turn;
  private boolean shown;

  private Progress(PrintStream out) {
    this.out = out;
    this.ticker =
        Executors.newSingleThreadScheduledExecutor(
            task -> Thread.ofPlatform().daemon().name("progress").unstarted(task));
  }

  /**
   * Shows progress from one second on.
   *
   * @param wanted false to show none, as for JSON
   */
  static Progress show(boolean wanted) {
    return show(wanted && isTerminal(), System.err, 1_000);
  }

  static Progress show(boolean wanted, PrintStream out, long after) {
    Progress progress = new Progress(out);
    if (wanted) {
      var _ =
          progress.ticker.scheduleAtFixedRate(progress::tick, after, 100, TimeUnit.MILLISECONDS);
    }
    return progress;
  }

  /** Whether the error stream is a terminal, which Java cannot tell and the launcher says. */
  private static boolean isTerminal() {
    return Boolean.getBoolean("signalbox.terminal");
  }

  /** Says what is being done now. */
  synchronized void at(int done, int all, String name) {
    what = all > 1 ? "%d of %d: %s".formatted(done, all, name) : name;
  }

  private synchronized void tick() {
    shown = true;
    out.print("\r\u001b[K" + WHEEL.charAt(turn++ % WHEEL.length()) + " " + what);
    out.flush();
  }

  /** Takes the line away, so that something else can be written there. */
  synchronized void clear() {
    if (shown) {
      out.print("\r\u001b[K");
      out.flush();
      shown = false;
    }
  }

  @Override
  public void close() {
    ticker.shutdownNow();
    clear();
  }
}
