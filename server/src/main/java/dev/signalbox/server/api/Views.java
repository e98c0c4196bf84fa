package dev.signalbox.server.api;

import dev.signalbox.definition.Json;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.check.Verdict;
import dev.signalbox.definition.play.Stimulus;
import dev.signalbox.definition.yaml.YamlWriter;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.kernel.Edge;
import dev.signalbox.kernel.GuardResult;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Type;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Receipt;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the API shows of things, as JSON values in snake_case. */
public final class Views {
  private Views() {}

  static Map<String, @Nullable Object> instance(Instance instance) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("id", instance.id());
    view.put("machine", instance.machine());
    view.put("version", (long) instance.version());
    view.put("parent", instance.parent());
    view.put("status", instance.status());
    view.put("states", instance.states());
    view.put("leaves", instance.leaves());
    view.put("context", instance.context());
    view.put("sequence", instance.sequence());
    view.put("hash", instance.hash());
    view.put("refusals", instance.refusals());
    view.put("since", instance.since());
    view.put("deadlines", instance.deadlines().stream().map(Views::deadline).toList());
    view.put("awaited", instance.awaited());
    view.put("output", instance.output());
    return view;
  }

  private static Map<String, @Nullable Object> deadline(Instance.Deadline deadline) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("id", deadline.id());
    view.put("state", deadline.state());
    view.put("event", deadline.event());
    view.put("due", deadline.due());
    return view;
  }

  static Map<String, @Nullable Object> receipt(Receipt receipt) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("instance", receipt.instance());
    view.put("sequence", receipt.sequence());
    view.put("hash", receipt.hash());
    view.put("states", receipt.states());
    view.put("ended", receipt.ended());
    return view;
  }

  /** An entry: what the journal has, with its hash and its position in the store. */
  static Map<String, @Nullable Object> entry(EntryRow entry) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("position", entry.position());
    view.put("hash", HexFormat.of().formatHex(entry.hash()));
    if (entry.body().length > 0) {
      body(entry).forEach((name, value) -> view.put(String.valueOf(name), value));
    }
    return view;
  }

  static Map<?, ?> body(EntryRow entry) {
    try {
      return Json.parse(new String(entry.body(), StandardCharsets.UTF_8)) instanceof Map<?, ?> map
          ? map
          : Map.of();
    } catch (Json.SyntaxException e) {
      throw new IllegalStateException("Every entry of a journal is JSON.", e);
    }
  }

  static Map<String, @Nullable Object> guard(GuardResult result) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("from", result.edge().from());
    view.put("on", result.edge().trigger());
    view.put("to", result.edge().to());
    String name = result.guard().name();
    view.put("guard", name != null ? name : result.guard().condition().text());
    view.put("answer", result.verdict().name().toLowerCase(Locale.ROOT));
    view.put("why", result.why());
    return view;
  }

  static Map<String, @Nullable Object> edge(Edge edge) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("from", edge.from());
    view.put("on", edge.trigger());
    view.put("to", edge.to());
    return view;
  }

  /** A problem of a definition. */
  public static Map<String, @Nullable Object> problem(Problem problem) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("code", problem.code());
    view.put("severity", problem.severity().name().toLowerCase(Locale.ROOT));
    view.put("line", (long) problem.place().line());
    view.put("column", (long) problem.place().column());
    view.put("message", problem.message());
    view.put("hint", problem.hint());
    return view;
  }

  static Map<String, @Nullable Object> verdict(Verdict verdict) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("name", verdict.invariant().name());
    view.put("claim", YamlWriter.claim(verdict.invariant()));
    view.put("verdict", verdict.word());
    switch (verdict) {
      case Verdict.Proved proved -> {
        if (!proved.assumptions().isEmpty()) {
          view.put("assumptions", proved.assumptions());
        }
        if (proved.vacuous()) {
          view.put("vacuous", true);
        }
      }
      case Verdict.Refuted refuted -> {
        view.put("why", refuted.why());
        view.put("events", refuted.sequence().stream().map(Stimulus::line).toList());
      }
      case Verdict.Undecided undecided -> {
        view.put("why", undecided.why());
        view.put("remedy", undecided.remedy());
      }
    }
    return view;
  }

  /** The declared type of a value as a JSON Schema, so that a page can ask for the value. */
  static Map<String, @Nullable Object> schema(Type type) {
    Map<String, @Nullable Object> schema = new LinkedHashMap<>();
    switch (type.kind()) {
      case ANY -> {}
      case BOOL -> schema.put("type", "boolean");
      case INT -> schema.put("type", "integer");
      case DOUBLE -> schema.put("type", "number");
      case STRING -> schema.put("type", "string");
      case LIST -> {
        schema.put("type", "array");
        if (type.item() != null) {
          schema.put("items", schema(type.item()));
        }
      }
      case MAP -> {
        schema.put("type", "object");
        if (type.item() != null) {
          schema.put("additionalProperties", schema(type.item()));
        }
      }
      case OBJECT -> {
        schema.put("type", "object");
        Map<String, Object> properties = new LinkedHashMap<>();
        List<String> required = new ArrayList<>();
        type.fields()
            .forEach((name, field) -> {
              properties.put(name, schema(field));
              if (!field.optional()) {
                required.add(name);
              }
            });
        schema.put("properties", properties);
        schema.put("required", required);
      }
    }
    if (!type.values().isEmpty()) {
      schema.put("enum", type.values());
    }
    return schema;
  }

  static Map<String, @Nullable Object> machineHead(Machine machine) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("name", machine.name());
    view.put("version", (long) machine.version());
    view.put("description", machine.description());
    return view;
  }
}
