package dev.signalbox.services.tool;

import dev.signalbox.services.approval.Risk;
import dev.signalbox.services.evidence.Evidence;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What came of a call.
 *
 * @param evidence what was seen and stored, each under another name
 * @param checked what the tool says it has checked, and by which evidence
 * @param assumed what it took for granted
 * @param notTested what it left open
 * @param exitCode of a process, or null where there is none
 * @param message one sentence for people
 */
public record ToolResult(
    ToolStatus status,
    List<Evidence> evidence,
    List<Claim> checked,
    List<String> assumed,
    List<String> notTested,
    List<ToolRisk> risks,
    List<String> nextActions,
    ToolUsage usage,
    @Nullable Integer exitCode,
    String message) {

  /**
   * @throws IllegalArgumentException when it passes without evidence, two pieces have one name, or
   *     it is over a limit
   */
  public ToolResult {
    evidence = ResultFields.counted(evidence, "evidence");
    checked = ResultFields.counted(checked, "checked");
    assumed = ResultFields.texts(assumed, "assumed");
    notTested = ResultFields.texts(notTested, "not_tested");
    risks = ResultFields.counted(risks, "risks");
    nextActions = ResultFields.texts(nextActions, "next_actions");
    if (message.length() > ResultFields.TEXT) {
      throw new IllegalArgumentException(
          "Expected a message of at most %,d characters, but it has %,d."
              .formatted(ResultFields.TEXT, message.length()));
    }
    if (status == ToolStatus.PASS && evidence.isEmpty()) {
      throw new IllegalArgumentException(
          "Expected a pass to have evidence, but it has none. Store what shows it.");
    }
    Set<String> names = new HashSet<>();
    for (Evidence piece : evidence) {
      if (!names.add(piece.name())) {
        throw new IllegalArgumentException(
            "Expected each piece of evidence to have a name of its own, but '%s' is there twice."
                .formatted(piece.name()));
      }
    }
  }

  public static ToolResult pass(List<Evidence> evidence, String message) {
    return of(ToolStatus.PASS, evidence, message);
  }

  public static ToolResult fail(List<Evidence> evidence, String message) {
    return of(ToolStatus.FAIL, evidence, message);
  }

  public static ToolResult of(ToolStatus status, List<Evidence> evidence, String message) {
    return new ToolResult(
        status,
        evidence,
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        ToolUsage.NONE,
        null,
        message);
  }

  /** The same with another status and message. */
  public ToolResult as(ToolStatus other, String why) {
    return new ToolResult(
        other, evidence, checked, assumed, notTested, risks, nextActions, usage, exitCode, why);
  }

  /** The same of a call that used that. */
  public ToolResult using(ToolUsage other) {
    return new ToolResult(
        status,
        evidence,
        checked,
        assumed,
        notTested,
        risks,
        nextActions,
        other,
        exitCode,
        message);
  }

  /** The same of a process that exited with that code. */
  public ToolResult exiting(int code) {
    return new ToolResult(
        status, evidence, checked, assumed, notTested, risks, nextActions, usage, code, message);
  }

  /** The worst of its risks; low when it names none. */
  public Risk risk() {
    return risks.stream().map(ToolRisk::level).max(Risk::compareTo).orElse(Risk.LOW);
  }

  /** The piece of that name, or null. */
  public @Nullable Evidence evidence(String name) {
    return evidence.stream().filter(e -> e.name().equals(name)).findFirst().orElse(null);
  }

  /** As JSON values, which {@link #of(Map)} reads. */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("status", status.word());
    fields.put("evidence", evidence.stream().map(Evidence::fields).toList());
    fields.put("checked", checked.stream().map(Claim::fields).toList());
    fields.put("assumed", assumed);
    fields.put("not_tested", notTested);
    fields.put("risks", risks.stream().map(ToolRisk::fields).toList());
    fields.put("next_actions", nextActions);
    fields.put("usage", usage.fields());
    if (exitCode != null) {
      fields.put("exit_code", (long) exitCode);
    }
    fields.put("message", message);
    return fields;
  }

  /**
   * From JSON values; lists that are absent are empty.
   *
   * @throws IllegalArgumentException when they are of another form
   */
  public static ToolResult of(Map<?, ?> fields) {
    ResultFields.only(
        fields,
        "the result",
        "status",
        "evidence",
        "checked",
        "assumed",
        "not_tested",
        "risks",
        "next_actions",
        "usage",
        "exit_code",
        "message");
    Object exit = fields.get("exit_code");
    Object message = fields.get("message");
    if (!(fields.get("status") instanceof String status)
        || !(exit == null || exit instanceof Long)
        || !(message == null || message instanceof String)) {
      throw new IllegalArgumentException(
          "Expected a result with a 'status' and, if any, a number as 'exit_code' and a text as"
              + " 'message', but found something else.");
    }
    return new ToolResult(
        ToolStatus.of(status),
        ResultFields.list(fields.get("evidence"), "evidence", Evidence::of),
        ResultFields.list(fields.get("checked"), "checked", Claim::of),
        ResultFields.list(fields.get("assumed"), "assumed"),
        ResultFields.list(fields.get("not_tested"), "not_tested"),
        ResultFields.list(fields.get("risks"), "risks", ToolRisk::of),
        ResultFields.list(fields.get("next_actions"), "next_actions"),
        ToolUsage.of(fields.get("usage")),
        exit == null ? null : Math.toIntExact((Long) exit),
        message == null ? "" : (String) message);
  }
}
