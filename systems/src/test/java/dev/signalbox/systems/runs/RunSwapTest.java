package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.runtime.Instance;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Inbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is swapped between the approval and the execution does not run. */
class RunSwapTest {
  /** It runs everything in the folder that a program may be made to run without being named. */
  private static final String SCRIPT =
      """
      . ./lib/sourced.sh
      ./bin/helper
      PATH=$PWD/bin:$PATH helper
      cat linked/text
      git status > /dev/null 2>&1
      python3 -c 'import settings' 2> /dev/null
      cat "$1"
      echo done > done.txt
      """;

  private static final String PLAN =
      """
      project: demo
      %s
      tools:
        - { name: before, command: [sh, -c, "echo one > one.txt"], writes: [one.txt] }
        - name: deploy
          command: [sh, -c, '. ./deploy.sh "$1"', sh, "{file}"]
          arguments: { file: input.txt }
          %s
          writes: [done.txt, .git/**]
      checks:
        - { name: ok, command: ["true"], access: read }
      """;

  @TempDir Path folder;

  private static void put(Path file, String text) throws IOException {
    Path parent = file.getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    Files.writeString(file, text);
  }

  private RunHouse house() throws IOException {
    RunHouse house = RunHouse.in(folder);
    put(house.work.resolve("deploy.sh"), SCRIPT);
    put(house.work.resolve("lib/sourced.sh"), "echo sourced\n");
    put(house.work.resolve("bin/helper"), "#!/bin/sh\necho helped\n");
    executable(house.work.resolve("bin/helper"), true);
    put(house.work.resolve("plain.sh"), "#!/bin/sh\necho plain\n");
    put(house.work.resolve("target/text"), "good\n");
    put(house.work.resolve("other/text"), "good\n");
    Files.createSymbolicLink(house.work.resolve("linked"), Path.of("target"));
    put(house.work.resolve("input.txt"), "input\n");
    put(house.work.resolve(".git/HEAD"), "ref: refs/heads/main\n");
    put(house.work.resolve(".git/config"), "[core]\n");
    Files.createDirectories(house.work.resolve(".git/refs"));
    Files.createDirectories(house.work.resolve(".git/objects"));
    return house;
  }

  private static void executable(Path file, boolean may) throws IOException {
    Files.setPosixFilePermissions(
        file, PosixFilePermissions.fromString(may ? "rwxr-xr-x" : "rw-r--r--"));
  }

  private static final String EVIL = "touch $PWD/../evil\n";

  /** A way of changing what runs without changing the call. */
  enum Swap {
    SCRIPT {
      @Override
      void in(Path work) throws IOException {
        put(work.resolve("deploy.sh"), EVIL + RunSwapTest.SCRIPT);
      }
    },
    SOURCED_FILE {
      @Override
      void in(Path work) throws IOException {
        put(work.resolve("lib/sourced.sh"), EVIL);
      }
    },
    SAME_SIZE_AND_TIME {
      @Override
      void in(Path work) throws IOException {
        Path file = work.resolve("lib/sourced.sh");
        FileTime time = Files.getLastModifiedTime(file);
        Files.writeString(file, ">../evil  #  \n");
        Files.setLastModifiedTime(file, time);
      }
    },
    LINK {
      @Override
      void in(Path work) throws IOException {
        Files.delete(work.resolve("linked"));
        Files.createSymbolicLink(work.resolve("linked"), Path.of("other"));
      }
    },
    VALUE_OF_A_PLACE {
      @Override
      void in(Path work) throws IOException {
        put(work.resolve("input.txt"), "other input\n");
      }
    },
    EXECUTABLE_BIT {
      @Override
      void in(Path work) throws IOException {
        executable(work.resolve("plain.sh"), true);
      }
    },
    NEW_PROGRAM_ON_THE_PATH {
      @Override
      void in(Path work) throws IOException {
        put(work.resolve("bin/git"), "#!/bin/sh\n" + EVIL);
        executable(work.resolve("bin/git"), true);
      }
    },
    GIT_CONFIGURATION {
      @Override
      void in(Path work) throws IOException {
        put(work.resolve(".git/config"), "[core]\n\tfsmonitor = touch ../evil\n");
      }
    },
    GIT_HOOK {
      @Override
      void in(Path work) throws IOException {
        put(work.resolve(".git/hooks/post-index-change"), "#!/bin/sh\n" + EVIL);
        executable(work.resolve(".git/hooks/post-index-change"), true);
      }
    },
    INTERPRETER_CONFIGURATION {
      @Override
      void in(Path work) throws IOException {
        put(work.resolve("settings.py"), "open('../evil', 'w')\n");
      }
    },
    RENAMED_FOLDER {
      @Override
      void in(Path work) throws IOException {
        Path away = work.resolveSibling("away");
        Files.move(work, away);
        Files.createDirectory(work);
        put(work.resolve("deploy.sh"), EVIL);
      }
    },
    LINK_IN_THE_FOLDER_S_PLACE {
      @Override
      void in(Path work) throws IOException {
        Path away = work.resolveSibling("elsewhere");
        Files.move(work, away);
        put(away.resolve("lib/sourced.sh"), EVIL);
        Files.createSymbolicLink(work, away);
      }
    },
    DELETED_FILE {
      @Override
      void in(Path work) throws IOException {
        Files.delete(work.resolve("bin/helper"));
      }
    };

