package dev.signalbox.bench.kernel;

import dev.signalbox.definition.Source;
import dev.signalbox.definition.expression.CelExpressions;
import dev.signalbox.definition.yaml.YamlReader;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Kernel;
import dev.signalbox.kernel.Snapshot;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.machine.Machine;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/** Signalbox: a step for each event, every field of every step consumed. */
@State(Scope.Thread)
public class SignalboxBenchmark {
  static final String FLAT =
      """
      machine: run
      events:
        plan_ready: { data: { tools: { type: list, items: string } } }
      states:
        INIT: { on: { plan: PLANNING } }
        PLANNING: { on: { plan_ready: { to: EXECUTING, when: size(event.tools) > 0 } } }
        EXECUTING: { on: { high_risk_action: AWAITING_APPROVAL, all_tools_passed: VERIFYING } }
        AWAITING_APPROVAL: { on: { approved: EXECUTING } }
        VERIFYING: { on: { tests_passed: AUDITING } }
        AUDITING: { on: { audit_passed: COMPLETE } }
        COMPLETE: { final: true }
      """;

  /** Three levels, two regions; each event moves one region, as in the flat lifecycle. */
  static final String NESTED =
      """
      machine: nested
      events:
        plan_ready: { data: { tools: { type: list, items: string } } }
      states:
        RUN:
          parallel: true
          states:
            WORK:
              states:
                PREPARING:
                  states:
                    INIT: { on: { plan: PLANNING } }
                    PLANNING: { on: { plan_ready: { to: EXECUTING, when: size(event.tools) > 0 } } }
                DOING:
                  states:
                    EXECUTING: { on: { high_risk_action: AWAITING_APPROVAL, all_tools_passed: VERIFYING } }
                    AWAITING_APPROVAL: { on: { approved: EXECUTING } }
                CHECKING:
                  states:
                    VERIFYING: { on: { tests_passed: AUDITING } }
                    AUDITING: { on: { audit_passed: COMPLETE } }
                COMPLETE: { final: true }
            WATCH:
              states:
                QUIET:
                  states:
                    CALM: { on: { alarm: ALERT } }
                    ALERT: { on: { calm: CALM } }
      """;

  private static final List<Event> EVENTS =
      List.of(
          Event.external("plan"),
          Event.external("plan_ready", Map.of("tools", Lifecycle.PLAN.tools())),
          Event.external("high_risk_action"),
          Event.external("approved"),
          Event.external("all_tools_passed"),
          Event.external("tests_passed"),
          Event.external("audit_passed"));

  private final Event[] events = EVENTS.toArray(new Event[0]);
  private Chart flat = chart(FLAT);
  private Chart nested = chart(NESTED);
  private Snapshot flatStart = start(flat);
  private Snapshot nestedStart = start(nested);

  @Setup
  public void check() {
    if (!run(flat, flatStart).done()) {
      throw new IllegalStateException("The flat lifecycle did not end.");
    }
    if (!run(nested, nestedStart).configuration().contains("COMPLETE")) {
      throw new IllegalStateException("The nested lifecycle did not end.");
    }
  }

  @Benchmark
  @OperationsPerInvocation(Lifecycle.TRANSITIONS)
  public void flat(Blackhole hole) {
    lifecycle(flat, flatStart, hole);
  }

  @Benchmark
  @OperationsPerInvocation(Lifecycle.TRANSITIONS)
  public void nested(Blackhole hole) {
    lifecycle(nested, nestedStart, hole);
  }

  private void lifecycle(Chart chart, Snapshot start, Blackhole hole) {
    Snapshot snapshot = start;
    for (Event event : events) {
      Step step = (Step) Kernel.step(chart, snapshot, event, 0);
      consume(step, hole);
      snapshot = step.after();
    }
  }

  private static void consume(Step step, Blackhole hole) {
    hole.consume(step.event());
    Snapshot after = step.after();
    hole.consume(after.instance());
    hole.consume(after.parent());
    hole.consume(after.configuration().states());
    hole.consume(after.configuration().leaves());
    hole.consume(after.context());
    hole.consume(after.done());
    hole.consume(after.memory());
    step.microsteps()
        .forEach(m -> {
          hole.consume(m.event());
          hole.consume(m.edges());
          hole.consume(m.exited());
          hole.consume(m.entered());
        });
    step.guards()
        .forEach(g -> {
          hole.consume(g.edge());
          hole.consume(g.guard());
          hole.consume(g.verdict());
          hole.consume(g.why());
        });
    hole.consume(step.records());
    hole.consume(step.effects());
    hole.consume(step.messages());
    hole.consume(step.timers());
    hole.consume(step.children());
    hole.consume(step.violations());
    hole.consume(step.log());
  }

  private static Snapshot run(Chart chart, Snapshot start) {
    Snapshot snapshot = start;
    for (Event event : EVENTS) {
      snapshot = ((Step) Kernel.step(chart, snapshot, event, 0)).after();
    }
    return snapshot;
  }

  private static Chart chart(String yaml) {
    Machine machine =
        Objects.requireNonNull(YamlReader.read(new Source("bench.yaml", yaml)).machine());
    return Chart.compile(machine, CelExpressions.of(machine));
  }

  private static Snapshot start(Chart chart) {
    return ((Step) Kernel.start(chart, "r-1", null, Map.of(), 0)).after();
  }
}
