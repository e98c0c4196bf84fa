package dev.signalbox.definition.play;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.scxml.ScxmlReader;
import dev.signalbox.definition.yaml.YamlReader;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.machine.Machine;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PlaygroundTest {

  private static Machine yaml(String text) {
    return Objects.requireNonNull(YamlReader.read(new Source("m.yaml", text)).machine());
  }

  private static Machine scxml(String states) {
    String text =
        "<scxml xmlns='http://www.w3.org/2005/07/scxml' version='1.0' name='m'>"
            + states
            + "</scxml>";
    return Objects.requireNonNull(ScxmlReader.read(new Source("m.scxml", text), null).machine());
  }

  private static Transcript play(Machine machine, Machine... others) {
    return new Playground(machine, new MachineLibrary(List.of(others), null)).play(List.of());
  }

  @Test
  void a_machine_that_never_rests_is_stopped_and_says_so() {
    Machine clock =
        yaml(
            """
            machine: clock
            states:
              TICK: { after: { 1s: TOCK } }
              TOCK: { after: { 1s: TICK } }
            """);
    Transcript transcript =
        new Playground(clock, new MachineLibrary(List.of(), null), 100).play(List.of());
    assertThat(transcript.entries()).hasSize(100);
    assertThat(transcript.entries().getLast().time()).isEqualTo(99_000);
    assertThat(transcript.summary("f"))
        .containsEntry("final", false)
        .containsEntry("stopped", "after 100 steps, with more to do");
  }

  @Test
  void a_pause_shows_where_the_play_stands_and_what_comes_next() {
    Machine door =
        yaml(
            """
            machine: door
            context: { knocks: { type: int, default: 0 } }
            states:
              SHUT:
                on:
                  knock: { assign: { knocks: ctx.knocks + 1 } }
                  open: { to: OPEN, when: ctx.knocks > 0 }
              OPEN: { after: { 5m: SHUT }, on: { break: GONE } }
              GONE: { final: true }
            """);
    List<Stimulus> knockAndOpen =
        List.of(
            new Stimulus.Send("open", null, null),
            new Stimulus.Send("knock", null, null),
            new Stimulus.Wait(Duration.ofSeconds(2)),
            new Stimulus.Send("open", null, null));
    Stage open = pause(door, knockAndOpen);

    assertThat(open.leaves()).containsExactly("OPEN");
    assertThat(open.context()).containsEntry("knocks", 1L);
    assertThat(open.awaited()).containsExactly("break");
    assertThat(open.now()).isEqualTo(2_000);
    assertThat(open.nextDue()).isEqualTo(302_000);
    assertThat(open.entries().get(1).json()).containsKey("rejection");

    Stage shut =
        pause(
            door,
            Stream.concat(
                    knockAndOpen.stream(), Stream.of(new Stimulus.Wait(Duration.ofMinutes(5))))
                .toList());
    assertThat(shut.leaves()).containsExactly("SHUT");
    assertThat(shut.nextDue()).isNull();

    Stage gone =
        pause(
            door,
            Stream.concat(knockAndOpen.stream(), Stream.of(new Stimulus.Send("break", null, null)))
                .toList());
    assertThat(gone.done()).isTrue();
    assertThat(gone.awaited()).isEmpty();
  }

  @Test
  void a_play_has_the_door_of_the_runtime() {
    Machine purchase =
        yaml(
            """
            machine: purchase
            events:
              approve: { roles: [approver] }
              note: { data: { text: string } }
            states:
              ASKED: { waits: for somebody, on: { approve: PAYING, note: {} } }
              PAYING:
                waits: for the payment
                entry: [ { perform: { effect: pay, idempotent: true } } ]
                on: { pay.*: ENDED }
              ENDED: { final: true }
            """);
    Actor eve = new Actor(Actor.Kind.USER, "eve", List.of());
    Actor ann = new Actor(Actor.Kind.USER, "ann", List.of("approver"));
    for (Stimulus.Send refused :
        List.of(
            new Stimulus.Send("approve", null, eve),
            new Stimulus.Send("approve.x", null, eve),
            new Stimulus.Send("approve.x", null, ann),
            new Stimulus.Send("approve.", null, null),
            new Stimulus.Send("note", Map.of("text", 1L), null))) {
      assertThat(pause(purchase, List.of(refused)).leaves())
          .as(refused.event())
          .containsExactly("ASKED");
    }
    Stimulus.Send approve = new Stimulus.Send("approve", null, ann);
    for (String invented : List.of("pay.succeeded.x", "pay.other", "pay", "(cancel)")) {
      assertThat(pause(purchase, List.of(approve, new Stimulus.Send(invented, null, ann))).leaves())
          .as(invented)
          .containsExactly("PAYING");
    }
    Stimulus.Send paid = new Stimulus.Send("pay.succeeded", null, null);
    assertThat(pause(purchase, List.of(approve, paid)).leaves()).containsExactly("ENDED");
  }

  private static Stage pause(Machine machine, List<Stimulus> stimuli) {
    return new Playground(machine, new MachineLibrary(List.of(), null)).pause(stimuli);
  }

  @Test
  void a_machine_that_invokes_itself_for_ever_is_stopped() {
    Machine endless =
        scxml(
            "<state id='s'><invoke id='c' src='m'/><transition event='none' target='s'/></state>");
    Transcript transcript = play(endless, endless);
    assertThat(transcript.entries()).hasSizeLessThan(200);
    assertThat(transcript.entries())
        .anySatisfy(e -> assertThat(e.event().name()).isEqualTo("error.communication"));
  }

  @Test
  void a_child_is_found_by_the_name_of_its_machine() {
    Machine parent =
        yaml(
            """
            machine: parent
            states:
              WAITING:
                invoke: { machine: child, id: c }
                on: { done.invoke.c: DONE }
                after: { 1h: LATE }
              DONE: { final: true }
              LATE: { final: true }
            """);
    Machine child = yaml("{ machine: child, states: { ONLY: { final: true } } }");
    assertThat(play(parent, child).states()).containsExactly("DONE");
    assertThat(play(parent).states()).containsExactly("LATE");
  }

  @Test
  void timers_of_one_moment_fire_in_the_order_they_were_scheduled() {
    Machine machine =
        scxml(
            """
            <datamodel><data id="log" expr="''"/></datamodel>
            <state id="s">
              <onentry>
                <send event="b" delay="2s"/><send event="a" delay="1s"/><send event="c" delay="2s"/>
              </onentry>
              <transition event="c" cond="data.log == 'ab'" target="pass"/>
              <transition event="*"><assign location="log" expr="data.log + _event.name"/></transition>
            </state>
            <final id="pass"/>
            """);
    assertThat(play(machine).states()).containsExactly("pass");
  }

  @Test
  void the_same_play_gives_the_same_transcript() {
    Machine machine =
        scxml(
            """
            <parallel id="p">
              <state id="x"><invoke id="c"><content><scxml><state id="i"><onentry>
                <send event="up" target="#_parent" delay="1s"/></onentry></state></scxml></content></invoke></state>
              <state id="y"><onentry><send event="up" delay="1s"/></onentry>
                <transition event="up" target="z"/></state>
              <state id="z"/>
            </parallel>
            """);
    assertThat(play(machine).entries().stream().map(Entry::json).toList())
        .isEqualTo(play(machine).entries().stream().map(Entry::json).toList());
  }

  @Test
  void given_events_are_read_from_json_lines() {
    Problems problems = new Problems("e");
    List<Stimulus> events =
        StimulusReader.read(
            new Source(
                "e",
                """
                {"event":"a","data":{"n":1},"after":"5m","actor":{"kind":"agent","name":"x","roles":["r"]}}

                {"event":"b","actor":"kim"}
                """),
            problems);
    assertThat(problems.list()).isEmpty();
    assertThat(events)
        .containsExactly(
            new Stimulus.Wait(Duration.ofMinutes(5)),
            new Stimulus.Send("a", Map.of("n", 1L), new Actor(Actor.Kind.AGENT, "x", List.of("r"))),
            new Stimulus.Send("b", null, new Actor(Actor.Kind.USER, "kim", List.of())));
  }

  @Test
  void a_given_event_that_is_none_is_a_problem_on_its_line() {
    Problems problems = new Problems("e");
    StimulusReader.read(
        new Source(
            "e",
            """
            {"event":"a"}
            {"event":
            {"data":1}
            {"event":"a","after":"soon"}
            {"event":"a","actor":7}
            {"event":"a","afer":"5m"}
            """),
        problems);
    assertThat(problems.list())
        .extracting(Problem::code)
        .containsExactly(
            "not-json", "not-an-event", "not-a-duration", "not-an-actor", "unknown-key");
    assertThat(problems.list()).extracting(p -> p.place().line()).containsExactly(2, 3, 4, 5, 6);
  }
}
