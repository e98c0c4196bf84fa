package dev.signalbox.definition.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Event;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScxmlNamesTest {
  private final Workbench bench = Workbench.scxml("Var1", "Var2", "Var3");

  @Test
  void data_reads_the_data_model() {
    Workbench here = bench.with("Var1", 1L).with("Var2", "ab").with("Var3", List.of(1L, 2L, 3L));
    assertThat(here.eval("data.Var1 + 1")).isEqualTo(2L);
    assertThat(here.eval("data.Var3 + [4]")).isEqualTo(List.of(1L, 2L, 3L, 4L));
    assertThat(here.test("data.Var2.startsWith('a')")).isTrue();
    assertThat(here.test("data.Var1 == data.Var2")).isFalse();
    assertThat(here.test("data.Var1 < 2")).isTrue();
    assertThat(here.eval("data"))
        .isEqualTo(Map.of("Var1", 1L, "Var2", "ab", "Var3", List.of(1L, 2L, 3L)));
  }

  @Test
  void presence_is_asked_with_has() {
    String bound = "(has(data.Var1) && data.Var1 != null)";
    assertThat(bench.test(bound)).isFalse();
    assertThat(bench.with("Var1", null).test(bound)).isFalse();
    assertThat(bench.with("Var1", 0L).test(bound)).isTrue();
    assertThat(bench.test("!" + bound)).isTrue();
    assertThat(bench.test("has(data.Nowhere)")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1 / 0",
        "data.Var1",
        "data.Nowhere",
        "nowhere",
        "nowhere(1)",
        "data.Var2.sub",
        "'a' + 1",
        "_event.name",
        "_x.y",
        "data.Var3[7]",
        "5 % 0",
        "9223372036854775807 + 1",
        "In(3)"
      })
  void what_has_no_value_fails_when_it_is_evaluated(String text) {
    Workbench here = bench.with("Var2", 3L).with("Var3", List.of());
    assertThatExceptionOfType(EvaluationException.class).isThrownBy(() -> here.eval(text));
  }

  @Test
  void the_event_has_all_its_fields() {
    Workbench here = bench.at(Event.internal("done.state.s1", null));
    assertThat(
            here.test(
                "has(_event.name) && has(_event.type) && has(_event.sendid)"
                    + " && has(_event.origin) && has(_event.origintype)"
                    + " && has(_event.invokeid) && has(_event.data)"))
        .isTrue();
    assertThat(here.eval("_event.name")).isEqualTo("done.state.s1");
    assertThat(here.eval("_event.type")).isEqualTo("internal");
    assertThat(here.test("!(has(_event.sendid) && _event.sendid != null)")).isTrue();
    assertThat(here.test("_event.data == null")).isTrue();
  }

  @Test
  void the_event_carries_what_its_sender_gave() {
    Event event =
        new Event(
            "e",
            Event.Kind.EXTERNAL,
            Map.of("aParam", 1L),
            null,
            "send1",
            "#_scxml_x",
            Roots.PROCESSOR,
            "inv1");
    Workbench here = bench.at(event);
    assertThat(here.eval("_event.data.aParam")).isEqualTo(1L);
    assertThat(here.eval("[_event.sendid, _event.origin, _event.origintype, _event.invokeid]"))
        .isEqualTo(List.of("send1", "#_scxml_x", Roots.PROCESSOR, "inv1"));
    assertThat(here.eval("_event.type")).isEqualTo("external");
    assertThat(bench.at(Event.external("e", 21L)).test("_event.data == 21")).isTrue();
  }

  @Test
  void there_is_no_event_before_the_first_one() {
    assertThat(bench.test("_event != null")).isFalse();
    assertThat(bench.eval("_event")).isNull();
  }

  @Test
  void the_session_is_the_instance() {
    assertThat(bench.eval("_sessionid")).isEqualTo("i-1");
    assertThat(bench.eval("_name")).isEqualTo("bench");
    assertThat(bench.eval("_ioprocessors['" + Roots.PROCESSOR + "'].location"))
        .isEqualTo("#_scxml_i-1");
    assertThat(bench.eval("_ioprocessors['scxml'].location")).isEqualTo("#_scxml_i-1");
    assertThat(bench.eval("_x")).isEqualTo(Map.of());
    assertThat(bench.eval("'#_scxml_' + _sessionid")).isEqualTo("#_scxml_i-1");
  }

  @Test
  void in_asks_for_an_active_state() {
    assertThat(bench.test("In('IDLE') && !In('BUSY') && !In('no such state')")).isTrue();
  }

  @Test
  void only_the_syntax_is_checked() {
    assertThat(bench.fault("'a' < 1")).isEqualTo("none");
    assertThat(bench.fault("nowhere == 1")).isEqualTo("none");
    assertThat(bench.fault("data.Var1 ==")).isNotEqualTo("none");
  }
}
