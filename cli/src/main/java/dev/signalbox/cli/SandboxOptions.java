package dev.signalbox.cli;

import dev.signalbox.services.sandbox.Sandbox;
import dev.signalbox.systems.runs.RunsSettings;
import dev.signalbox.systems.runs.SandboxSettings;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** What the processes of plans see. */
@SuppressWarnings("NullAway.Init")
final class SandboxOptions {
  @Option(
      names = "--unconfined",
      paramLabel = "RULE",
      defaultValue = "ask",
      description =
          "Plans that start processes where there is no sandbox: ask, refuse or allow "
              + "(default ${DEFAULT-VALUE})")
  private SandboxSettings.Unconfined unconfined;

  @Option(
      names = "--tools-read",
      paramLabel = "PATH",
      description = "What tools see besides their folder; may be given several times")
  private List<Path> readable = List.of();

  @Option(
      names = "--tools-change",
      paramLabel = "PATH",
      description = "What tools may change besides their folder; may be given several times")
  private List<Path> changeable = List.of();

  RunsSettings in(RunsSettings settings) {
    return settings.sandbox(sandbox ->
        sandbox
            .unconfined(unconfined)
            .reading(readable == null ? List.of() : readable)
            .changing(changeable == null ? List.of() : changeable));
  }

  /** What whoever starts the server has to know; empty where there is a sandbox. */
  String warning(Sandbox sandbox) {
    return sandbox.isConfining()
        ? ""
        : "There is no sandbox: %s %s"
            .formatted(
                sandbox.why(),
                switch (unconfined) {
                  case ASK -> "Plans that start processes ask a person first.";
                  case REFUSE -> "Plans that start processes are refused.";
                  case ALLOW -> "Plans start processes all the same, which reach what you reach.";
                });
  }
}
