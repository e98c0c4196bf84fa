package dev.signalbox.systems.runs.file;

import dev.signalbox.journal.Chain;
import dev.signalbox.journal.CommittedEntry;
import dev.signalbox.journal.DurableFile;
import dev.signalbox.journal.Query;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.runtime.Watch;
import dev.signalbox.services.Ticker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes the files of all runs, following the journal on the side. Several may follow with one
 * folder, on several nodes too: one of them writes, and when it is closed or dies another goes on
 * where the ledger ends, so that its chain never forks. A run whose id is no plain name, which only
 * somebody who goes around the system of runs can have started, has no files.
 */
public final class RunFiles implements AutoCloseable {
  private static final Logger LOG = System.getLogger(RunFiles.class.getName());
  private static final String MACHINE = "runs.run";
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,150}");
  private static final int PAGE = 500;
  private static final long PAUSE = 500;

  private final Host host;
  private final Path runs;
  private final Map<String, Book> books = new HashMap<>();
  private final Map<Long, Boolean> machines = new HashMap<>();
  private @Nullable Pen pen;
  private @Nullable Ledger ledger;
  private @Nullable Ticker ticker;
  private @Nullable Watch watch;
  private boolean repairing = true;
  private long position;

  /**
   * @param runs the folder in which each run has a folder of its id
   */
  public RunFiles(Host host, Path runs) {
    this.host = host;
    this.runs = runs;
  }

  /** Begins to follow the store, on a thread of its own. */
  public static RunFiles follow(Signalbox box, Path runs) {
    RunFiles files = new RunFiles(box, runs);
    Ticker ticker = new Ticker("run files", () -> files.catchUp() ? 0 : PAUSE);
    files.ticker = ticker;
    files.watch = box.feed().onCommit(ticker::wake);
    ticker.start();
    return files;
  }

  /**
   * Brings the files to where the store is, if something happened to a run after a position of the
   * journal. Those of runs that nothing new happened to are not looked at; where somebody else
   * writes, they write this too.
   *
   * @throws UncheckedIOException when the disk refuses; whoever writes next goes on there
   */
  public static void refresh(Host host, Path runs, long since) {
    try (RunFiles files = new RunFiles(host, runs)) {
      long end = host.journal().end();
      if (files.isTouched(since, end)) {
        files.repairing = false;
        files.catchUpTo(end);
      }
    }
  }

  private boolean isTouched(long since, long end) {
    long after = since;
    while (after < end) {
      List<CommittedEntry> page = host.journal().entries(after, PAGE);
      if (page.isEmpty()) {
        return false;
      }
      if (page.stream().anyMatch(entry -> isStep(entry) && isRun(entry))) {
        return true;
      }
      after = page.getLast().row().position();
    }
    return false;
  }

  /**
   * Writes what is new, a page at most; the first time, everything that is not as it should be is
   * written anew before. While somebody else writes, it does nothing.
   *
   * @return whether there may be more
   * @throws UncheckedIOException when the disk refuses; nothing is passed over, it goes on there
   *     the next time
   */
  public boolean catchUp() {
    return catchUp(PAGE);
  }

  /**
   * Writes what is new, as many entries of the journal at most, so that whoever wants to see the
   * files after each entry can.
   *
   * @return whether there may be more
   */
  public synchronized boolean catchUp(int most) {
    Set<String> touched = new HashSet<>();
    try {
      if (!hasPen()) {
        return false;
      }
      Ledger open = opened();
      List<CommittedEntry> page = host.journal().entries(position, most);
      for (CommittedEntry entry : page) {
        if (isStep(entry) && isRun(entry)) {
          touched.add(entry.id());
          write(open, entry);
        }
        position = entry.row().position();
      }
      for (String run : touched) {
        finish(run);
      }
      return page.size() == most;
    } catch (IOException | RuntimeException e) {
      // What is half done is read from the disk again.
      touched.forEach(books::remove);
      ledger = null;
      throw e instanceof IOException io ? new UncheckedIOException(io) : (RuntimeException) e;
    }
  }

  private synchronized void catchUpTo(long end) {
    while (catchUp() && position < end) {
      // The next page.
    }
  }

  /**
   * Writes everything that is new.
   *
   * @throws IllegalStateException when somebody else writes here
   */
  public void catchUpWholly() {
    while (catchUp()) {
      // The next page.
    }
    if (!isWriting()) {
      throw new IllegalStateException(
          "Expected to write the files of the runs in '%s', but somebody else does. Wait until they are closed."
              .formatted(runs));
    }
  }

  /** Whether it is this one that writes, of all that follow with the folder. */
  public synchronized boolean isWriting() {
    return pen != null;
  }

  /**
   * Ends, and lets somebody else write. Who has followed the store leaves the files as they are
   * after what was committed by now; where the store or the disk refuses that, whoever follows next
   * does it.
   */
  @Override
  public void close() {
    if (watch != null) {
      watch.close();
    }
    if (ticker != null) {
      ticker.close();
      try {
        catchUpTo(host.journal().end());
      } catch (RuntimeException e) {
        LOG.log(Logger.Level.WARNING, "The files of the runs are behind their store.", e);
      }
    }
    try {
      layDown();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean hasPen() throws IOException {
    if (pen != null && !pen.isHeld()) {
      layDown();
    }
    if (pen == null) {
      DurableFile.folders(runs);
      pen = Pen.take(runs);
    }
    return pen != null;
  }

  private synchronized void layDown() throws IOException {
    Pen held = pen;
    pen = null;
    ledger = null;
    if (held != null) {
      held.close();
    }
  }

  private Ledger opened() throws IOException {
    Ledger known = ledger;
    if (known == null) {
      known = Ledger.open(runs, host.journal().end());
      position = known.position();
      books.clear();
      if (repairing) {
        repair();
      }
      ledger = known;
    }
    return known;
  }

  /** Brings the files of every run to where the ledger is. */
  private void repair() throws IOException {
    long after = 0;
    while (true) {
      List<Instance> page = host.instances(Query.ALL.ofMachine(MACHINE).page(after, PAGE));
      for (Instance run : page) {
        after = run.number();
        if (!PLAIN.matcher(run.id()).matches()) {
          continue;
        }
        Book book = Book.open(host, runs, run.id(), position);
        book.writePending(host);
        if (!book.isEnded()) {
          books.put(run.id(), book);
        }
      }
      if (page.size() < PAGE) {
        return;
      }
    }
  }

  private void write(Ledger open, CommittedEntry entry) throws IOException {
    Book book = books.get(entry.id());
    if (book == null) {
      book = Book.open(host, runs, entry.id(), entry.row().position() - 1);
      books.put(entry.id(), book);
    }
    ChainedLine line = book.add(entry.row());
    if (line != null && line.isTransition()) {
      open.append(entry.row().position(), line);
    }
  }

  private void finish(String run) throws IOException {
    Book book = books.get(run);
    if (book != null) {
      book.writePending(host);
      if (book.isEnded()) {
        books.remove(run);
      }
    }
  }

  private static boolean isStep(CommittedEntry entry) {
    return entry.row().chain() == Chain.STEPS && entry.row().body().length > 0;
  }

  private boolean isRun(CommittedEntry entry) {
    if (!PLAIN.matcher(entry.id()).matches()) {
      return false;
    }
    Boolean known = machines.get(entry.machine());
    if (known == null) {
      Instance instance = host.find(entry.id());
      if (instance == null) {
        return false;
      }
      known = instance.machine().equals(MACHINE);
      machines.put(entry.machine(), known);
    }
    return known;
  }
}
