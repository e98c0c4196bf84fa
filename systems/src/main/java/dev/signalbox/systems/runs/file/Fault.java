package dev.signalbox.systems.runs.file;

/**
 * Something that is wrong with the files of a run.
 *
 * @param code one word for its kind, in kebab-case
 * @param file which, relative to the folder of all runs
 * @param line from 1; 0 when it is about the whole file
 */
public record Fault(String code, String file, int line, String message) {

  @Override
  public String toString() {
    return "%s: %s%s: %s".formatted(code, file, line == 0 ? "" : ":" + line, message);
  }
}
