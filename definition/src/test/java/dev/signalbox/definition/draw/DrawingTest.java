package dev.signalbox.definition.draw;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.draw.Options.Direction;
import dev.signalbox.definition.draw.Options.Theme;
import dev.signalbox.definition.draw.Picture.Area;
import dev.signalbox.kernel.Edge;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;

/** What must be true of every picture, and how its parts look. */
class DrawingTest {

  static Stream<Machine> machines() {
    return Examples.all().values().stream();
  }

  @ParameterizedTest
  @MethodSource("machines")
  void every_state_occurs_exactly_once(Machine machine) {
    Picture picture = Picture.of(Drawing.svg(machine, Options.DEFAULT));

    assertThat(picture.with("data-state"))
        .extracting(e -> e.getAttribute("data-state"))
        .containsExactlyInAnyOrderElementsOf(states(machine.root()));
  }

  @ParameterizedTest
  @MethodSource("machines")
  void every_transition_occurs_exactly_once(Machine machine) {
    Picture picture = Picture.of(Drawing.svg(machine, Options.DEFAULT));

    assertThat(picture.withClass("transition").stream().filter(e -> e.hasAttribute("data-trigger")))
        .extracting(DrawingTest::edge)
        .containsExactlyInAnyOrderElementsOf(edges(machine.root()));
  }

