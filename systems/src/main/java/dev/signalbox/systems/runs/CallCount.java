package dev.signalbox.systems.runs;

import dev.signalbox.runtime.Host;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a run's history says about its calls: how often each was made and how they ended. */
final class CallCount {
  /** Before so many calls have ended, nothing is said about how many of them failed. */
  private static final int FEWEST = 10;

  private final Map<String, Integer> calls = new LinkedHashMap<>();
  private int made;
  private int failed;

  private CallCount() {}

  static CallCount of(Host host, String run) {
    CallCount count = new CallCount();
    Map<String, String> digests = new LinkedHashMap<>();
    for (RunEntry entry : RunEntry.of(host, run)) {
      if (entry.change("plan") instanceof Map<?, ?> plan) {
        for (Object each : RunEntry.list(plan.get("tools"))) {
          Map<String, @Nullable Object> tool = RunEntry.map(each);
          digests.put(String.valueOf(tool.get("name")), String.valueOf(tool.get("digest")));
        }
      }
      for (Map<String, @Nullable Object> started : entry.records("run.tool_started")) {
        count.made++;
        String digest = digests.getOrDefault(String.valueOf(started.get("tool")), "");
        count.calls.merge(digest, 1, Integer::sum);
      }
      boolean bad =
          entry.event().equals("tool.succeeded")
              && List.of("fail", "retry").contains(String.valueOf(entry.data().get("status")));
      count.failed += bad ? 1 : 0;
    }
    return count;
  }

  /** How often the call was begun, the one that is at work now among them. */
  int sameCalls(String digest) {
    return calls.getOrDefault(digest, 0);
  }

  /** Whether more than half of the calls failed, with the one that is at work now. */
  boolean isMostlyFailing() {
    return made >= FEWEST && 2 * (failed + 1) > made;
  }
}
