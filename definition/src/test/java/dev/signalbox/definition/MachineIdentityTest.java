package dev.signalbox.definition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.yaml.YamlReader;
import dev.signalbox.definition.yaml.YamlWriter;
import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.kernel.machine.Machine;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class MachineIdentityTest {

  @Provide
  Arbitrary<Machine> machines() {
    return RandomMachines.any();
  }

  @Property(tries = 200)
  void equal_machines_have_equal_digests(@ForAll("machines") Machine machine) {
    String text = YamlWriter.write(machine, new Problems("m"));
    Machine again = Objects.requireNonNull(YamlReader.read(new Source("m", text)).machine());
    assertThat(again).isNotSameAs(machine);
    assertThat(MachineIdentity.of(again)).isEqualTo(MachineIdentity.of(machine));
  }

  @Property(tries = 500)
  void other_machines_have_other_digests(
      @ForAll("machines") Machine one, @ForAll("machines") Machine other) {
    assertThat(MachineIdentity.digest(one).equals(MachineIdentity.digest(other)))
        .isEqualTo(one.equals(other));
  }

  private static Machine read(String text) {
    Definition definition = YamlReader.read(new Source("m", text));
    assertThat(definition.problems()).as(text).isEmpty();
    return Objects.requireNonNull(definition.machine());
  }

  /** Each line is a machine of its own; no two of all of them may share a digest. */
  @Test
  void a_change_of_any_element_changes_the_digest() {
    List<String> machines = new ArrayList<>();
    machines.add("{ machine: m, states: { A: {}, B: {} } }");
    machines.add("{ machine: n, states: { A: {}, B: {} } }");
    for (String top :
        List.of(
            "version: 2",
            "mode: scxml",
            "description: x",
            "description: ''",
            "initial: A",
            "initial: B",
            "initial: [A, B]",
            "initial: { to: A, do: [{ raise: x }] }",
            "limits: { queue: 5 }",
            "limits: { timers: 5 }",
            "limits: { microsteps: 5 }",
            "limits: { iterations: 5 }",
            "parallel: true",
            "note: x",
            "context: { a: int }",
            "context: { b: int }",
            "context: { a: double }",
            "context: { a: { type: int, optional: true } }",
            "context: { a: { type: int, values: [1] } }",
            "context: { a: { type: int, values: ['1'] } }",
            "context: { a: { type: int, personal: true } }",
            "context: { a: { type: int, searchable: true } }",
            "context: { a: { type: int, default: null } }",
            "context: { a: { type: int, default: 1 } }",
            "context: { a: { type: int, default: 1.0 } }",
            "context: { a: { type: int, default: '1' } }",
            "context: { a: { type: int, default: true } }",
            "context: { a: { type: int, default: [] } }",
            "context: { a: { type: int, default: {} } }",
            "context: { a: { type: int, default: { int: '1' } } }",
            "context: { a: { type: int, default: { map: { int: '1' } } } }",
            "context: { a: { type: int, default: 9007199254740993 } }",
            "context: { a: { type: int, default: '9007199254740993' } }",
            "context: { a: { type: int, default: -0.0 } }",
            "context: { a: { type: int, default: 0.0 } }",
            "context: { a: { type: int, compute: '1' } }",
            "context: { a: { type: list, items: int } }",
            "context: { a: { type: map, items: int } }",
            "context: { a: { type: object, fields: { x: int } } }",
            "events: { e: {} }",
            "events: { e: { description: x } }",
            "events: { e: { data: {} } }",
            "events: { e: { data: { x: int } } }",
            "events: { e: { data_type: int } }",
            "events: { e: { roles: [x] } }",
            "invariants: [{ name: i, never: A }]",
            "invariants: [{ name: j, never: A }]",
            "invariants: [{ name: i, severity: warn, never: A }]",
            "invariants: [{ name: i, never: A -> B }]",
            "invariants: [{ name: i, never: B -> A }]",
            "invariants: [{ name: i, never: { event: A } }]",
            "invariants: [{ name: i, never: { record: A } }]",
            "invariants: [{ name: i, never: { record: A, by: x } }]",
            "invariants: [{ name: i, apart: [A, B] }]",
            "invariants: [{ name: i, always: A }]",
            "invariants: [{ name: i, always: A, in: A }]",
            "invariants: [{ name: i, before: { reaching: A, must_visit: B } }]",
            "invariants: [{ name: i, before: { reaching: B, must_visit: A } }]",
            "invariants: [{ name: i, leads_to: { from: A, to: B } }]",
            "invariants: [{ name: i, leads_to: { from: A, to: [B, A] } }]",
            "invariants: [{ name: i, leads_to: { from: A, to: B, within: 1s, target: A } }]",
            "invariants: [{ name: i, leads_to: { from: A, to: B, within: 2s, target: A } }]",
            "invariants: [{ name: i, leads_to: { from: A, to: B, within: 1s, target: B } }]",
            "invariants: [{ name: i, exactly_once: A }]",
            "invariants: [{ name: i, at_most: { fact: A, times: 1 } }]",
            "invariants: [{ name: i, times: { fact: A, min: 1 } }]",
            "invariants: [{ name: i, one_at_a_time: { opens: A, closes: B } }]",
            "invariants: [{ name: i, frozen: { field: A, after: B } }]",
            "invariants: [{ name: i, frozen: { field: B, after: B } }]")) {
      machines.add("{ machine: m, " + top + ", states: { A: {}, B: {} } }");
    }
    for (String state :
        List.of(
            "note: x",
            "waits: x",
            "tools: []",
            "tools: [x]",
            "data: { a: int }",
            "final: true",
            "final: true, done: {}",
            "final: true, done: { x: 1 }",
            "final: true, done: { content: 1 }",
            "final: true, done: { x: '1' }",
            "final: true, done: { x: { location: '1' } }",
            "history: shallow",
            "history: deep",
            "history: deep, default: B",
            "point: choice",
            "point: fork",
            "point: join",
            "states: { C: {} }",
            "states: { C: {} }, initial: C",
            "states: { C: {} }, parallel: true",
            "on: { e: B }",
            "on: { f: B }",
            "on: { e f: B }",
            "on: { e: {} }",
            "on: { e: A }",
            "on: { e: { to: [A, B] } }",
            "on: { e: { to: B, internal: true } }",
            "on: { e: { to: B, label: x } }",
            "on: { e: { to: B, when: x } }",
            "on: { e: { to: B, when: y } }",
            "on: { e: { to: B, when: x, guard: y } }",
            "always: B",
            "after: { 1s: B }",
            "after: { 2s: B }",
            "after: { 1s: { to: B, clock: cumulative } }",
            "after: { x: { in: 1s, to: B } }",
            "after: { x: { in: y, to: B } }",
            "entry: [{ raise: a }]",
            "exit: [{ raise: a }]",
            "entry: [[{ raise: a }], [{ raise: a }]]",
            "entry: [{ raise: a }, { raise: a }]",
            "entry: [{ raise: { event: { expr: a } } }]",
            "entry: [{ raise: { event: a, data: { x: 1 } } }]",
            "entry: [{ assign: { a: x } }]",
            "entry: [{ assign: { b: x } }]",
            "entry: [{ assign: { a: y } }]",
            "entry: [{ assign: { a: null } }]",
            "entry: [{ send: { event: a } }]",
            "entry: [{ send: { event: a, to: parent } }]",
            "entry: [{ send: { event: a, type: x } }]",
            "entry: [{ send: { event: a, id: x } }]",
            "entry: [{ send: { event: a, id_location: x } }]",
            "entry: [{ send: { event: a, after: 1s } }]",
            "entry: [{ send: { event: a, after: x } }]",
            "entry: [{ send: { event: a, data: { x: 1 } } }]",
            "entry: [{ cancel: a }]",
            "entry: [{ log: a }]",
            "entry: [{ log: { label: a } }]",
            "entry: [{ log: { label: a, value: a } }]",
            "entry: [{ emit: a }]",
            "entry: [{ emit: { record: a, data: { x: 1 } } }]",
            "entry: [{ perform: { effect: a } }]",
            "entry: [{ perform: { effect: a, reply: b } }]",
            "entry: [{ perform: { effect: a, idempotent: true } }]",
            "entry: [{ perform: { effect: a, with: { x: 1 } } }]",
            "entry: [{ if: a, then: [] }]",
            "entry: [{ if: b, then: [] }]",
            "entry: [{ if: a, then: [{ raise: a }] }]",
            "entry: [{ if: a, then: [], elif: [{ if: a, then: [] }] }]",
            "entry: [{ if: a, then: [], else: [{ raise: a }] }]",
            "entry: [{ foreach: { in: a, item: x } }]",
            "entry: [{ foreach: { in: b, item: x } }]",
            "entry: [{ foreach: { in: a, item: y } }]",
            "entry: [{ foreach: { in: a, item: x, index: i } }]",
            "entry: [{ foreach: { in: a, item: x, do: [{ raise: a }] } }]",
            "invoke: { machine: a }",
            "invoke: { machine: { expr: a } }",
            "invoke: { machine: a, id: x }",
            "invoke: { machine: a, id_location: x }",
            "invoke: { machine: a, type: x }",
            "invoke: { machine: a, autoforward: true }",
            "invoke: { machine: a, with: { x: 1 } }",
            "invoke: { machine: a, finalize: [{ raise: a }] }",
            "invoke: { content: a }",
            "invoke: { inline: { machine: a, states: { X: {} } } }")) {
      machines.add("{ machine: m, mode: scxml, states: { A: { " + state + " }, B: {} } }");
    }
    Map<String, String> byDigest = new TreeMap<>();
    for (String text : machines) {
      String other = byDigest.put(MachineIdentity.digest(read(text)), text);
      assertThat(other).as("the same digest as %s", text).isNull();
    }
  }

  @Test
  void the_canonical_form_does_not_change() {
    Machine machine =
        read("{ machine: m, version: 2, context: { n: int }, states: { A: { on: { e: A } } } }");
    String canonical =
        "{\"context\":[{\"name\":\"n\",\"type\":{\"kind\":\"int\"}}],\"machine\":\"m\","
            + "\"mode\":\"strict\",\"root\":{\"children\":[{\"id\":\"A\",\"transitions\":"
            + "[{\"on\":[\"e\"],\"to\":[\"A\"]}]}],\"id\":\"(root)\"},\"version\":2}";
    assertThat(CanonicalJson.text(CanonicalMachine.of(machine))).isEqualTo(canonical);
    assertThat(MachineIdentity.of(machine))
        .isEqualTo(
            new MachineIdentity(
                "m", 2, "5f72eeabc863efc615b2ddd18d7848c96c7f4dc61f3e796ca554ae9183cd87b2"));
  }
}
