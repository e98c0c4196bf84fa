package dev.signalbox.services.checkpoint;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Somewhere else, where checkpoints are published. For one thread at a time. */
public interface SecondPlace {
  /** What it is, for people. */
  String name();

  /**
   * Publishes a checkpoint; the same again does no harm.
   *
   * @throws IOException when it is worth trying again
   */
  void publish(byte[] checkpoint) throws IOException, InterruptedException;

  /**
   * The checkpoint that was published last, or null when there is none.
   *
   * @throws IOException when the place can't be used
   */
  byte @Nullable [] last() throws IOException;

  /** Whether {@link #last} knows, so that what was missed can be published later. */
  default boolean remembers() {
    return true;
  }
}
