package dev.signalbox.definition.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Each case marks with {@code «code»} where a problem is expected, and finds just those. */
class YamlMistakesTest {

  /** Reads the text without its marks and compares what was found with them. */
  private static List<Problem> expectMarked(String marked) {
    List<String> expected = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    int line = 1;
    int column = 1;
    for (int i = 0; i < marked.length(); i++) {
      char c = marked.charAt(i);
      if (c == '«') {
        int end = marked.indexOf('»', i);
        expected.add(line + ":" + column + " " + marked.substring(i + 1, end));
        i = end;
      } else {
        text.append(c);
        column = c == '\n' ? 1 : column + 1;
        line += c == '\n' ? 1 : 0;
      }
    }
    Definition definition = YamlReader.read(new Source("bad.yaml", text.toString()));
    assertThat(definition.problems())
        .as(
            definition.problems().stream()
                .map(p -> p.render(definition.source()))
                .collect(Collectors.joining()))
        .extracting(p -> p.place().line() + ":" + p.place().column() + " " + p.code())
        .containsExactlyElementsOf(expected);
    assertThat(definition.problems())
        .allSatisfy(p -> {
          assertThat(p.isError()).isTrue();
          assertThat(p.message()).startsWith("Expected ").contains(", but ").endsWith(".");
        });
    return definition.problems();
  }

  private static String hint(String marked) {
    List<Problem> problems = expectMarked(marked);
    assertThat(problems).hasSize(1);
    return problems.getFirst().hint();
  }

  @Test
  void all_problems_are_found_at_once() {
    expectMarked(
        """
        machine: m
        «unknown-key»verion: 2
        limits: { queue: «wrong-type»none }
        context:
          a: «unknown-type»integer
          b: { type: int, «key-conflict»items: int, default: «bad-number»99999999999999999999 }
        states:
          A:
            on:
              go: «unknown-target»BB
              stop: { to: B, «unknown-key»cond: ctx.a }
            «unknown-key»onentry: []
            after: { «bad-duration»5x: B }
          B:
            final: true
            «key-conflict»on: { go: A }
            entry:
              - «wrong-type»{}
              - raise: «wrong-type»5
              - «unknown-key»rase: x
                log: x
          «duplicate-key»A: {}
        invariants:
          - { name: i, never: «unknown-state»C }
        """);
  }

  @Test
  void a_misspelt_key_or_target_gets_a_suggestion() {
    assertThat(hint("machine: m\n«unknown-key»contxt: {}\nstates: { A: {} }\n"))
        .isEqualTo("Did you mean 'context'?");
    assertThat(hint("machine: m\nstates: { RUN: { on: { e: «unknown-target»RNU } }, WAIT: {} }\n"))
        .isEqualTo("Did you mean 'RUN'?");
    assertThat(hint("machine: m\nstates: { A: { on: { e: { «unknown-key»target: A } } } }\n"))
        .isEqualTo("The key for the target is 'to'.");
    assertThat(hint("machine: m\ncontext: { a: «unknown-type»boool }\nstates: { A: }\n"))
        .isEqualTo("Did you mean 'bool'?");
  }

  @Test
  void in_and_clock_belong_under_after() {
    assertThat(hint("machine: m\nstates: { A: { on: { e: { to: A, «unknown-key»in: 5 } } } }"))
        .contains("under 'after'");
    assertThat(
            hint(
                "machine: m\nstates: { A: { always: { to: A, «unknown-key»clock: cumulative } } }"))
        .contains("under 'after'");
  }

  @Test
  void names_of_states_are_global() {
    List<Problem> problems =
        expectMarked(
            """
            machine: m
            states:
              A: { states: { X: {} } }
              B: { states: { «duplicate-state»X: {} } }
            """);
    assertThat(problems.getFirst().message()).contains("line 3");
  }

  @Test
  void initial_names_a_state() {
    expectMarked("machine: m\ninitial: «unknown-target»X\nstates: { A: {} }\n");
    expectMarked("machine: m\ninitial: [«wrong-type»5]\nstates: { A: {} }\n");
    expectMarked("machine: m\ninitial: «missing-key»{ do: [] }\nstates: { A: {} }\n");
    expectMarked(
        "machine: m\nstates: { A: { history: deep, default: «unknown-target»Q }, B: {} }\n");
  }

  @Test
  void keys_that_make_no_sense_together_are_refused() {
    expectMarked(
        """
        machine: m
        states:
          A: { final: true, «key-conflict»after: { 1s: B }, «key-conflict»waits: x }
          B: { history: deep, «key-conflict»states: { C: {} } }
          D: { parallel: true, «key-conflict»final: true, states: { E: {} } }
          F: { parallel: true, «key-conflict»initial: G, states: { G: {} } }
          H: { «missing-key»parallel: true }
          I: { «missing-key»done: {} }
          J: { «missing-key»default: A }
          K: { «missing-key»initial: A }
          L: { point: fork, «key-conflict»tools: [] }
        """);
  }

