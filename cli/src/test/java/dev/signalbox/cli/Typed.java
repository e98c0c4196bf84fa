package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The command line as a process of its own on a real pseudo-terminal, with a person who types. */
final class Typed {
  private final Path folder;
  private final List<List<String>> typed = new ArrayList<>();

  private Typed(Path folder) {
    this.folder = folder;
  }

  static Typed in(Path folder) {
    return new Typed(folder);
  }

  /** Types the answer once the prompt is seen. */
  Typed when(String prompt, String answer) {
    typed.add(List.of(prompt, answer));
    return this;
  }

  /** What the terminal showed. */
  record Shown(int code, String out) {}

  /** The command that starts the command line in a process of its own. */
  static List<String> command(String... args) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.signalbox.cli.Main"));
    command.addAll(List.of(args));
    return command;
  }

  Shown run(String... args) throws Exception {
    Path script = Files.createTempFile("typed", ".py");
    try (InputStream in = Objects.requireNonNull(Typed.class.getResourceAsStream("typed.py"))) {
      Files.write(script, in.readAllBytes());
    }
    Map<String, Object> order = new LinkedHashMap<>();
    order.put("command", command(args));
    order.put("folder", folder.toString());
    order.put("typed", typed);
    order.put("patience", 180L);
    Process process =
        new ProcessBuilder("python3", script.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (Writer in = process.outputWriter(StandardCharsets.UTF_8)) {
      in.write(Json.text(order) + "\n");
    }
    String line = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    Files.delete(script);
    Map<?, ?> shown = (Map<?, ?>) Objects.requireNonNull(Json.parse(line.strip()));
    typed.clear();
    return new Shown(
        ((Number) Objects.requireNonNull(shown.get("code"))).intValue(),
        String.valueOf(shown.get("out")));
  }

  /** The same without a terminal: what a program in the same shell gets. */
  Shown unattended(String... args) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command(args))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .start();
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Shown(process.waitFor(), out);
  }
}
