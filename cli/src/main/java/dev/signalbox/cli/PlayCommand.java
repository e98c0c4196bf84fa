package dev.signalbox.cli;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Json;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.play.MachineLibrary;
import dev.signalbox.definition.play.Playground;
import dev.signalbox.definition.play.Stimulus;
import dev.signalbox.definition.play.StimulusReader;
import dev.signalbox.definition.play.Transcript;
import dev.signalbox.kernel.Answer;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.machine.Machine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox play}: a machine in memory, on a manual clock, until nothing is left to do. */
@Command(
    name = "play",
    mixinStandardHelpOptions = true,
    description = {
      "Run each machine in memory on a manual clock until nothing is left to do.",
      "One line of JSON for each step, and a last one with where it ended."
    })
@SuppressWarnings("NullAway.Init")
final class PlayCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Each file is played by itself")
  private List<Path> files;

  @Option(
      names = "--events",
      paramLabel = "F.jsonl",
      description = "Events to send: one JSON object a line with event, data, actor, after, start")
  private @Nullable Path events;

  @Option(names = "--machine", paramLabel = "NAME", description = "The one to play, if several")
  private @Nullable String name;

  @Option(
      names = "--steps",
      paramLabel = "N",
      converter = Count.class,
      defaultValue = "10000",
      description = "Steps to take at most (default ${DEFAULT-VALUE})")
  private int steps;

  @Option(names = "--json", description = "Problems as JSON too; the steps always are")
  private boolean json;

  @Override
  public Integer call() {
    List<Stimulus> given = events == null ? List.of() : read(events);
    boolean good = true;
    for (Path file : files) {
      good &= play(file, given);
    }
    return good ? 0 : 1;
  }

  private boolean play(Path file, List<Stimulus> given) {
    PrintWriter out = spec.commandLine().getOut();
    Definition definition = Definitions.single(file, name, printer());
    Machine machine = definition.machine();
    if (machine == null || definition.hasErrors()) {
      throw new CommandFailure(
          "Expected a machine without errors in %s, but it has some.".formatted(file));
    }
    List<Machine> machines = new ArrayList<>();
    for (Path other : files) {
      for (Definition one : MachineReader.readAll(other)) {
        Machine found = one.machine();
        if (found != null && !one.hasErrors()) {
          machines.add(found);
        }
      }
    }
    Path folder = file.toAbsolutePath().getParent();
    Transcript transcript =
        new Playground(machine, new MachineLibrary(machines, folder), steps).play(given);
    transcript.entries().forEach(e -> out.println(Json.text(e.json())));
    out.println(Json.text(transcript.summary(file.toString())));
    out.flush();
    return transcript.entries().stream().noneMatch(e -> isRefusal(e.answer(), machine));
  }

  /** In scxml mode an event for an instance that has ended is dropped, not refused. */
  private static boolean isRefusal(Answer answer, Machine machine) {
    return answer instanceof Rejection rejection
        && (machine.mode() == Machine.Mode.STRICT
            || rejection.code() != Rejection.Code.INSTANCE_FINAL);
  }

  private ProblemPrinter printer() {
    return new ProblemPrinter(spec.commandLine().getErr(), json);
  }

  private List<Stimulus> read(Path file) {
    Source source = new Source(file.toString(), text(file));
    Problems problems = new Problems(source.name());
    List<Stimulus> given = StimulusReader.read(source, problems);
    if (problems.hasErrors()) {
      printer().print(source, problems.list());
      throw new CommandFailure("Expected events in %s, but some lines are none.".formatted(file));
    }
    return given;
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (CharacterCodingException e) {
      throw new CommandFailure("Expected text in UTF-8 in %s, but it is not.".formatted(file));
    } catch (IOException e) {
      throw new CommandFailure(
          "Expected events in %s, but %s.".formatted(file, Unusable.file(file, e)));
    }
  }
}