    abstract void in(Path work) throws IOException;
  }

  /** What was approved was the folder as it was; people are asked again, and told what changed. */
  private void asksAgain(RunHouse house, String run, Approval first) {
    Instance waiting =
        house.until(
            run,
            i ->
                i.leaves().contains("awaiting_decision")
                    && !List.of(first.id()).equals(i.context().get("approvals_pending")));
    assertThat(String.valueOf(waiting.context().get("asked_because")))
        .contains("the folder was changed since");
    Approval again = house.untilAsked(run).getFirst();
    assertThat(again.digest()).isNotEqualTo(first.digest());
    assertThat(again.action().identity().get("tree"))
        .isNotEqualTo(first.action().identity().get("tree"));
    assertThat(RunEntry.list(again.action().identity().get("changed"))).isNotEmpty();
    assertThat(house.approvals.approval(first.id()).state()).isNotIn("APPROVED", "EXECUTED");
    assertThat(folder.resolve("evil")).doesNotExist();
    assertThat(house.work.resolve("done.txt")).doesNotExist();
  }

  @ParameterizedTest
  @EnumSource(Swap.class)
  void a_swap_after_the_approval_of_a_tool_is_stopped(Swap swap) throws IOException {
    try (RunHouse house = house()) {
      String run = house.start(PLAN.formatted("", "risks: [merge_to_main]"));
      Approval asked = house.untilAsked(run).getFirst();
      swap.in(house.work);
      house.approve(asked);
      asksAgain(house, run, asked);
    }
  }

  @ParameterizedTest
  @EnumSource(Swap.class)
  void a_swap_after_the_approval_of_the_plan_is_stopped(Swap swap) throws IOException {
    try (RunHouse house = house()) {
      String run = house.start(PLAN.formatted("approval: person", ""));
      house.until(run, i -> !"".equals(i.context().get("plan_approval")));
      Approval asked = house.approvals.pending(Inbox.ALL.about(run)).getFirst();
      swap.in(house.work);
      house.approve(asked);
      if (swap == Swap.LINK_IN_THE_FOLDER_S_PLACE) {
        assertThat(Runs.state(house.untilEnd(run))).isEqualTo("HALTED_UNSAFE");
      } else {
        Instance waiting = house.until(run, i -> i.leaves().contains("awaiting_decision"));
        assertThat(waiting.context().get("current_tool")).isEqualTo("before");
        assertThat(String.valueOf(waiting.context().get("asked_because")))
            .contains("the folder was changed since");
      }
      assertThat(house.work.resolve("one.txt")).doesNotExist();
      assertThat(folder.resolve("evil")).doesNotExist();
    }
  }

