package dev.signalbox.definition.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Conformance;
import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WitnessesTest {
  private final Workbench bench =
      Workbench.strict(
              Workbench.field("count", Type.INT),
              Workbench.field("owner", Type.STRING),
              Workbench.field("pending", Type.listOf(Type.STRING)),
              Workbench.field("hidden", Type.ANY))
          .with("count", 7L)
          .with("owner", "kim")
          .with("pending", List.of("t-1", "t-2"))
          .with("hidden", Unknown.VALUE);

  private List<Witnesses.Candidate> candidates(Workbench at, String... conditions) {
    List<Operand.Expr> expressions = Arrays.stream(conditions).map(Operand::expr).toList();
    return Witnesses.of(at.machine()).candidates(expressions, "go", at.scope());
  }

  /** What the condition says about the candidates: true, false, fails. */
  private Set<String> answers(Workbench at, String condition, List<Witnesses.Candidate> from) {
    Set<String> answers = new TreeSet<>();
    for (Witnesses.Candidate candidate : from) {
      try {
        answers.add(String.valueOf(at.at(candidate.event("go")).test(condition)));
      } catch (EvaluationException e) {
        answers.add("fails");
      }
    }
    return answers;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "event.n > 3",
        "event.n >= 3 && event.n < 5",
        "3 <= event.n",
        "event.n == ctx.count",
        "event.n != 1",
        "event.x == 0.5",
        "event.ok",
        "!event.ok",
        "event.name == 'a' || event.name == 'b'",
        "event.name != ctx.owner",
        "event.name in ['a', 'b']",
        "!(event.name in ['a', 'b'])",
        "event.task in ctx.pending",
        "'x' in event.tags",
        "!('x' in event.tags)",
        "has(event.force) && event.force",
        "!has(event.force)",
        "size(event.tools) > 0",
        "size(event.tools) == 3",
        "0 < event.tools.size()",
        "event.tools.all(t, t == 'lint')",
        "event.tools.exists(t, t.startsWith('l'))",
        "size(event.tools) > 0 && event.tools.all(t, event.tools.exists_one(u, u == t))",
        "!event.findings.exists(f, f.severity == 'error')",
        "event.verdicts.map(v, v.by) == ['a', 'b'] && event.verdicts.all(v, v.ok)",
        "event.a.b.c == 1",
        "event.a['b'] == 1",
        "event.a == event.b",
        "event.a > event.b",
        "event.rank * 10 <= event.of + 9",
        "event.name.startsWith('pre')",
        "event.name.contains('x')",
        "event.name.endsWith('y')",
        "event.name.matches('^[a-z]+$')",
        "ctx.pending.exists(p, p == event.task)",
        "ctx.pending[0] == event.task",
        "event.n > 5 ? event.big : event.small",
        "actor.name == 'kim'",
        "actor.name != ctx.owner",
        "actor.kind == 'agent'",
        "actor.kind != 'user'",
        "'approver' in actor.roles",
        "event.n > 1 && ctx.hidden.x == 1 || event.n == 9",
        "event == {'a': 1}"
      })
  void some_candidate_meets_the_condition_and_some_does_not(String condition) {
    List<Witnesses.Candidate> found = candidates(bench, condition);
    Workbench settled = bench.with("hidden", Map.of("x", 2L));
    assertThat(answers(settled, condition, found)).contains("true", "false");
    assertThat(found).hasSizeLessThanOrEqualTo(Witnesses.MOST).doesNotHaveDuplicates();
  }

  @Test
  void the_first_candidate_meets_a_simple_condition() {
    for (String condition :
        List.of("event.n > 3", "size(event.l) == 2", "event.s == 'x' && event.n < 0")) {
      Witnesses.Candidate first = candidates(bench, condition).getFirst();
      assertThat(bench.at(first.event("go")).test(condition)).as(condition).isTrue();
    }
  }

  @Test
  void each_of_several_conditions_is_met_by_one_of_the_first() {
    List<Witnesses.Candidate> found =
        candidates(bench, "event.kind == 'a' && event.n == 1", "event.kind == 'b' && event.n == 2");
    List<Object> data = found.stream().limit(3).map(Witnesses.Candidate::data).toList();
    assertThat(data).contains(Map.of("kind", "a", "n", 1L)).contains(Map.of("kind", "b", "n", 2L));
  }

  @Test
  void candidates_respect_the_declared_type() {
    Type type =
        Type.object(
            Map.of(
                "status", Type.STRING.oneOf(List.of("ok", "bad")),
                "score", Type.DOUBLE,
                "note", Type.STRING.orAbsent(),
                "tags", Type.listOf(Type.STRING)));
    Workbench typed = bench.declaring(new EventType("go", null, type, List.of("boss")));
    List<Witnesses.Candidate> found =
        candidates(
            typed,
            "event.status == 'ok' && event.score > 0.5 && has(event.note)"
                + " && size(event.tags) > 1");
    assertThat(found)
        .isNotEmpty()
        .allSatisfy(c -> assertThat(Conformance.fault(type, c.data(), "event")).isNull())
        .allSatisfy(c -> assertThat(c.actor().roles()).contains("boss"));
    assertThat(
            answers(
                typed,
                "event.status == 'ok' && event.score > 0.5 && has(event.note)"
                    + " && size(event.tags) > 1",
                found))
        .contains("true", "false");
  }

  @Test
  void an_event_that_nothing_is_asked_of_has_one_candidate() {
    assertThat(candidates(bench, "ctx.count > 3"))
        .containsExactly(
            new Witnesses.Candidate(Map.of(), new Actor(Actor.Kind.USER, "actor", List.of())));
    assertThat(candidates(bench)).hasSize(1);
    assertThat(candidates(bench, "this is no expression")).hasSize(1);
  }

  @Test
  void an_event_brings_what_other_expressions_read() {
    List<Witnesses.Candidate> found = candidates(bench, "event.n > 1", "event.reason + '!'");
    assertThat(found.getFirst().data())
        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
        .containsKeys("n", "reason");
  }

  @Test
  void the_data_of_an_scxml_event_is_proposed() {
    Workbench scxml = Workbench.scxml("Var1").with("Var1", 4L);
    List<Witnesses.Candidate> found = candidates(scxml, "_event.data.x == data.Var1");
    assertThat(answers(scxml, "_event.data.x == data.Var1", found)).contains("true", "false");
  }

  @Provide
  Arbitrary<String> conditions() {
    return Arbitraries.randomValue(random ->
        new RandomExpressions(random)
            .condition(3)
            .replaceAll("data\\.([bdijlmostz])\\b", "event.$1"));
  }

  @Property(tries = 500)
  void whatever_the_condition_there_are_few_candidates(@ForAll("conditions") String condition) {
    List<Witnesses.Candidate> found = candidates(bench, condition);
    assertThat(found).isNotEmpty().hasSizeLessThanOrEqualTo(Witnesses.MOST);
  }
}
