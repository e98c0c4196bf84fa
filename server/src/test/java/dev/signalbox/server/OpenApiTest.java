package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.signalbox.definition.Json;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.server.api.Rejections;
import dev.signalbox.services.system.Route;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** The OpenAPI document and the table of routes say the same. */
class OpenApiTest {
  @TempDir Path folder;

  @Test
  void every_route_is_in_the_document_and_the_reverse() throws Exception {
    try (Served served = new Served(folder)) {
      Served.Answer answer = served.get("/api/v1/openapi.json", served.admin);
      TreeSet<String> described = new TreeSet<>();
      ((Map<?, ?>) answer.at("paths"))
          .forEach((path, operations) ->
              ((Map<?, ?>) operations)
                  .keySet()
                  .forEach(method ->
                      described.add(String.valueOf(method).toUpperCase(Locale.ROOT) + " " + path)));
      TreeSet<String> registered = new TreeSet<>();
      for (Route route : served.server.routes()) {
        registered.add(route.method() + " " + route.path());
      }
      assertThat(described).isEqualTo(registered);
      assertThat(unresolved(answer)).isEmpty();
    }
  }

  @Test
  void the_document_is_openapi_3_1() throws Exception {
    try (Served served = new Served(folder)) {
      String document = served.get("/api/v1/openapi.json", served.admin).text();
      assertThat(violations(document)).isEmpty();
      assertThat(violations(document.replaceFirst("\"in\":\"query\"", "\"in\":\"nowhere\"")))
          .as("the schema is really asked")
          .isNotEmpty();
      Map<?, ?> schemas =
          (Map<?, ?>) served.get("/api/v1/openapi.json", served.admin).at("components", "schemas");
      Schema dialect =
          SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
              .getSchema(SchemaLocation.of("https://json-schema.org/draft/2020-12/schema"));
      schemas.forEach((name, schema) ->
          assertThat(dialect.validate(JsonMapper.shared().readTree(Json.text(schema))))
              .as(String.valueOf(name))
              .isEmpty());
    }
  }

  /** Where a document is not as the OpenAPI Initiative's own schema has it. */
  private static List<Error> violations(String document) throws Exception {
    try (InputStream in =
        Objects.requireNonNull(
            OpenApiTest.class.getResourceAsStream(
                "/spec.openapis.org/oas/3.1/schema/2022-10-07"))) {
      return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
          .getSchema(new String(in.readAllBytes(), StandardCharsets.UTF_8))
          .validate(JsonMapper.shared().readTree(document));
    }
  }

  /** References to schemas that the document does not have. */
  private static List<String> unresolved(Served.Answer answer) {
    Map<?, ?> schemas = (Map<?, ?>) answer.at("components", "schemas");
    List<String> missing = new ArrayList<>();
    for (String part : answer.text().split("#/components/schemas/")) {
      String name = part.substring(0, Math.max(0, part.indexOf('"')));
      if (part != answer.text()
          && !name.isEmpty()
          && name.matches("[A-Z][A-Za-z]+")
          && !schemas.containsKey(name)) {
        missing.add(name);
      }
    }
    return missing;
  }

  @Test
  void answers_are_as_the_document_says() throws Exception {
    try (Served served = new Served(folder)) {
      served.post("/api/v1/instances", served.admin, Map.of("machine", "deploy", "id", "d-1"));
      served.post("/api/v1/instances/d-1/events", served.admin, Map.of("event", "approve"));
      Served.Answer refused =
          served.post("/api/v1/instances/d-1/events", served.admin, Map.of("event", "start"));
      Served.Answer document = served.get("/api/v1/openapi.json", served.admin);
      assertThat(invalid(document, "Problem", refused.text())).isEmpty();
      String instance = served.get("/api/v1/instances/d-1", served.admin).text();
      assertThat(invalid(document, "Instance", instance)).isEmpty();
      String machine = served.get("/api/v1/machines/deploy", served.admin).text();
      assertThat(invalid(document, "Machine", machine)).isEmpty();
      String check = served.get("/api/v1/machines/deploy/proofs", served.admin).text();
      assertThat(invalid(document, "Check", check)).isEmpty();
      String verification = served.post("/api/v1/verify", served.admin, null).text();
      assertThat(invalid(document, "Verification", verification)).isEmpty();
      String session = served.get("/api/v1/session", served.admin).text();
      assertThat(invalid(document, "Session", session)).isEmpty();
    }
  }

