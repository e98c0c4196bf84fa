package dev.signalbox.server.api;

import dev.signalbox.services.system.ProblemException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Lines of UTF-8, none longer than a limit. */
final class Lines {
  private final InputStream in;
  private final int longest;
  private final byte[] buffer = new byte[1 << 16];
  private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
  private int at;
  private int end;

  Lines(InputStream in, int longest) {
    this.in = in;
    this.longest = longest;
  }

  /**
   * The next line without its end, or null behind the last.
   *
   * @throws ProblemException when it is too long or not UTF-8
   */
  @Nullable String next() throws IOException {
    ByteArrayOutputStream begun = null;
    while (true) {
      for (int i = at; i < end; i++) {
        if (buffer[i] == '\n') {
          String line = text(begun, at, i - at);
          at = i + 1;
          return line;
        }
      }
      if (end > at) {
        begun = begun == null ? new ByteArrayOutputStream() : begun;
        begun.write(buffer, at, end - at);
        if (begun.size() > longest) {
          throw ProblemException.of(
              413,
              "too-large",
              "Expected lines of at most %,d bytes, but one has more.".formatted(longest),
              "Send a reference instead.");
        }
      }
      at = 0;
      end = in.read(buffer);
      if (end < 0) {
        end = 0;
        return begun == null ? null : text(begun, 0, 0);
      }
    }
  }

  private String text(@Nullable ByteArrayOutputStream before, int from, int count) {
    try {
      if (before == null) {
        return decoder.decode(ByteBuffer.wrap(buffer, from, count)).toString();
      }
      before.write(buffer, from, count);
      return decoder.decode(ByteBuffer.wrap(before.toByteArray())).toString();
    } catch (CharacterCodingException e) {
      throw ProblemException.badRequest("Expected lines in UTF-8, but one is not.");
    }
  }
}
