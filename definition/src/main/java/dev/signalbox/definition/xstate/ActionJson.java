package dev.signalbox.definition.xstate;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Durations;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.Retry;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Actions as XState names them: a type, and parameters that carry what the action needs. */
final class ActionJson {
  private ActionJson() {}

  static List<Object> of(List<Action> actions) {
    return actions.stream().<Object>map(ActionJson::of).toList();
  }

  private static Map<String, Object> of(Action action) {
    Map<String, @Nullable Object> params = new LinkedHashMap<>();
    String type =
        switch (action) {
          case Action.Assign(String location, Operand value) -> {
            params.put("location", location);
            params.put("value", value(value));
            yield "assign";
          }
          case Action.Raise(Operand event, Payload data) -> {
            params.put("event", value(event));
            put(params, "data", data);
            yield "raise";
          }
          case Action.Send send -> {
            put(params, "event", send.event());
            put(params, "to", send.target());
            put(params, "type", send.type());
            putText(params, "id", send.id());
            putText(params, "id_location", send.idLocation());
            put(params, "after", send.delay());
            put(params, "data", send.data());
            yield "send";
          }
          case Action.Cancel(Operand id) -> {
            params.put("id", value(id));
            yield "cancel";
          }
          case Action.Log(String label, Operand value) -> {
            putText(params, "label", label);
            put(params, "value", value);
            yield "log";
          }
          case Action.If(List<Action.Branch> branches, List<Action> otherwise) -> {
            params.put("branches", branches.stream().map(ActionJson::branch).toList());
            params.put("else", of(otherwise));
            yield "if";
          }
          case Action.Foreach(Operand.Expr list, String item, String index, List<Action> body) -> {
            params.put("in", value(list));
            params.put("item", item);
            putText(params, "index", index);
            params.put("do", of(body));
            yield "foreach";
          }
          case Action.Emit(String kind, Payload data) -> {
            params.put("record", kind);
            put(params, "data", data);
            yield "emit";
          }
          case Action.Perform(
                  String effect,
                  String reply,
                  boolean idempotent,
                  String during,
                  Retry retry,
                  Payload input) -> {
            params.put("effect", effect);
            params.put("reply", reply);
            params.put("idempotent", idempotent);
            putText(params, "during", during);
            if (retry != null) {
              params.put("retry", retry.fields());
            }
            put(params, "with", input);
            yield "perform";
          }
        };
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("type", type);
    json.put("params", params);
    return json;
  }

  private static Map<String, Object> branch(Action.Branch branch) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("cel", branch.condition().text());
    json.put("then", of(branch.actions()));
    return json;
  }

  /** An expression as {@code {"cel": …}}, anything else as it is. */
  static @Nullable Object value(Operand operand) {
    return switch (operand) {
      case Operand.Expr(String text) -> Map.of("cel", text);
      case Operand.Literal(var value) -> value instanceof Duration d ? Durations.text(d) : value;
    };
  }

  static @Nullable Object payload(Payload payload) {
    Operand content = payload.content();
    if (content != null) {
      return value(content);
    }
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    for (Payload.Param param : payload.params()) {
      boolean location = param.location();
      json.put(
          param.name(),
          location && param.value() instanceof Operand.Literal(var path)
              ? Map.of("location", String.valueOf(path))
              : value(param.value()));
    }
    return json;
  }

  private static void put(
      Map<String, @Nullable Object> params, String name, @Nullable Operand operand) {
    if (operand != null) {
      params.put(name, value(operand));
    }
  }

  private static void put(Map<String, @Nullable Object> params, String name, Payload payload) {
    if (!payload.isEmpty()) {
      params.put(name, payload(payload));
    }
  }

  private static void putText(
      Map<String, @Nullable Object> params, String name, @Nullable String text) {
    if (text != null) {
      params.put(name, text);
    }
  }
}
