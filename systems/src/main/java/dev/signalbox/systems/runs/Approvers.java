package dev.signalbox.systems.runs;

import dev.signalbox.services.approval.Escalation;
import dev.signalbox.services.rule.RuleItem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who may say yes to what a run asks.
 *
 * @param roles of which one is needed, besides being an approver; empty for none
 * @param assignedTo the only people who may; empty for everyone with the roles
 * @param expiresIn how long a request waits; when it is over, the run halts
 * @param silence what happens while nobody answers
 */
public record Approvers(
    int quorum,
    List<String> roles,
    List<String> assignedTo,
    Duration expiresIn,
    Escalation silence) {
  /** A run waits no longer than this for people. */
  static final Duration LONGEST = Duration.ofHours(24);

  /** Any one approver. */
  public static final Approvers ANY =
      new Approvers(1, List.of(), List.of(), LONGEST, Escalation.NONE);

  private static final String INHERITED =
      "What a tool does not say is as the plan's approvers say.";

  public Approvers {
    roles = List.copyOf(roles);
    assignedTo = List.copyOf(assignedTo);
  }

  /** Whether requests expire before the run has waited as long as it may. */
  boolean expiresEarly() {
    return expiresIn.compareTo(LONGEST) < 0;
  }

  /** Everybody whom a plan names. */
  List<String> named() {
    List<String> all = new ArrayList<>(assignedTo);
    all.addAll(silence.reassignTo());
    return all;
  }

  /**
   * As a plan or one of its tools writes them.
   *
   * @param otherwise what is not said is as it is here: for a tool, its plan's approvers
   */
  static Approvers read(RuleItem item, Approvers otherwise) {
    Escalation silent = otherwise.silence;
    int quorum = (int) item.whole("quorum", otherwise.quorum, 1, 20);
    List<String> roles = texts(item, "roles", otherwise.roles);
    List<String> assignedTo = texts(item, "assigned_to", otherwise.assignedTo);
    Duration expires = time(item, "expires_in", otherwise.expiresIn, LONGEST.plusMillis(1));
    Duration remind = time(item, "remind_every", unsaid(silent.remindEvery()), expires);
    Duration escalate = time(item, "escalate_after", unsaid(silent.escalateAfter()), expires);
    Duration reassign =
        time(
            item,
            "reassign_after",
            unsaid(silent.reassignAfter()),
            escalate.isZero() ? expires : escalate);
    List<String> others = texts(item, "reassign_to", silent.reassignTo());
    reached(item, "assigned_to", assignedTo, quorum);
    reached(item, "reassign_to", others, quorum);
    Escalation silence = Escalation.NONE;
    if (reassign.isZero() != others.isEmpty()) {
      item.error(
          "missing-key",
          item.place(),
          "Expected 'reassign_after' and 'reassign_to' together, but one is missing.",
          "After that time the request is put to those people.");
    } else {
      try {
        silence = silence(remind, reassign, others, escalate);
      } catch (IllegalArgumentException e) {
        item.error("wrong-value", item.place(), String.valueOf(e.getMessage()), "");
      }
    }
    return new Approvers(quorum, roles, assignedTo, expires, silence);
  }

  private static List<String> texts(RuleItem item, String key, List<String> otherwise) {
    List<String> said = item.texts(key);
    return item.has(key) ? said : otherwise;
  }

  /**
   * A time that comes before another, or it would never come.
   *
   * @param end before which it is
   */
  private static Duration time(RuleItem item, String key, Duration otherwise, Duration end) {
    Duration time = item.duration(key, otherwise);
    boolean said = item.has(key) || !time.isZero();
    if (said && (time.toMillis() < 1 || time.compareTo(end) >= 0)) {
      item.error(
          "bad-duration",
          item.place(key),
          "Expected '%s' to be more than nothing and to come in time, but it does not."
              .formatted(key),
          "A run waits 24h for people at most, or what expires_in says; reminding and reassigning"
              + " come before that, and reassigning before escalate_after. "
              + INHERITED);
      return otherwise;
    }
    return time;
  }

  private static void reached(RuleItem item, String key, List<String> people, int quorum) {
    if (!people.isEmpty() && people.size() < quorum) {
      item.error(
          "wrong-value",
          item.place(item.has(key) ? key : "quorum"),
          "Expected '%s' to name at least the %d people of the quorum, but it names %d."
              .formatted(key, quorum, people.size()),
          INHERITED);
    }
  }

  private static Escalation silence(
      Duration remind, Duration reassign, List<String> others, Duration escalate) {
    return new Escalation(said(remind), said(reassign), others, said(escalate));
  }

  private static Duration unsaid(@Nullable Duration time) {
    return time == null ? Duration.ZERO : time;
  }

  private static @Nullable Duration said(Duration time) {
    return time.isZero() ? null : time;
  }

  /** As the frozen plan has them; what is not said is not there. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("quorum", (long) quorum);
    fields.put("roles", roles);
    fields.put("assigned_to", assignedTo);
    put(fields, "expires_in_ms", expiresEarly() ? expiresIn : null);
    put(fields, "remind_every_ms", silence.remindEvery());
    put(fields, "reassign_after_ms", silence.reassignAfter());
    if (!silence.reassignTo().isEmpty()) {
      fields.put("reassign_to", silence.reassignTo());
    }
    put(fields, "escalate_after_ms", silence.escalateAfter());
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
        fields.containsKey("expires_in_ms") ? time(fields, "expires_in_ms") : LONGEST,
        silence(
            time(fields, "remind_every_ms"),
            time(fields, "reassign_after_ms"),
            fields.containsKey("reassign_to") ? Form.texts(fields, "reassign_to") : List.of(),
            time(fields, "escalate_after_ms")));
  }

  private static Duration time(Map<String, Object> fields, String name) {
    return fields.containsKey(name) ? Duration.ofMillis(Form.whole(fields, name)) : Duration.ZERO;
  }
}
