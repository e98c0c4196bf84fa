package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressTest {

  /** What the terminal was sent; the latch opens when the file's name was. */
  private static final class Terminal extends ByteArrayOutputStream {
    final CountDownLatch written = new CountDownLatch(1);

    @Override
    public synchronized void write(byte[] bytes, int from, int length) {
      super.write(bytes, from, length);
      if (text().contains("run.yaml")) {
        written.countDown();
      }
    }

    String text() {
      return toString(StandardCharsets.UTF_8);
    }
  }

  @Test
  void a_line_tells_what_is_checked_and_goes_away() throws InterruptedException {
    Terminal terminal = new Terminal();
    try (Progress progress =
        Progress.show(true, new PrintStream(terminal, true, StandardCharsets.UTF_8), 0)) {
      progress.at(2, 3, "run.yaml");
      assertThat(terminal.written.await(30, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(terminal.text()).contains("2 of 3: run.yaml").endsWith("\r\u001b[K");
  }

  @Test
  void nothing_is_written_where_nobody_looks() {
    Terminal terminal = new Terminal();
    Progress progress =
        Progress.show(false, new PrintStream(terminal, true, StandardCharsets.UTF_8), 0);
    progress.at(1, 1, "run.yaml");
    progress.close();

    assertThat(terminal.text()).isEmpty();
  }
}
