package dev.signalbox.systems.runs.audit;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.services.approval.Action;
import dev.signalbox.services.evidence.Evidence;
import dev.signalbox.services.evidence.EvidenceException;
import dev.signalbox.services.evidence.EvidenceStore;
import dev.signalbox.services.tool.ToolResult;
import dev.signalbox.services.tool.ToolStatus;
import dev.signalbox.services.workspace.Footprint;
import dev.signalbox.services.workspace.Item;
import dev.signalbox.systems.Values;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads what auditors look at from the journal, the evidence and the folder. Nothing of it is taken
 * from what somebody says now: results are those of the entries, approvals those of their
 * instances.
 */
public final class RunReader {
  private static final int PAGE = 500;

  private final Host host;
  private final Instance run;
  private final EvidenceStore evidence;
  private final @Nullable Map<String, String> now;
  private final List<AuditedRun.Started> started = new ArrayList<>();
  private final List<StepResult> results = new ArrayList<>();
  private final Set<String> approvals = new LinkedHashSet<>();

  private RunReader(
      Host host, Instance run, EvidenceStore evidence, @Nullable Map<String, String> now) {
    this.host = host;
    this.run = run;
    this.evidence = evidence;
    this.now = now;
  }

  /**
   * Everything of a run.
   *
   * @param before what was in the folder before the first tool, or null when nobody knows
   * @param now what is in it, or null when nobody knows
   */
  public static AuditedRun read(
      Host host,
      Instance run,
      EvidenceStore evidence,
      @Nullable Footprint before,
      @Nullable Footprint now) {
    return new RunReader(host, run, evidence, now == null ? null : contents(now))
        .whole(before == null ? null : contents(before));
  }

  private AuditedRun whole(@Nullable Map<String, String> before) {
    long from = 1;
    List<EntryRow> page;
    do {
      page = host.history(run.id(), from, PAGE);
      page.forEach(this::entry);
      from += page.size();
    } while (page.size() == PAGE);
    Map<String, @Nullable Object> context = run.context();
    Map<String, @Nullable Object> plan = Values.map(context.get("plan"));
    Map<String, Object> frozen = new LinkedHashMap<>();
    plan.forEach((name, value) -> {
      if (value != null) {
        frozen.put(name, value);
      }
    });
    return new AuditedRun(
        run.id(),
        Values.text(context.get("environment")),
        Values.text(Values.map(context.get("requested_by")).get("name")),
        frozen,
        Values.text(context.get("plan_digest")),
        Values.text(context.get("plan_approved_by")),
        steps(plan, "tools", false),
        steps(plan, "checks", true),
        started,
        results,
        approvals.stream().map(this::approval).filter(Objects::nonNull).toList(),
        evidence,
        before,
        now);
  }

  private static List<PlannedStep> steps(
      Map<String, @Nullable Object> plan, String list, boolean checks) {
    List<PlannedStep> steps = new ArrayList<>();
    for (Object each : Values.list(plan.get(list))) {
      Map<String, @Nullable Object> step = Values.map(each);
      Map<String, Object> arguments = new LinkedHashMap<>();
      Values.map(step.get("arguments"))
          .forEach((name, value) -> {
            if (value != null) {
              arguments.put(name, value);
            }
          });
      steps.add(
          new PlannedStep(
              Values.text(step.get("name")),
              checks,
              Values.text(step.get("access")),
              Values.list(step.get("writes")).stream().map(String::valueOf).toList(),
              Boolean.TRUE.equals(step.get("writing")),
              Boolean.TRUE.equals(step.get("approval")),
              arguments));
    }
    return steps;
  }

  private void entry(EntryRow row) {
    Map<String, @Nullable Object> body = json(row.body());
    Map<String, @Nullable Object> event = Values.map(body.get("event"));
    Map<String, @Nullable Object> data = Values.map(event.get("data"));
    switch (Values.text(event.get("name"))) {
      case "tool.succeeded" -> {
        // Where the folder was another one than approved, nothing ran.
        if (!Values.map(data.get("result")).containsKey("another_tree")) {
          results.add(result(row, data, "tool"));
        }
      }
      case "check.succeeded" -> results.add(result(row, data, "check"));
      case "asked.succeeded", "planned.succeeded" -> {
        for (String field : List.of("approval_id", "accept_id")) {
          String id = Values.text(data.get(field));
          if (!id.isEmpty()) {
            approvals.add(id);
          }
        }
      }
      default -> {}
    }
    for (Object record : Values.list(body.get("records"))) {
      if (Values.text(Values.map(record).get("kind")).equals("run.tool_started")) {
        started.add(
            new AuditedRun.Started(
                row.sequence(),
                Values.text(Values.map(Values.map(record).get("data")).get("tool"))));
      }
    }
  }