  /** The folder is changed by somebody else while a tool runs, in a plan that policy approved. */
  @Test
  void a_later_tool_is_bound_to_the_folder_as_the_one_before_left_it() throws IOException {
    try (RunHouse house = house()) {
      String run =
          house.start(
              RunPlans.of(
                  "name: t, command: [sh, -c, '%s; echo x > t'], writes: [t]".formatted(WAIT),
                  "name: deploy, command: [sh, deploy.sh, input.txt], writes: [done.txt]"));
      begun();
      Swap.SOURCED_FILE.in(house.work);
      Files.createFile(folder.resolve("go"));
      Instance waiting = house.until(run, i -> i.leaves().contains("awaiting_decision"));
      assertThat(waiting.context().get("tools_completed")).isEqualTo(List.of("t"));
      assertThat(RunEntry.list(house.untilAsked(run).getFirst().action().identity().get("changed")))
          .isEqualTo(List.of("changed lib/sourced.sh"));
      assertThat(folder.resolve("evil")).doesNotExist();
    }
  }

  @Test
  void the_difference_can_be_approved_and_then_it_runs() throws IOException {
    try (RunHouse house = house()) {
      String run = house.start(PLAN.formatted("", "risks: [merge_to_main]"));
      Approval asked = house.untilAsked(run).getFirst();
      Swap.VALUE_OF_A_PLACE.in(house.work);
      house.approve(asked);
      asksAgain(house, run, asked);
      Approval again = house.untilAsked(run).getFirst();
      assertThat(RunEntry.list(again.action().identity().get("changed")))
          .isEqualTo(List.of("changed input.txt"));
      house.approve(again);
      Instance ended = house.untilEnd(run);
      assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("COMPLETE");
      assertThat(house.evidence(run)).anyMatch(text -> text.contains("+other input"));
      assertThat(house.work.resolve("done.txt")).exists();
    }
  }

  @Test
  void after_three_times_it_is_the_end() throws IOException {
    try (RunHouse house = house()) {
      String run = house.start(PLAN.formatted("", "risks: [merge_to_main]"));
      Approval asked = house.untilAsked(run).getFirst();
      for (int times = 1; times <= 3; times++) {
        put(house.work.resolve("input.txt"), "input " + times);
        house.approve(asked);
        asksAgain(house, run, asked);
        asked = house.untilAsked(run).getFirst();
      }
      put(house.work.resolve("input.txt"), "input 4");
      house.approve(asked);
      Instance ended = house.untilEnd(run);
      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(String.valueOf(ended.context().get("failure")))
          .contains("changed 4 times while people were asked");
      assertThat(house.work.resolve("done.txt")).doesNotExist();
    }
  }

  private static final String WAIT = "touch ../begun; until [ -e ../go ]; do sleep 0.05; done";

  private void begun() {
    for (int i = 0; i < 6_000 && !Files.exists(folder.resolve("begun")); i++) {
      java.util.concurrent.locks.LockSupport.parkNanos(10_000_000);
    }
  }

  /** What the tool reads is the copy: the folder is swapped while it runs, before it looks. */
  @Test
  void what_is_swapped_while_the_tool_runs_is_not_seen() throws IOException {
    try (RunHouse house = house()) {
      String run =
          house.start(
              RunPlans.of(
                  "name: t, command: [sh, -c, '%s; . ./lib/sourced.sh; echo x > t'], writes: [t]"
                      .formatted(WAIT)));
      begun();
      Swap.SOURCED_FILE.in(house.work);
      Files.createFile(folder.resolve("go"));
      Instance ended = house.untilEnd(run);
      assertThat(folder.resolve("evil")).doesNotExist();
      assertThat(house.evidence(run)).contains("sourced\n");
      // The check comes after, and is bound to what the tool left.
      assertThat(Runs.state(ended)).isEqualTo("ROLLED_BACK");
      assertThat(String.valueOf(ended.context().get("failure"))).contains("lib/sourced.sh");
    }
  }

