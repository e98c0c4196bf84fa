package dev.signalbox.server;

import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The OpenAPI 3.1 document, written from the table of routes. */
final class OpenApi {
  private static final Pattern PART = Pattern.compile("\\{([a-z_]+)}");

  private static final Map<String, Object> TRACE =
      Map.of(
          "name",
          Request.TRACE,
          "in",
          "header",
          "description",
          "the caller's trace, which every entry that comes of it keeps",
          "schema",
          Schema.TEXT.value());

  private OpenApi() {}

  /** The route that gives the document of the table, itself included. */
  static Route route(List<Route> table) {
    List<Route> all = new ArrayList<>(table);
    Route[] itself = new Route[1];
    itself[0] =
        Route.get("/openapi.json", "This document")
            .anyone()
            .gives(200, "The document", Response.JSON, Schema.OBJECT)
            .by(_ -> {
              List<Route> whole = new ArrayList<>(all);
              whole.add(itself[0]);
              return Response.json(document(whole));
            });
    return itself[0];
  }

  static Map<String, Object> document(List<Route> table) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("openapi", "3.1.0");
    document.put(
        "info",
        Map.of(
            "title", "Signalbox",
            "version", "1",
            "description", "Durable, audited state machines that govern AI agents."));
    document.put("servers", List.of(Map.of("url", Router.API)));
    document.put("security", List.of(Map.of("token", List.of()), Map.of("session", List.of())));
    Map<String, Map<String, Object>> paths = new LinkedHashMap<>();
    for (Route route : table) {
      paths
          .computeIfAbsent(route.path(), _ -> new LinkedHashMap<>())
          .put(route.method().toLowerCase(Locale.ROOT), operation(route));
    }
    document.put("paths", paths);
    document.put(
        "components",
        Map.of(
            "schemas", Schemas.all(),
            "securitySchemes",
                Map.of(
                    "token", Map.of("type", "http", "scheme", "bearer"),
                    "session",
                        Map.of("type", "apiKey", "in", "cookie", "name", "signalbox_session"))));
    return document;
  }

  private static Map<String, Object> operation(Route route) {
    Map<String, Object> operation = new LinkedHashMap<>();
    operation.put("operationId", id(route));
    operation.put("summary", route.summary());
    if (route.isOpen()) {
      operation.put("security", List.of());
    } else {
      operation.put(
          "description",
          "Roles: "
              + String.join(
                  ", ", route.roles().stream().map(role -> role.word()).sorted().toList()));
    }
    List<Map<String, Object>> parameters = new ArrayList<>();
    Matcher parts = PART.matcher(route.path());
    while (parts.find()) {
      parameters.add(
          Map.of(
              "name",
              parts.group(1),
              "in",
              "path",
              "required",
              true,
              "schema",
              Schema.TEXT.value()));
    }
    if (!route.isSafe() && !route.isOpen()) {
      parameters.add(TRACE);
    }
    for (Route.Parameter parameter : route.parameters()) {
      if (parameter.name().equals(Request.TRACE)) {
        continue;
      }
      parameters.add(
          Map.of(
              "name", parameter.name(),
              "in", parameter.in(),
              "description", parameter.meaning(),
              "schema", parameter.type().value()));
    }
    if (!parameters.isEmpty()) {
      operation.put("parameters", parameters);
    }
    if (!route.takes().isEmpty()) {
      Map<String, Object> content = new LinkedHashMap<>();
      route.takes().forEach((type, schema) -> content.put(type, Map.of("schema", schema.value())));
      operation.put("requestBody", Map.of("content", content));
    }
    operation.put("responses", responses(route));
    return operation;
  }

  private static Map<String, Object> responses(Route route) {
    Map<String, Object> responses = new LinkedHashMap<>();
    route
        .gives()
        .forEach((status, answer) -> {
          Map<String, Object> response = new LinkedHashMap<>();
          response.put("description", answer.meaning());
          if (!answer.type().isEmpty()) {
            response.put(
                "content", Map.of(answer.type(), Map.of("schema", answer.schema().value())));
          }
          responses.put(Integer.toString(status), response);
        });
    responses.put(
        "default",
        Map.of(
            "description",
            "A problem",
            "content",
            Map.of(Problems.TYPE, Map.of("schema", Schema.named("Problem").value()))));
    return responses;
  }

  /** As in {@code post_instances_id_events}. */
  private static String id(Route route) {
    return route.method().toLowerCase(Locale.ROOT)
        + route.path().replaceAll("[{}]", "").replaceAll("[^A-Za-z0-9]+", "_");
  }
}
