package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.signalbox.definition.DefinitionException;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.services.Sha256;
import dev.signalbox.services.approval.Risk;
import dev.signalbox.systems.Values;
import dev.signalbox.systems.runs.frozen.FrozenPlan;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The example of examples/frozen-plan as a plan, and everything that it is refused for. */
@SuppressWarnings("NullAway.Init")
class FrozenPlanReaderTest {
  private static final Path ROOT = Path.of(System.getProperty("project.root"));
  private static final String ONE_MORE = "\"edges\": [";

  @TempDir Path temp;
  private FrozenExample example;

  @BeforeEach
  void the_example() throws Exception {
    example = FrozenExample.in(temp);
  }

  private List<Problem> problems() {
    return Objects.requireNonNull(
            catchThrowableOfType(DefinitionException.class, () -> example.read()))
        .problems();
  }

  private List<String> codes() {
    return problems().stream().map(Problem::code).toList();
  }

  @Test
  void the_actions_become_tools_in_the_order_of_the_graph() throws Exception {
    Plan plan = example.read();

    assertThat(plan.tools())
        .extracting(ToolPlan::name)
        .containsExactly("greeting.lint", "greeting.change", "greeting.lint-2", "greeting.test");
    assertThat(plan.tools())
        .extracting(ToolPlan::access)
        .containsExactly(Access.READ, Access.WRITE, Access.READ, Access.TEST);
    assertThat(plan.tools())
        .extracting(ToolPlan::risk)
        .containsExactly(Risk.LOW, Risk.HIGH, Risk.LOW, Risk.LOW);
    assertThat(plan.tools().get(1).risks()).containsExactly("review_gate");
    assertThat(plan.project()).isEqualTo("GREETING");
  }

  @Test
  void the_plan_keeps_where_it_comes_from_and_its_frozen_form_gives_it_back() throws Exception {
    Plan plan = example.read();
    Map<String, Object> frozen = plan.frozen(Policy.STANDARD);

    assertThat(plan.origin())
        .containsEntry("run_id", "PLAN-6f1c2a")
        .containsEntry("intent_id", "intent_new_greeting")
        .containsEntry(
            "manifest_sha256",
            Sha256.hex(Files.readAllBytes(example.plan.resolve(FrozenPlan.MANIFEST))))
        .containsEntry("graph_sha256", Sha256.hex(Files.readAllBytes(example.graph())));
    Map<String, ?> change = Values.map(Values.list(plan.origin().get("actions")).get(1));
    assertThat(change.get("node_id")).isEqualTo("change");
    assertThat(change.get("reviews")).isEqualTo(List.of("look"));
    assertThat(change.get("effects")).isEqualTo(List.of("read", "write"));
    assertThat(change.get("evidence_refs"))
        .isEqualTo(List.of("facts:src/greeting.txt", "memory:decision-4"));
    assertThat(Plan.of(frozen)).isEqualTo(plan);
    assertThat(CanonicalJson.text(Plan.of(frozen).frozen(Policy.STANDARD)))
        .isEqualTo(CanonicalJson.text(frozen));
  }

  @Test
  void another_frozen_plan_gives_another_digest_though_the_tools_are_the_same() throws Exception {
    String before = Plan.digest(example.read().frozen(Policy.STANDARD));
    example.graph("the greeting is still tidy", "the greeting is tidy again");

    assertThat(Plan.digest(example.read().frozen(Policy.STANDARD))).isNotEqualTo(before);
  }

  @Test
  void one_byte_of_the_graph_is_enough_to_refuse_it() throws Exception {
    example.spoil("plan/execution_graph.json", "another word", "another worD");

    assertThat(codes()).containsExactly("checksum-differs");
    assertThatThrownBy(() -> example.read())
        .hasMessageContaining("manifest.json:18:7: error: Expected execution_graph.json as it was");
  }

