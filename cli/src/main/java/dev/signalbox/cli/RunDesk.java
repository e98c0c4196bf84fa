package dev.signalbox.cli;

import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.RejectedException;
import dev.signalbox.runtime.Reply;
import dev.signalbox.systems.runs.FrozenPlanReader;
import dev.signalbox.systems.runs.Plan;
import dev.signalbox.systems.runs.PlanReader;
import dev.signalbox.systems.runs.RunStory;
import dev.signalbox.systems.runs.Runs;
import dev.signalbox.systems.runs.frozen.FrozenPlan;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where runs are started and looked at: on the store itself, or at the server that is up on it. */
sealed interface RunDesk {

  /**
   * Starts a run.
   *
   * @param base what a relative folder of the plan is relative to
   * @return its id
   */
  String start(Source plan, Path base);

  /**
   * Starts a run of a frozen plan of the coordinator.
   *
   * @param tools the tool book
   * @param base what a relative folder of the tool book is relative to
   * @return its id
   */
  String start(FrozenPlan frozen, Source tools, Path base);

  Map<?, ?> story(String run);

  List<? extends Map<?, ?>> list(@Nullable String project, @Nullable String state, boolean live);

  void halt(String run, String reason);

  /** Lets a run that stands still go on; nothing where it runs. */
  void resume(String run);

  /** Whether somebody else does the work, so that waiting for people makes sense. */
  boolean isServed();

  /** On the store, in this process. */
  record Local(Runs runs, Actor actor) implements RunDesk {
    private static final int MOST = 1_000;

    @Override
    public String start(Source source, Path base) {
      Plan plan = PlanReader.read(source, base);
      return runs.start(plan, actor);
    }

    @Override
    public String start(FrozenPlan frozen, Source tools, Path base) {
      return runs.start(FrozenPlanReader.read(frozen, tools, base), actor);
    }

    @Override
    public Map<?, ?> story(String run) {
      return runs.story(run).asMap();
    }

    @Override
    public List<? extends Map<?, ?>> list(
        @Nullable String project, @Nullable String state, boolean live) {
      List<Instance> found = runs.list(project, state, live, 0, MOST);
      return found.stream().map(RunStory::summary).toList();
    }

    @Override
    public void halt(String run, String reason) {
      accepted(runs.halt(run, actor, reason));
    }

    @Override
    public void resume(String run) {
      if (!runs.run(run).status().equals("live")) {
        accepted(runs.resume(run, actor));
      }
    }

    private static void accepted(Reply reply) {
      if (reply instanceof Reply.Rejected(Rejection rejection)) {
        throw new RejectedException(rejection);
      }
    }

    @Override
    public boolean isServed() {
      return false;
    }
  }

  /** At a server. */
  record Served(Remote remote) implements RunDesk {
    @Override
    public String start(Source source, Path base) {
      PlanReader.read(source, base);
      return started(base, Map.of("plan", source.text()));
    }

    @Override
    public String start(FrozenPlan frozen, Source tools, Path base) {
      // The server is not given the other files of the folder; they are compared here.
      FrozenPlanReader.read(frozen, tools, base);
      return started(
          base,
          Map.of(
              "manifest",
              frozen.manifest().text(),
              "graph",
              frozen.graph().text(),
              "tools",
              tools.text()));
    }

    private String started(Path base, Map<String, String> texts) {
      Map<String, Object> body = new LinkedHashMap<>(texts);
      body.put("base", base.toAbsolutePath().normalize().toString());
      return String.valueOf(remote.post("/runs", body).get("run_id"));
    }

    @Override
    public Map<?, ?> story(String run) {
      return remote.get("/runs/" + Remote.encoded(run));
    }

    @Override
    public List<? extends Map<?, ?>> list(
        @Nullable String project, @Nullable String state, boolean live) {
      String query =
          "/runs?most=1000"
              + (project == null ? "" : "&project=" + Remote.encoded(project))
              + (state == null ? "" : "&state=" + Remote.encoded(state))
              + (live ? "&live=true" : "");
      return remote.get(query).get("runs") instanceof List<?> list
          ? list.stream().map(each -> (Map<?, ?>) each).toList()
          : List.of();
    }

    @Override
    public void halt(String run, String reason) {
      Map<?, ?> _ = remote.post("/runs/" + Remote.encoded(run) + "/halt", Map.of("reason", reason));
    }

    @Override
    public void resume(String run) {
      String status = String.valueOf(story(run).get("status"));
      if (!status.equals("live")) {
        Map<?, ?> _ = remote.post("/runs/" + Remote.encoded(run) + "/resume", Map.of());
      }
    }

    @Override
    public boolean isServed() {
      return true;
    }
  }
}
