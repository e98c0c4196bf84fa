package dev.signalbox.bench.peers;

import java.time.Duration;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.configuration.JobRunrConfiguration;
import org.jobrunr.jobs.filters.RetryFilter;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;

/** JobRunr, with the shortest polling that it allows. */
final class JobRunrPeer implements JobPeer {
  private final PostgresStorageProvider storage;

  JobRunrPeer(DataSource source) {
    this.storage = new PostgresStorageProvider(source);
  }

  /** A job as JobRunr stores it. */
  public record Job(int number) implements JobRequest {
    @Override
    public Class<Handler> getJobRequestHandler() {
      return Handler.class;
    }
  }

  /** What runs a job; JobRunr makes it. */
  public static final class Handler implements JobRequestHandler<Job> {
    @Override
    public void run(Job job) {
      Jobs.work(job.number);
    }
  }

  private JobRunrConfiguration configuration() {
    return JobRunr.configure()
        .useStorageProvider(storage)
        .withJobFilter(new RetryFilter(3, (int) Jobs.PAUSE.toSeconds()));
  }

  @Override
  public void enqueue(int count) {
    JobRequestScheduler scheduler = configuration().initialize().getJobRequestScheduler();
    scheduler.enqueue(IntStream.range(0, count).mapToObj(Job::new));
  }

  @Override
  public void start(int workers) {
    configuration()
        .useBackgroundJobServer(
            BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                .andPollInterval(Duration.ofSeconds(5))
                .andWorkerCount(workers))
        .initialize();
  }

  @Override
  public void stop() {
    configuration().initialize();
  }

  @Override
  public String unfinished() {
    return "select count(*) from jobrunr_jobs where state <> 'SUCCEEDED'";
  }
}
