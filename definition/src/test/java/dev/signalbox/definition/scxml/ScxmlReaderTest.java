package dev.signalbox.definition.scxml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Invoke;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.State.Kind;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import dev.signalbox.kernel.machine.Type;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScxmlReaderTest {

  private static Definition read(String body) {
    return ScxmlReader.read(new Source("dir/door.scxml", body), null);
  }

  private static Machine machine(String body) {
    Definition definition = read(body);
    assertThat(definition.problems()).isEmpty();
    return Objects.requireNonNull(definition.machine());
  }

  private static Machine scxml(String body) {
    return machine(
        "<scxml xmlns='http://www.w3.org/2005/07/scxml' version='1.0'>" + body + "</scxml>");
  }

  private static Definition broken(String body) {
    return read(
        "<scxml xmlns='http://www.w3.org/2005/07/scxml' version='1.0'>\n" + body + "</scxml>");
  }

  private static List<Action> entry(String actions) {
    return scxml("<state id='s'><onentry>" + actions + "</onentry></state>")
        .root()
        .children()
        .getFirst()
        .entry()
        .getFirst();
  }

  private static List<String> codes(Definition definition) {
    return definition.problems().stream().map(Problem::code).toList();
  }

  @Test
  void a_machine_is_named_by_its_name_or_else_by_its_file() {
    assertThat(machine("<scxml xmlns='http://www.w3.org/2005/07/scxml' name='n'/>").name())
        .isEqualTo("n");
    assertThat(machine("<scxml xmlns='http://www.w3.org/2005/07/scxml'/>").name())
        .isEqualTo("door");
  }

  @Test
  void a_machine_has_the_meaning_that_scxml_gives_it() {
    assertThat(scxml("").mode()).isEqualTo(Machine.Mode.SCXML);
  }

  @Test
  void all_kinds_of_states_are_read() {
    State root =
        scxml(
                """
                <state id="a" initial="a2 a3"><state id="a1"/><parallel id="a2"/></state>
                <state id="b"><initial><transition target="b1"><raise event="x"/></transition></initial>
                  <state id="b1"/></state>
                <history id="h"><transition target="a"/></history>
                <history id="d" type="deep"><transition target="a"/></history>
                <final id="f"><donedata><param name="p" expr="1 + 1"/></donedata></final>
                """)
            .root();
    assertThat(root.children()).extracting(State::id).containsExactly("a", "b", "h", "d", "f");
    assertThat(root.children())
        .extracting(State::kind)
        .containsExactly(
            Kind.STATE, Kind.STATE, Kind.SHALLOW_HISTORY, Kind.DEEP_HISTORY, Kind.FINAL);
    assertThat(root.children().get(0).initial()).isEqualTo(Transition.to(List.of("a2", "a3")));
    assertThat(root.children().get(0).children().get(1).kind()).isEqualTo(Kind.PARALLEL);
    assertThat(root.children().get(1).initial())
        .isEqualTo(
            Transition.to("b1")
                .doing(List.of(new Action.Raise(Operand.literal("x"), Payload.NONE))));
    assertThat(root.children().get(2).initial()).isEqualTo(Transition.to("a"));
    assertThat(root.children().get(4).done())
        .isEqualTo(new Payload(List.of(Payload.Param.of("p", Operand.expr("1 + 1"))), null));
    assertThat(root.initial()).isNull();
  }

  @Test
  void states_without_id_get_ids_that_no_other_state_has() {
    State root = scxml("<state><final/></state><state id='state-1'/><final/>").root();
    assertThat(root.children()).extracting(State::id).doesNotHaveDuplicates().contains("state-1");
  }

  @Test
  void a_transition_has_events_condition_targets_and_type() {
    Transition transition =
        scxml(
                "<state id='s'><transition event='a b.*' cond='x &lt; 1' target='s t'"
                    + " type='internal'/></state>")
            .root()
            .children()
            .getFirst()
            .transitions()
            .getFirst();
    assertThat(transition)
        .isEqualTo(
            new Transition(
                Trigger.on("a", "b.*"),
                Guard.of("x < 1"),
                List.of("s", "t"),
                true,
                List.of(),
                null));
  }

  @Test
  void each_onentry_is_a_block_of_its_own() {
    State state =
        scxml("<state id='s'><onentry><raise event='a'/></onentry><onentry/><onexit/></state>")
            .root()
            .children()
            .getFirst();
    assertThat(state.entry()).hasSize(2);
    assertThat(state.exit()).hasSize(1);
  }

  @Test
  void if_has_its_branches_and_what_is_left() {
    Action.If choice =
        (Action.If)
            entry("<if cond='a'><log/><elseif cond='b'/><else/><log label='l' expr='1'/></if>")
                .getFirst();
    assertThat(choice.branches())
        .extracting(Action.Branch::condition)
        .containsExactly(Operand.expr("a"), Operand.expr("b"));
    assertThat(choice.branches().get(0).actions()).containsExactly(new Action.Log(null, null));
    assertThat(choice.branches().get(1).actions()).isEmpty();
    assertThat(choice.otherwise()).containsExactly(new Action.Log("l", Operand.expr("1")));
  }

  @Test
  void foreach_has_its_list_its_names_and_its_body() {
    assertThat(entry("<foreach array='data.l' item='i' index='n'><cancel sendid='x'/></foreach>"))
        .containsExactly(
            new Action.Foreach(
                Operand.expr("data.l"),
                "i",
                "n",
                List.of(new Action.Cancel(Operand.literal("x")))));
  }

  @Test
  void inline_values_are_json_or_text_with_single_spaces_or_xml() {
    assertThat(
            entry(
                """
                <assign location="a">[1, {"b": 2.5}]</assign>
                <assign location="a">  two
                   words </assign>
                <assign location="a"><x y="1">t</x></assign>
                <assign location="a">"q"</assign>
                """))
        .extracting(a -> ((Action.Assign) a).value())
        .containsExactly(
            Operand.literal(List.of(1L, Map.of("b", 2.5))),
            Operand.literal("two words"),
            Operand.literal("<x xmlns=\"http://www.w3.org/2005/07/scxml\" y=\"1\">t</x>"),
            Operand.literal("q"));
  }

  @Test
  void send_has_names_or_expressions_for_everything() {
    assertThat(
            entry(
                """
                <send event="e" target="#_parent" type="t" id="i" delay="1.5s" namelist="a b"/>
                <send eventexpr="x" targetexpr="y" typeexpr="z" idlocation="l" delayexpr="d">
                  <param name="p" location="q"/><param name="r" expr="1"/></send>
                <send event="e"><content expr="c"/></send>
                <send event="e"><content>12</content></send>
                """))
        .containsExactly(
            new Action.Send(
                Operand.literal("e"),
                Operand.literal("#_parent"),
                Operand.literal("t"),
                "i",
                null,
                Operand.literal(Duration.ofMillis(1500)),
                new Payload(
                    List.of(
                        new Payload.Param("a", Operand.literal("a"), true),
                        new Payload.Param("b", Operand.literal("b"), true)),
                    null)),
            new Action.Send(
                Operand.expr("x"),
                Operand.expr("y"),
                Operand.expr("z"),
                null,
                "l",
                Operand.expr("d"),
                new Payload(
                    List.of(
                        new Payload.Param("p", Operand.literal("q"), true),
                        Payload.Param.of("r", Operand.expr("1"))),
                    null)),
            new Action.Send(
                Operand.literal("e"),
                null,
                null,
                null,
                null,
                null,
                new Payload(List.of(), Operand.expr("c"))),
            new Action.Send(
                Operand.literal("e"),
                null,
                null,
                null,
                null,
                null,
                new Payload(List.of(), Operand.literal(12L))));
  }

  @Test
  void an_invoke_may_hold_its_machine() {
    Invoke invoke =
        scxml(
                """
                <state id="s"><invoke type="scxml" id="i" autoforward="true">
                  <param name="x" expr="1"/>
                  <content><scxml><final id="f"/></scxml></content>
                  <finalize><assign location="v" expr="_event.data"/></finalize>
                </invoke></state>
                """)
            .root()
            .children()
            .getFirst()
            .invokes()
            .getFirst();
    assertThat(invoke.id()).isEqualTo("i");
    assertThat(invoke.autoforward()).isTrue();
    assertThat(invoke.input().params()).containsExactly(Payload.Param.of("x", Operand.expr("1")));
    assertThat(invoke.finalizer())
        .containsExactly(new Action.Assign("v", Operand.expr("_event.data")));
    assertThat(Objects.requireNonNull(invoke.inline()).root().children())
        .extracting(State::id)
        .containsExactly("f");
    assertThat(Objects.requireNonNull(invoke.inline()).name()).isEqualTo("door.1");
  }

  @Test
  void an_invoke_may_compute_where_its_machine_is() {
    List<Invoke> invokes =
        scxml(
                """
                <state id="s"><invoke typeexpr="t" srcexpr="u" idlocation="v" namelist="n"/>
                <invoke src="file:a.scxml"/><invoke><content expr="data.c"/></invoke></state>
                """)
            .root()
            .children()
            .getFirst()
            .invokes();
    assertThat(invokes.get(0).type()).isEqualTo(Operand.expr("t"));
    assertThat(invokes.get(0).source()).isEqualTo(Operand.expr("u"));
    assertThat(invokes.get(0).idLocation()).isEqualTo("v");
    assertThat(invokes.get(0).input().params()).hasSize(1);
    assertThat(invokes.get(1).source()).isEqualTo(Operand.literal("file:a.scxml"));
    assertThat(invokes.get(2).content()).isEqualTo(Operand.expr("data.c"));
  }

  @Test
  void data_of_a_state_joins_the_context_unless_it_is_bound_late() {
    String states = "<state id='s'><datamodel><data id='x' expr='1'/></datamodel></state></scxml>";
    Machine early = machine("<scxml xmlns='http://www.w3.org/2005/07/scxml'>" + states);
    Machine late =
        machine("<scxml xmlns='http://www.w3.org/2005/07/scxml' binding='late'>" + states);
    Field field = Field.of("x", Type.ANY, Operand.expr("1"));
    assertThat(early.context()).containsExactly(field);
    assertThat(early.root().children().getFirst().data()).isEmpty();
    assertThat(late.context()).isEmpty();
    assertThat(late.root().children().getFirst().data()).containsExactly(field);
  }

  @Test
  void data_may_come_from_a_file_of_the_same_folder(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("list.json"), "[1, 2]");
    Definition definition =
        ScxmlReader.read(
            new Source(
                "a.scxml",
                "<scxml xmlns='http://www.w3.org/2005/07/scxml'><datamodel>"
                    + "<data id='x' src='file:list.json'/></datamodel></scxml>"),
            folder);
    assertThat(definition.problems()).isEmpty();
    assertThat(Objects.requireNonNull(definition.machine()).context())
        .containsExactly(Field.of("x", Type.ANY, Operand.literal(List.of(1L, 2L))));
  }

  @Test
  void data_from_outside_the_folder_is_a_problem(@TempDir Path folder) throws IOException {
    Path inner = Files.createDirectory(folder.resolve("inner"));
    Files.writeString(folder.resolve("secret.txt"), "secret");
    Files.createSymbolicLink(inner.resolve("link.txt"), folder.resolve("secret.txt"));
    for (String src :
        List.of(
            "../secret.txt",
            "a/../../secret.txt",
            folder.resolve("secret.txt").toString(),
            "file://" + folder.resolve("secret.txt"),
            "http://example.org/secret.txt",
            "link.txt",
            "missing.txt",
            "")) {
      Definition definition =
          ScxmlReader.read(
              new Source(
                  "a.scxml",
                  "<scxml xmlns='http://www.w3.org/2005/07/scxml'><datamodel>\n<data id='x' src='"
                      + src
                      + "'/></datamodel></scxml>"),
              inner);
      assertThat(codes(definition)).as(src).containsExactly("src-refused");
      assertThat(definition.problems().getFirst().place()).isEqualTo(new Place(2, 19));
    }
  }

  @Test
  void a_location_that_cannot_be_is_no_problem_before_it_is_used() {
    assertThat(entry("<assign location='a.b.c' expr='1'/><send event='e' namelist='\"x'/>"))
        .hasSize(2);
  }

  @Test
  void a_script_is_a_problem() {
    assertThat(codes(broken("<script>x = 1</script>"))).containsExactly("script");
    assertThat(codes(broken("<state id='s'><onentry><script/></onentry></state>")))
        .containsExactly("script");
  }

  @Test
  void an_element_of_another_namespace_is_a_warning_with_its_place() {
    Definition definition = broken("<state id='s'/>\n  <x:y xmlns:x='urn:x'/>");
    assertThat(codes(definition)).containsExactly("foreign-element");
    assertThat(definition.hasErrors()).isFalse();
    assertThat(definition.problems().getFirst().place()).isEqualTo(new Place(3, 3));
  }

  @Test
  void every_problem_is_found_at_once() {
    assertThat(
            codes(
                broken(
                    """
                    <state id="s"><onentry>
                      <assign expr="1"/><send event="e" delay="soon"/><raise/><nonsense/>
                      <if><else/><elseif cond="x"/></if><cancel/>
                      <send event="a" eventexpr="b"/></onentry>
                      <transition type="odd"/></state>
                    <history id="h" type="odd"/>
                    """)))
        .containsExactlyInAnyOrder(
            "missing-attribute",
            "not-a-duration",
            "missing-attribute",
            "unknown-element",
            "missing-attribute",
            "after-else",
            "missing-attribute",
            "one-of-two",
            "unknown-transition-type",
            "unknown-history");
  }

  @Test
  void an_attribute_nobody_knows_is_a_warning() {
    Definition definition = broken("<state id='s' inital='x'/>");
    assertThat(codes(definition)).containsExactly("unknown-attribute");
    assertThat(definition.problems().getFirst().place()).isEqualTo(new Place(2, 23));
    assertThat(definition.hasErrors()).isFalse();
  }

  @Test
  void xml_that_is_not_well_formed_is_a_problem_with_its_place() {
    Definition definition = read("<scxml>\n <state>\n</scxml>");
    assertThat(codes(definition)).containsExactly("xml");
    assertThat(definition.problems().getFirst().place().line()).isEqualTo(3);
    assertThat(definition.machine()).isNull();
  }

  @Test
  void a_document_type_is_refused() {
    assertThat(
            codes(
                read("<!DOCTYPE scxml [<!ENTITY a 'b'><!ENTITY c '&a;&a;'>]><scxml name='&c;'/>")))
        .containsExactly("doctype");
    assertThat(codes(read("<!DOCTYPE scxml SYSTEM 'file:///etc/passwd'><scxml/>")))
        .containsExactly("doctype");
  }

  @Test
  void nesting_without_end_is_refused() {
    assertThat(codes(read("<scxml>" + "<state>".repeat(100_000)))).containsExactly("too-deep");
  }

  @Test
  void more_levels_or_states_than_a_machine_may_have_are_a_problem() {
    assertThat(codes(broken("<state>".repeat(65) + "</state>".repeat(65))))
        .containsExactly("too-deep");
    assertThat(codes(broken("<state/>".repeat(10_001)))).containsExactly("too-many-states");
    assertThat(codes(broken("<state>".repeat(64) + "</state>".repeat(64)))).isEmpty();
  }

  @Test
  void a_huge_text_is_refused() {
    assertThat(codes(read(" ".repeat(Source.LARGEST + 1)))).containsExactly("too-large");
  }

  @Test
  void another_document_is_refused() {
    assertThat(codes(read("<html/>"))).containsExactly("not-scxml");
  }

  @Test
  void elements_have_their_places() {
    Definition definition =
        broken(
            "<!-- <state> --><state id='s'>\n  <transition cond = \"data.x\" event='>'/></state>");
    State state = Objects.requireNonNull(definition.machine()).root().children().getFirst();
    Transition transition = state.transitions().getFirst();
    assertThat(definition.places().of(state)).isEqualTo(new Place(2, 17));
    assertThat(definition.places().of(transition)).isEqualTo(new Place(3, 3));
    assertThat(definition.places().of(Objects.requireNonNull(transition.guard()).condition()))
        .isEqualTo(new Place(3, 23));
  }
}
