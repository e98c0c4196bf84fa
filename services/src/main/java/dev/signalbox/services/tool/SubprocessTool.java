package dev.signalbox.services.tool;

import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.services.evidence.Evidence;
import dev.signalbox.services.evidence.EvidenceException;
import dev.signalbox.services.evidence.EvidenceStore;
import dev.signalbox.services.sandbox.Errand;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A tool that is a program. It gets the call's arguments in its argument list, where the command
 * has places for them, and all of them as JSON on standard input. It may write what it has to say
 * of its result into the file that {@code SIGNALBOX_RESULT} names; without that, exit 0 is a pass.
 * The evidence is its standard output, its standard error and its exit code.
 */
public final class SubprocessTool implements Tool {
  /** How bubblewrap begins when the program that it is to start can't be. */
  private static final byte[] NOT_STARTED = "bwrap: execvp ".getBytes(StandardCharsets.UTF_8);

  private static final Duration LAST_WORDS = Duration.ofSeconds(2);

  private final Program program;
  private final Map<String, String> around;
  private final SecretSource secrets;
  private final Confinement confinement;

  /**
   * @param around the variables of which some are handed on: those of this process
   */
  public SubprocessTool(
      Program program, Map<String, String> around, SecretSource secrets, Confinement confinement) {
    this.program = program;
    this.around = Map.copyOf(around);
    this.secrets = secrets;
    this.confinement = confinement;
  }

  /** The program in the sandbox of this machine, where it reads and changes its folder alone. */
  public static SubprocessTool of(Program program) {
    return of(program, Confinement.of(reach -> reach.writable(true)));
  }

  public static SubprocessTool of(Program program, Confinement confinement) {
    return new SubprocessTool(program, System.getenv(), SecretSource.NONE, confinement);
  }

  @Override
  public Map<String, Object> identity(ToolCall call) {
    program.filled(call.arguments());
    Map<String, Object> identity = new LinkedHashMap<>();
    identity.put("kind", "subprocess");
    identity.putAll(program.identity(call.folder()));
    return identity;
  }

  /** With the arguments in their places, and the digest of the program that they are for. */
  @Override
  public Map<String, Object> described(ToolCall call) {
    Map<String, Object> described = new LinkedHashMap<>(identity(call));
    described.put("filled", program.filled(call.arguments()));
    described.putAll(program.executable(call.folder(), around));
    return described;
  }

  @Override
  public void clear(ToolCall call) {
    ProcessTree.end(ProcessTree.mark(call), program.grace());
  }

  @Override
  public ToolResult run(ToolCall call, EvidenceStore evidence) throws InterruptedException {
    clear(call);
    Path answers = null;
    try {
      Redactor redactor = Redactor.of(secrets, program.secrets().values());
      answers = Files.createTempDirectory("signalbox-result");
      return run(call, evidence, redactor, answers.resolve("result.json"));
    } catch (IllegalArgumentException | EvidenceException e) {
      if (Thread.interrupted()) {
        throw new InterruptedException("The tool was interrupted.");
      }
      return ToolResult.fail(List.of(), String.valueOf(e.getMessage()));
    } catch (IOException e) {
      return ToolResult.fail(List.of(), notStarted(call));
    } finally {
      if (answers != null) {
        remove(answers);
      }
    }
  }

