package dev.signalbox.systems.runs.file;

import dev.signalbox.definition.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Reads a state again and again, as fast as it can, until its standard input ends; then says how
 * often. A part of a state ends it with 1.
 */
public final class StateReader {
  private StateReader() {}

  public static void main(String[] args) throws IOException {
    Path file = Path.of(args[0]);
    System.out.print("r");
    System.out.flush();
    Thread end =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              try {
                while (System.in.read() >= 0) {
                  // Until its end.
                }
              } catch (IOException e) {
                // That is an end too.
              }
            });
    long times = 0;
    while (end.isAlive() || times == 0) {
      String text = Files.readString(file);
      try {
        if (!(Json.parse(text) instanceof Map<?, ?> state) || state.size() != 13) {
          throw new IOException("not whole: " + text);
        }
      } catch (Json.SyntaxException e) {
        System.out.println("not whole: " + text);
        System.exit(1);
      }
      times++;
    }
    System.out.println(times);
  }
}
