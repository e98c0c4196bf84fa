package dev.signalbox.cli;

import static dev.signalbox.cli.RunTeller.list;
import static dev.signalbox.cli.RunTeller.text;

import java.io.PrintWriter;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A run on paper. */
final class RunReport {
  private RunReport() {}

  static void print(Map<?, ?> story, PrintWriter out) {
    out.printf(
        "%s  %s  %s%n", story.get("run_id"), story.get("state"), text(story.get("final_status")));
    line(out, "failure", story.get("failure"));
    line(out, "environment", story.get("environment"));
    line(out, "plan", story.get("plan_digest"));
    line(out, "plan approved by", story.get("plan_approved_by"));
    origin(story, out);
    line(out, "tree before", story.get("tree_before"));
    for (Object each : list(story, "state_history")) {
      Map<?, ?> state = (Map<?, ?>) each;
      out.printf("  %s  %s%n", state.get("entered_at"), state.get("state"));
    }
    tools(story, "tools", out);
    tools(story, "checks", out);
    for (Object each : list(story, "verdicts")) {
      Map<?, ?> verdict = (Map<?, ?>) each;
      out.printf("auditor %s: %s%n", verdict.get("auditor"), verdict.get("verdict"));
      list(verdict, "notes").forEach(note -> out.printf("    %s%n", note));
    }
    for (Object each : list(story, "rollback")) {
      Map<?, ?> step = (Map<?, ?>) each;
      out.printf(
          "undo %s: %s %s%n", step.get("step"), step.get("status"), text(step.get("message")));
    }
    list(story, "requests").forEach(each -> request((Map<?, ?>) each, out));
  }

  /** From which frozen plan of the coordinator it came, if from one. */
  private static void origin(Map<?, ?> story, PrintWriter out) {
    if (story.get("plan") instanceof Map<?, ?> plan && plan.get("origin") instanceof Map<?, ?> of) {
      line(out, "coordinator's run", of.get("run_id"));
      line(out, "intent", "%s %s".formatted(of.get("intent_id"), of.get("intent_sha256")));
      line(out, "frozen plan", of.get("manifest_sha256"));
      line(out, "graph", of.get("graph_sha256"));
      for (Object each : list(of, "actions")) {
        Map<?, ?> action = (Map<?, ?>) each;
        out.printf(
            "    %s: %s of %s%n", action.get("tool"), action.get("node_id"), action.get("agent"));
      }
    }
  }

  private static void request(Map<?, ?> asked, PrintWriter out) {
    out.printf("approval %s: %s", asked.get("approval_id"), what(asked));
    out.printf(", %s%n", text(asked.get("state")));
    line(out, "  digest", asked.get("digest"));
    line(out, "  approved by", joined(asked, "approvers", ", "));
    line(out, "  " + text(asked.get("outcome")), asked.get("reason"));
  }

  /** What people are asked; of a tool of unknown outcome also what is to become of it. */
  static String what(Map<?, ?> asked) {
    return switch (text(asked.get("decision"))) {
      case "repeat" -> "repeat %s".formatted(asked.get("action"));
      case "accept" -> "accept %s as done".formatted(asked.get("action"));
      default -> text(asked.get("action"));
    };
  }

  /** Who may approve a tool. */
  private static String approvers(Map<?, ?> tool) {
    if (!(tool.get("approvers") instanceof Map<?, ?> who)) {
      return "";
    }
    String people = joined(who, "assigned_to", ", ");
    String roles = joined(who, "roles", " or ");
    return "%s of %s%s"
        .formatted(
            text(who.get("quorum")),
            people.isEmpty() ? "any approvers" : people,
            roles.isEmpty() ? "" : ", with the role " + roles);
  }

  private static String joined(Map<?, ?> map, String key, String by) {
    return String.join(by, list(map, key).stream().map(RunTeller::text).toList());
  }

  private static void line(PrintWriter out, String name, @Nullable Object value) {
    if (!text(value).isEmpty()) {
      out.printf("  %s: %s%n", name, value);
    }
  }

  private static void tools(Map<?, ?> story, String kind, PrintWriter out) {
    for (Object each : list(story, kind)) {
      Map<?, ?> tool = (Map<?, ?>) each;
      out.printf(
          "%s %s: %s, %s risk%s%n",
          kind.equals("tools") ? "tool" : "check",
          tool.get("name"),
          tool.get("status"),
          tool.get("risk"),
          text(tool.get("why")).isEmpty() ? "" : " (" + tool.get("why") + ")");
      if (Boolean.TRUE.equals(tool.get("approval"))) {
        line(out, "  may be approved by", approvers(tool));
      }
      for (Object one : list(tool, "attempts")) {
        Map<?, ?> attempt = (Map<?, ?>) one;
        out.printf(
            "    attempt %s: %s %s%n",
            attempt.get("attempt"), attempt.get("status"), text(attempt.get("message")));
        for (Object piece : list(attempt, "evidence")) {
          Map<?, ?> evidence = (Map<?, ?>) piece;
          out.printf("      %s  %s%n", evidence.get("sha256"), evidence.get("name"));
        }
      }
    }
  }
}
