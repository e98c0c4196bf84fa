package dev.signalbox.bench.peers;

import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;
import org.flowable.common.engine.impl.persistence.StrongUuidGenerator;
import org.flowable.engine.ProcessEngine;
import org.flowable.engine.ProcessEngineConfiguration;
import org.flowable.engine.RuntimeService;
import org.flowable.engine.impl.cfg.StandaloneProcessEngineConfiguration;

/**
 * Flowable: a BPMN process that waits in each state for a message or the state's deadline, with the
 * history that Flowable keeps by default.
 */
final class FlowablePeer implements Peer {
  private final RuntimeService runtime;
  private final LongAdder transitions;

  FlowablePeer(DataSource source, LongAdder transitions) {
    this.transitions = transitions;
    StandaloneProcessEngineConfiguration configuration = new StandaloneProcessEngineConfiguration();
    configuration.setDataSource(source);
    configuration.setDatabaseSchemaUpdate(ProcessEngineConfiguration.DB_SCHEMA_UPDATE_TRUE);
    configuration.setAsyncExecutorActivate(true);
    // The ids that are the default take a second connection while one is held.
    configuration.setIdGenerator(new StrongUuidGenerator());
    ProcessEngine engine = configuration.buildProcessEngine();
    engine
        .getRepositoryService()
        .createDeployment()
        .addClasspathResource("dev/signalbox/bench/peers/run.bpmn20.xml")
        .deploy();
    this.runtime = engine.getRuntimeService();
    live("rehearsal");
    Peer.complete(
        "rehearsal",
        engine
            .getHistoryService()
            .createHistoricActivityInstanceQuery()
            .activityType("endEvent")
            .singleResult()
            .getActivityId());
  }

  @Override
  public void live(String id) {
    String process = runtime.startProcessInstanceByKey("run", id).getId();
    transitions.increment();
    for (Event event : Event.LIFE) {
      String waiting =
          runtime
              .createExecutionQuery()
              .processInstanceId(process)
              .messageEventSubscriptionName(event.name())
              .singleResult()
              .getId();
      runtime.messageEventReceived(
          event.name(),
          waiting,
          event.tools().isEmpty() ? Map.of() : Map.of("tools", String.join(",", event.tools())));
      transitions.increment();
    }
  }
}