  private ToolResult run(ToolCall call, EvidenceStore store, Redactor redactor, Path answer)
      throws IOException, InterruptedException {
    Map<String, String> given = program.surroundings(around, redactor);
    given.put("SIGNALBOX_RESULT", answer.toString());
    given.put("SIGNALBOX_KEY", call.key());
    Errand errand =
        new Errand(
            program.filled(call.arguments()),
            given,
            program.variables(),
            confinement.reach(call),
            answer.getParent());
    ProcessTree tree =
        ProcessTree.start(confinement.sandbox().prepared(errand), ProcessTree.mark(call));
    CompletableFuture<Void> tooMuch = new CompletableFuture<>();
    Capture out;
    Capture err;
    String cut;
    try {
      out = new Capture(tree.first().getInputStream(), call.limits().outputBytes(), tooMuch);
      err = new Capture(tree.first().getErrorStream(), call.limits().outputBytes(), tooMuch);
      tell(tree.first().getOutputStream(), CanonicalJson.bytes(call.arguments()));
      cut = ended(tree.first(), tooMuch, call);
    } finally {
      // Also what a program that ended by itself left behind.
      tree.end(program.grace());
    }
    List<Evidence> seen = new ArrayList<>();
    seen.add(store.put("stdout", redactor.clean(out.bytes(LAST_WORDS))));
    byte[] complaint = err.bytes(LAST_WORDS);
    seen.add(store.put("stderr", redactor.clean(complaint)));
    if (cut != null || tooMuch.isDone()) {
      return ToolResult.fail(seen, cut == null ? tooMuch(call) : cut);
    }
    int exit = tree.first().exitValue();
    if (exit == 1 && begins(complaint, NOT_STARTED)) {
      return ToolResult.fail(seen, notStarted(call));
    }
    seen.add(store.put("exit_code", exit + "\n"));
    return judged(
        call, seen, exit, new ResultDocument(answer, confinement.shown(call), redactor), store);
  }

  /** Why it was cut off, or null when it ended by itself. */
  private @Nullable String ended(Process process, CompletableFuture<Void> tooMuch, ToolCall call)
      throws InterruptedException {
    try {
      CompletableFuture.anyOf(process.onExit(), tooMuch)
          .get(call.limits().time().toMillis(), TimeUnit.MILLISECONDS);
      return tooMuch.isDone() ? tooMuch(call) : null;
    } catch (TimeoutException e) {
      return "Expected tool '%s' to end within %s, but it did not and was ended."
          .formatted(call.name(), call.limits().time());
    } catch (ExecutionException e) {
      throw new IllegalStateException("Waiting for a process does not fail.", e);
    }
  }

  private String notStarted(ToolCall call) {
    return "Expected to start '%s' for tool '%s', but it could not be started in '%s'. See that the folder is there, and that the program is there, may be executed, is found by the PATH that it is given, and lies where tools may look."
        .formatted(program.command().getFirst(), call.name(), call.folder());
  }

  private static boolean begins(byte[] text, byte[] with) {
    return text.length >= with.length && Arrays.equals(text, 0, with.length, with, 0, with.length);
  }

  private static String tooMuch(ToolCall call) {
    return "Expected tool '%s' to say at most %,d bytes, but it said more and was ended."
        .formatted(call.name(), call.limits().outputBytes());
  }

  private static ToolResult judged(
      ToolCall call, List<Evidence> seen, int exit, ResultDocument document, EvidenceStore store) {
    ToolResult said;
    try {
      said = document.read(seen, exit, store);
    } catch (IllegalArgumentException e) {
      return with(exit, ToolResult.fail(seen, String.valueOf(e.getMessage())));
    }
    if (said == null) {
      return with(
          exit,
          exit == 0
              ? ToolResult.pass(seen, "Tool '%s' exited with 0.".formatted(call.name()))
              : ToolResult.fail(seen, "Tool '%s' exited with %d.".formatted(call.name(), exit)));
    }
    if (said.status() == ToolStatus.PASS && exit != 0) {
      return said.as(
          ToolStatus.FAIL,
          "Tool '%s' says that it passed, but it exited with %d.".formatted(call.name(), exit));
    }
    return said;
  }

  private static ToolResult with(int exit, ToolResult result) {
    return result.exiting(exit);
  }

  /** Says the arguments to whoever listens; a program that does not is none the worse. */
  private static void tell(OutputStream stream, byte[] bytes) {
    Thread.ofPlatform()
        .daemon()
        .name("input")
        .start(() -> {
          try (stream) {
            stream.write(bytes);
          } catch (IOException e) {
            // It does not want to hear more.
          }
        });
  }

  private static void remove(Path folder) {
    try (var files = Files.walk(folder)) {
      files
          .sorted(java.util.Comparator.reverseOrder())
          .forEach(file -> {
            try {
              Files.deleteIfExists(file);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    } catch (IOException | UncheckedIOException e) {
      // A temporary folder that stays does no harm.
    }
  }
}
