package dev.signalbox.runtime;

import java.util.ArrayList;
import java.util.List;

/** What a verification found, in the order in which it was met. */
final class Findings {
  /** Beyond so many findings the rest is counted, not listed. */
  private static final int MOST = 1_000;

  /** The most characters that a finding says. */
  private static final int LONGEST = 4_000;

  private final List<Verification.Finding> list = new ArrayList<>();
  private long more;

  void add(String code, String where, String message) {
    if (list.size() < MOST) {
      String said = message.length() <= LONGEST ? message : message.substring(0, LONGEST) + " …";
      list.add(new Verification.Finding(code, where, said));
    } else {
      more++;
    }
  }

  List<Verification.Finding> list() {
    return List.copyOf(list);
  }

  long more() {
    return more;
  }
}
