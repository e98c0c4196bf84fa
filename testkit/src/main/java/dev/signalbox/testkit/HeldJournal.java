package dev.signalbox.testkit;

import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A store whose appends can be held back, as a slow disk or network does. */
public final class HeldJournal extends ForwardingJournal {
  private volatile Hold hold = new Hold(new CountDownLatch(0));

  public HeldJournal(Journal to) {
    super(to);
  }

  /** Appends that wait, and the group that came first. */
  private static final class Hold {
    final CountDownLatch over;
    final CountDownLatch came = new CountDownLatch(1);
    volatile @Nullable Group first;

    Hold(CountDownLatch over) {
      this.over = over;
    }
  }

  /** From now on every append waits. */
  public void hold() {
    hold = new Hold(new CountDownLatch(1));
  }

  /** Lets those go on that wait, and whoever comes. */
  public void release() {
    hold.over.countDown();
  }

  /** The first group that is held back; waits until there is one, at most half a minute. */
  public Group held() throws InterruptedException {
    Hold now = hold;
    if (!now.came.await(30, TimeUnit.SECONDS)) {
      throw new IllegalStateException("Expected an append to be held back, but none came.");
    }
    return Objects.requireNonNull(now.first);
  }

  @Override
  public Appended append(Group group) {
    Hold now = hold;
    if (now.over.getCount() > 0) {
      if (now.first == null) {
        now.first = group;
      }
      now.came.countDown();
    }
    try {
      now.over.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new JournalException("Expected to append, but was interrupted.", e);
    }
    return super.append(group);
  }

  @Override
  public void close() {
    release();
    super.close();
  }
}