  @Test
  void what_somebody_else_writes_where_the_tool_writes_is_not_overwritten() throws IOException {
    try (RunHouse house = house()) {
      String run =
          house.start(
              RunPlans.of(
                  "name: t, command: [sh, -c, '%s; echo x > t; echo y > u'], writes: [t, u]"
                      .formatted(WAIT)));
      begun();
      house.file("u", "mine");
      Files.createFile(folder.resolve("go"));
      Instance ended = house.untilEnd(run);
      assertThat(Runs.state(ended)).isEqualTo("ROLLED_BACK");
      assertThat(String.valueOf(ended.context().get("failure")))
          .contains("what it changed is not in the folder", "'u'");
      assertThat(house.work.resolve("t")).doesNotExist();
      assertThat(house.work.resolve("u")).hasContent("mine");
    }
  }

  @Test
  void a_tool_that_fails_leaves_nothing_in_the_folder() throws IOException {
    try (RunHouse house = house()) {
      String before = house.tree();
      Instance ended =
          house.ended(RunPlans.of("name: t, command: [sh, -c, 'echo x > t; exit 1'], writes: [t]"));
      assertThat(Runs.state(ended)).isEqualTo("ROLLED_BACK");
      assertThat(house.tree()).isEqualTo(before);
    }
  }

  @Test
  void looking_at_a_repository_does_not_halt_a_run() throws IOException {
    for (boolean kept : new boolean[] {true, false}) {
      Path own = Files.createDirectories(folder.resolve(kept ? "kept" : "free"));
      try (RunHouse house = kept ? RunHouse.in(own) : RunHouse.unconfined(own)) {
        for (String line :
            List.of(
                "git init -q .",
                "git config user.email a@example.invalid",
                "git config user.name A",
                "touch a",
                "git add a",
                "git commit -qm a",
                "touch -d 2001-01-01 a")) {
          assertThat(
                  new ProcessBuilder("sh", "-c", line)
                      .directory(house.work.toFile())
                      .start()
                      .waitFor())
              .isZero();
        }
        Instance ended =
            house.ended(RunPlans.of("name: look, command: [git, status], access: read"));
        assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("COMPLETE");
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Test
  void what_people_see_holds_the_filled_arguments_and_the_digest_of_the_program()
      throws IOException {
    try (RunHouse house = house()) {
      String run = house.start(PLAN.formatted("", "risks: [merge_to_main]"));
      Map<String, Object> identity = house.untilAsked(run).getFirst().action().identity();
      Map<String, Object> tool = Form.map(identity, "tool");
      assertThat(Form.texts(tool, "filled")).endsWith("sh", "input.txt");
      assertThat(Form.text(tool, "program_sha256")).hasSize(64);
      assertThat(identity).containsKeys("tree", "form", "place");
    }
  }

  @Test
  void a_handler_of_another_version_is_another_tool() throws IOException {
    String plan = RunPlans.of("name: h, handler: h, risks: [merge_to_main], writes: [x]");
    String run;
    Approval asked;
    try (RunHouse house =
        RunHouse.with(folder, "h", (call, evidence) -> RunHandlers.pass(evidence))) {
      run = house.start(plan);
      asked = house.untilAsked(run).getFirst();
      Map<String, Object> tool = Form.map(asked.action().identity(), "tool");
      assertThat(Form.map(tool, "version")).containsKeys("class", "sha256");
    }
    try (RunHouse house = RunHouse.with(folder, "h", new RunHandlers.Other())) {
      house.approve(asked);
      Instance ended = house.untilEnd(run);
      assertThat(Runs.state(ended)).isEqualTo("HALTED_UNSAFE");
      assertThat(Stream.of(ended.context().get("failure")).map(String::valueOf))
          .noneMatch(text -> text.contains("the other ran"));
    }
  }
}
