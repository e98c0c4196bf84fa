package dev.signalbox.services.metrics;

import dev.signalbox.runtime.FeedEntry;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What entries add to the meters. To know how long an instance was in a state, and how late a timer
 * was, it remembers when states were entered and when timers are due, for a bounded number of
 * instances; those of an instance that it has not seen from its start, or has forgotten, are not
 * measured until they are entered or scheduled again. For one thread.
 */
final class EntryMeters {
  private static final int REMEMBERED = 100_000;

  private static final Duration[] BUCKETS = {
    Duration.ofMillis(10),
    Duration.ofMillis(100),
    Duration.ofSeconds(1),
    Duration.ofSeconds(10),
    Duration.ofMinutes(1),
    Duration.ofMinutes(10),
    Duration.ofHours(1),
    Duration.ofDays(1),
    Duration.ofDays(7)
  };

  private final MeterRegistry registry;

  /** The meters by what they are of: looking them up in the registry costs more than counting. */
  private final Map<Label, Counter> counters = new HashMap<>();

  private final Map<Label, Timer> timers = new HashMap<>();

  private record Label(String meter, String machine, String value) {}

  private final Map<Long, Memory> memories =
      new LinkedHashMap<>(1_024, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Memory> eldest) {
          return size() > REMEMBERED;
        }
      };

  EntryMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  /** Since when an instance is in its states, and when its timers are due. */
  private static final class Memory {
    final Map<String, Long> entered = new HashMap<>(4);
    final Map<String, Long> due = new HashMap<>(2);
  }

  void count(FeedEntry entry) {
    if (entry.isArchived()) {
      return;
    }
    String machine = entry.machine();
    if (entry.isRefusal()) {
      counter("signalbox.rejections", "Refusals by their code", machine, "code", entry.code());
      return;
    }
    counter("signalbox.transitions", "Steps by what caused them", machine, "kind", entry.kind());
    Memory memory = memories.computeIfAbsent(entry.number(), _ -> new Memory());
    if (entry.kind().equals("timer")) {
      lateness(entry, memory);
    }
    if (entry.kind().equals("effect")) {
      effect(entry);
    }
    states(entry, memory);
    timers(entry, memory);
    if (entry.isEnd()) {
      memories.remove(entry.number());
    }
  }

  private void counter(String name, String description, String machine, String tag, String value) {
    counters
        .computeIfAbsent(
            new Label(name, machine, value),
            _ ->
                Counter.builder(name)
                    .description(description)
                    .tag("machine", machine)
                    .tag(tag, value)
                    .register(registry))
        .increment();
  }

  private Timer timer(String name, String description, String machine, @Nullable String state) {
    return timers.computeIfAbsent(
        new Label(name, machine, state == null ? "" : state),
        _ -> {
          Timer.Builder builder =
              Timer.builder(name)
                  .description(description)
                  .tag("machine", machine)
                  .serviceLevelObjectives(BUCKETS);
          return (state == null ? builder : builder.tag("state", state)).register(registry);
        });
  }

  private void lateness(FeedEntry entry, Memory memory) {
    Long due = memory.due.remove(String.valueOf(entry.body().get("cause")));
    if (due != null) {
      timer(
              "signalbox.timer.lateness",
              "How long after its time a timer fired",
              entry.machine(),
              null)
          .record(Duration.ofMillis(Math.max(0, entry.at() - due)));
    }
  }

  private void effect(FeedEntry entry) {
    String name = entry.eventName();
    int dot = name.lastIndexOf('.');
    if (dot > 0) {
      Counter.builder("signalbox.effects")
          .description("Effects that ended, by how")
          .tag("machine", entry.machine())
          .tag("effect", name.substring(0, dot))
          .tag("outcome", name.substring(dot + 1))
          .register(registry)
          .increment();
    }
  }

  private void states(FeedEntry entry, Memory memory) {
    for (Object microstep : list(entry.body().get("microsteps"))) {
      if (microstep instanceof Map<?, ?> map) {
        for (Object state : list(map.get("exited"))) {
          Long since = memory.entered.remove(String.valueOf(state));
          if (since != null) {
            timer(
                    "signalbox.time.in.state",
                    "How long instances were in a state before they left it",
                    entry.machine(),
                    String.valueOf(state))
                .record(Duration.ofMillis(Math.max(0, entry.at() - since)));
          }
        }
        for (Object state : list(map.get("entered"))) {
          memory.entered.put(String.valueOf(state), entry.at());
        }
      }
    }
  }

  private static void timers(FeedEntry entry, Memory memory) {
    Object timers = entry.body().get("timers");
    if (timers instanceof Map<?, ?> resumed && resumed.get("shifted") instanceof Long shift) {
      memory.due.replaceAll((_, due) -> due + shift);
    }
    for (Object change : list(timers)) {
      if (change instanceof Map<?, ?> map) {
        if (map.get("scheduled") instanceof Map<?, ?> timer
            && timer.get("due") instanceof Long due) {
          memory.due.put(String.valueOf(timer.get("id")), due);
        } else if (map.get("cancelled") instanceof String id) {
          memory.due.remove(id);
        }
      }
    }
  }

  private static List<?> list(@Nullable Object value) {
    return value instanceof List<?> list ? list : List.of();
  }
}
