package dev.signalbox.bench.kernel;

import com.alibaba.cola.statemachine.StateMachineFactory;
import com.alibaba.cola.statemachine.builder.StateMachineBuilderFactory;
import com.github.oxo42.stateless4j.StateMachine;
import com.github.oxo42.stateless4j.StateMachineConfig;
import dev.signalbox.bench.kernel.Lifecycle.Phase;
import dev.signalbox.bench.kernel.Lifecycle.Plan;
import dev.signalbox.bench.kernel.Lifecycle.Signal;
import java.util.EnumSet;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;
import org.springframework.messaging.support.MessageBuilder;
import org.springframework.statemachine.config.StateMachineBuilder;
import org.squirrelframework.foundation.fsm.AnonymousCondition;
import org.squirrelframework.foundation.fsm.UntypedStateMachineBuilder;
import org.squirrelframework.foundation.fsm.annotation.StateMachineParameters;
import org.squirrelframework.foundation.fsm.impl.AbstractUntypedStateMachine;
import reactor.core.publisher.Mono;

/** The same lifecycle in other libraries, each written as its own documents show. */
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init")
public class PeersBenchmark {
  private final Signal[] signals = Lifecycle.SIGNALS.toArray(new Signal[0]);

  private Phase phase = Phase.INIT;
  private StateMachine<Phase, Signal> stateless4j = stateless4j();
  private com.alibaba.cola.statemachine.StateMachine<Phase, Signal, Plan> cola = cola();
  private UntypedRun squirrel = squirrel();
  private org.springframework.statemachine.StateMachine<Phase, Signal> spring;

  @Setup
  public void startSpring() throws Exception {
    spring = spring();
    spring.startReactively().block();
  }

  @Benchmark
  @OperationsPerInvocation(Lifecycle.TRANSITIONS)
  public void stateless4j(Blackhole hole) {
    phase = Phase.INIT;
    for (Signal signal : signals) {
      stateless4j.fire(signal);
      hole.consume(stateless4j.getState());
    }
    expect(phase);
  }

  @Benchmark
  @OperationsPerInvocation(Lifecycle.TRANSITIONS)
  public void cola(Blackhole hole) {
    Phase now = Phase.INIT;
    for (Signal signal : signals) {
      now = cola.fireEvent(now, signal, Lifecycle.PLAN);
      hole.consume(now);
    }
    expect(now);
  }

  @Benchmark
  @OperationsPerInvocation(Lifecycle.TRANSITIONS + 1)
  public void squirrel(Blackhole hole) {
    for (Signal signal : signals) {
      squirrel.fire(signal, Lifecycle.PLAN);
      hole.consume(squirrel.getCurrentState());
    }
    expect((Phase) squirrel.getCurrentState());
    squirrel.fire(Signal.RESET, Lifecycle.PLAN);
  }

  @Benchmark
  @OperationsPerInvocation(Lifecycle.TRANSITIONS + 1)
  public void spring(Blackhole hole) {
    for (Signal signal : signals) {
      send(signal);
      hole.consume(spring.getState());
    }
    expect(spring.getState().getId());
    send(Signal.RESET);
  }

  /** What the processor can do at best: the lifecycle as a switch in the language. */
  @Benchmark
  @OperationsPerInvocation(Lifecycle.TRANSITIONS)
  public void handWritten(Blackhole hole) {
    Phase now = Phase.INIT;
    for (Signal signal : signals) {
      now = next(now, signal, Lifecycle.PLAN);
      hole.consume(now);
    }
    expect(now);
  }

  private void send(Signal signal) {
    spring.sendEvent(Mono.just(MessageBuilder.withPayload(signal).build())).blockLast();
  }

  private static void expect(Phase last) {
    if (last != Phase.COMPLETE) {
      throw new IllegalStateException("Expected the lifecycle to end, but it stopped in " + last);
    }
  }

  private static Phase next(Phase phase, Signal signal, Plan plan) {
    return switch (phase) {
      case INIT -> signal == Signal.PLAN ? Phase.PLANNING : phase;
      case PLANNING -> signal == Signal.PLAN_READY && plan.hasTools() ? Phase.EXECUTING : phase;
      case EXECUTING ->
          signal == Signal.HIGH_RISK_ACTION
              ? Phase.AWAITING_APPROVAL
              : signal == Signal.ALL_TOOLS_PASSED ? Phase.VERIFYING : phase;
      case AWAITING_APPROVAL -> signal == Signal.APPROVED ? Phase.EXECUTING : phase;
      case VERIFYING -> signal == Signal.TESTS_PASSED ? Phase.AUDITING : phase;
      case AUDITING -> signal == Signal.AUDIT_PASSED ? Phase.COMPLETE : phase;
      case COMPLETE -> phase;
    };
  }

  private StateMachine<Phase, Signal> stateless4j() {
    StateMachineConfig<Phase, Signal> config = new StateMachineConfig<>();
    config.configure(Phase.INIT).permit(Signal.PLAN, Phase.PLANNING);
    config
        .configure(Phase.PLANNING)
        .permitIf(Signal.PLAN_READY, Phase.EXECUTING, Lifecycle.PLAN::hasTools);
    config
        .configure(Phase.EXECUTING)
        .permit(Signal.HIGH_RISK_ACTION, Phase.AWAITING_APPROVAL)
        .permit(Signal.ALL_TOOLS_PASSED, Phase.VERIFYING);
    config.configure(Phase.AWAITING_APPROVAL).permit(Signal.APPROVED, Phase.EXECUTING);
    config.configure(Phase.VERIFYING).permit(Signal.TESTS_PASSED, Phase.AUDITING);
    config.configure(Phase.AUDITING).permit(Signal.AUDIT_PASSED, Phase.COMPLETE);
    return new StateMachine<>(Phase.INIT, () -> phase, next -> phase = next, config);
  }

