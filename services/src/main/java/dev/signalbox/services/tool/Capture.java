package dev.signalbox.services.tool;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** What a process says on one stream, up to a limit. */
final class Capture {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final Thread reader;

  /**
   * Begins to read.
   *
   * @param tooMuch completed when there is more than the limit; the rest is not read
   */
  Capture(InputStream stream, long limit, CompletableFuture<Void> tooMuch) {
    reader =
        Thread.ofPlatform()
            .daemon()
            .name("output")
            .start(() -> {
              byte[] piece = new byte[8192];
              try {
                for (int n = stream.read(piece); n >= 0; n = stream.read(piece)) {
                  synchronized (bytes) {
                    int room = (int) Math.min(n, limit - bytes.size());
                    bytes.write(piece, 0, room);
                    if (room < n) {
                      tooMuch.complete(null);
                      return;
                    }
                  }
                }
              } catch (IOException e) {
                // The process has been ended.
              }
            });
  }

  /** What was read, waiting a moment for the end when every writer has ended. */
  byte[] bytes(Duration wait) throws InterruptedException {
    boolean _ = reader.join(wait);
    synchronized (bytes) {
      return bytes.toByteArray();
    }
  }
}
