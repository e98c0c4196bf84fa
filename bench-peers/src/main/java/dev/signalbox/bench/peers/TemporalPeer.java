package dev.signalbox.bench.peers;

import io.temporal.client.WorkflowClient;
import io.temporal.client.WorkflowOptions;
import io.temporal.client.WorkflowStub;
import io.temporal.testing.TestEnvironmentOptions;
import io.temporal.testing.TestWorkflowEnvironment;
import io.temporal.worker.Worker;
import io.temporal.worker.WorkerFactoryOptions;
import io.temporal.worker.WorkerOptions;
import io.temporal.workflow.SignalMethod;
import io.temporal.workflow.Workflow;
import io.temporal.workflow.WorkflowInterface;
import io.temporal.workflow.WorkflowMethod;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.LongAdder;

/**
 * Temporal on its test server, which keeps everything in memory: a workflow that waits in each
 * state for a signal or the state's deadline. It says what Temporal's own code costs, not what its
 * durability costs.
 */
final class TemporalPeer implements Peer {
  private static final String QUEUE = "runs";

  private final WorkflowClient client;
  private final LongAdder transitions;

  TemporalPeer(LongAdder transitions) {
    this.transitions = transitions;
    // Everything stays cached and nothing skips time: a client that waits would make a day pass.
    TestWorkflowEnvironment environment =
        TestWorkflowEnvironment.newInstance(
            TestEnvironmentOptions.newBuilder()
                .setUseTimeskipping(false)
                .setWorkerFactoryOptions(
                    WorkerFactoryOptions.newBuilder()
                        .setWorkflowCacheSize(4_096)
                        .setMaxWorkflowThreadCount(8_192)
                        .setUsingVirtualWorkflowThreads(true)
                        .build())
                .build());
    Worker worker =
        environment.newWorker(
            QUEUE, WorkerOptions.newBuilder().setUsingVirtualThreads(true).build());
    worker.registerWorkflowImplementationFactory(Run.class, () -> new RunWorkflow(transitions));
    environment.start();
    this.client = environment.getWorkflowClient();
  }

  /** The workflow as clients see it. */
  @WorkflowInterface
  public interface Run {
    @WorkflowMethod
    String live();

    @SignalMethod
    void send(Event event);
  }

  /** The workflow's code. */
  public static final class RunWorkflow implements Run {
    private final LongAdder transitions;
    private final Queue<Event> waiting = new ArrayDeque<>();

    RunWorkflow(LongAdder transitions) {
      this.transitions = transitions;
    }

    @Override
    public String live() {
      Phase phase = Phase.INIT;
      while (!phase.ended()) {
        Workflow.await(phase.deadline, () -> !waiting.isEmpty());
        Event event = waiting.poll();
        phase = event == null ? Phase.HALTED : phase.on(event);
        transitions.increment();
      }
      return phase.name();
    }

    @Override
    public void send(Event event) {
      waiting.add(event);
    }
  }

  @Override
  public void live(String id) {
    Run run =
        client.newWorkflowStub(
            Run.class, WorkflowOptions.newBuilder().setTaskQueue(QUEUE).setWorkflowId(id).build());
    WorkflowClient.start(run::live);
    transitions.increment();
    for (Event event : Event.LIFE) {
      run.send(event);
    }
    Peer.complete(id, WorkflowStub.fromTyped(run).getResult(String.class));
  }
}