  @Test
  void so_is_one_byte_of_any_other_file_and_a_file_that_is_gone() throws Exception {
    example.spoil("plan/review_pack.md", "One file", "Two files");
    assertThat(codes()).containsExactly("checksum-differs");
    Files.delete(example.plan.resolve("review_pack.md"));
    assertThat(codes()).containsExactly("missing-file");
    Files.delete(example.graph());
    assertThat(codes()).containsExactly("missing-file", "missing-file");
    Files.delete(example.plan.resolve("manifest.json"));
    assertThat(codes()).containsExactly("missing-file", "missing-file");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"0.9.2\"|\"0.9.1\"|wrong-type|true",
        "\"run_id\": \"PLAN-6f1c2a\",||missing-key lineage-differs|true",
        "PLAN-6f1c2a|PLAN-other|lineage-differs|false",
        "intent_new_greeting|intent_other|lineage-differs|false",
        "\"edges\": [|\"note\": 1, \"edges\": [|unknown-key|true",
        "\"edges\": [|\"edges\": 1, \"more\": [|wrong-type unknown-key review-of-nothing|true",
        "\"edges\": [|\"edges\": [ 1, |wrong-type|true",
        "\"title\": \"Which word?\"|\"title\": 7|wrong-type|true",
        "\"node_id\": \"test\"|\"node_id\": \"te st\"|bad-name unknown-node bad-swimlane|true",
        "\"node_id\": \"test\"|\"node_id\": \"lint\"|duplicate-node unknown-node|false",
        "\"type\": \"question\"|\"type\": \"riddle\"|wrong-type missing-key unknown-key|true",
        "\"risk_level\": \"medium\"|\"risk_level\": \"hot\"|wrong-type|true",
        "\"effects\": [\"read\", \"write\"]|\"effects\": [\"read\", \"fly\"]|wrong-type"
            + " wrong-value|true",
        "\"effects\": [\"read\", \"write\"]|\"effects\": []|no-effects|true",
        "\"evidence_refs\": [\"facts:tools/test.sh\"]|\"evidence_refs\": []|no-evidence|true",
        "\"evidence_refs\": [\"facts:tools/test.sh\"]|\"title\": \"none\"|no-evidence|true",
        "\"answer\": \"Welcome\"|\"answer\": null|unanswered|true",
        "\"answer\": \"Welcome\"|\"answer\": \" \"|unanswered|true",
        "\"decision\": \"allow\"|\"decision\": null|undecided|true",
        "\"decision\": \"allow\"|\"decision\": \"deny\"|denied|true",
        "\"decision\": \"allow\"|\"decision\": \"perhaps\"|wrong-type|true",
        "\"to\": \"test\"|\"to\": \"nowhere\"|unknown-node|false",
        "\"from\": \"look\"|\"from\": \"nowhere\"|unknown-node review-of-nothing|false",
        "\"to\": \"lint\", \"type\": \"sequential\"|\"to\": \"lint\", \"type\":"
            + " \"fallback\"|fallback-edge|false",
        "\"to\": \"lint\", \"type\": \"sequential\"|\"to\": \"lint\", \"type\": \"conditional\","
            + " \"when\": \"x\"|open-condition no-actions|false",
        "\"to\": \"lint\", \"type\": \"sequential\"|\"to\": \"lint\", \"type\":"
            + " \"conditional\"|missing-key open-condition no-actions|true",
        "\"when\": \"allow\"|\"when\": \"always\"|wrong-type|false",
        "\"edges\": [|\"edges\": [ { \"from\": \"test\", \"to\": \"lint\", \"type\": \"sequential\""
            + " },|cycle|false",
        "\"edges\": [|\"edges\": [ { \"from\": \"analysis\", \"to\": \"lint\", \"type\":"
            + " \"sequential\" },|duplicate-edge|false",
        "\"lint-again\", \"test\"]|\"lint-again\"]|bad-swimlane|false",
        "\"lint-again\", \"test\"]|\"lint-again\", \"test\", \"look\"]|bad-swimlane|false",
        "\"agent\": \"agent.tester\", \"role\"|\"agent\": \"agent.writer\","
            + " \"role\"|bad-swimlane|false",
        "\"command_id\": \"greeting.test\"|\"command_id\": \"greeting.fly\"|not-in-registry"
            + " no-tool|false",
        "\"agent\": \"agent.tester\"|\"agent\": \"agent.ghost\"|not-in-registry|false",
        "\"role\": \"tester\",|\"role\": \"tester\", \"role\": \"t\",|json-syntax|false"
      })
  void what_is_wrong_with_a_graph_is_told(String from, String to, String codes, boolean schema)
      throws IOException {
    example.graph(from, to == null ? "" : to);

    assertThat(new TreeSet<>(codes())).as("%s", problems()).isEqualTo(found(codes));
    // A schema can't speak of several nodes, of other files, or of what a run can do.
    assertThat(schemaRefuses("execution-graph", Files.readString(example.graph())))
        .isEqualTo(schema);
  }

  private static Set<String> found(String codes) {
    return new TreeSet<>(List.of(codes.split(" ")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "execute",
        "run",
        "shell",
        "bash",
        "python",
        "powershell",
        "subprocess",
        "command_line",
        "script",
        "Script"
      })
  void red_line_1_holds_at_any_depth(String field) throws IOException {
    example.graph(
        "\"question_id\": \"q1\"",
        "\"question_id\": \"q1\", \"more\": [ { \"deep\": { \"%s\": \"rm\" } } ]".formatted(field));

    assertThat(codes()).containsExactly("execution-payload", "unknown-key");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"path\": \"review_pack.md\"|\"path\": \"../tools.yaml\"|bad-name",
        "\"path\": \"review_pack.md\"|\"path\": \"manifest.json\"|bad-name",
        "\"path\": \"review_pack.md\"|\"path\": \"/etc/passwd\"|bad-name",
        "\"path\": \"review_pack.md\"|\"path\": \"execution_graph.json\"|duplicate-file"
            + " checksum-differs",
        "\"path\": \"execution_graph.json\"|\"path\": \"review_pack.md\"|unlisted-graph"
            + " duplicate-file lineage-open checksum-differs",
        "\"made_from\": [\"execution_graph.json\"]|\"made_from\": [\"nothing\"]|lineage-open",
        "\"made_from\": [\"execution_graph.json\"]|\"made_by\": []|unknown-key",
        "\"intent_sha256\": \"|\"intent_sha256\": \"x|wrong-type",
        "\"kind\": \"rule\"|\"kind\": \"law\"|wrong-type",
        "\"lineage\"|\"origin\"|missing-key unknown-key not-in-registry lineage-differs",
        "{ \"kind\": \"command\", \"id\": \"greeting.test\", \"version\": \"2.0.0\""
            + " },||not-in-registry"
      })
  void what_is_wrong_with_a_manifest_is_told(String from, String to, String codes)
      throws IOException {
    example.spoil("plan/manifest.json", from, to == null ? "" : to);

    assertThat(new TreeSet<>(codes())).as("%s", problems()).isEqualTo(found(codes));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "greeting.test|greeting.try|no-tool",
        "writes: [src/greeting.txt]|writes: [src/greeting.txt], access: read|yaml-syntax",
        "idempotent: true|access: test|access-too-mild",
        "name: greets|name: greeting.lint-2|duplicate-name",
        "limits:|bounds:|unknown-key",
        "folder: project|folder: nowhere|no-folder"
      })
  void what_is_wrong_with_a_tool_book_is_told(String from, String to, String codes)
      throws IOException {
    example.spoil("tools.yaml", from, to);

    assertThat(new TreeSet<>(codes())).as("%s", problems()).isEqualTo(found(codes));
  }

  @Test
  void the_problems_of_all_three_files_are_told_at_once() throws IOException {
    example.spoil("plan/execution_graph.json", "\"answer\": \"Welcome\"", "\"answer\": null");
    example.spoil("tools.yaml", "limits:", "bounds:");

    assertThat(problems())
        .extracting(p -> Path.of(p.source()).getFileName() + " " + p.code())
        .containsExactly(
            "manifest.json checksum-differs",
            "execution_graph.json unanswered",
            "tools.yaml unknown-key");
    assertThatThrownBy(() -> example.read())
        .hasMessageContaining("\"question_id\": \"q1\", \"answer\": null")
        .hasMessageContaining("bounds: { files: 1 }");
  }

  @Test
  void a_text_that_is_no_json_is_told_with_its_place() throws IOException {
    example.graph(ONE_MORE, "\"edges\" [");

    assertThat(codes()).containsExactly("json-syntax");
    assertThat(problems().getFirst().place().line()).isEqualTo(57);
  }

  @Test
  void bytes_that_are_no_text_are_told() throws IOException {
    Files.write(example.graph(), new byte[] {'{', (byte) 0xff, '}'});

    assertThat(codes()).contains("unreadable");
  }

  @Test
  void the_graph_makes_a_risk_worse_and_never_better() throws IOException {
    example.graph("\"risk_level\": \"medium\"", "\"risk_level\": \"critical\"");
    assertThat(example.read().tools().get(1).risk()).isEqualTo(Risk.CRITICAL);

    example.graph("\"risk_level\": \"critical\"", "\"risk_level\": \"low\"");
    example.spoil("tools.yaml", "idempotent: true", "risk: critical");
    assertThat(example.read().tools().get(1).risk()).isEqualTo(Risk.CRITICAL);
  }

  @Test
  void a_rule_that_knows_a_command_by_its_name_holds_each_time_it_is_planned() throws IOException {
    example.spoil(
        "tools.yaml",
        "limits:",
        "policy: [ { name: p, when: \"call.name == 'greeting.lint'\", risk: high } ]\nlimits:");

    assertThat(example.read().frozen(Policy.STANDARD).get("tools"))
        .asInstanceOf(InstanceOfAssertFactories.LIST)
        .extracting(tool -> Values.map(tool).get("approval"))
        .containsExactly(true, true, true, false);
  }

  @ParameterizedTest
  @CsvSource({
    "write, WRITE",
    "deploy, WRITE",
    "security, WRITE",
    "data, WRITE",
    "network, READ",
    "read, READ"
  })
  void the_effects_say_what_a_tool_may_do(String effect, Access access) throws IOException {
    String test =
        """
        "effects": ["%s"],
              "risk_level": "low",
              "evidence_refs": ["facts:tools/test.sh"]\
        """;
    example.graph(test.formatted("read"), test.formatted(effect));
    example.spoil("tools.yaml", "    access: test", "    timeout: 1m");

    assertThat(example.read().tools().getLast().access()).isEqualTo(access);
  }

  @Test
  void two_texts_are_enough_where_there_is_no_folder() throws IOException {
    FrozenPlan texts =
        FrozenPlan.of(
            Files.readString(example.plan.resolve("manifest.json")),
            Files.readString(example.graph()));
    Source tools = new Source("tools.yaml", Files.readString(temp.resolve("tools.yaml")));

    assertThat(FrozenPlanReader.read(texts, tools, example.folder)).isEqualTo(example.read());
    FrozenPlan spoilt =
        FrozenPlan.of(texts.manifest().text(), texts.graph().text().replace("tidy", "Tidy"));
    assertThatThrownBy(() -> FrozenPlanReader.read(spoilt, tools, example.folder))
        .hasMessageContaining("[checksum-differs]");
  }

  @Test
  void the_example_fits_the_schemas_that_ship() throws IOException {
    assertThat(schemaRefuses("execution-graph", Files.readString(example.graph()))).isFalse();
    String manifest = Files.readString(example.plan.resolve("manifest.json"));
    assertThat(schemaRefuses("frozen-manifest", manifest)).isFalse();
    assertThat(schemaRefuses("frozen-manifest", manifest.replace("review_pack.md", "../x")))
        .isTrue();
    assertThat(schemaRefuses("frozen-manifest", manifest.replace("execution_graph.json", "g.json")))
        .isTrue();
  }

  private static boolean schemaRefuses(String name, String text) throws IOException {
    String resource = "/dev/signalbox/systems/runs/frozen/" + name + ".schema.json";
    try (InputStream in = Objects.requireNonNull(FrozenPlan.class.getResourceAsStream(resource))) {
      Schema schema =
          SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
              .getSchema(new String(in.readAllBytes(), StandardCharsets.UTF_8));
      return !schema.validate(text, InputFormat.JSON).isEmpty();
    }
  }

  @Test
  void every_code_is_documented_and_every_documented_one_exists() throws IOException {
    TreeSet<String> given = new TreeSet<>();
    Path sources = ROOT.resolve("systems/src/main/java/dev/signalbox/systems/runs");
    List<Path> files;
    try (Stream<Path> all = Files.list(sources.resolve("frozen"))) {
      files = Stream.concat(all, Stream.of(sources.resolve("FrozenPlanReader.java"))).toList();
    }
    for (Path file : files) {
      Matcher codes = Pattern.compile("rror\\(\\s*\"([a-z-]+)\"").matcher(Files.readString(file));
      while (codes.find()) {
        given.add(codes.group(1));
      }
    }
    given.add("access-too-mild");
    TreeSet<String> documented = new TreeSet<>();
    String page = Files.readString(ROOT.resolve("docs/frozen-plans.md"));
    Matcher rows =
        Pattern.compile("(?m)^\\| ((?:`[a-z-]+`(?:, )?)+) \\|")
            .matcher(page.substring(page.indexOf("## What is refused")));
    while (rows.find()) {
      for (String code : rows.group(1).split(", ")) {
        documented.add(code.replace("`", ""));
      }
    }
    assertThat(documented).isNotEmpty().containsExactlyElementsOf(given);
  }
}
