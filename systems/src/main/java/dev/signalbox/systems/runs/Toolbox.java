package dev.signalbox.systems.runs;

import dev.signalbox.services.evidence.EvidenceStore;
import dev.signalbox.services.sandbox.Reach;
import dev.signalbox.services.tool.Confinement;
import dev.signalbox.services.tool.HandlerTool;
import dev.signalbox.services.tool.HttpEndpoint;
import dev.signalbox.services.tool.HttpTool;
import dev.signalbox.services.tool.McpConnector;
import dev.signalbox.services.tool.McpServerAddress;
import dev.signalbox.services.tool.McpTool;
import dev.signalbox.services.tool.Program;
import dev.signalbox.services.tool.SubprocessTool;
import dev.signalbox.services.tool.Tool;
import dev.signalbox.services.tool.ToolCall;
import dev.signalbox.services.tool.ToolResult;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Makes tools of what plans say. */
final class Toolbox {
  private final RunsSettings settings;

  Toolbox(RunsSettings settings) {
    this.settings = settings;
  }

  /**
   * The tool, to be called where the plan works.
   *
   * @throws IllegalArgumentException when it can't be called here
   */
  Tool tool(ToolPlan plan) {
    return tool(plan, reach -> reach);
  }

  /**
   * The tool.
   *
   * @param place what its processes see besides what the plan and the settings say
   * @throws IllegalArgumentException when it can't be called here
   */
  Tool tool(ToolPlan plan, UnaryOperator<Reach> place) {
    Map<String, Object> spec = plan.spec();
    Confinement confinement = confinement(plan, place);
    return switch (plan.kind()) {
      case COMMAND ->
          new SubprocessTool(program(spec), System.getenv(), settings.secrets(), confinement);
      case HTTP ->
          new HttpTool(
              new HttpEndpoint(
                  Form.text(spec, "method"),
                  Form.text(spec, "url"),
                  texts(spec, "headers"),
                  texts(spec, "secret_headers")),
              settings.hosts(),
              settings.urls(),
              settings.secrets());
      case MCP ->
          new McpTool(
              server(spec),
              Form.text(spec, "tool"),
              new McpConnector(
                  System.getenv(),
                  settings.secrets(),
                  settings.urls(),
                  settings.hosts(),
                  confinement));
      case HANDLER -> handler(spec);
    };
  }

  /**
   * Calls a tool on a copy of the folder. Its processes see the copy in the folder's place; a
   * function is told where the copy is.
   */
  ToolResult run(ToolPlan plan, ToolCall call, Path copy, EvidenceStore evidence)
      throws InterruptedException {
    return tool(plan, reach -> reach.showing(copy))
        .run(plan.kind() == ToolPlan.Kind.HANDLER ? call.in(copy) : call, evidence);
  }

  /**
   * What the processes of a tool reach. What a tool says of its access is what it gets. Whether
   * they may run where nothing keeps them is decided before, see {@link RunWork}.
   */
  private Confinement confinement(ToolPlan plan, UnaryOperator<Reach> place) {
    SandboxSettings sandbox = settings.sandbox();
    return new Confinement(
        sandbox.sandbox(),
        true,
        reach ->
            place.apply(
                reach
                    .writable(plan.isWriting())
                    .network(plan.isNetworked())
                    .alsoReading(sandbox.readable())
                    .alsoChanging(sandbox.changeable())
                    .hiding(settings.hidden())));
  }

  /**
   * Looks whether a command has the arguments that it has places for; what auditors are told
   * besides is known when they look.
   *
   * @throws IllegalArgumentException when one is missing or does not fit
   */
  void fit(ToolPlan plan) {
    if (plan.kind() == ToolPlan.Kind.COMMAND) {
      Map<String, Object> all = new LinkedHashMap<>(AuditWork.TOLD);
      all.putAll(plan.arguments());
      program(plan.spec()).filled(all);
    }
  }

  private static McpServerAddress server(Map<String, Object> spec) {
    return spec.containsKey("server")
        ? new McpServerAddress.Http(
            address(Form.text(spec, "server")), texts(spec, "secret_headers"))
        : new McpServerAddress.Stdio(program(spec));
  }

  private static URI address(String text) {
    try {
      return URI.create(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "'%s' is no address of an MCP server. Write one such as https://host/mcp, or a list: the program and its arguments."
              .formatted(text),
          e);
    }
  }

  private static Program program(Map<String, Object> spec) {
    Program program = Program.of(Form.texts(spec, "command"));
    List<String> env = Form.texts(spec, "env");
    if (!env.isEmpty()) {
      program = program.handingOn(env);
    }
    for (Map.Entry<String, String> each : texts(spec, "set").entrySet()) {
      program = program.with(each.getKey(), each.getValue());
    }
    for (Map.Entry<String, String> each : texts(spec, "secrets").entrySet()) {
      program = program.withSecret(each.getKey(), each.getValue());
    }
    return program;
  }

  private static Map<String, String> texts(Map<String, Object> spec, String name) {
    Map<String, String> texts = new LinkedHashMap<>();
    if (spec.containsKey(name)) {
      Form.map(spec, name).forEach((key, value) -> texts.put(key, String.valueOf(value)));
    }
    return texts;
  }

  private Tool handler(Map<String, Object> spec) {
    String name = Form.text(spec, "handler");
    HandlerTool.Handler handler = settings.handlers().get(name);
    if (handler == null) {
      throw new IllegalArgumentException(
          "there is no handler '%s'; %s. Register it, or name another kind of tool."
              .formatted(
                  name,
                  settings.handlers().isEmpty()
                      ? "none is registered here"
                      : "there are "
                          + String.join(
                              ", ", settings.handlers().keySet().stream().sorted().toList())));
    }
    return HandlerTool.of(name, Map.of(), handler);
  }
}
