package dev.signalbox.cli;

import dev.signalbox.definition.DefinitionException;
import dev.signalbox.definition.Json;
import dev.signalbox.definition.Source;
import dev.signalbox.systems.runs.Runs;
import dev.signalbox.systems.runs.file.Fault;
import dev.signalbox.systems.runs.file.RunVerifier;
import dev.signalbox.systems.runs.frozen.FrozenPlan;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox run}: approved runs. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    description = {
      "Let a plan run: its tools one at a time, a person's word where it is risky, checks, an "
          + "audit, and the way back.",
      "Through the server that is up on the store, or in this process."
    },
    subcommands = {
      RunCommand.Start.class,
      RunCommand.Watch.class,
      RunCommand.ListRuns.class,
      RunCommand.Show.class,
      RunCommand.Resume.class,
      RunCommand.Halt.class,
      RunCommand.Verify.class,
    })
@SuppressWarnings("NullAway.Init")
final class RunCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "Expected a command, but there is none. See signalbox run --help.");
  }

  /** {@code signalbox run start}. */
  @Command(
      name = "start",
      mixinStandardHelpOptions = true,
      description = {
        "Start a run of a plan and tell what happens until it ends or waits for people.",
        "Where a server is up on the store, the run goes on there, and so does the telling. With",
        "--frozen the plan is one that the coordinator froze, and the file its tool book."
      })
  static final class Start implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private RunOptions options;

    @Parameters(
        paramLabel = "PLAN.yaml",
        description = "The plan, see docs/runs.md; with --frozen the tools that it may use")
    private Path file;

    @Option(
        names = "--frozen",
        paramLabel = "DIR",
        description = "Run the frozen plan in that folder; see docs/frozen-plans.md")
    private @Nullable Path frozen;

    @Option(
        names = "--detach",
        description = "Only start it; the server that is up on the store does the work")
    private boolean detached;

    @Option(names = "--json", description = "One line of JSON for each thing that happens")
    private boolean json;

    @Override
    public Integer call() {
      Source source = source();
      FrozenPlan graph = frozen();
      Path parent = file.toAbsolutePath().normalize().getParent();
      PrintWriter out = spec.commandLine().getOut();
      Function<RunDesk, String> start =
          desk -> {
            String run = started(desk, source, graph, parent == null ? Path.of(".") : parent);
            out.println(json ? Json.text(Map.of("run_id", run)) : run);
            out.flush();
            return run;
          };
      if (detached) {
        String _ = options.leaving(start);
        return 0;
      }
      return options.at(true, desk -> new RunTeller(desk, out, json).watch(start.apply(desk)));
    }

    private @Nullable FrozenPlan frozen() {
      if (frozen != null && !Files.isDirectory(frozen)) {
        throw new CommandFailure(
            "Expected a frozen plan in the folder %s, but there is no such folder."
                .formatted(frozen));
      }
      return frozen == null ? null : FrozenPlan.in(frozen);
    }

    private static String started(
        RunDesk desk, Source source, @Nullable FrozenPlan frozen, Path base) {
      try {
        return frozen == null ? desk.start(source, base) : desk.start(frozen, source, base);
      } catch (DefinitionException e) {
        throw new CommandFailure(String.valueOf(e.getMessage()));
      }
    }

    private Source source() {
      try {
        return new Source(file.toString(), Files.readString(file));
      } catch (IOException e) {
        throw new CommandFailure(
            "Expected a plan in %s, but %s.".formatted(file, Unusable.file(file, e)));
      }
    }
  }

  /** {@code signalbox run watch}. */
  @Command(
      name = "watch",
      mixinStandardHelpOptions = true,
      description = "Tell what happened in a run and what happens, until it ends.")
  static final class Watch implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private RunOptions options;

    @Parameters(paramLabel = "RUN", description = "The run")
    private String run;

    @Option(names = "--json", description = "One line of JSON for each thing that happens")
    private boolean json;

    @Override
    public Integer call() {
      return options.at(
          true, desk -> new RunTeller(desk, spec.commandLine().getOut(), json).watch(run));
    }
  }

  /** {@code signalbox run resume}. */
  @Command(
      name = "resume",
      mixinStandardHelpOptions = true,
      description = {
        "Go on with a run: after this process or the server ended, after a person has answered, "
            + "or after it was paused.",
        "What is finished is not done again."
      })
  static final class Resume implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private RunOptions options;

    @Parameters(paramLabel = "RUN", description = "The run")
    private String run;

    @Option(names = "--json", description = "One line of JSON for each thing that happens")
    private boolean json;

    @Override
    public Integer call() {
      return options.at(
          true,
          desk -> {
            desk.resume(run);
            return new RunTeller(desk, spec.commandLine().getOut(), json).watch(run);
          });
    }
  }

  /** {@code signalbox run list}. */
  @Command(name = "list", mixinStandardHelpOptions = true, description = "Show the runs.")
  static final class ListRuns implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private RunOptions options;

    @Option(names = "--project", paramLabel = "NAME", description = "Only that project's")
    private @Nullable String project;

    @Option(names = "--state", paramLabel = "STATE", description = "Only those in that state")
    private @Nullable String state;

    @Option(names = "--live", description = "Only those that have not ended")
    private boolean live;

    @Option(names = "--json", description = "One line of JSON for each")
    private boolean json;

    @Override
    public Integer call() {
      if (state != null && !Runs.STATES.contains(state)) {
        throw new CommandFailure(
            "Expected a state of a run after --state, but found '%s'. They are %s."
                .formatted(state, String.join(", ", Runs.STATES)));
      }
      PrintWriter out = spec.commandLine().getOut();
      for (Map<?, ?> run : options.at(false, desk -> desk.list(project, state, live))) {
        out.println(
            json
                ? Json.text(run)
                : "%s  %s  %s  %s"
                    .formatted(
                        run.get("run_id"),
                        run.get("state"),
                        run.get("final_status"),
                        run.get("failure"))
                    .stripTrailing());
      }
      out.flush();
      return 0;
    }
  }

  /** {@code signalbox run show}. */
  @Command(
      name = "show",
      mixinStandardHelpOptions = true,
      description = "Show a run: its tools, evidence, approvals, verdicts and what was undone.")
  static final class Show implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private RunOptions options;

    @Parameters(paramLabel = "RUN", description = "The run")
    private String run;

    @Option(names = "--json", description = "One line of JSON")
    private boolean json;

    @Override
    public Integer call() {
      Map<?, ?> story = options.at(false, desk -> desk.story(run));
      PrintWriter out = spec.commandLine().getOut();
      if (json) {
        out.println(Json.text(story));
      } else {
        RunReport.print(story, out);
      }
      out.flush();
      return 0;
    }
  }

  /** {@code signalbox run halt}. */
  @Command(
      name = "halt",
      mixinStandardHelpOptions = true,
      description = "Stop a run. While tools run nothing is rolled back.")
  static final class Halt implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private RunOptions options;

    @Parameters(paramLabel = "RUN", description = "The run")
    private String run;

    @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Why")
    private String reason;

    @Override
    public Integer call() {
      Map<?, ?> story =
          options.changing(desk -> {
            desk.halt(run, reason);
            return desk.story(run);
          });
      PrintWriter out = spec.commandLine().getOut();
      out.printf("%s is in %s%n", run, story.get("state"));
      out.flush();
      return 0;
    }
  }

  /** {@code signalbox run verify}. */
  @Command(
      name = "verify",
      mixinStandardHelpOptions = true,
      description = {
        "Check the files of a run, its evidence and the ledger beside it by themselves, or with "
            + "--all those of every run in a folder.",
        "No store is needed."
      })
  static final class Verify implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "DIR", description = "The folder of a run, or with --all of all runs")
    private Path folder;

    @Option(names = "--all", description = "Check every run in the folder")
    private boolean all;

    @Option(names = "--json", description = "One line of JSON for each fault, then one for all")
    private boolean json;

    @Override
    public Integer call() {
      PrintWriter out = spec.commandLine().getOut();
      List<Fault> faults = faults();
      for (Fault fault : faults) {
        out.println(json ? Json.text(line(fault)) : fault.toString());
      }
      out.println(
          json
              ? Json.text(Map.of("folder", folder.toString(), "faults", (long) faults.size()))
              : faults.isEmpty()
                  ? "Everything fits."
                  : "%d faults were found.".formatted(faults.size()));
      out.flush();
      return faults.isEmpty() ? 0 : 1;
    }

    private List<Fault> faults() {
      if (!Files.isDirectory(folder)) {
        throw new CommandFailure(
            "Expected the folder of a run at %s, but there is none.".formatted(folder));
      }
      try {
        return all ? RunVerifier.verifyAll(folder) : RunVerifier.verify(folder);
      } catch (IOException e) {
        throw new CommandFailure(
            "Expected to read %s, but it can't be read: %s.".formatted(folder, e.getMessage()));
      }
    }

    private static Map<String, Object> line(Fault fault) {
      return Map.of(
          "code",
          fault.code(),
          "file",
          fault.file(),
          "line",
          (long) fault.line(),
          "message",
          fault.message());
    }
  }
}
