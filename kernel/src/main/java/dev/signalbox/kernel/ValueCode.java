package dev.signalbox.kernel;

import org.jspecify.annotations.Nullable;

/** A compiled operand. */
@FunctionalInterface
interface ValueCode {
  @Nullable Object value(Run run);
}
