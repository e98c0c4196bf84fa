package dev.signalbox.bench.peers;

import dev.dbos.transact.DBOS;
import dev.dbos.transact.StartWorkflowOptions;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.workflow.Workflow;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;

/**
 * DBOS Transact: a workflow that receives an event in each state, with the state's deadline.
 *
 * <p>A message is sent to the state it is meant for, as messages of one topic are only ordered by
 * their millisecond. A second form sends nothing: the workflow takes each transition as a step, so
 * nobody outside can approve anything, but it is the least that DBOS has to write.
 */
final class DbosPeer implements Peer {
  private final DBOS dbos;
  private final Runs runs;
  private final LongAdder transitions;
  private final boolean stepsOnly;

  DbosPeer(DataSource source, LongAdder transitions, boolean stepsOnly) {
    this.transitions = transitions;
    this.stepsOnly = stepsOnly;
    this.dbos = new DBOS(DBOSConfig.defaults("bench").withDataSource(source).withAppVersion("1"));
    this.runs = dbos.registerProxy(Runs.class, new RunWorkflows(dbos, transitions));
    dbos.launch();
  }

  /** The workflows; DBOS calls them through a proxy. */
  public interface Runs {
    String receive();

    String step();
  }

  /** The workflows' code. */
  public record RunWorkflows(DBOS dbos, LongAdder transitions) implements Runs {
    @Override
    @Workflow
    public String receive() {
      Phase phase = Phase.INIT;
      while (!phase.ended()) {
        phase = dbos.<Event>recv(phase.name(), phase.deadline).map(phase::on).orElse(Phase.HALTED);
        transitions.increment();
      }
      return phase.name();
    }

    @Override
    @Workflow
    public String step() {
      Phase phase = Phase.INIT;
      for (Event event : Event.LIFE) {
        Phase from = phase;
        phase = dbos.runStep(() -> from.on(event), event.name());
        transitions.increment();
      }
      return phase.name();
    }
  }

  @Override
  public void live(String id) throws Exception {
    StartWorkflowOptions options = new StartWorkflowOptions(id);
    var run =
        stepsOnly
            ? dbos.startWorkflow(() -> runs.step(), options)
            : dbos.startWorkflow(() -> runs.receive(), options);
    transitions.increment();
    if (!stepsOnly) {
      Phase phase = Phase.INIT;
      for (Event event : Event.LIFE) {
        dbos.send(id, event, phase.name());
        phase = phase.on(event);
      }
    }
    Peer.complete(id, run.getResult());
  }
}
