package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.lock.Locked;
import dev.signalbox.services.lock.Locks;
import dev.signalbox.services.task.NewTask;
import dev.signalbox.services.task.TaskQueue;
import dev.signalbox.services.worker.WorkerPool;
import dev.signalbox.services.worker.Workers;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java examples of the pages about tasks and locks, as they stand there. */
class QueueDocsTest {
  private static final Path ROOT = Path.of(System.getProperty("project.root"));

  @TempDir private Path folder;

  @Test
  void the_examples_print_what_the_pages_say() throws IOException {
    assertThat(page("tasks")).contains("It prints `" + said(QueueDocsTest::tasks) + "`");
    assertThat(page("locks")).contains("It prints `" + said(QueueDocsTest::locks) + "`");
  }

  @Test
  void the_examples_are_the_ones_that_run_here() throws IOException {
    assertThat(page("tasks")).contains("```java\n" + own("tasks") + "```");
    assertThat(page("locks")).contains("```java\n" + own("locks") + "```");
  }

  private static void tasks(Path folder, PrintStream out) {
    // tasks
    try (Signalbox box = Signalbox.open("jdbc:sqlite:" + folder + "/work.db");
        TaskQueue queue = TaskQueue.open(box);
        Workers workers = Workers.open(box, queue);
        WorkerPool _ =
            WorkerPool.start(
                workers, "mails", Map.of("mail", lease -> "sent to " + lease.input()), 2, 8)) {
      NewTask mail = NewTask.of("mail", "ann").input("kim@example.org").key("invoice-42");
      Reply reply = queue.submit(mail, Actor.SYSTEM).join();
      out.println(reply instanceof Reply.Accepted);
    }
    // end of tasks
  }

  private static void locks(Path folder, PrintStream out) {
    // locks
    try (Signalbox box = Signalbox.open("jdbc:sqlite:" + folder + "/work.db");
        Locks locks = Locks.open(box)) {
      Duration limit = Duration.ofMinutes(2);
      Duration patience = Duration.ofSeconds(30);
      switch (locks.lock("repo", "ann", limit, patience).join()) {
        case Locked.Held held -> {
          out.println("token " + held.token());
          locks.release("repo", held.token(), null).join();
        }
        case Locked.Queued queued -> out.println(queued.before() + " go first");
        case Locked.Refused refused -> out.println(refused.rejection().message());
      }
    }
    // end of locks
  }

  private String said(BiConsumer<Path, PrintStream> example) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    example.accept(folder, new PrintStream(bytes, true, StandardCharsets.UTF_8));
    return bytes.toString(StandardCharsets.UTF_8).strip();
  }

  private static String own(String name) throws IOException {
    String here =
        Files.readString(ROOT.resolve("cli/src/test/java/dev/signalbox/cli/QueueDocsTest.java"));
    return here.substring(
            here.indexOf("// " + name + "\n") + name.length() + 4,
            here.indexOf("    // end of " + name))
        .replace("jdbc:sqlite:\" + folder + \"/work.db", "jdbc:sqlite:work.db")
        .replace("out.println", "System.out.println")
        .replaceAll("(?m)^    ", "");
  }

  private static String page(String name) throws IOException {
    return Files.readString(ROOT.resolve("docs").resolve(name + ".md"));
  }
}
