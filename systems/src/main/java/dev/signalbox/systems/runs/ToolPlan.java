package dev.signalbox.systems.runs;

import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.services.approval.Risk;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One tool of a plan, or one check.
 *
 * @param spec what the tool is: the fields of its kind
 * @param arguments with what it is called: JSON values
 * @param writes the files that it says it changes, relative to the plan's folder; a name that ends
 *     with {@code /**} is everything below
 * @param undo what takes its changes back before the backup is restored, or null where the backup
 *     is all there is to restore
 * @param idempotent whether it may be repeated when nobody knows how far it came
 * @param risk what the plan itself says; policy may say worse, never better
 * @param risks words of the policy that the plan says of itself, such as {@code merge_to_main}
 * @param asksWhenUnknown whether a person decides when its outcome is unknown; otherwise the run
 *     halts
 * @param approvers who may approve what the run asks about it, or null for the plan's
 */
public record ToolPlan(
    String name,
    Kind kind,
    Map<String, Object> spec,
    Map<String, Object> arguments,
    Access access,
    List<String> writes,
    @Nullable ToolPlan undo,
    boolean idempotent,
    Duration timeout,
    long outputBytes,
    long retries,
    Risk risk,
    List<String> risks,
    boolean asksWhenUnknown,
    @Nullable Approvers approvers) {

  /** How a tool is called. */
  public enum Kind {
    /** A process. */
    COMMAND,
    /** A request over HTTP. */
    HTTP,
    /** A tool of an MCP server. */
    MCP,
    /** A Java function that was registered under a name. */
    HANDLER;

    /** As plans and policies write it. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public ToolPlan {
    spec = Map.copyOf(spec);
    arguments = Map.copyOf(arguments);
    writes = List.copyOf(writes);
    risks = List.copyOf(risks);
  }

  /** Whether something may be left behind that has to be undone. */
  public boolean isWriting() {
    return access != Access.READ;
  }

  /** Whether its processes have the machine's network. */
  public boolean isNetworked() {
    return Boolean.TRUE.equals(spec.get("network"));
  }

  /** Whether it, or its undo, starts a process. */
  boolean startsProcesses() {
    return kind == Kind.COMMAND
        || (kind == Kind.MCP && spec.containsKey("command"))
        || (undo != null && undo.startsProcesses());
  }

  /** The same tool with another access. */
  ToolPlan accessing(Access other) {
    return new ToolPlan(
        name,
        kind,
        spec,
        arguments,
        other,
        writes,
        undo,
        idempotent,
        timeout,
        outputBytes,
        retries,
        risk,
        risks,
        asksWhenUnknown,
        approvers);
  }

  /**
   * The same tool under another name.
   *
   * @param least how risky it is said to be, at least
   * @param more further words for the policy
   */
  ToolPlan as(String other, Risk least, List<String> more) {
    return new ToolPlan(
        other,
        kind,
        spec,
        arguments,
        access,
        writes,
        undo,
        idempotent,
        timeout,
        outputBytes,
        retries,
        least.compareTo(risk) > 0 ? least : risk,
        Stream.concat(risks.stream(), more.stream()).distinct().toList(),
        asksWhenUnknown,
        approvers);
  }

  /** What the plan says of it, as JSON values. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", name);
    fields.put("kind", kind.word());
    fields.put("spec", spec);
    fields.put("arguments", arguments);
    fields.put("access", access.word());
    fields.put("writes", writes);
    if (undo != null) {
      fields.put("undo", undo.fields());
    }
    fields.put("idempotent", idempotent);
    fields.put("timeout_ms", timeout.toMillis());
    fields.put("output_bytes", outputBytes);
    fields.put("retries", retries);
    fields.put("declared_risk", risk.word());
    fields.put("risks", risks);
    fields.put("on_unknown", asksWhenUnknown ? "ask" : "halt");
    if (approvers != null) {
      fields.put("approvers", approvers.fields());
    }
    return fields;
  }

  /**
   * The tool that the fields say.
   *
   * @throws IllegalArgumentException when they are of another form
   */
  static ToolPlan of(Map<String, Object> fields) {
    return new ToolPlan(
        Form.text(fields, "name"),
        Kind.valueOf(Form.text(fields, "kind").toUpperCase(Locale.ROOT)),
        Form.map(fields, "spec"),
        Form.map(fields, "arguments"),
        Access.of(Form.text(fields, "access")),
        Form.texts(fields, "writes"),
        fields.containsKey("undo") ? of(Form.map(fields, "undo")) : null,
        Form.flag(fields, "idempotent"),
        Duration.ofMillis(Form.whole(fields, "timeout_ms")),
        Form.whole(fields, "output_bytes"),
        Form.whole(fields, "retries"),
        Risk.valueOf(Form.text(fields, "declared_risk").toUpperCase(Locale.ROOT)),
        Form.texts(fields, "risks"),
        Form.text(fields, "on_unknown").equals("ask"),
        fields.containsKey("approvers") ? Approvers.of(Form.map(fields, "approvers")) : null);
  }

  /** What makes two calls the same call, whatever the tools are named. */
  String digest(String folder) {
    Map<String, Object> same = new LinkedHashMap<>();
    same.put("kind", kind.word());
    same.put("spec", spec);
    same.put("arguments", arguments);
    same.put("folder", folder);
    return dev.signalbox.services.Sha256.hex(CanonicalJson.text(same));
  }
}
