package dev.signalbox.journal.postgres;

import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.GroupHead;
import dev.signalbox.journal.sql.Selection;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Semaphore;

/** The writers of one open journal: as many as there were appends at the same time. */
final class Writers {
  private final Connections connections;
  private final Semaphore permits = new Semaphore(Connections.WRITERS);
  private final Deque<Writer> idle = new ArrayDeque<>();

  Writers(Connections connections) {
    this.connections = connections;
  }

  Appended append(Group group) {
    permits.acquireUninterruptibly();
    try {
      Writer writer = take();
      try {
        return writer.append(group);
      } finally {
        giveBack(writer);
      }
    } finally {
      permits.release();
    }
  }

  /** Waits for the lock on the instance's row; whoever waits longest is next. */
  RowTurn turn(long instance) {
    permits.acquireUninterruptibly();
    Writer writer;
    try {
      writer = take();
    } catch (RuntimeException | Error e) {
      permits.release();
      throw e;
    }
    Runnable closed =
        () -> {
          giveBack(writer);
          permits.release();
        };
    try {
      return new RowTurn(writer, connections.locked(instance), closed);
    } catch (RuntimeException | Error e) {
      closed.run();
      throw e;
    }
  }

  /** The ends of those chains that nobody appends to at this moment. */
  List<GroupHead> heads() {
    synchronized (idle) {
      return idle.stream().map(Writer::head).filter(head -> head.group() > 0).toList();
    }
  }

  private Writer take() {
    synchronized (idle) {
      Writer writer = idle.poll();
      if (writer != null) {
        return writer;
      }
    }
    long number =
        connections.run(
            "number a writer",
            c ->
                new Selection("select nextval('writer_number')")
                    .list(c, row -> row.getLong(1))
                    .getFirst());
    return new Writer(connections, number);
  }

  private void giveBack(Writer writer) {
    if (!writer.hasLostTrack()) {
      synchronized (idle) {
        idle.push(writer);
      }
    }
  }
}
