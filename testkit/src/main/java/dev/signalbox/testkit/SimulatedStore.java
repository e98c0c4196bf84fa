package dev.signalbox.testkit;

import dev.signalbox.journal.Journal;
import dev.signalbox.journal.memory.MemoryJournal;
import java.time.InstantSource;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A store of a simulation: how nodes open it, and what their deaths leave of it. */
public interface SimulatedStore extends AutoCloseable {

  /** What it is called: memory, sqlite or postgres. */
  String kind();

  /** Opens it for a node that starts. */
  Journal open(InstantSource clock);

  /**
   * The node that had opened it is dead: what is left is what a kill of its process leaves.
   *
   * @param opened what it had opened
   */
  void killed(Journal opened);

  /** Whether it writes files, of which a process that dies leaves what there is. */
  default boolean isFile() {
    return false;
  }

  /** Notes what is in the files, before something is written that {@link #cutOff} ends. */
  default void remember() {}

  /**
   * A process is gone in the middle of what it wrote since {@link #remember}: of that, the files
   * have a part. The node that had opened it is dead.
   */
  default void cutOff(RandomGenerator random) {}

  /** The node that had opened it has closed it. */
  default void closed(Journal opened) {}

  /** The store as the auditor reads it, whether a node has it open or not. */
  Journal view();

  /** How often what is stored was opened again. */
  long reopened();

  /** Whether time passes by itself here, so that nobody can move its clock. */
  default boolean isOnRealTime() {
    return false;
  }

  @Override
  void close();

  /** A store in memory, which dies with nobody; where it is shared, it gives turns. */
  static SimulatedStore inMemory(InstantSource clock, boolean shared) {
    MemoryJournal kept = new MemoryJournal(clock, shared);
    Journal journal = shared ? new TurnGivingJournal(kept) : kept;
    return new SimulatedStore() {
      @Override
      public String kind() {
        return "memory";
      }

      @Override
      public Journal open(InstantSource nodes) {
        return journal;
      }

      @Override
      public void killed(@Nullable Journal opened) {
        // Nothing of it was the node's.
      }

      @Override
      public Journal view() {
        return journal;
      }

      @Override
      public long reopened() {
        return 0;
      }

      @Override
      public void close() {
        journal.close();
      }
    };
  }
}
