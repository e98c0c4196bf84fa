package dev.signalbox.server.mcp;

import dev.signalbox.runtime.Instance;
import dev.signalbox.server.api.Desk;
import dev.signalbox.services.system.Fields;
import dev.signalbox.services.system.Schema;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The tools of one instance: the events that its states permit to the caller now, each a tool whose
 * input is the event's data, and two that only look.
 */
final class InstanceTools implements Toolbox {
  /** Fields beside the arguments, which are the event's data and nothing else. */
  static final String KEY = "signalbox/idempotency_key";

  static final String SEQUENCE = "signalbox/expected_sequence";

  private static final McpSchema.Tool READ =
      Tooling.looking(
          ToolNames.READ,
          "Where the instance stands: its states, data, deadlines, and the events that are"
              + " permitted now.",
          Schema.object());

  private static final McpSchema.Tool WAIT =
      Tooling.looking(ToolNames.WAIT, Waiting.DESCRIPTION, Waiting.fields(Schema.object()));

  private final Desk desk;
  private final Waiting waiting;

  InstanceTools(Desk desk, Waiting waiting) {
    this.desk = desk;
    this.waiting = waiting;
  }

  @Override
  public List<McpSchema.Tool> list(Visitor visitor) {
    List<McpSchema.Tool> tools = new ArrayList<>();
    Instance instance = instance(visitor);
    for (Desk.Offer offer : desk.offers(instance, visitor.caller())) {
      String description = offer.description();
      tools.add(
          Tooling.tool(
              ToolNames.of(offer.event()),
              offer.event(),
              description != null
                  ? description
                  : "Send the event '%s' to the instance.".formatted(offer.event()),
              input(offer),
              false));
    }
    tools.add(READ);
    tools.add(WAIT);
    return tools;
  }

  private Instance instance(Visitor visitor) {
    return desk.visible(Objects.requireNonNull(visitor.instance()), visitor.caller());
  }

  /** The schema of the event's data; data that is no object is in the field {@code data}. */
  private static Map<String, Object> input(Desk.Offer offer) {
    Map<String, Object> input = new LinkedHashMap<>();
    input.put("type", "object");
    if (isWrapped(offer)) {
      input.put("properties", Map.of("data", Objects.requireNonNull(offer.schema())));
      input.put("required", List.of("data"));
    } else if (offer.schema() != null) {
      offer
          .schema()
          .forEach((name, value) -> input.put(name, Objects.requireNonNullElse(value, Map.of())));
    }
    return input;
  }

  private static boolean isWrapped(Desk.Offer offer) {
    return offer.schema() != null
        && !offer.schema().isEmpty()
        && !"object".equals(offer.schema().get("type"));
  }

  @Override
  public Map<String, @Nullable Object> call(
      Visitor visitor, String name, @Nullable Object arguments, Fields meta)
      throws InterruptedException {
    Instance instance = instance(visitor);
    return switch (name) {
      case ToolNames.READ -> {
        Fields.of(arguments).only();
        yield desk.view(instance, visitor.caller());
      }
      case ToolNames.WAIT ->
          waiting.await(
              instance.id(),
              Fields.of(arguments).only("state", "event", "after_sequence", "seconds"),
              visitor.caller());
      default -> send(visitor, instance, name, Fields.of(arguments), arguments, meta);
    };
  }

  /**
   * Sends the event of the tool. One that is not permitted now is sent too, so that the engine says
   * why not and the journal has it.
   */
  private Map<String, @Nullable Object> send(
      Visitor visitor,
      Instance instance,
      String name,
      Fields fields,
      @Nullable Object arguments,
      Fields meta) {
    String event = name;
    boolean wrapped = false;
    for (String declared : desk.declared(instance)) {
      if (ToolNames.of(declared).equals(name)) {
        event = declared;
      }
    }
    for (Desk.Offer offer : desk.offers(instance, visitor.caller())) {
      if (ToolNames.of(offer.event()).equals(name)) {
        event = offer.event();
        wrapped = isWrapped(offer);
      }
    }
    Object data =
        wrapped
            ? fields.only("data").value("data")
            : arguments instanceof Map<?, ?> map && map.isEmpty() ? null : arguments;
    return desk.send(
        instance.id(),
        event,
        data,
        visitor.caller(),
        meta.textOrNull(KEY),
        meta.numberOrNull(SEQUENCE));
  }
}
