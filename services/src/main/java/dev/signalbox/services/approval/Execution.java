package dev.signalbox.services.approval;

import org.jspecify.annotations.Nullable;

/** What became of an action that needs an approval. */
public sealed interface Execution<T extends @Nullable Object> {

  /** It ran, with what the work answered. */
  record Done<T extends @Nullable Object>(T result) implements Execution<T> {}

  /** It did not run. */
  record Rejected<T extends @Nullable Object>(Claim.Rejected why) implements Execution<T> {}

  /** The work itself. */
  @FunctionalInterface
  interface Work<T extends @Nullable Object> {
    /**
     * Does it.
     *
     * @param action the very values that were compared with what was approved
     */
    T run(Action action) throws Exception;
  }
}