  @ParameterizedTest
  @MethodSource("machines")
  void words_of_lines_stand_apart_from_each_other_and_from_boxes(Machine machine) {
    for (Direction direction : Direction.values()) {
      for (boolean badges : new boolean[] {false, true}) {
        Options options = Options.DEFAULT.direction(direction).badges(badges);
        Geometry.check(Picture.of(Drawing.svg(machine, options)));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("machines")
  void the_same_machine_gives_the_same_bytes(Machine machine) {
    List<String> pictures =
        Stream.generate(() -> machine)
            .limit(8)
            .parallel()
            .map(same -> Drawing.svg(same, Options.DEFAULT))
            .toList();

    assertThat(pictures).containsOnly(Drawing.svg(machine, Options.DEFAULT));
  }

  @ParameterizedTest
  @MethodSource("machines")
  void without_words_the_picture_is_a_smaller_map_of_the_same_states(Machine machine) {
    Options options = Options.DEFAULT.title(false).badges(true);
    Picture full = Picture.of(Drawing.svg(machine, options));
    Picture map = Picture.of(Drawing.svg(machine, options.words(false)));

    assertThat(map.with("data-state"))
        .extracting(e -> e.getAttribute("data-state"))
        .containsExactlyInAnyOrderElementsOf(states(machine.root()));
    assertThat(map.withClass("label")).isEmpty();
    assertThat(map.withClass("note")).isEmpty();
    assertThat(map.withClass("edge")).hasSameSizeAs(full.withClass("edge"));
    assertThat(area(map)).isLessThanOrEqualTo(area(full));
  }

  private static double area(Picture picture) {
    return Double.parseDouble(picture.root().getAttribute("width"))
        * Double.parseDouble(picture.root().getAttribute("height"));
  }

  @Test
  void a_target_that_does_not_exist_is_drawn_as_missing() {
    Picture picture = Picture.of(Drawing.svg(Examples.unsound(), Options.DEFAULT));

    assertThat(picture.with("data-missing"))
        .extracting(e -> e.getAttribute("data-missing"))
        .containsExactlyInAnyOrder("lost", "nowhere");
    assertThat(picture.withClass("missing")).hasSize(2);
  }

  @Test
  void no_two_elements_have_one_id() {
    for (Machine machine : Examples.all().values()) {
      Picture picture = Picture.of(Drawing.svg(machine, Options.DEFAULT));

      assertThat(picture.with("id")).extracting(e -> e.getAttribute("id")).doesNotHaveDuplicates();
    }
  }

  @Test
  void transitions_between_the_same_two_states_share_a_line() {
    Machine machine =
        TransitionTable.machine(
            "m", List.of("(start),,A", "A,one,B", "A,two[x],B", "A,after 5m,B"));
    Picture picture = Picture.of(Drawing.svg(machine, Options.DEFAULT));

    assertThat(picture.withClass("edge")).hasSize(2);
    assertThat(picture.withClass("label")).hasSize(1);
    assertThat(picture.with("data-trigger"))
        .extracting(e -> e.getAttribute("data-trigger"))
        .containsExactly("one", "two", "after 5m");
    assertThat(picture.withClass("guard"))
        .extracting(Element::getTextContent)
        .containsExactly("[x]");
  }

  @Test
  void a_line_that_only_time_takes_is_dashed_and_has_a_clock() {
    Machine machine = TransitionTable.machine("m", List.of("(start),,A", "A,after 5m,B", "A,go,C"));
    Picture picture = Picture.of(Drawing.svg(machine, Options.DEFAULT));

    assertThat(picture.withClass("timed"))
        .extracting(e -> e.getAttribute("data-to"))
        .containsExactly("B");
    assertThat(picture.withClass("clock")).hasSize(1);
  }

  @Test
  void an_active_and_a_visited_state_have_the_class_and_the_same_place() {
    Machine machine = TransitionTable.machine("m", List.of("(start),,A", "A,go,B", "B,stop,C"));
    Edge edge = new Edge("A", "go", List.of("B"));
    Highlight highlight =
        new Highlight(
            Set.of("B"), Set.of("A"), Set.of(edge), Map.of("B", 1_234L), Map.of(edge, 7L));
    Picture plain = Picture.of(Drawing.svg(machine, Options.DEFAULT.badges(true)));
    Picture lit = Picture.of(Drawing.svg(machine, Options.DEFAULT.highlight(highlight)));

    assertThat(lit.withClass("active"))
        .extracting(e -> e.getAttribute("data-state"))
        .containsExactly("B");
    assertThat(lit.withClass("visited"))
        .extracting(e -> e.getTagName() + e.getAttribute("data-to"))
        .containsExactlyInAnyOrder("g", "gB", "gB");
    assertThat(lit.withClass("count")).extracting(Element::getTextContent).contains("1.2k");
    assertThat(lit.withClass("flow")).extracting(Element::getTextContent).contains("7");
    assertThat(lit.atoms()).isEqualTo(plain.atoms());
    assertThat(lit.labels()).extracting(Area::x).isEqualTo(xs(plain));
  }

  @Test
  void the_automatic_theme_asks_the_reader_and_the_others_do_not() {
    Machine machine = Examples.order();

    assertThat(Drawing.svg(machine, Options.DEFAULT.theme(Theme.AUTO)))
        .contains("prefers-color-scheme:dark", Palette.LIGHT.ink(), Palette.DARK.ink());
    assertThat(Drawing.svg(machine, Options.DEFAULT.theme(Theme.DARK)))
        .contains(Palette.DARK.ink())
        .doesNotContain("prefers-color-scheme", Palette.LIGHT.ink());
  }

  @Test
  void the_title_and_the_details_can_be_left_out() {
    Machine machine = Examples.player();
    Options bare = Options.DEFAULT.title(false).details(false);

    assertThat(Drawing.svg(machine, Options.DEFAULT)).contains("class=\"heading\"", "entry / ");
    assertThat(Drawing.svg(machine, bare)).doesNotContain("class=\"heading\"", "entry / ");
  }

  @Test
  void a_machine_without_states_is_an_empty_picture() {
    Machine machine = Examples.machine("empty", Examples.root().build());

    assertThat(Picture.of(Drawing.svg(machine, Options.DEFAULT)).with("data-state")).isEmpty();
  }

  private static List<Double> xs(Picture picture) {
    return picture.labels().stream().map(Area::x).toList();
  }

  private static Edge edge(Element element) {
    String to = element.getAttribute("data-to");
    return new Edge(
        element.getAttribute("data-from"),
        element.getAttribute("data-trigger"),
        to.isEmpty() ? List.of() : List.of(to.split(" ")));
  }

  static List<String> states(State state) {
    List<String> ids = new ArrayList<>();
    for (State child : state.children()) {
      ids.add(child.id());
      ids.addAll(states(child));
    }
    return ids;
  }

  static List<Edge> edges(State state) {
    List<Edge> edges = new ArrayList<>();
    for (Transition transition : state.transitions()) {
      edges.add(new Edge(state.id(), transition.trigger().text(), transition.targets()));
    }
    state.children().forEach(child -> edges.addAll(edges(child)));
    return edges;
  }
}
