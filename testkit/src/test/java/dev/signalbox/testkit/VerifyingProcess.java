package dev.signalbox.testkit;

import dev.signalbox.journal.Journal;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Demands;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.runtime.Verification;
import java.io.IOException;
import java.nio.file.Path;

/** A process with little memory that verifies a store or a file and says what it found. */
final class VerifyingProcess {
  private VerifyingProcess() {}

  /** Arguments: {@code store} or {@code file}, and its address. */
  public static void main(String[] arguments) throws IOException {
    Verification found;
    if (arguments[0].equals("store")) {
      try (Journal journal = Signalbox.read(arguments[1])) {
        found = Audit.verify(journal, _ -> {});
      }
    } else {
      found = Audit.verify(Path.of(arguments[1]), Demands.NONE, _ -> {});
    }
    System.out.println(
        "%d entries of %d instances, %s"
            .formatted(found.entries(), found.instances(), found.findings()));
  }
}
