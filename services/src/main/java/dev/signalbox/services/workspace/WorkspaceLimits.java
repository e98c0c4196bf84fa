package dev.signalbox.services.workspace;

/**
 * How much a folder may hold to be backed up.
 *
 * @param items files, links and folders
 * @param bytesEach of one file
 * @param bytesInAll of all files
 * @param depth folders within folders
 */
public record WorkspaceLimits(int items, long bytesEach, long bytesInAll, int depth) {
  public static final WorkspaceLimits STANDARD =
      new WorkspaceLimits(100_000, 256L << 20, 4L << 30, 100);

  /**
   * @throws IllegalArgumentException when one is less than 1
   */
  public WorkspaceLimits {
    if (items < 1 || bytesEach < 1 || bytesInAll < 1 || depth < 1) {
      throw new IllegalArgumentException(
          "Expected the limits of a workspace to be at least 1, but found %d, %d, %d and %d."
              .formatted(items, bytesEach, bytesInAll, depth));
    }
  }
}
