package dev.signalbox.bench.journal;

import dev.signalbox.bench.Bench;
import dev.signalbox.bench.TemporaryFolder;
import dev.signalbox.definition.Json;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.CommittedGroup;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.runtime.Signalbox;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How late timers fire, with a million pending: many in one second, and some every second. */
public final class TimersBench implements Bench {
  private static final String SLEEPER =
      """
      machine: sleeper
      context:
        delay: { type: int, default: 86400000 }
      states:
        ASLEEP: { after: { wake: { in: ctx.delay, to: AWAKE } } }
        AWAKE: { final: true }
      """;

  private static final Pattern SCHEDULED = Pattern.compile("\"scheduled\":\\{\"due\":(\\d+)");
  private static final Pattern INSTANCE = Pattern.compile("\"instance\":\"([^\"]+)\"");

  @Override
  public String name() {
    return "timers";
  }

  @Override
  public String describe() {
    return "how late timers fire with a million pending";
  }

  @Override
  public void run(boolean quick) throws Exception {
    long pending = quick ? 100_000 : 1_000_000;
    int burst = 50_000;
    int seconds = quick ? 10 : 30;
    Map<String, Object> summary = new LinkedHashMap<>();
    summary.put("bench", "timers");
    try (TemporaryFolder folder = TemporaryFolder.temporary("bench-timers-");
        Signalbox box = Signalbox.open("jdbc:sqlite:" + folder.path().resolve("box.db"))) {
      box.publish(MachineReader.read(new Source("sleeper.yaml", SLEEPER)));
      Crowd.start(box, "sleeper", 0, pending, _ -> Map.of());
      System.out.printf(Locale.ROOT, "%,d timers are pending%n", pending);

      long group = lastGroup(box, 0);
      long at = System.currentTimeMillis() + (quick ? 15_000 : 30_000);
      Crowd.start(
          box,
          "sleeper",
          pending,
          pending + burst,
          i -> Map.of("delay", Math.max(0, at + i % 1_000 - System.currentTimeMillis())));
      Thread.sleep(Math.max(0, at - System.currentTimeMillis()) + 10_000);
      Lateness many = Lateness.since(box, group);
      many.print("%,d due in one second".formatted(burst));
      summary.put("burst_fired", many.fired());
      summary.put("burst_twice", many.twice());
      summary.put("burst_last_ms", many.millis(1));

      group = lastGroup(box, group);
      long from = pending + burst;
      long begin = System.currentTimeMillis() + 1_000;
      for (int s = 0; s < seconds; s++) {
        long first = from + s * 1_000L;
        Crowd.start(box, "sleeper", first, first + 1_000, i -> Map.of("delay", 2_000 + i % 1_000));
        Thread.sleep(Math.max(0, begin + s * 1_000L - System.currentTimeMillis()));
      }
      Thread.sleep(5_000);
      Lateness steady = Lateness.since(box, group);
      steady.print("1,000 a second");
      summary.put("steady_fired", steady.fired());
      summary.put("steady_p99_ms", steady.millis(0.99));
    }
    System.out.println(Json.text(summary));
  }

  private static long lastGroup(Signalbox box, long from) {
    long last = from;
    while (true) {
      List<CommittedGroup> page = box.journal().groups(last, 500);
      if (page.isEmpty()) {
        return last;
      }
      last = page.getLast().number();
    }
  }

  /** How late the timers of some groups fired, measured at the commit. */
  private record Lateness(List<Long> sorted, int twice) {
    static Lateness since(Signalbox box, long group) {
      Map<String, Long> dues = new HashMap<>();
      Set<String> seen = new HashSet<>();
      List<Long> late = new java.util.ArrayList<>();
      int twice = 0;
      long after = group;
      while (true) {
        List<CommittedGroup> page = box.journal().groups(after, 500);
        if (page.isEmpty()) {
          break;
        }
        for (CommittedGroup one : page) {
          after = one.number();
          for (EntryRow entry : one.entries()) {
            String body = new String(entry.body(), StandardCharsets.UTF_8);
            Matcher id = INSTANCE.matcher(body);
            Matcher due = SCHEDULED.matcher(body);
            if (id.find() && body.contains("\"kind\":\"timer\"")) {
              Long expected = dues.get(id.group(1));
              if (expected != null) {
                late.add(one.at() - expected);
              }
              twice += seen.add(id.group(1)) ? 0 : 1;
            } else if (due.find()) {
              dues.put(id.group(1), Long.parseLong(due.group(1)));
            }
          }
        }
      }
      late.sort(null);
      return new Lateness(late, twice);
    }

    int fired() {
      return sorted.size();
    }

    long millis(double share) {
      return sorted.isEmpty() ? -1 : sorted.get((int) Math.ceil(share * sorted.size()) - 1);
    }

    void print(String what) {
      System.out.printf(
          Locale.ROOT,
          "%-28s %,8d fired, %d twice; late p50 %,d ms, p99 %,d ms, last %,d ms%n",
          what,
          fired(),
          twice,
          millis(0.5),
          millis(0.99),
          millis(1));
    }
  }
}
