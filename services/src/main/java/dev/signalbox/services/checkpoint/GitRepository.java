package dev.signalbox.services.checkpoint;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A git repository: the file {@code checkpoints.jsonl} of its work tree, a commit for each
 * checkpoint, and a push where the repository has a remote. It is the program {@code git} that does
 * it, with what it is configured to.
 */
public final class GitRepository implements SecondPlace {
  private static final String FILE = "checkpoints.jsonl";
  private static final long SECONDS = 60;

  private final Path folder;
  private final AppendedFile file;

  public GitRepository(Path folder) {
    this.folder = folder.toAbsolutePath();
    this.file = new AppendedFile(this.folder.resolve(FILE));
  }

  @Override
  public String name() {
    return "git:" + folder;
  }

  @Override
  public void publish(byte[] checkpoint) throws IOException, InterruptedException {
    if (!Arrays.equals(checkpoint, file.last())) {
      file.publish(checkpoint);
    }
    git("add", "--", FILE);
    if (!git("status", "--porcelain", "--", FILE).isBlank()) {
      git(
          "-c",
          "user.name=signalbox",
          "-c",
          "user.email=signalbox@localhost",
          "commit",
          "-q",
          "-m",
          "Checkpoint",
          "--",
          FILE);
    }
    if (!git("remote").isBlank()) {
      git("push", "-q", "origin", "HEAD");
    }
  }

  @Override
  public byte @Nullable [] last() throws IOException {
    try {
      git("rev-parse", "--is-inside-work-tree");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("it was interrupted", e);
    }
    return file.last();
  }

  private String git(String... words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("git", "-C", folder.toString()));
    command.addAll(List.of(words));
    Path said = Files.createTempFile("signalbox-git-", ".txt");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile());
      builder.environment().put("GIT_TERMINAL_PROMPT", "0");
      Process process = builder.start();
      process.getOutputStream().close();
      if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException("git %s took longer than %d s".formatted(words[0], SECONDS));
      }
      String output = Files.readString(said, StandardCharsets.UTF_8).strip();
      if (process.exitValue() != 0) {
        throw new IOException(
            "git %s in %s said: %s"
                .formatted(words[0], folder, output.lines().findFirst().orElse("nothing")));
      }
      return output;
    } finally {
      Files.deleteIfExists(said);
    }
  }
}