  private StepResult result(EntryRow row, Map<String, @Nullable Object> data, String what) {
    Map<String, @Nullable Object> told = new LinkedHashMap<>(Values.map(data.get("result")));
    List<?> changed = Values.list(told.remove("changed"));
    told.remove("beside");
    told.remove("ran");
    told.remove("tree");
    told.put("evidence", Values.list(data.get("evidence")));
    ToolResult result;
    try {
      result = ToolResult.of(told);
      Evidence whole = result.evidence("result");
      if (whole != null && !told.containsKey("message")) {
        Map<String, @Nullable Object> stored =
            new LinkedHashMap<>(json(evidence.bytes(whole.sha256())));
        changed = Values.list(stored.remove("changed"));
        stored.put("evidence", told.get("evidence"));
        result = ToolResult.of(stored);
      }
    } catch (IllegalArgumentException | EvidenceException e) {
      // What can't be read counts for nothing; the judge sees that the run took it for more.
      result = ToolResult.of(ToolStatus.FAIL, List.of(), "The journal's result can't be read.");
    }
    return new StepResult(
        row.sequence(),
        Values.text(data.get(what)),
        what.equals("check"),
        Values.text(data.get("status")),
        result,
        changes(result, changed));
  }

  /** From the evidence named changes; without it, the names alone, with what is there now. */
  private Map<String, String> changes(ToolResult result, List<?> names) {
    Map<String, String> changed = new TreeMap<>();
    Evidence piece = result.evidence("changes");
    if (piece != null) {
      try {
        Object value =
            Json.parse(new String(evidence.bytes(piece.sha256()), StandardCharsets.UTF_8));
        for (Object each : Values.list(value)) {
          Map<String, @Nullable Object> change = Values.map(each);
          Map<String, @Nullable Object> before = Values.map(change.get("before"));
          Map<String, @Nullable Object> after = Values.map(change.get("after"));
          if (isContent(before) || isContent(after)) {
            changed.put(Values.text(change.get("path")), isContent(after) ? content(after) : "");
          }
        }
        return changed;
      } catch (EvidenceException | Json.SyntaxException e) {
        // The auditor of hallucination names it.
      }
    }
    for (Object name : names) {
      String path = String.valueOf(name);
      changed.put(path, now == null ? "" : now.getOrDefault(path, ""));
    }
    return changed;
  }

  private static boolean isContent(Map<String, @Nullable Object> item) {
    return !item.isEmpty() && !Item.Kind.FOLDER.word().equals(item.get("kind"));
  }

  private static String content(Map<String, @Nullable Object> item) {
    return "%s %s %s".formatted(item.get("kind"), item.get("mode"), item.get("content"));
  }

  /** What a footprint has at each path that is no folder. */
  private static Map<String, String> contents(Footprint footprint) {
    Map<String, String> contents = new TreeMap<>();
    footprint
        .items()
        .forEach((path, item) -> {
          if (item.kind() != Item.Kind.FOLDER) {
            contents.put(
                path, "%s %s %s".formatted(item.kind().word(), item.mode(), item.content()));
          }
        });
    return contents;
  }

  private @Nullable ApprovalRecord approval(String id) {
    Instance approval = host.find(id);
    if (approval == null) {
      return null;
    }
    Map<String, @Nullable Object> context = approval.context();
    Map<String, Object> identity = new LinkedHashMap<>();
    Values.map(context.get("identity"))
        .forEach((name, value) -> {
          if (value != null) {
            identity.put(name, value);
          }
        });
    Set<String> askers = new LinkedHashSet<>();
    askers.add(Values.text(context.get("requester")));
    for (Object asker : Values.list(context.get("chain"))) {
      askers.add(asker instanceof String name ? name : Values.text(Values.map(asker).get("name")));
    }
    askers.remove("");
    boolean self = Boolean.TRUE.equals(context.get("self"));
    return new ApprovalRecord(
        id,
        new Action(
            Values.text(context.get("subject")),
            Values.text(context.get("action")),
            context.get("arguments"),
            identity),
        Values.text(context.get("digest")),
        approval.leaves().isEmpty() ? "" : approval.leaves().getFirst(),
        List.copyOf(askers),
        self
            ? List.of(Values.text(context.get("decision_by")))
            : Values.list(context.get("approvers")).stream().map(String::valueOf).toList(),
        context.get("quorum") instanceof Long quorum ? quorum : 1,
        self);
  }

  private static Map<String, @Nullable Object> json(byte[] bytes) {
    try {
      return Values.map(Json.parse(new String(bytes, StandardCharsets.UTF_8)));
    } catch (Json.SyntaxException e) {
      return Map.of();
    }
  }
}
