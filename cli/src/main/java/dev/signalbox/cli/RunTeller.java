package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Tells what happens in a run, line by line, until it ends. When it waits for people it says how to
 * answer, and goes on telling only where a server goes on with the run.
 */
final class RunTeller {
  private static final long PAUSE = 100_000_000;

  private final RunDesk desk;
  private final PrintWriter out;
  private final boolean json;
  private final Set<String> told = new HashSet<>();

  RunTeller(RunDesk desk, PrintWriter out, boolean json) {
    this.desk = desk;
    this.out = out;
    this.json = json;
  }

  /**
   * Watches a run.
   *
   * @return the exit code: 0 when it is complete or waits for people, 1 otherwise
   */
  int watch(String run) {
    boolean hinted = false;
    try (Progress progress = Progress.show(!json)) {
      while (true) {
        Map<?, ?> story = desk.story(run);
        List<String> news = news(story);
        if (!news.isEmpty()) {
          progress.clear();
          news.forEach(out::println);
          out.flush();
        }
        progress.at(1, 1, doing(story));
        if ("ended".equals(story.get("status"))) {
          return "COMPLETE".equals(story.get("state")) ? 0 : 1;
        }
        boolean stands = !"live".equals(story.get("status"));
        boolean waits = stands || isWaiting(story);
        if (waits && !hinted) {
          progress.clear();
          if (stands) {
            hintAtStandstill(story);
          } else {
            hint(story);
          }
        }
        hinted = waits;
        if (waits && !desk.isServed()) {
          return stands ? 1 : 0;
        }
        LockSupport.parkNanos(this, PAUSE);
        if (Thread.currentThread().isInterrupted()) {
          return 1;
        }
      }
    }
  }

  private static String doing(Map<?, ?> story) {
    return "%s %s %s".formatted(story.get("run_id"), story.get("state"), story.get("current_tool"));
  }

  /** Whether nothing happens before a person has said something: what was said is on its way. */
  private static boolean isWaiting(Map<?, ?> story) {
    boolean asks =
        "awaiting_decision".equals(story.get("substate")) || "PLANNING".equals(story.get("state"));
    return asks && !asked(story).isEmpty();
  }

  /** The requests that nobody has decided. */
  private static List<Map<?, ?>> asked(Map<?, ?> story) {
    List<Map<?, ?>> asked = new ArrayList<>();
    for (Object each : list(story, "requests")) {
      Map<?, ?> request = (Map<?, ?>) each;
      if ("AWAITING_HUMAN".equals(request.get("state"))) {
        asked.add(request);
      }
    }
    return asked;
  }

  private void hintAtStandstill(Map<?, ?> story) {
    if (!json) {
      out.printf(
          "It is %s and stands still. Go on with%n  signalbox run resume %s%n",
          story.get("status"), story.get("run_id"));
      out.flush();
    }
  }

  private void hint(Map<?, ?> story) {
    if (!json) {
      out.println("It waits for people. Answer with one of");
      for (Map<?, ?> asked : asked(story)) {
        out.printf(
            "  signalbox approve %s   # %s, with your passphrase%n",
            asked.get("approval_id"), RunReport.what(asked));
      }
      if (!desk.isServed()) {
        out.printf("then go on with%n  signalbox run resume %s%n", story.get("run_id"));
      }
      out.flush();
    }
  }

  /** What was not told yet, in the order in which it happened. */
  private List<String> news(Map<?, ?> story) {
    List<Event> events = new ArrayList<>();
    for (String kind : List.of("tools", "checks")) {
      for (Object each : list(story, kind)) {
        Map<?, ?> tool = (Map<?, ?>) each;
        for (Object one : list(tool, "attempts")) {
          Map<?, ?> attempt = (Map<?, ?>) one;
          if (attempt.get("ended_at") != null) {
            events.add(
                new Event(
                    text(attempt.get("ended_at")),
                    text(tool.get("name")),
                    text(attempt.get("status")),
                    text(attempt.get("message"))));
          }
        }
      }
    }
    for (Object each : list(story, "verdicts")) {
      Map<?, ?> verdict = (Map<?, ?>) each;
      String notes =
          String.join("; ", list(verdict, "notes").stream().map(RunTeller::text).toList());
      events.add(
          new Event(
              text(verdict.get("at")),
              "auditor " + text(verdict.get("auditor")),
              text(verdict.get("verdict")),
              notes));
    }
    for (Object each : list(story, "rollback")) {
      Map<?, ?> step = (Map<?, ?>) each;
      if (step.get("ended_at") != null) {
        events.add(
            new Event(
                text(step.get("ended_at")),
                "undo " + text(step.get("step")),
                text(step.get("status")),
                text(step.get("message"))));
      }
    }
    for (Object each : list(story, "state_history")) {
      Map<?, ?> state = (Map<?, ?>) each;
      events.add(new Event(text(state.get("entered_at")), text(state.get("state")), "", ""));
    }
    if ("ended".equals(story.get("status"))) {
      events.add(
          new Event(
              text(story.get("updated_at")),
              text(story.get("run_id")),
              text(story.get("final_status")),
              text(story.get("failure"))));
    }
    return events.stream()
        .filter(event -> told.add(event.toString()))
        .sorted((a, b) -> a.at.compareTo(b.at))
        .map(event -> json ? event.json() : event.line())
        .toList();
  }

  private record Event(String at, String what, String status, String message) {
    String line() {
      return "%s  %s%s%s"
          .formatted(
              at,
              what,
              status.isEmpty() ? "" : "  " + status,
              message.isEmpty() ? "" : "  " + message);
    }

    String json() {
      return Json.text(Map.of("at", at, "what", what, "status", status, "message", message));
    }
  }

  static List<?> list(Map<?, ?> map, String key) {
    return map.get(key) instanceof List<?> list ? list : List.of();
  }

  static String text(@Nullable Object value) {
    return value == null ? "" : String.valueOf(value);
  }
}