  private static com.alibaba.cola.statemachine.StateMachine<Phase, Signal, Plan> cola() {
    var builder = StateMachineBuilderFactory.<Phase, Signal, Plan>create();
    record Row(Phase from, Signal on, Phase to) {}
    for (Row row :
        new Row[] {
          new Row(Phase.INIT, Signal.PLAN, Phase.PLANNING),
          new Row(Phase.EXECUTING, Signal.HIGH_RISK_ACTION, Phase.AWAITING_APPROVAL),
          new Row(Phase.EXECUTING, Signal.ALL_TOOLS_PASSED, Phase.VERIFYING),
          new Row(Phase.AWAITING_APPROVAL, Signal.APPROVED, Phase.EXECUTING),
          new Row(Phase.VERIFYING, Signal.TESTS_PASSED, Phase.AUDITING),
          new Row(Phase.AUDITING, Signal.AUDIT_PASSED, Phase.COMPLETE)
        }) {
      builder.externalTransition().from(row.from()).to(row.to()).on(row.on());
    }
    builder
        .externalTransition()
        .from(Phase.PLANNING)
        .to(Phase.EXECUTING)
        .on(Signal.PLAN_READY)
        .when(Plan::hasTools);
    String id = "run-" + System.nanoTime();
    builder.build(id);
    return StateMachineFactory.get(id);
  }

  private static UntypedRun squirrel() {
    UntypedStateMachineBuilder builder =
        org.squirrelframework.foundation.fsm.StateMachineBuilderFactory.create(UntypedRun.class);
    builder.externalTransition().from(Phase.INIT).to(Phase.PLANNING).on(Signal.PLAN);
    builder
        .externalTransition()
        .from(Phase.PLANNING)
        .to(Phase.EXECUTING)
        .on(Signal.PLAN_READY)
        .when(
            new AnonymousCondition<Object>() {
              @Override
              public boolean isSatisfied(Object plan) {
                return ((Plan) plan).hasTools();
              }
            });
    builder
        .externalTransition()
        .from(Phase.EXECUTING)
        .to(Phase.AWAITING_APPROVAL)
        .on(Signal.HIGH_RISK_ACTION);
    builder
        .externalTransition()
        .from(Phase.AWAITING_APPROVAL)
        .to(Phase.EXECUTING)
        .on(Signal.APPROVED);
    builder
        .externalTransition()
        .from(Phase.EXECUTING)
        .to(Phase.VERIFYING)
        .on(Signal.ALL_TOOLS_PASSED);
    builder.externalTransition().from(Phase.VERIFYING).to(Phase.AUDITING).on(Signal.TESTS_PASSED);
    builder.externalTransition().from(Phase.AUDITING).to(Phase.COMPLETE).on(Signal.AUDIT_PASSED);
    builder.externalTransition().from(Phase.COMPLETE).to(Phase.INIT).on(Signal.RESET);
    UntypedRun machine = (UntypedRun) builder.newStateMachine(Phase.INIT);
    machine.start();
    return machine;
  }

  private static org.springframework.statemachine.StateMachine<Phase, Signal> spring()
      throws Exception {
    StateMachineBuilder.Builder<Phase, Signal> builder = StateMachineBuilder.builder();
    builder.configureStates().withStates().initial(Phase.INIT).states(EnumSet.allOf(Phase.class));
    builder
        .configureTransitions()
        .withExternal()
        .source(Phase.INIT)
        .target(Phase.PLANNING)
        .event(Signal.PLAN)
        .and()
        .withExternal()
        .source(Phase.PLANNING)
        .target(Phase.EXECUTING)
        .event(Signal.PLAN_READY)
        .guard(_ -> Lifecycle.PLAN.hasTools())
        .and()
        .withExternal()
        .source(Phase.EXECUTING)
        .target(Phase.AWAITING_APPROVAL)
        .event(Signal.HIGH_RISK_ACTION)
        .and()
        .withExternal()
        .source(Phase.AWAITING_APPROVAL)
        .target(Phase.EXECUTING)
        .event(Signal.APPROVED)
        .and()
        .withExternal()
        .source(Phase.EXECUTING)
        .target(Phase.VERIFYING)
        .event(Signal.ALL_TOOLS_PASSED)
        .and()
        .withExternal()
        .source(Phase.VERIFYING)
        .target(Phase.AUDITING)
        .event(Signal.TESTS_PASSED)
        .and()
        .withExternal()
        .source(Phase.AUDITING)
        .target(Phase.COMPLETE)
        .event(Signal.AUDIT_PASSED)
        .and()
        .withExternal()
        .source(Phase.COMPLETE)
        .target(Phase.INIT)
        .event(Signal.RESET);
    return builder.build();
  }

  /** The class that squirrel-foundation builds its machine from. */
  @StateMachineParameters(
      stateType = Phase.class,
      eventType = Signal.class,
      contextType = Plan.class)
  public static class UntypedRun extends AbstractUntypedStateMachine {}
}