  @Test
  void names_are_checked() {
    expectMarked("machine: «bad-name»my machine\nstates: { A: {} }\n");
    expectMarked("machine: «bad-name»''\nstates: { A: {} }\n");
    expectMarked("machine: «wrong-type»5\nstates: { A: {} }\n");
    expectMarked("machine: m\nstates:\n  «bad-name»A B: {}\n  «bad-name»C->D: {}\n");
    expectMarked("machine: m\nstates: { A: { on: { «bad-name»'': A } } }\n");
  }

  @Test
  void what_is_missing_is_said() {
    expectMarked("«missing-key»states: { A: {} }\n");
    expectMarked("«missing-key»machine: m\n");
    expectMarked("machine: m\nstates: «missing-key»{}\n");
    expectMarked("machine: m\nstates: { A: { on: { e: { to: A, «missing-key»guard: x } } } }\n");
    expectMarked("machine: m\nstates: { A: { entry: [{ send: «missing-key»{ id: x } }] } }\n");
  }

  @Test
  void a_text_that_is_no_yaml_has_one_problem() {
    assertThat(hint("machine: m\nstates:\n«tab»\tA: {}\n")).contains("spaces");
    assertThat(hint("machine: m\nnote: a«yaml-syntax»: b\n")).contains("in quotes");
    assertThat(
            hint(
                "machine: m\n"
                    + "states: { A: { on: { e: { to: A, when: 'x' «yaml-syntax»in ctx } } } }"))
        .contains("as a whole");
    expectMarked("machine: \"m«yaml-syntax»");
    expectMarked("machine: «yaml-syntax»@m\n");
    expectMarked("machine: m «yaml-syntax»\u0007\n");
    expectMarked("«empty-document»");
    expectMarked("«empty-document»# nothing but a comment\n");
    expectMarked("«wrong-type»just text\n");
  }

  @Test
  void a_tag_is_refused() {
    assertThat(
            hint(
                "machine: m\nstates: { A: { on: { e: { to: A, when: «unknown-tag»!ctx.x y } } } }"))
        .contains("in quotes");
  }

  @Test
  void aliases_work_and_are_bounded() {
    expectMarked(
        "machine: m\nstates:\n  A: { on: &all { stop: END } }\n  B: { on: *all }\n  END: {}\n");
    expectMarked("machine: m\nstates: «unknown-alias»*nothing\n");
    expectMarked("machine: m\nstates: &s { A: «recursive-alias»*s }\n");
    StringBuilder laughs = new StringBuilder("machine: m\na0: &a0 [x, x]\n");
    for (int i = 1; i < 20; i++) {
      String inner = "*a" + (i - 1);
      laughs.append("a%d: &a%d [%s, %s, %s]\n".formatted(i, i, inner, inner, inner));
    }
    Definition definition = YamlReader.read(new Source("laughs", laughs.toString()));
    assertThat(definition.problems()).extracting(Problem::code).containsExactly("alias-limit");
  }

  @Test
  void what_belongs_to_scxml_is_refused_in_strict_mode() {
    expectMarked(
        """
        machine: m
        states:
          A:
            «scxml-only»data: { a: int }
            invoke: { machine: x, «scxml-only»type: y, «scxml-only»id_location: z }
        """);
  }

  @Test
  void numbers_and_durations_are_checked() {
    expectMarked(
        """
        machine: m
        context:
          a: { type: double, default: «bad-number».inf }
          b: { type: double, default: «bad-number»1e999 }
          c: { type: int, default: 0x7fffffffffffffff }
        states:
          A:
            entry:
              - send: { event: x, after: «bad-duration»5 minutes }
              - send: { event: x, after: «bad-duration»-5 }
              - send: { event: x, after: 5 * ctx.c }
            after:
              «bad-duration»soon: A
              deadline: { to: A, in: «bad-duration»10min }
              5m: { to: A, «key-conflict»in: 5 }
        """);
  }

  @Test
  void a_second_machine_is_a_problem_where_one_is_wanted() {
    expectMarked("«several-machines»machine: m\nstates: { A: }\n---\nmachine: n\nstates: { A: }\n");
  }

  @Test
  void invariants_are_checked() {
    expectMarked(
        """
        machine: m
        states: { A: {}, B: {} }
        invariants:
          - «missing-key»{ never: A }
          - «missing-key»{ name: b }
          - { name: c, never: A, «key-conflict»always: x }
          - { name: d, never: A -> «unknown-state»C }
          - { name: e, apart: «wrong-type»[A] }
          - { name: f, leads_to: «missing-key»{ from: A, to: B, within: 5m } }
          - { name: g, never: A, «key-conflict»in: A }
          - { «duplicate-name»name: c, exactly_once: B }
          - { name: h, at_most: { fact: A, times: «wrong-type»-1 } }
        """);
  }
}
