package dev.signalbox.systems.runs;

import dev.signalbox.services.approval.Escalation;
import dev.signalbox.services.rule.RuleItem;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who may say yes to what a run asks.
 *
 * @param roles of which one is needed, besides being an approver; empty for none
 * @param assignedTo the only people who may; empty for everyone with the roles
 * @param silence what happens while nobody answers
 */
public record Approvers(
    int quorum, List<String> roles, List<String> assignedTo, Escalation silence) {
  /** Any one approver. */
  public static final Approvers ANY = new Approvers(1, List.of(), List.of(), Escalation.NONE);

  public Approvers {
    roles = List.copyOf(roles);
    assignedTo = List.copyOf(assignedTo);
  }

  /** As a plan writes them. */
  static Approvers read(RuleItem item) {
    int quorum = (int) item.whole("quorum", 1, 1, 20);
    List<String> roles = item.texts("roles");
    List<String> assignedTo = item.texts("assigned_to");
    Duration remind = item.duration("remind_every", Duration.ZERO);
    Duration reassign = item.duration("reassign_after", Duration.ZERO);
    List<String> others = item.texts("reassign_to");
    Escalation silence = Escalation.NONE;
    if (reassign.isZero() != others.isEmpty()) {
      item.error(
          "missing-key",
          item.place(),
          "Expected 'reassign_after' and 'reassign_to' together, but one is missing.",
          "After that time the request is put to those people.");
    } else {
      try {
        silence = silence(remind, reassign, others);
      } catch (IllegalArgumentException e) {
        item.error("wrong-value", item.place(), String.valueOf(e.getMessage()), "");
      }
    }
    return new Approvers(quorum, roles, assignedTo, silence);
  }

  private static Escalation silence(Duration remind, Duration reassign, List<String> others) {
    return new Escalation(
        remind.isZero() ? null : remind, reassign.isZero() ? null : reassign, others, null);
  }

  /** As the frozen plan has them; what is not said is not there. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("quorum", (long) quorum);
    fields.put("roles", roles);
    fields.put("assigned_to", assignedTo);
    put(fields, "remind_every_ms", silence.remindEvery());
    put(fields, "reassign_after_ms", silence.reassignAfter());
    if (!silence.reassignTo().isEmpty()) {
      fields.put("reassign_to", silence.reassignTo());
    }
    return fields;
  }

  private static void put(Map<String, Object> fields, String name, @Nullable Duration time) {
    if (time != null) {
      fields.put(name, time.toMillis());
    }
  }

  static Approvers of(Map<String, Object> fields) {
    return new Approvers(
        Math.toIntExact(Form.whole(fields, "quorum")),
        Form.texts(fields, "roles"),
        Form.texts(fields, "assigned_to"),
        silence(
            time(fields, "remind_every_ms"),
            time(fields, "reassign_after_ms"),
            fields.containsKey("reassign_to") ? Form.texts(fields, "reassign_to") : List.of()));
  }

  private static Duration time(Map<String, Object> fields, String name) {
    return fields.containsKey(name) ? Duration.ofMillis(Form.whole(fields, name)) : Duration.ZERO;
  }
}
