package dev.signalbox.runtime;

import dev.signalbox.journal.GroupHead;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.kernel.CanonicalJson;
import java.lang.System.Logger;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Puts signed checkpoints into the store, after so many commits or so much time, and at the end.
 * Each says where the chains of this node's writers ended, so that a tail which is cut off later,
 * or a history that is written anew, shows in the store itself.
 */
final class Checkpointer {
  private static final Logger LOG = System.getLogger(Checkpointer.class.getName());

  private final Journal journal;
  private final @Nullable Keyring keyring;
  private final Settings settings;
  private final InstantSource clock;
  private int groups;
  private long next;

  /**
   * @param keyring null for no checkpoints
   */
  Checkpointer(Journal journal, @Nullable Keyring keyring, Settings settings, InstantSource clock) {
    this.journal = journal;
    this.keyring = keyring;
    this.settings = settings;
    this.clock = clock;
    this.next = clock.millis() + settings.checkpointInterval().toMillis();
  }

  /** A group was committed. */
  synchronized void committed() {
    groups++;
    if (groups >= settings.checkpointGroups() || clock.millis() >= next) {
      write();
    }
  }

  /** Time has passed. */
  synchronized void tick(long now) {
    if (now >= next && groups > 0) {
      write();
    }
  }

  /** Writes a checkpoint if anything was committed since the last. */
  synchronized void write() {
    next = clock.millis() + settings.checkpointInterval().toMillis();
    if (keyring == null || groups == 0) {
      return;
    }
    try {
      List<GroupHead> heads =
          journal.heads().stream().sorted(Comparator.comparingLong(GroupHead::writer)).toList();
      if (!heads.isEmpty()) {
        journal.keepCheckpoint(
            CanonicalJson.bytes(Export.checkpoint(heads, clock.millis(), keyring.signing())));
      }
      groups = 0;
    } catch (JournalException e) {
      // The next one says more.
      LOG.log(Logger.Level.WARNING, e.getMessage());
    }
  }
}
