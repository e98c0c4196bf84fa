package dev.signalbox.services.task;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A task that waits for a worker, as the backlog remembers it.
 *
 * @param queuedAt when it began to wait, which decides about its promotion
 * @param turn what orders tasks of one priority: the same moment, a little later for tasks that
 *     another node may be about to lease
 * @param expiresAt when it is no use to offer it any more
 * @param fence of the lease before
 * @param executions how often it was started
 * @param notBefore when it may be leased
 * @param lastWorker who had it before; another one goes first
 * @param input null also when it is {@code inputKept} no more
 * @param inputKept false when the input is too large to be remembered and has to be read
 * @param number the store's own name for it where a reading found it; otherwise 0
 */
record Ready(
    String id,
    String kind,
    String owner,
    Priority priority,
    long queuedAt,
    long turn,
    long expiresAt,
    long fence,
    long executions,
    long notBefore,
    String lastWorker,
    Duration limit,
    @Nullable Object input,
    boolean inputKept,
    long number) {

  private static final int MOST_KEPT = 4_096;

  /** A task as the store has it. */
  static Ready of(Task task, long number) {
    boolean kept = size(task.input(), 0) <= MOST_KEPT;
    long begin = task.state().equals("QUEUED") ? task.since() : task.notBefore();
    return new Ready(
        task.id(),
        task.kind(),
        task.owner(),
        task.priority(),
        task.since(),
        task.since(),
        begin + task.queueLimit().toMillis(),
        task.fence(),
        task.executions(),
        task.notBefore(),
        task.worker(),
        task.limit(),
        kept ? task.input() : null,
        kept,
        number);
  }

  /** A task that was just submitted. */
  static Ready of(String id, NewTask task, long now) {
    boolean kept = size(task.input(), 0) <= MOST_KEPT;
    Duration wait =
        task.queueLimit() != null
            ? task.queueLimit()
            : switch (task.priority()) {
              case HIGH -> Duration.ofMinutes(5);
              case NORMAL -> Duration.ofHours(1);
              case LOW -> Duration.ofHours(24);
            };
    return new Ready(
        id,
        task.kind(),
        task.owner(),
        task.priority(),
        now,
        now,
        now + wait.toMillis(),
        0,
        0,
        0,
        "",
        task.limit() != null ? task.limit() : Duration.ofMinutes(5),
        kept ? task.input() : null,
        kept,
        0);
  }

  /** Whether it was only found in the store, so that another node may be about to lease it. */
  boolean isFound() {
    return turn != queuedAt;
  }

  /** Whether a worker had it before. */
  boolean isRetry() {
    return fence > 0;
  }

  /** The same task, whose turn comes so many milliseconds later. */
  Ready later(long millis) {
    return new Ready(
        id,
        kind,
        owner,
        priority,
        queuedAt,
        turn + millis,
        expiresAt,
        fence,
        executions,
        notBefore,
        lastWorker,
        limit,
        input,
        inputKept,
        number);
  }

  /** About how many characters the value has; it stops counting when they are too many. */
  static int size(@Nullable Object value, int before) {
    int size = before;
    switch (value) {
      case String text -> size += text.length();
      case java.util.Map<?, ?> map -> {
        for (var entry : map.entrySet()) {
          size = size(entry.getValue(), size + String.valueOf(entry.getKey()).length());
          if (size > MOST_KEPT) {
            break;
          }
        }
      }
      case java.util.List<?> list -> {
        for (Object item : list) {
          size = size(item, size + 1);
          if (size > MOST_KEPT) {
            break;
          }
        }
      }
      case null, default -> size += 8;
    }
    return size;
  }

  /** Whether the priority counts as this one by now: one level more for each hour of waiting. */
  int level(long now) {
    long hours = Math.max(0, (now - queuedAt) / Duration.ofHours(1).toMillis());
    return (int) Math.max(0, priority.level() - hours);
  }
}
