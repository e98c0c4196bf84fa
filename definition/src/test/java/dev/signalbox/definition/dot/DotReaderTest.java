package dev.signalbox.definition.dot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Graph;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

class DotReaderTest {

  @Test
  void a_state_machine_as_people_draw_it() {
    Definition definition =
        read(
            """
            // a turnstile
            strict digraph turnstile {
              rankdir=LR; bgcolor="white"
              node [shape = doublecircle]; Gone;
              node [shape = circle, fontsize = 10];
              start [shape=point]
              start -> Locked
              Locked -> Unlocked [ label = "coin" color=red ];
              Unlocked -> Locked [label="push\\nhard"]
              Unlocked:e -> Gone:w [label=<<b>pull</b> &amp; break>];
              /* done */
            }
            """);

    assertThat(definition.problems()).isEmpty();
    assertThat(arrows(definition))
        .containsExactly(
            "[*] > Locked",
            "Gone > [*]",
            "Locked > Unlocked : coin",
            "Unlocked > Locked : push\nhard",
            "Unlocked > Gone : pull & break");
  }

  @Test
  void chains_and_groups_are_many_edges() {
    Definition definition =
        read("digraph { \"\" -> a -> b -> {c; d} [label=go] subgraph { c d } -> a }");

    assertThat(arrows(definition))
        .containsExactlyInAnyOrder(
            "[*] > a : go", "a > b : go", "b > c : go", "b > d : go", "c > a", "d > a");
  }

  @Test
  void clusters_are_states_with_states_inside() {
    Definition definition =
        read(
            """
            digraph {
              compound=true
              _start [shape=none, label=""]
              _start -> idle
              subgraph cluster_busy {
                label = "Busy doing things"
                b0 [shape=point] b0 -> one
                one -> two [label=next]
                subgraph cluster_inner { three }
                two -> three [label=in]
              }
              idle -> one [label=go, lhead=cluster_busy]
              two -> idle [label=stop, ltail="cluster_busy"]
              { rank=same; idle; one }
            }
            """);

    assertThat(definition.problems()).isEmpty();
    assertThat(Graph.of(machine(definition)).states())
        .extracting(v -> v.within() + "/" + v.id())
        .containsExactly("/idle", "/busy", "busy/one", "busy/two", "busy/inner", "inner/three");
    assertThat(arrows(definition))
        .containsExactlyInAnyOrder(
            "[*] > idle",
            "[*] > one",
            "one > two : next",
            "two > three : in",
            "idle > busy : go",
            "busy > idle : stop");
    assertThat(state(definition, "busy").note()).isEqualTo("\"Busy doing things\"");
  }

  @Test
  void names_with_spaces_become_ids_and_are_kept_as_texts() {
    Definition definition =
        read("digraph { start [shape=point] start -> \"In Progress\" -> \"In_Progress\" }");

    assertThat(state(definition, "In_Progress").note()).isEqualTo("\"In Progress\"");
    assertThat(Graph.of(machine(definition)).states())
        .extracting(Graph.Vertex::id)
        .containsExactly("In_Progress", "In_Progress_2");
  }

  @Test
  void shapes_say_what_a_node_is() {
    Definition definition =
        read(
            """
            digraph {
              s [shape=point] s -> q
              q [shape=diamond] q -> done [label=yes] q -> out [label=no]
              done [peripheries=2]
              out -> e e [shape=point]
            }
            """);

    assertThat(state(definition, "q").kind()).isEqualTo(State.Kind.CHOICE);
    assertThat(state(definition, "done").kind()).isEqualTo(State.Kind.FINAL);
    assertThat(state(definition, "out").kind()).isEqualTo(State.Kind.FINAL);
  }

