package dev.signalbox.definition.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.machine.Type;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StrictNamesTest {
  private final Workbench bench =
      Workbench.strict(
          Workbench.field("tools", Type.listOf(Type.STRING)),
          Workbench.field("count", Type.INT),
          Workbench.field("note", Type.STRING.orAbsent()));

  @Test
  void ctx_reads_the_context() {
    Workbench here = bench.with("tools", List.of("lint")).with("count", 3L);
    assertThat(here.eval("ctx.tools")).isEqualTo(List.of("lint"));
    assertThat(here.eval("ctx.count + 1")).isEqualTo(4L);
    assertThat(here.eval("ctx['count'] * 2")).isEqualTo(6L);
    assertThat(here.test("size(ctx.tools) == 1")).isTrue();
  }

  @Test
  void ctx_as_a_whole_has_the_fields_with_a_value() {
    Workbench here = bench.with("count", 3L).local("item", "x");
    assertThat(here.eval("ctx")).isEqualTo(Map.of("count", 3L));
  }

  @Test
  void a_field_without_a_value_is_absent() {
    assertThat(bench.test("has(ctx.count)")).isFalse();
    assertThat(bench.with("note", null).test("has(ctx.note)")).isTrue();
    assertThatExceptionOfType(EvaluationException.class)
        .isThrownBy(() -> bench.eval("ctx.count"))
        .withMessage("Expected `ctx.count` to have a value, but it has none.");
  }

  @Test
  void event_is_the_data_of_the_event() {
    Workbench here = bench.event(Map.of("tools", List.of("a", "b")));
    assertThat(here.eval("event.tools")).isEqualTo(List.of("a", "b"));
    assertThat(here.test("size(event.tools) > 1 && has(event.tools)")).isTrue();
    assertThat(here.test("has(event.other)")).isFalse();
    assertThat(bench.event(21L).test("event == 21")).isTrue();
  }

  @Test
  void an_event_without_data_has_no_fields() {
    for (Workbench here : List.of(bench, bench.event(null))) {
      assertThat(here.test("has(event.tools)")).isFalse();
      assertThat(here.eval("event")).isEqualTo(Map.of());
      assertThatExceptionOfType(EvaluationException.class)
          .isThrownBy(() -> here.eval("event.tools"))
          .withMessage("Expected the event to carry `tools`, but it does not.");
    }
  }

  @Test
  void a_null_in_the_event_is_a_value() {
    Map<String, Object> data = new HashMap<>();
    data.put("x", null);
    assertThat(bench.event(data).test("has(event.x) && event.x == null")).isTrue();
  }

  @Test
  void actor_tells_who_sent_the_event() {
    Actor kim = new Actor(Actor.Kind.USER, "kim", List.of("approver"));
    Workbench here = bench.at(Event.external("go", null, kim));
    assertThat(here.test("actor.name == 'kim' && actor.kind == 'user'")).isTrue();
    assertThat(here.test("'approver' in actor.roles")).isTrue();
    assertThat(bench.event(null).test("has(actor.name)")).isFalse();
  }

  @Test
  void now_and_id_come_from_the_scope() {
    assertThat(bench.eval("now")).isEqualTo(Workbench.NOW);
    assertThat(bench.eval("id")).isEqualTo("i-1");
  }

  @Test
  void in_asks_for_an_active_state() {
    assertThat(bench.test("In('IDLE')")).isTrue();
    assertThat(bench.test("In('BUSY')")).isFalse();
  }

  @Test
  void foreach_variables_have_bare_names() {
    Workbench here = bench.local("item", "a").local("index", 2L);
    assertThat(here.eval("item + '!'")).isEqualTo("a!");
    assertThat(here.eval("index + 1")).isEqualTo(3L);
  }

  @Test
  void the_variable_of_a_macro_hides_everything_else() {
    assertThat(bench.local("x", 7L).eval("[1, 2].map(x, x + 1)")).isEqualTo(List.of(2L, 3L));
    assertThat(bench.eval("[5].map(event, event)")).isEqualTo(List.of(5L));
  }
}
