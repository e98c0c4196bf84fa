package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The entry of {@code signalbox}. */
@Command(
    name = "signalbox",
    description = "Durable, audited state machines that govern AI agents.",
    mixinStandardHelpOptions = true,
    version = "signalbox 0.1.0",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      UpCommand.class,
      TokenCommand.class,
      CheckCommand.class,
      DrawCommand.class,
      PlayCommand.class,
      PathsCommand.class,
      SimulateCommand.class,
      PublishCommand.class,
      MachinesCommand.class,
      StartCommand.class,
      SendCommand.class,
      ShowCommand.class,
      HistoryCommand.class,
      ListCommand.class,
      WatchCommand.class,
      TasksCommand.class,
      WorkersCommand.class,
      LocksCommand.class,
      PauseCommand.class,
      ResumeCommand.class,
      CancelCommand.class,
      MigrateCommand.class,
      ApprovalsCommand.class,
      ApproveCommand.class,
      RejectCommand.class,
      ReplenishCommand.class,
      PersonCommand.class,
      ForkCommand.class,
      EraseCommand.class,
      ArchiveCommand.class,
      KeyCommand.class,
      SweepCommand.class,
      BackupCommand.class,
      RestoreCommand.class,
      ExportCommand.class,
      VerifyCommand.class,
      McpCommand.class,
      RunCommand.class,
    },
    footer = {
      "",
      "Also: signalbox bench NAME [--quick], a benchmark beside its peers.",
      "Exit codes: 0 good, 1 a refusal or a problem, 2 wrong usage."
    })
public final class Main implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  private final Terminal terminal;

  private Main(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Where a person may sit, for the command. */
  static Terminal terminal(CommandSpec spec) {
    return spec.root().userObject() instanceof Main main ? main.terminal : Terminal.NONE;
  }

  /** The command line with every command, for this program and for tests. */
  public static CommandLine commandLine() {
    return commandLine(Terminal.ofTheProcess());
  }

  /** The command line, with somebody at that terminal. */
  static CommandLine commandLine(Terminal terminal) {
    return new CommandLine(new Main(terminal))
        .setOut(new PrintWriter(System.out, true, java.nio.charset.StandardCharsets.UTF_8))
        .setErr(new PrintWriter(System.err, true, java.nio.charset.StandardCharsets.UTF_8))
        .setCaseInsensitiveEnumValuesAllowed(true)
        .registerConverter(Long.class, Main::whole)
        .registerConverter(long.class, Main::whole)
        .setParameterExceptionHandler((exception, _) -> wrongUsage(exception))
        .setExecutionExceptionHandler((exception, line, _) -> {
          if (exception instanceof CommandFailure failure) {
            String message = failure.getMessage();
            boolean json = line.getParseResult().hasMatchedOption("--json");
            line.getErr().println(json ? Json.text(Map.of("failure", message)) : message);
            return 1;
          }
          throw exception;
        });
  }

  /** Says what is wrong, and the nearest word for one that is not known, otherwise the usage. */
  private static int wrongUsage(ParameterException exception) {
    CommandLine line = exception.getCommandLine();
    line.getErr().println(line.getColorScheme().errorText(exception.getMessage()));
    List<String> nearest =
        exception instanceof UnmatchedArgumentException unmatched ? meant(unmatched) : List.of();
    if (nearest.isEmpty()) {
      line.usage(line.getErr(), line.getColorScheme());
    } else {
      line.getErr().println("Did you mean: " + String.join(" or ", nearest) + "?");
    }
    return line.getCommandSpec().exitCodeOnInvalidInput();
  }

  private static List<String> meant(UnmatchedArgumentException unmatched) {
    String typed = unmatched.getUnmatched().getFirst();
    CommandSpec command = unmatched.getCommandLine().getCommandSpec();
    if (unmatched.isUnknownOption()) {
      int end = typed.indexOf('=');
      return Nearest.to(
          end < 0 ? typed : typed.substring(0, end), new TreeSet<>(command.optionsMap().keySet()));
    }
    return Nearest.to(typed, new TreeSet<>(command.subcommands().keySet())).stream()
        .map(word -> command.qualifiedName() + " " + word)
        .toList();
  }

  private static Long whole(String text) {
    try {
      return Long.valueOf(text);
    } catch (NumberFormatException e) {
      throw new TypeConversionException("Expected a whole number, but found '%s'.".formatted(text));
    }
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "Expected a command, but there is none. See signalbox --help.");
  }
}
