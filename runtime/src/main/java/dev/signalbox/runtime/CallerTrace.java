package dev.signalbox.runtime;

import org.jspecify.annotations.Nullable;

/**
 * Whom this thread works for, as far as a trace tells. It is said where a request comes in and read
 * where a command goes through the door, so nothing in between has to hand it on. A command's own
 * {@code traceparent} goes before it.
 *
 * <p>It ends with the thread: whoever goes on for a caller on another thread, or does later what
 * the caller waits for, keeps {@link #current} and works {@link #during} it.
 *
 * @param asked whether there is a caller at all
 * @param traceparent the caller's, or null
 */
public record CallerTrace(boolean asked, @Nullable String traceparent) {
  /** What nobody asked for: timers, the watch over others, what a queue does by itself. */
  public static final CallerTrace NOBODY = new CallerTrace(false, null);

  private static final ScopedValue<CallerTrace> CURRENT = ScopedValue.newInstance();

  /** A caller, who may have come without a trace. */
  public static CallerTrace of(@Nullable String traceparent) {
    return new CallerTrace(true, traceparent);
  }

  /** Whom this thread works for now. */
  public static CallerTrace current() {
    return CURRENT.orElse(NOBODY);
  }

  /** Does the work for this caller, and for nobody else. */
  public <T extends @Nullable Object, X extends Throwable> T during(
      ScopedValue.CallableOp<? extends T, X> work) throws X {
    return ScopedValue.where(CURRENT, this).call(work);
  }

  /** As {@link #during}, where nothing comes of the work. */
  public void run(Runnable work) {
    ScopedValue.where(CURRENT, this).run(work);
  }
}
