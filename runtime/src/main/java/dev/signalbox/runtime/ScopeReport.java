package dev.signalbox.runtime;

import dev.signalbox.kernel.Rejection;
import java.util.List;

/**
 * What became of something that was done to several instances.
 *
 * @param done how many it was done to, now or before with the same key
 * @param already how many it was not needed for, because they had ended or stood so before
 * @param refused the first hundred that refused it for another reason
 */
public record ScopeReport(long done, long already, List<Refused> refused) {

  /** An instance that refused it. */
  public record Refused(String instance, Rejection rejection) {}
}
