package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Source;
import dev.signalbox.runtime.Instance;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Inbox;
import dev.signalbox.services.evidence.EvidenceStore;
import dev.signalbox.services.tool.ToolCall;
import dev.signalbox.services.tool.ToolResult;
import dev.signalbox.services.workspace.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * What people decide about a tool that was cut off midway and must not be repeated by itself. Of
 * several runs, each in a folder of its own, the tool is cut off when the house is closed; then the
 * house is opened again.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RunDecisionsTest {
  private final Map<Path, Integer> begun = new ConcurrentHashMap<>();
  private final Map<String, String> runs = new ConcurrentHashMap<>();
  private final Map<Path, List<Approval>> stillAsked = new ConcurrentHashMap<>();
  private final Semaphore inside = new Semaphore(0);
  private RunHouse house;
  private Path base;

  @BeforeAll
  void cutOff(@TempDir Path folder) throws IOException, InterruptedException {
    base = Files.createDirectories(folder.resolve("work")).toRealPath();
    RunHouse first = RunHouse.abandoned(folder, "send", this::send);
    for (String name : List.of("repeat", "accept", "reject", "escalate", "halt", "unmarked")) {
      String plan =
          """
          project: %s
          tools:
            - { name: first, command: [touch, first.txt], writes: [first.txt] }
            - { name: send, handler: send, writes: [sent.txt], idempotent: false, on_unknown: %s }
          checks:
            - { name: there, command: [test, %s, sent.txt] }
          """
              .formatted(
                  name,
                  name.equals("halt") ? "halt" : "ask",
                  name.equals("unmarked") ? "-d" : "-f");
      Path work = Files.createDirectory(first.work.resolve(name));
      runs.put(
          name,
          first.runs.start(PlanReader.read(new Source("plan.yaml", plan), work), RunHouse.ANN));
    }
    inside.acquire(runs.size());
    first.leave();
    // As it is when the process dies after the commit and before the tool is marked as started.
    Files.delete(first.settings.folder().resolve(run("unmarked")).resolve("started/send.1"));
    house = RunHouse.in(folder, settings -> settings.handler("send", this::send));
  }

  @AfterAll
  void close() {
    house.close();
  }

  /** The first time it does half of its work and never ends; after that it ends at once. */
  private ToolResult send(ToolCall call, EvidenceStore evidence)
      throws IOException, InterruptedException {
    Path work = folder(call);
    int time = begun.merge(work, 1, Integer::sum);
    Path sent = call.folder().resolve("sent.txt");
    Files.writeString(sent, (Files.exists(sent) ? "again " : "") + "by " + time);
    if (time == 1) {
      inside.release();
      new CountDownLatch(1).await();
    }
    stillAsked.put(
        work, house.approvals.pending(Inbox.ALL.about(run(work.getFileName().toString()))));
    return ToolResult.pass(List.of(evidence.put("log", "sent")), "sent");
  }

  private String run(String name) {
    return String.valueOf(runs.get(name));
  }

  /** The folder of the run whose tool is called, on a copy of it. */
  private Path folder(ToolCall call) {
    return base.resolve(call.key().split("-")[1].toLowerCase(java.util.Locale.ROOT));
  }

  private Path folder(String name) {
    return house.work.resolve(name);
  }

  private Approval asked(String name, String decision) {
    List<Approval> asked = house.untilAsked(run(name));
    assertThat(asked).hasSize(2);
    return asked.stream()
        .filter(each -> decision.equals(each.action().identity().get("decision")))
        .findFirst()
        .orElseThrow();
  }

  private void assertUndone(String name, Instance ended) {
    assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("ROLLED_BACK");
    assertThat(Workspace.of(folder(name)).footprint().treeHash())
        .isEqualTo(ended.context().get("tree_before"));
  }

  @Test
  void who_says_repeat_lets_it_run_once_more_on_the_folder_as_it_was() {
    house.approve(asked("repeat", "repeat"));
    Instance ended = house.untilEnd(run("repeat"));

    assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("COMPLETE");
    assertThat(begun).containsEntry(folder("repeat"), 2);
    assertThat(folder("repeat").resolve("sent.txt")).hasContent("by 2");
    assertThat(stillAsked).containsEntry(folder("repeat"), List.of());
  }

  @Test
  void who_says_accept_takes_it_as_done_and_nothing_runs_again() throws IOException {
    house.approve(asked("accept", "accept"));
    Instance ended = house.untilEnd(run("accept"));

    assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("COMPLETE");
    assertThat(begun).containsEntry(folder("accept"), 1);
    assertThat(folder("accept").resolve("sent.txt")).hasContent("by 1");
    assertThat(house.evidence(run("accept")))
        .anyMatch(text -> text.contains("\"decision\":\"accept\""));
  }

  @Test
  void who_rejects_has_everything_taken_back() {
    house.approvals.reject(asked("reject", "repeat").id(), RunHouse.BOB, "leave it alone");

    assertUndone("reject", house.untilEnd(run("reject")));
    assertThat(begun).containsEntry(folder("reject"), 1);
  }

  @Test
  void who_escalates_halts_the_run_and_nothing_is_taken_back() {
    house.approvals.escalate(asked("escalate", "repeat").id(), RunHouse.BOB, "too big for me");
    Instance ended = house.untilEnd(run("escalate"));

    assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
    assertThat(ended.context()).containsEntry("failure", "escalated: too big for me");
    assertThat(folder("escalate").resolve("first.txt")).exists();
    assertThat(folder("escalate").resolve("sent.txt")).doesNotExist();
  }

  @Test
  void where_the_plan_says_halt_nobody_is_asked() {
    Instance ended = house.untilEnd(run("halt"));

    assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
    assertThat(String.valueOf(ended.context().get("failure")))
        .startsWith("nobody knows whether send happened");
    assertThat(begun).containsEntry(folder("halt"), 1);
    assertThat(folder("halt").resolve("first.txt")).exists();
  }

  @Test
  void what_was_killed_before_its_mark_and_repeated_is_taken_back_too() {
    house.approve(asked("unmarked", "repeat"));

    assertUndone("unmarked", house.untilEnd(run("unmarked")));
    assertThat(begun).containsEntry(folder("unmarked"), 2);
  }
}