  private static List<Error> invalid(Served.Answer document, String name, String json) {
    return invalid(document, Map.of("$ref", "#/components/schemas/" + name), json);
  }

  private static List<Error> invalid(Served.Answer document, Map<?, ?> described, String json) {
    Map<Object, @Nullable Object> schema = new LinkedHashMap<>(described);
    schema.put("components", document.at("components"));
    Schema compiled =
        SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
            .getSchema(Json.text(schema));
    return compiled.validate(JsonMapper.shared().readTree(json));
  }

  @Test
  void every_look_is_answered_as_the_document_says() throws Exception {
    try (Served served = new Served(folder)) {
      Map<String, String> known = oneOfEverything(served);
      Served.Answer document = served.get("/api/v1/openapi.json", served.admin);
      int looked = 0;
      for (Map.Entry<?, ?> path : ((Map<?, ?>) document.at("paths")).entrySet()) {
        Map<?, ?> schema = json(((Map<?, ?>) path.getValue()).get("get"));
        if (schema == null) {
          continue;
        }
        String address = String.valueOf(path.getKey());
        for (Map.Entry<String, String> id : known.entrySet()) {
          address = address.replace(id.getKey(), id.getValue());
        }
        assertThat(address).as("something to look at").doesNotContain("{");
        Served.Answer answer = served.get("/api/v1" + address, served.admin);
        assertThat(answer.status()).as(address).isEqualTo(200);
        assertThat(invalid(document, schema, answer.text()))
            .as("%s gave %s", address, answer.text())
            .isEmpty();
        looked++;
      }
      assertThat(looked).isGreaterThan(25);
    }
  }

  /** The schema of a good answer in JSON; null where it is none. */
  private static @Nullable Map<?, ?> json(@Nullable Object operation) {
    @Nullable Object at = operation;
    for (String name : List.of("responses", "200", "content", "application/json", "schema")) {
      at = at instanceof Map<?, ?> map ? map.get(name) : null;
    }
    return at instanceof Map<?, ?> schema ? schema : null;
  }

  /** What stands in each path for the names in braces. */
  private static Map<String, String> oneOfEverything(Served served) throws Exception {
    served.post("/api/v1/instances", served.admin, Map.of("machine", "deploy", "id", "d-1"));
    served.post("/api/v1/instances/d-1/events", served.admin, Map.of("event", "approve"));
    served.post("/api/v1/instances/d-1/events", served.admin, Map.of("event", "start"));
    served.post(
        "/api/v1/subscriptions", served.admin, Map.of("name", "s", "audiences", List.of("audit")));
    served.post("/api/v1/workers", served.admin, Map.of("kinds", List.of("lint")));
    served.post("/api/v1/locks/repo/take", served.admin, Map.of());
    served.post("/api/v1/sweeps", served.admin, Map.of());
    Served.Answer asked =
        served.post(
            "/api/v1/approvals", served.admin, Map.of("subject", "repo", "action", "merge"));
    Served.Answer task = served.post("/api/v1/tasks", served.admin, Map.of("kind", "lint"));
    Served.Answer budget =
        served.post(
            "/api/v1/budgets",
            served.admin,
            Map.of(
                "subject",
                "session",
                "accounts",
                List.of(Map.of("account", "session", "limits", Map.of("tokens", 10L)))));
    Map<String, String> known = new LinkedHashMap<>();
    known.put("/machines/{name}/diff", "/machines/deploy/diff?from=1&to=1");
    known.put("/machines/{name}", "/machines/deploy");
    known.put("/instances/{id}", "/instances/d-1");
    known.put("/approvals/{id}", "/approvals/" + asked.word("id"));
    known.put("/tasks/{id}", "/tasks/" + task.word("instance"));
    known.put("/budgets/{id}", "/budgets/" + budget.word("id"));
    return known;
  }

  @Test
  void hints_are_those_of_the_document_of_rejections() throws Exception {
    String document =
        Files.readString(Path.of(System.getProperty("project.root"), "docs", "rejections.md"));
    for (Rejection.Code code : Rejection.Code.values()) {
      String row =
          document.lines().filter(l -> l.startsWith("| `" + code.word() + "` |")).findFirst().get();
      String hint = Rejections.problem(new Rejection(code, "m", List.of()), null).hint();
      assertThat(row).endsWith("| " + hint + " |");
    }
  }
}
