package dev.signalbox.systems.runs.file;

import dev.signalbox.services.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a file of chained lines and names everything that is wrong with the chain. */
final class ChainReader {
  private final String name;
  private final List<Fault> faults;

  ChainReader(String name, List<Fault> faults) {
    this.name = name;
    this.faults = faults;
  }

  /** The lines; null for one that can't be read. */
  List<@Nullable ChainedLine> read(Path file) {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(file);
    } catch (IOException e) {
      fault("file-missing", 0, "It is not there, or can't be read.");
      return List.of();
    }
    List<@Nullable ChainedLine> lines = new ArrayList<>();
    String head = Sha256.ZEROS;
    int at = 0;
    while (at < bytes.length) {
      int stop = at;
      while (stop < bytes.length && bytes[stop] != '\n') {
        stop++;
      }
      int number = lines.size() + 1;
      if (stop == bytes.length) {
        fault("torn-tail", number, "The last line has no end.");
      }
      ChainedLine line = ChainedLine.read(new String(bytes, at, stop - at, StandardCharsets.UTF_8));
      if (line == null) {
        fault("line-unreadable", number, "It is not written as canonical JSON.");
      } else {
        if (!line.isWhole()) {
          fault("hash-mismatch", number, "It does not have the hash that it says.");
        }
        if (!line.previous().equals(head)) {
          fault(
              "chain-broken",
              number,
              "It does not follow the line before it: a line is missing, was moved or was"
                  + " changed.");
        }
        head = line.hash();
      }
      lines.add(line);
      at = stop + 1;
    }
    return lines;
  }

  private void fault(String code, int line, String message) {
    faults.add(new Fault(code, name, line, message));
  }
}
