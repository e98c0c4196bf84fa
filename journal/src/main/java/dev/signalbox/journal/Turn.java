package dev.signalbox.journal;

/**
 * One writer's time with an instance: until it is closed no other writes it, so what is loaded now
 * is still true when it is appended. Whoever has one appends at most once and at once; others wait.
 */
public interface Turn extends AutoCloseable {
  /** As {@link Journal#append}. What others are about to take besides the instance is lost. */
  Appended append(Group group);

  /** Lets the others go on. */
  @Override
  void close();
}
