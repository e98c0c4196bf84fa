package dev.signalbox.systems.runs.file;

import dev.signalbox.services.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The ledger of all runs, and how far it is. */
final class Ledger {
  static final String FILE = "RUN_LEDGER.jsonl";

  private final AppendedFile file;
  private String head;
  private long position;

  private Ledger(AppendedFile file, String head, long position) {
    this.file = file;
    this.head = head;
    this.position = position;
  }

  /**
   * Opens the ledger. A last line that is not whole is cut off; a ledger that was altered before
   * its end, or knows more than the journal, is kept aside and begun anew.
   *
   * @param end the journal's newest position
   */
  static Ledger open(Path runs, long end) throws IOException {
    Path path = runs.resolve(FILE);
    byte[] bytes = Files.exists(path) ? Files.readAllBytes(path) : new byte[0];
    String head = Sha256.ZEROS;
    long position = 0;
    int at = 0;
    while (at < bytes.length) {
      int stop = at;
      while (stop < bytes.length && bytes[stop] != '\n') {
        stop++;
      }
      ChainedLine line =
          stop == bytes.length
              ? null
              : ChainedLine.read(new String(bytes, at, stop - at, StandardCharsets.UTF_8));
      boolean last = stop + 1 >= bytes.length;
      if (line == null
          || !line.isWhole()
          || !line.previous().equals(head)
          || line.number("position") <= position
          || line.number("position") > end) {
        if (last && stop == bytes.length) {
          break;
        }
        Files.move(
            path,
            runs.resolve("RUN_LEDGER.altered-" + Sha256.hex(bytes).substring(0, 12) + ".jsonl"),
            StandardCopyOption.REPLACE_EXISTING);
        return new Ledger(new AppendedFile(path, 0), Sha256.ZEROS, 0);
      }
      head = line.hash();
      position = line.number("position");
      at = stop + 1;
    }
    AppendedFile file = new AppendedFile(path, at);
    file.trim();
    return new Ledger(file, head, position);
  }

  /** The journal's position of its last line; 0 when it has none. */
  long position() {
    return position;
  }

  void append(long at, ChainedLine log) throws IOException {
    ChainedLine line = ChainedLine.ofLedger(head, at, log);
    file.append(line.bytes());
    head = line.hash();
    position = at;
  }
}
