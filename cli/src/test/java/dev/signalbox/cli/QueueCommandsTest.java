package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.lock.Locks;
import dev.signalbox.services.task.NewTask;
import dev.signalbox.services.task.Priority;
import dev.signalbox.services.task.TaskQueue;
import dev.signalbox.services.worker.Workers;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Tasks, workers and locks from the command line. */
class QueueCommandsTest {
  @TempDir private Path folder;
  private String url = "";
  private String waiting = "";
  private String failed = "";
  private String worker = "";

  private static String id(CompletableFuture<Reply> reply) {
    return ((Reply.Accepted) reply.join()).receipt().instance();
  }

  @BeforeEach
  void a_store_with_tasks_a_worker_and_a_lock() {
    url = "jdbc:sqlite:" + folder.resolve("box.db");
    try (Signalbox box = Signalbox.open(url)) {
      TaskQueue queue = TaskQueue.stepped(box);
      Workers workers = Workers.stepped(box, queue);
      Locks locks = Locks.stepped(box);
      waiting = id(queue.submit(NewTask.of("build", "ann").priority(Priority.HIGH), Actor.SYSTEM));
      failed = id(queue.submit(NewTask.of("test", "bob").input("x"), Actor.SYSTEM));
      worker = id(workers.register("w", "pool", List.of("test"), true, Actor.SYSTEM, null));
      workers.ready(worker, null).join();
      Actor queueActor = new Actor(Actor.Kind.SYSTEM, "queue", List.of("queue", "worker"));
      for (String[] event :
          new String[][] {
            {"assigned", "worker"}, {"started", ""}, {"failed", "error"},
          }) {
        java.util.Map<String, Object> data = new java.util.LinkedHashMap<>();
        data.put("fence", 1L);
        if (!event[1].isEmpty()) {
          data.put(event[1], worker);
        }
        if (event[0].equals("failed")) {
          data.put("cause", "permanent_error");
        }
        Reply reply =
            box.submit(
                dev.signalbox.runtime.Command.Send.of(failed, event[0], data).by(queueActor));
        assertThat(reply).isInstanceOf(Reply.Accepted.class);
      }
      locks.ask("repo", "ann", null).join();
      locks.ask("repo", "bob", null).join();
    }
  }

  private record Result(int code, String out) {}

  private Result run(String... args) {
    StringWriter out = new StringWriter();
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(out));
    List<String> all = new java.util.ArrayList<>(List.of(args));
    all.addAll(List.of("--db", url));
    int code = line.execute(all.toArray(String[]::new));
    return new Result(code, out.toString());
  }

  @Test
  void tasks_are_listed_by_what_they_are() {
    assertThat(run("tasks").out()).contains(waiting).contains(failed);
    assertThat(run("tasks", "--kind", "build").out()).contains(waiting).doesNotContain(failed);
    assertThat(run("tasks", "--owner", "bob").out()).contains(failed).doesNotContain(waiting);
    assertThat(run("tasks", "--state", "QUEUED").out()).contains(waiting).doesNotContain(failed);
    assertThat(run("tasks", "--outcome", "failed", "--json").out())
        .contains("\"id\":\"" + failed + "\"")
        .contains("\"cause\":\"permanent_error\"")
        .doesNotContain(waiting);
  }

  @Test
  void a_task_that_failed_is_retried_as_a_new_one_and_another_is_not() {
    Result fresh = run("tasks", "retry", failed, "--json");
    assertThat(fresh.code()).isZero();
    assertThat(run("tasks", "retry", failed, "--json").out()).isEqualTo(fresh.out());
    assertThat(run("tasks", "--json").out()).contains("\"made_from\":\"" + failed + "\"");

    Result refused = run("tasks", "retry", waiting);
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.out()).contains("Only a task that failed for good is retried");
  }

  @Test
  void a_task_is_cancelled() {
    assertThat(run("tasks", "cancel", waiting, "--reason", "not needed").code()).isZero();
    assertThat(run("tasks", "--outcome", "cancelled").out()).contains("not needed");
    assertThat(run("tasks", "cancel", "nobody").out()).contains("there is no 'nobody'");
  }

  @Test
  void a_worker_is_drained_by_an_operator() {
    assertThat(run("workers").out()).contains(worker).contains("READY");
    assertThat(run("workers", "drain", worker).out()).contains("role-required");

    assertThat(run("workers", "drain", worker, "--role", "operator").code()).isZero();
    assertThat(run("workers", "--json").out()).contains("\"state\":\"SHUTTING_DOWN\"");
  }

  @Test
  void a_lock_is_released_with_its_token_or_broken_by_an_operator() {
    assertThat(run("locks").out()).contains("repo").contains("ann").contains("waiting: bob");
    assertThat(run("locks", "release", "repo").code()).isEqualTo(2);
    assertThat(run("locks", "release", "repo", "--token", "7").code()).isEqualTo(1);
    assertThat(run("locks", "release", "repo", "--force").out()).contains("role-required");

    assertThat(run("locks", "release", "repo", "--force", "--role", "operator").code()).isZero();
    assertThat(run("locks", "--json").out())
        .contains("\"reserved_for\":\"bob\"")
        .contains("\"state\":\"RESERVED\"");
  }

  @Test
  void a_word_that_is_none_is_wrong_usage_and_no_empty_list() {
    for (String[] wrong :
        new String[][] {
          {"tasks", "--state", "QUEUD"},
          {"tasks", "--outcome", "faild"},
          {"tasks", "--most", "0"},
          {"tasks", "retry"},
          {"tasks", "cancel"},
          {"workers", "--state", "ready"},
          {"workers", "drain"},
          {"locks", "--most", "many"},
          {"locks", "release", "repo", "--token", "seven"},
          {"locks", "release", "repo", "--token", "1", "--force"},
        }) {
      assertThat(run(wrong).code()).as(String.join(" ", wrong)).isEqualTo(2);
    }
    assertThat(run("tasks", "--state", "QUEUD").out())
        .contains("Expected --state to be one of QUEUED, ASSIGNED")
        .contains("but found 'QUEUD'");
    assertThat(run("workers", "--state", "READY").out()).contains(worker);
  }

  @Test
  void what_is_no_task_and_no_worker_is_not_touched() {
    assertThat(run("tasks", "cancel", worker).out()).contains("Expected a task");
    assertThat(run("tasks", "retry", worker).out()).contains("Expected a task");
    Result drained = run("workers", "drain", waiting, "--role", "operator");
    assertThat(drained.code()).isEqualTo(1);
    assertThat(drained.out()).contains("Expected a worker");
    assertThat(run("history", waiting, "--json").out()).hasLineCount(1);
    assertThat(run("locks", "release", "nothing", "--token", "1").code()).isEqualTo(1);
  }
}
