package dev.signalbox.definition.fuzz;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.RandomMachines;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.dot.DotReader;
import dev.signalbox.definition.expression.CelExpressions;
import dev.signalbox.definition.mermaid.MarkdownReader;
import dev.signalbox.definition.mermaid.MermaidReader;
import dev.signalbox.definition.scxml.ScxmlReader;
import dev.signalbox.definition.scxml.ScxmlWriter;
import dev.signalbox.definition.yaml.YamlReader;
import dev.signalbox.definition.yaml.YamlWriter;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.ExpressionCompiler.Site;
import dev.signalbox.kernel.ExpressionCompiler.SyntaxException;
import dev.signalbox.kernel.ExpressionCompiler.Use;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * What is fuzzed: something that takes a text from a stranger and must answer with problems, never
 * with an exception. A new reader is one more constant.
 */
enum FuzzTarget {
  YAML("org.snakeyaml.**") {
    @Override
    void read(String text) {
      look(YamlReader.readAll(new Source("fuzz.yaml", text)));
    }

    @Override
    List<String> seeds() {
      return written(machine -> YamlWriter.write(machine, new Problems("m")));
    }

    @Override
    List<String> words() {
      return List.of(
          "machine: ",
          "states: ",
          "on: ",
          "after: ",
          "entry: ",
          "- ",
          "{ ",
          " }",
          "&a ",
          "*a",
          "---\n",
          "|\n",
          "!!int ",
          "5m",
          "initial: ",
          "final: true",
          "if: ",
          "then: ",
          "send: ",
          "invoke: ",
          "inline: ",
          "invariants: ",
          "never: ",
          "? ");
    }
  },

  SCXML("") {
    @Override
    void read(String text) {
      look(List.of(ScxmlReader.read(new Source("fuzz.scxml", text), null)));
    }

    @Override
    List<String> seeds() {
      return written(machine -> ScxmlWriter.write(machine, new Problems("m")));
    }

    @Override
    List<String> words() {
      return List.of(
          "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\">",
          "</scxml>",
          "<state id=\"",
          "<transition event=\"",
          " target=\"",
          " cond=\"",
          "<parallel",
          "<history",
          "<invoke",
          "<send",
          "<onentry>",
          "<datamodel>",
          "<data id=\"",
          "<![CDATA[",
          "<!DOCTYPE",
          "<!ENTITY",
          "&amp;",
          "&#0;",
          "<?xml",
          " xmlns:x=\"");
    }
  },

  MERMAID("") {
    @Override
    void read(String text) {
      look(List.of(MermaidReader.read(new Source("fuzz.mmd", text))));
      look(MarkdownReader.read(new Source("fuzz.md", text)));
    }

    @Override
    List<String> seeds() {
      return List.of(
          """
          stateDiagram-v2
            direction LR
            [*] --> Idle
            Idle --> Busy : go [size(event.x) > 0] / assign
            state "A long name" as Busy {
              [*] --> One
              One --> [*]
              --
              [*] --> Two
            }
            state pick <<choice>>
            Busy --> pick
            pick --> Idle : if x
            note right of Idle : waits
            Busy --> [*]
          """,
          "# Title\n\n```mermaid\n---\ntitle: x\n---\nstateDiagram\n  A --> B: e\n```\n\nText.\n");
    }

    @Override
    List<String> words() {
      return List.of(
          "stateDiagram-v2\n",
          "[*]",
          " --> ",
          "state ",
          " as ",
          "<<choice>>",
          "<<fork>>",
          "<<join>>",
          "--\n",
          "note left of ",
          "end note\n",
          "direction TB\n",
          "```mermaid\n",
          "```\n",
          "%%",
          "classDef ",
          ":::",
          "accTitle: ",
          "{\n",
          "}\n",
          "\"");
    }
  },

  DOT("") {
    @Override
    void read(String text) {
      look(List.of(DotReader.read(new Source("fuzz.dot", text))));
    }

    @Override
    List<String> seeds() {
      return List.of(
          """
          digraph run {
            rankdir=LR; node [shape=box, style="rounded,filled"];
            start [shape=point]; start -> IDLE;
            subgraph cluster_work { label="Work"; BUSY; "WAIT 1" [label=<<b>x</b>>] }
            IDLE -> BUSY [label="go [x > 1] / log"];
            BUSY -> { DONE; FAILED } [label=end];
            DONE [shape=doublecircle, peripheries=2];
          }
          """,
          "strict digraph { edge [color=red]; a:n -> b -> c /* x */ // y\n # z\n}");
    }

    @Override
    List<String> words() {
      return List.of(
          "digraph ",
          "graph ",
          "subgraph ",
          "node ",
          "edge ",
          " -> ",
          " -- ",
          "[label=\"",
          "\"]",
          "{",
          "}",
          ";",
          "/*",
          "*/",
          "//",
          "<",
          ">",
          "cluster_",
          "shape=",
          ":n");
    }
  },

  EXPRESSION("") {
    @Override
    void read(String text) {
      Machine machine = RandomMachines.sample(7);
      Context.Layout layout = new Context.Layout(List.of("a", "b"));
      try {
        CelExpressions.of(machine)
            .compile(Operand.expr(text), new Site(layout, Use.VALUE, List.of(), List.of()));
      } catch (SyntaxException e) {
        look(e.getMessage().length() + e.offset());
      }
    }

    @Override
    List<String> seeds() {
      return List.of(
          "size(event.tools) > 0 && ctx.a in ['x', \"y\"]",
          "ctx.list.filter(i, i.n > 1).map(i, i.name + '!')",
          "has(event.x) ? event.x : {'a': [1, 2.5, true, null]}",
          "In('A') || actor.roles.exists(r, r == 'ops')",
          "'a\\u0041'.matches('^a+$') && timestamp('2026-01-01T00:00:00Z') != null");
    }

    @Override
    List<String> words() {
      return List.of(
          "ctx.",
          "event.",
          ".exists(x, ",
          ".all(x, ",
          ".map(x, ",
          "has(",
          "size(",
          " in ",
          " && ",
          " || ",
          " ? ",
          " : ",
          "r'",
          "b'",
          "'''",
          "\\u0000",
          "0x",
          "1u",
          "1e9",
          ".matches('");
    }
  };

  private final String instrumented;

  /**
   * @param instrumented classes beside our own whose branches guide the fuzzer; empty for none
   */
  FuzzTarget(String instrumented) {
    this.instrumented = instrumented;
  }

  /** Reads the text; any exception is a finding. */
  abstract void read(String text);

  /** Texts to start from. */
  abstract List<String> seeds();

  /** Pieces of the language, for the fuzzer to insert. */
  abstract List<String> words();

  String instrumentation() {
    return instrumented.isEmpty() ? "dev.signalbox.**" : "dev.signalbox.**:" + instrumented;
  }

  /** Renders problems, because a person will want to see them. */
  private static void look(List<Definition> definitions) {
    for (Definition definition : definitions.subList(0, Math.min(20, definitions.size()))) {
      for (Problem problem : definition.problems().stream().limit(20).toList()) {
        look(problem.render(definition.source()).length());
      }
    }
  }

  private static void look(int size) {
    if (size < 0) {
      throw new IllegalStateException("Expected a message, but found none.");
    }
  }

  private static List<String> written(Function<Machine, String> writer) {
    List<String> texts = new ArrayList<>();
    for (int seed = 0; seed < 20; seed++) {
      texts.add(writer.apply(RandomMachines.sample(seed)));
    }
    return texts;
  }
}