  @Test
  void the_only_node_that_nothing_leads_to_is_the_start() {
    Definition definition = read("digraph { a -> b [label=go] b -> b [label=again] }");

    assertThat(codes(definition)).containsExactly("assumed-start");
    assertThat(arrows(definition)).contains("[*] > a");
    assertThat(codes(read("digraph { a -> b [label=x] b -> a [label=y] }")))
        .containsExactly("missing-start");
  }

  @Test
  void what_is_no_state_machine_is_a_problem() {
    assertThat(codes(read("graph { a -- b }"))).startsWith("undirected");
    assertThat(codes(read("flowchart"))).containsExactly("dot-syntax");
    assertThat(read("").machine()).isNull();
    assertThat(codes(read("digraph { s [shape=point] s -> a; a -> ; b [label= }")))
        .contains("dot-syntax");
    assertThat(codes(read("digraph { s [shape=point] s -> a [owner=kim] a -> b [owner=jo] }")))
        .containsExactly("ignored-attribute");
    assertThat(codes(read("digraph { s [shape=point] s->a a->b b [shape=doublecircle] b->a }")))
        .containsExactly("final-with-exits");
  }

  @Test
  void problems_have_places() {
    Problem problem =
        read("digraph {\n  s [shape=point] s -> a\n  a -> ]\n}").problems().getFirst();

    assertThat(problem.place()).hasToString("Place[line=3, column=8]");
  }

  @Test
  void huge_and_broken_texts_are_refused_or_read_fast() {
    String[] texts = {
      "x".repeat(5_000_000),
      "digraph {" + "a->b;".repeat(500_000),
      "digraph {" + "{".repeat(1_000_000),
      "digraph {" + "subgraph cluster_a {".repeat(100_000),
      "digraph {" + "a [label=\"".repeat(300_000),
      "digraph {" + "<".repeat(1_000_000),
      "digraph {" + "/*".repeat(1_000_000),
      "digraph {" + "{a b c d e f g h} -> ".repeat(100_000),
      "digraph {" + "\"a\" + ".repeat(300_000),
      "digraph {" + "] [ = , ".repeat(300_000),
    };
    for (String text : texts) {
      Assertions.assertTimeoutPreemptively(Duration.ofSeconds(20), () -> read(text));
    }
  }

  @Test
  void no_mutilated_text_makes_it_throw() {
    String[] bits = {
      "a", "b", "\"\"", "->", "--", "{", "}", "[", "]", "=", ";", ":", "subgraph ", "cluster_x ",
      "label", "shape", "point", "<b>", "<", "\"", "//", "/*", "#", "\n", " ", "+", "-1", "edge",
      "node ", "class=region ", "lhead=cluster_x"
    };
    Random random = new Random(11);
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder("digraph {");
      for (int j = random.nextInt(30); j >= 0; j--) {
        text.append(bits[random.nextInt(bits.length)]).append(random.nextBoolean() ? " " : "");
      }
      assertThatCode(() -> read(text.toString())).as(text.toString()).doesNotThrowAnyException();
    }
  }

  private static Definition read(String text) {
    return DotReader.read(new Source("test.dot", text));
  }

  private static Machine machine(Definition definition) {
    return Objects.requireNonNull(definition.machine());
  }

  private static List<String> codes(Definition definition) {
    return definition.problems().stream().map(Problem::code).toList();
  }

  private static List<String> arrows(Definition definition) {
    return Graph.of(machine(definition)).edges().stream()
        .map(e -> e.from() + " > " + e.to() + (e.label().isEmpty() ? "" : " : " + e.label()))
        .toList();
  }

  private static State state(Definition definition, String id) {
    return find(machine(definition).root(), id);
  }

  private static State find(State state, String id) {
    return state.id().equals(id)
        ? state
        : state.children().stream()
            .filter(c -> contains(c, id))
            .map(c -> find(c, id))
            .findFirst()
            .orElseThrow();
  }

  private static boolean contains(State state, String id) {
    return state.id().equals(id) || state.children().stream().anyMatch(c -> contains(c, id));
  }
}
