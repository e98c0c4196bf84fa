package dev.signalbox.bench.peers;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** db-scheduler, with the polling that it recommends for many executions. */
final class DbSchedulerPeer implements JobPeer {
  private static final int BATCH = 1_000;

  private final DataSource source;
  private final OneTimeTask<Integer> task =
      Tasks.oneTime("job", Integer.class)
          .onFailure((complete, operations) ->
              operations.reschedule(complete, Instant.now().plus(Jobs.PAUSE)))
          .execute((instance, context) -> Jobs.work(instance.getData()));

  private @Nullable Scheduler scheduler;

  DbSchedulerPeer(DataSource source) throws SQLException {
    this.source = source;
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "create table scheduled_tasks (task_name text not null, task_instance text not null,"
              + " task_data bytea, execution_time timestamptz not null, picked boolean not null,"
              + " picked_by text, last_success timestamptz, last_failure timestamptz,"
              + " consecutive_failures int, last_heartbeat timestamptz, version bigint not null,"
              + " priority smallint, state text, primary key (task_name, task_instance))");
      statement.execute("create index execution_time_idx on scheduled_tasks (execution_time)");
      statement.execute("create index last_heartbeat_idx on scheduled_tasks (last_heartbeat)");
    }
  }

  @Override
  public void enqueue(int count) {
    SchedulerClient client = SchedulerClient.Builder.create(source, task).build();
    Instant now = Instant.now();
    for (int from = 0; from < count; from += BATCH) {
      List<TaskInstance<?>> batch = new ArrayList<>();
      for (int i = from; i < Math.min(count, from + BATCH); i++) {
        batch.add(task.instance("job-" + i, i));
      }
      client.scheduleBatch(batch, now);
    }
  }

  @Override
  public void start(int workers) {
    Scheduler started =
        Scheduler.create(source, task)
            .threads(workers)
            .pollUsingLockAndFetch(1.0, 20.0)
            .pollingInterval(Duration.ofMillis(100))
            .build();
    started.start();
    scheduler = started;
  }

  @Override
  public void stop() {
    if (scheduler != null) {
      scheduler.stop();
    }
  }

  @Override
  public String unfinished() {
    return "select count(*) from scheduled_tasks";
  }
}
