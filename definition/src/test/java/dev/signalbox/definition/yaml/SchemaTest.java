package dev.signalbox.definition.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Places;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.RandomMachines;
import dev.signalbox.definition.Snippets;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.machine.Machine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SchemaTest {
  private static final Schema SCHEMA = schema();

  private static Schema schema() {
    try (InputStream in =
        Definition.class.getResourceAsStream("/dev/signalbox/definition/machine.schema.json")) {
      return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
          .getSchema(Objects.requireNonNull(in));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What the schema has against the documents of the text. */
  private static List<Error> complaints(String text) {
    List<Error> all = new ArrayList<>();
    for (Documents.Document document : Documents.of(new Source("t", text))) {
      Reading reading = new Reading(document.problems(), new Places(), Machine.Mode.STRICT);
      Object value = new Values(reading).json(Objects.requireNonNull(document.root()));
      all.addAll(SCHEMA.validate(JsonMapper.shared().<JsonNode>valueToTree(value)));
    }
    return all;
  }

  @Provide
  Arbitrary<Machine> machines() {
    return RandomMachines.any();
  }

  @Property(tries = 300)
  void every_machine_that_is_written_is_valid(@ForAll("machines") Machine machine) {
    String text = YamlWriter.write(machine, new Problems("m"));
    assertThat(complaints(text)).as(text).isEmpty();
  }

  @Test
  void the_machines_of_the_document_are_valid() {
    List<String> snippets = Snippets.of("docs/machines.md", "yaml");
    assertThat(snippets).isNotEmpty();
    assertThat(snippets).allSatisfy(text -> assertThat(complaints(text)).isEmpty());
  }

  @Test
  void every_machine_of_the_project_is_read_and_valid() throws IOException {
    Path root = Path.of(System.getProperty("project.root", ".."));
    List<Path> machines = new ArrayList<>();
    try (Stream<Path> modules = Files.list(root)) {
      for (Path module : modules.toList()) {
        Path resources = module.resolve("src/main/resources");
        if (Files.isDirectory(resources)) {
          try (Stream<Path> files = Files.walk(resources)) {
            files.filter(p -> p.toString().endsWith(".yaml")).forEach(machines::add);
          }
        }
      }
    }
    int read = 0;
    for (Path file : machines) {
      String text = Files.readString(file);
      // Rules of alerts and policies are YAML too.
      if (text.lines().noneMatch(line -> line.startsWith("machine:"))) {
        continue;
      }
      read++;
      assertThat(YamlReader.readAll(new Source(file.toString(), text)))
          .allSatisfy(d -> assertThat(d.problems()).isEmpty());
      assertThat(complaints(text)).as(file.toString()).isEmpty();
    }
    assertThat(read).isGreaterThan(15);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[]",
        "{}",
        "{ machine: m }",
        "{ machine: m, states: {} }",
        "{ machine: m, states: [A] }",
        "{ machine: 'a b', states: { A: {} } }",
        "{ machine: 5, states: { A: {} } }",
        "{ machine: m, version: 0, states: { A: {} } }",
        "{ machine: m, version: one, states: { A: {} } }",
        "{ machine: m, mode: loose, states: { A: {} } }",
        "{ machine: m, stats: {}, states: { A: {} } }",
        "{ machine: m, limits: { queue: 0 }, states: { A: {} } }",
        "{ machine: m, limits: { cue: 5 }, states: { A: {} } }",
        "{ machine: m, context: { a: integer }, states: { A: {} } }",
        "{ machine: m, context: { a: { default: 5 } }, states: { A: {} } }",
        "{ machine: m, context: { a: { type: int, items: int } }, states: { A: {} } }",
        "{ machine: m, context: { a: { type: int, fields: {} } }, states: { A: {} } }",
        "{ machine: m, context: { a: { type: int, default: 1, compute: x } }, states: { A: {} } }",
        "{ machine: m, context: { 'a b': int }, states: { A: {} } }",
        "{ machine: m, events: { e: { data: {}, data_type: int } }, states: { A: {} } }",
        "{ machine: m, events: { e: { data: [] } }, states: { A: {} } }",
        "{ machine: m, states: { 'A B': {} } }",
        "{ machine: m, states: { A->B: {} } }",
        "{ machine: m, states: { A: [] } }",
        "{ machine: m, states: { A: { onn: {} } } }",
        "{ machine: m, states: { A: { final: yes } } }",
        "{ machine: m, states: { A: { final: true, on: { e: A } } } }",
        "{ machine: m, states: { A: { final: true, states: { B: {} } } } }",
        "{ machine: m, states: { A: { history: deep, states: { B: {} } } } }",
        "{ machine: m, states: { A: { history: long } } }",
        "{ machine: m, states: { A: { point: dot } } }",
        "{ machine: m, states: { A: { point: choice, after: { 1s: A } } } }",
        "{ machine: m, states: { A: { default: A } } }",
        "{ machine: m, states: { A: { done: {} } } }",
        "{ machine: m, states: { A: { initial: A } } }",
        "{ machine: m, states: { A: { parallel: true } } }",
        "{ machine: m, states: { A: { parallel: true, initial: B, states: { B: {} } } } }",
        "{ machine: m, states: { A: { tools: 5 } } }",
        "{ machine: m, states: { A: { note: 5 } } }",
        "{ machine: m, states: { A: { on: A } } }",
        "{ machine: m, states: { A: { on: { e: 5 } } } }",
        "{ machine: m, states: { A: { on: { e: null } } } }",
        "{ machine: m, states: { A: { on: { e: { to: A, guard: x } } } } }",
        "{ machine: m, states: { A: { on: { e: { to: A, in: 5 } } } } }",
        "{ machine: m, states: { A: { on: { e: { to: A, clock: cumulative } } } } }",
        "{ machine: m, states: { A: { on: { e: { target: A } } } } }",
        "{ machine: m, states: { A: { on: { e: [[A]] } } } }",
        "{ machine: m, states: { A: { after: { 5x: A } } } }",
        "{ machine: m, states: { A: { after: { 5s: { in: 5, to: A } } } } }",
        "{ machine: m, states: { A: { after: { x: { to: A } } } } }",
        "{ machine: m, states: { A: { after: { 5s: { clock: slow } } } } }",
        "{ machine: m, states: { A: { transitions: [{ on: e, after: 5s, to: A }] } } }",
        "{ machine: m, states: { A: { transitions: [{ event: e, to: A }] } } }",
        "{ machine: m, states: { A: { entry: { raise: x } } } }",
        "{ machine: m, states: { A: { entry: [raise] } } }",
        "{ machine: m, states: { A: { entry: [{}] } } }",
        "{ machine: m, states: { A: { entry: [{ raise: x, log: x }] } } }",
        "{ machine: m, states: { A: { entry: [{ raise: 5 }] } } }",
        "{ machine: m, states: { A: { entry: [{ raise: { data: {} } }] } } }",
        "{ machine: m, states: { A: { entry: [{ send: {} }] } } }",
        "{ machine: m, states: { A: { entry: [{ send: x }] } } }",
        "{ machine: m, states: { A: { entry: [{ send: { event: x, to: 5 } }] } } }",
        "{ machine: m, states: { A: { entry: [{ send: { event: x, after: -5 } }] } } }",
        "{ machine: m, states: { A: { entry: [{ send: { event: x, data: 5 } }] } } }",
        "{ machine: m, states: { A: { entry: [{ perform: {} }] } } }",
        "{ machine: m, states: { A: { entry: [{ perform: lint }] } } }",
        "{ machine: m, states: { A: { entry: [{ emit: {} }] } } }",
        "{ machine: m, states: { A: { entry: [{ log: { lable: x } }] } } }",
        "{ machine: m, states: { A: { entry: [{ if: x }] } } }",
        "{ machine: m, states: { A: { entry: [{ if: x, then: [], elif: [{ then: [] }] }] } } }",
        "{ machine: m, states: { A: { entry: [{ then: [] }] } } }",
        "{ machine: m, states: { A: { entry: [{ raise: x, else: [] }] } } }",
        "{ machine: m, states: { A: { entry: [{ foreach: { in: x } }] } } }",
        "{ machine: m, states: { A: { entry: [{ assign: [] }] } } }",
        "{ machine: m, states: { A: { entry: [{ assign: { a: '' } }] } } }",
        "{ machine: m, states: { A: { invoke: {} } } }",
        "{ machine: m, states: { A: { invoke: worker } } }",
        "{ machine: m, mode: scxml, states: { A: { invoke: { machine: a, content: b } } } }",
        "{ machine: m, mode: scxml, states: { A: { invoke: { inline: {} } } } }",
        "{ machine: m, states: { A: {} }, invariants: {} }",
        "{ machine: m, states: { A: {} }, invariants: [{ never: A }] }",
        "{ machine: m, states: { A: {} }, invariants: [{ name: i }] }",
        "{ machine: m, states: { A: {} }, invariants: [{ name: i, never: A, exactly_once: A }] }",
        "{ machine: m, states: { A: {} }, invariants: [{ name: i, never: A, in: A }] }",
        "{ machine: m, states: { A: {} }, invariants: [{ name: i, never: A, severity: bad }] }",
        "{ machine: m, states: { A: {} }, invariants: [{ name: i, apart: [A] }] }",
        "{ machine: m, states: { A: {} }, invariants: [{ name: i, before: { reaching: A } }] }",
        "{ machine: m, states: { A: {} }, invariants: [{ name: i, leads_to: { from: A } }] }",
        "{ machine: m, states: { A: {} }, invariants: "
            + "[{ name: i, leads_to: { from: A, to: A, within: 5s } }] }",
        "{ machine: m, states: { A: {} }, invariants: "
            + "[{ name: i, leads_to: { from: A, to: A, within: soon, target: A } }] }",
        "{ machine: m, states: { A: {} }, invariants: [{ name: i, at_most: { fact: A } }] }",
        "{ machine: m, states: { A: {} }, invariants: [{ name: i, frozen: { field: a } }] }",
        "{ machine: m, states: { A: {} }, invariants: [{ name: i, never: { evnt: x } }] }",
        "{ machine: m, states: { A: {} }, invariants: [{ name: i, never: { event: x, by: y } }] }",
      })
  void what_the_schema_rejects_the_reader_rejects(String text) {
    assertThat(complaints(text)).as("the schema").isNotEmpty();
    assertThat(YamlReader.read(new Source("t", text)).hasErrors()).as("the reader").isTrue();
  }
}
