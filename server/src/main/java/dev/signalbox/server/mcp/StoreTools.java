package dev.signalbox.server.mcp;

import dev.signalbox.server.api.Desk;
import dev.signalbox.services.system.Fields;
import dev.signalbox.services.system.Schema;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The tools over everything in the store that the caller may see. */
final class StoreTools implements Toolbox {
  private static final Schema KEY =
      Schema.TEXT.described("Idempotency key: the same key gives the same answer, once done.");

  private static final List<McpSchema.Tool> TOOLS =
      List.of(
          Tooling.looking(
              "list_machines",
              "The machines that can be started, with the input that each takes.",
              Schema.object()),
          Tooling.looking(
              "read_instance",
              "Where an instance stands: its states, data, deadlines, and the events that are"
                  + " permitted now.",
              Schema.object().field("instance", Schema.TEXT)),
          Tooling.acting(
              "start_instance",
              "Start an instance of a machine.",
              Schema.object()
                  .field("machine", Schema.TEXT.described("A name, or name@version."))
                  .maybe("id", Schema.TEXT.described("The id that it shall have."))
                  .maybe("input", Schema.OBJECT)
                  .maybe("idempotency_key", KEY)),
          Tooling.acting(
              "send_event",
              "Send an event to an instance. What its states, guards or roles forbid is refused,"
                  + " with the reason and what is permitted instead.",
              Schema.object()
                  .field("instance", Schema.TEXT)
                  .field("event", Schema.TEXT)
                  .maybe("data", Schema.ANY)
                  .maybe("idempotency_key", KEY)
                  .maybe(
                      "expected_sequence",
                      Schema.WHOLE.described("Refuse unless this is the newest entry."))),
          Tooling.looking(
              "wait",
              Waiting.DESCRIPTION,
              Waiting.fields(Schema.object().field("instance", Schema.TEXT))));

  private final Desk desk;
  private final Waiting waiting;

  StoreTools(Desk desk, Waiting waiting) {
    this.desk = desk;
    this.waiting = waiting;
  }

  @Override
  public List<McpSchema.Tool> list(Visitor visitor) {
    return TOOLS;
  }

  @Override
  public Map<String, @Nullable Object> call(
      Visitor visitor, String name, @Nullable Object arguments, Fields meta)
      throws InterruptedException {
    Fields fields = Fields.of(arguments);
    return switch (name) {
      case "list_machines" -> {
        fields.only();
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        view.put("machines", desk.machines(visitor.caller()));
        yield view;
      }
      case "read_instance" -> {
        String id = fields.only("instance").text("instance");
        yield desk.view(desk.visible(id, visitor.caller()), visitor.caller());
      }
      case "start_instance" -> {
        fields.only("machine", "id", "input", "idempotency_key");
        yield desk.start(
            fields.text("machine"),
            fields.textOrNull("id"),
            fields.object("input"),
            visitor.caller(),
            fields.textOrNull("idempotency_key"));
      }
      case "send_event" -> {
        fields.only("instance", "event", "data", "idempotency_key", "expected_sequence");
        yield desk.send(
            fields.text("instance"),
            fields.text("event"),
            fields.value("data"),
            visitor.caller(),
            fields.textOrNull("idempotency_key"),
            fields.numberOrNull("expected_sequence"));
      }
      case "wait" -> {
        fields.only("instance", "state", "event", "after_sequence", "seconds");
        yield waiting.await(fields.text("instance"), fields, visitor.caller());
      }
      default -> throw new UnknownToolException();
    };
  }
}
