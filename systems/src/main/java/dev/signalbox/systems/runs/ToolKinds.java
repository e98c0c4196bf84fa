package dev.signalbox.systems.runs;

import dev.signalbox.services.rule.RuleItem;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The part of a tool that says how it is called, as a plan writes it. */
final class ToolKinds {
  private static final List<String> KINDS = List.of("command", "http", "mcp", "handler");

  private ToolKinds() {}

  /** A kind with its fields. */
  record Made(ToolPlan.Kind kind, Map<String, Object> spec) {}

  /** Reads the one kind of a tool; null when there is none, or several. */
  static @Nullable Made read(RuleItem item) {
    List<String> there = KINDS.stream().filter(item::has).toList();
    if (there.size() != 1) {
      KINDS.forEach(item::skip);
      item.error(
          "missing-key",
          item.place(),
          "Expected the tool to have one of %s, but it has %s."
              .formatted(
                  String.join(", ", KINDS), there.isEmpty() ? "none" : String.join(" and ", there)),
          "");
      return null;
    }
    KINDS.forEach(item::skip);
    Map<String, Object> spec = new LinkedHashMap<>();
    switch (there.getFirst()) {
      case "command" -> command(item, spec);
      case "http" -> item.map("http", "request", each -> http(each, spec));
      case "mcp" -> item.map("mcp", "MCP tool", each -> mcp(each, spec));
      case "handler" -> spec.put("handler", item.required("handler"));
      default -> throw new IllegalStateException("Expected a known kind.");
    }
    return new Made(ToolPlan.Kind.valueOf(there.getFirst().toUpperCase(Locale.ROOT)), spec);
  }

  private static void command(RuleItem item, Map<String, Object> spec) {
    List<String> command = item.isText("command") ? List.of() : item.texts("command");
    if (command.isEmpty() || command.getFirst().isBlank()) {
      item.error(
          "wrong-type",
          item.place("command"),
          "Expected 'command' to be a list: the program, then its arguments.",
          "There is no shell: write [git, commit, -m, message].");
    }
    spec.put("command", command);
    spec.put("env", item.texts("env"));
    spec.put("set", texts(item, "set"));
    spec.put("secrets", texts(item, "secrets"));
    network(item, spec);
  }

  /** Only where it is said, so that a plan that does not say it is what it always was. */
  private static void network(RuleItem item, Map<String, Object> spec) {
    if (item.flag("network", false)) {
      spec.put("network", true);
    }
  }

  private static Map<String, Object> texts(RuleItem item, String key) {
    Map<String, Object> texts = new LinkedHashMap<>();
    item.values(key).forEach((name, value) -> texts.put(name, String.valueOf(value)));
    return texts;
  }

  private static Map<String, Object> http(RuleItem item, Map<String, Object> spec) {
    spec.put(
        "method",
        item.choice("method", "GET", List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")));
    spec.put("url", item.required("url"));
    spec.put("headers", texts(item, "headers"));
    spec.put("secret_headers", texts(item, "secret_headers"));
    return spec;
  }

  private static Map<String, Object> mcp(RuleItem item, Map<String, Object> spec) {
    if (item.isText("server")) {
      spec.put("server", item.required("server"));
      spec.put("secret_headers", texts(item, "secret_headers"));
    } else {
      spec.put("command", item.texts("server"));
      spec.put("env", item.texts("env"));
      spec.put("secrets", texts(item, "secrets"));
      network(item, spec);
    }
    if (!item.has("server")) {
      item.error(
          "missing-key",
          item.place(),
          "Expected the MCP tool to have 'server'.",
          "A URL, or a list: the program that speaks MCP over stdio, then its arguments.");
    }
    spec.put("tool", item.required("tool"));
    return spec;
  }
}
