package dev.signalbox.testkit;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A network of one wire between a node and its database. While it is cut nothing passes, also not
 * the news that either side has hung up; afterwards everything passes that was on its way.
 */
final class Wire implements Closeable {
  private final ServerSocket here;
  private final int there;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition mended = lock.newCondition();
  private boolean cut;

  /**
   * Lays a wire.
   *
   * @param port of the database on this machine
   */
  Wire(int port) throws IOException {
    this.there = port;
    this.here = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::connectAll);
  }

  int port() {
    return here.getLocalPort();
  }

  void cut() {
    set(true);
  }

  void mend() {
    set(false);
  }

  private void set(boolean now) {
    lock.lock();
    try {
      cut = now;
      mended.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void awaitMended() {
    lock.lock();
    try {
      while (cut) {
        mended.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private void connectAll() {
    try {
      while (true) {
        Socket node = here.accept();
        Thread.ofVirtual().start(() -> connect(node));
      }
    } catch (IOException e) {
      // The wire was taken away.
    }
  }

  private void connect(Socket node) {
    awaitMended();
    try {
      Socket database = new Socket(InetAddress.getLoopbackAddress(), there);
      Thread.ofVirtual().start(() -> carry(node, database));
      carry(database, node);
    } catch (IOException e) {
      hangUp(node);
    }
  }

  private void carry(Socket from, Socket to) {
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] bytes = new byte[8_192];
      for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
        awaitMended();
        out.write(bytes, 0, length);
      }
    } catch (IOException e) {
      // One side has hung up.
    }
    awaitMended();
    hangUp(from);
    hangUp(to);
  }

  private static void hangUp(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is gone in any case.
    }
  }

  @Override
  public void close() throws IOException {
    mend();
    here.close();
  }
}
