package dev.signalbox.services.tool;

import dev.signalbox.services.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A process and everything that it started, also what was started by what it started and what has
 * left its parent. They are known in two ways:
 *
 * <ul>
 *   <li>each inherits a mark, a variable of its environment whose name holds the hash of the call's
 *       key. Where there is a {@code /proc}, the marked ones are found there, also after their
 *       parents ended and also by another process than the one that started them;
 *   <li>while the first one lives, its descendants are looked at again and again, for those without
 *       the mark and for systems without {@code /proc}.
 * </ul>
 *
 * They are asked to end, and after a grace they are killed until none is found any more. What gets
 * away is a process that clears its environment and leaves its parent between two looks.
 */
final class ProcessTree {
  /** How the names of marks begin. */
  static final String MARK = "SIGNALBOX_CALL_";

  private static final Path PROC = Path.of("/proc");
  private static final Duration LOOK = Duration.ofMillis(50);
  private static final Duration WAIT = Duration.ofMillis(5);
  private static final int KILLS = 2_000;

  private final Process first;
  private final String mark;
  private final Set<ProcessHandle> seen = ConcurrentHashMap.newKeySet();

  private ProcessTree(Process first, String mark) {
    this.first = first;
    this.mark = mark;
  }

  /** The name of the variable that marks the processes of a call. */
  static String mark(ToolCall call) {
    return MARK + Sha256.hex(call.folder() + "\n" + call.key()).substring(0, 32);
  }

  /**
   * Starts the first process, whose environment is made complete by the mark. It is started by a
   * thread that lives as long as it does: a sandbox ends with the thread that started it.
   */
  static ProcessTree start(ProcessBuilder builder, String mark) throws IOException {
    builder.environment().put(mark, "1");
    CompletableFuture<ProcessTree> started = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .name("descendants")
        .start(() -> {
          try {
            ProcessTree tree = new ProcessTree(builder.start(), mark);
            started.complete(tree);
            tree.watch();
          } catch (Throwable e) {
            started.completeExceptionally(e);
          }
        });
    try {
      return started.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof IOException refused) {
        throw refused;
      }
      throw e;
    }
  }

  Process first() {
    return first;
  }

  /** Ends all of them; when it returns, none is left. An interrupt is kept for later. */
  void end(Duration grace) {
    Set<ProcessHandle> known = new LinkedHashSet<>();
    known.add(first.toHandle());
    first.descendants().forEach(known::add);
    known.addAll(seen);
    end(mark, known, grace);
  }

  /** Ends all marked ones, whoever started them. */
  static void end(String mark, Duration grace) {
    end(mark, Set.of(), grace);
  }

  private void watch() {
    while (first.isAlive()) {
      try {
        first.descendants().forEach(seen::add);
        first.waitFor(LOOK.toMillis(), TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private static void end(String mark, Set<ProcessHandle> known, Duration grace) {
    boolean interrupted = Thread.interrupted();
    try {
      Set<ProcessHandle> all = new LinkedHashSet<>(known);
      all.addAll(marked(mark));
      all.stream().filter(process -> !isSandbox(process)).forEach(ProcessHandle::destroy);
      for (long waited = 0; waited < grace.toMillis() && anyLives(all); waited += WAIT.toMillis()) {
        LockSupport.parkNanos(WAIT.toNanos());
      }
      for (int kills = 0; ; kills++) {
        Set<ProcessHandle> grown = new LinkedHashSet<>();
        all.stream().filter(ProcessTree::lives).forEach(p -> p.descendants().forEach(grown::add));
        all.addAll(grown);
        all.addAll(marked(mark));
        if (!anyLives(all)) {
          return;
        }
        if (kills >= KILLS) {
          throw new IllegalStateException(
              "Expected to end every process of a tool, but some can't be killed: %s. Look at them on this machine."
                  .formatted(
                      all.stream().filter(ProcessTree::lives).map(ProcessHandle::pid).toList()));
        }
        all.stream().filter(ProcessTree::lives).forEach(ProcessHandle::destroyForcibly);
        LockSupport.parkNanos(WAIT.toNanos());
        interrupted |= Thread.interrupted();
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Whether it is what keeps the others in their sandbox. It ends with them, and they would be
   * killed with it before their grace is over.
   */
  private static boolean isSandbox(ProcessHandle process) {
    return process.info().command().filter(program -> program.endsWith("/bwrap")).isPresent();
  }

  private static boolean anyLives(Collection<ProcessHandle> processes) {
    return processes.stream().anyMatch(ProcessTree::lives);
  }

  /** Whether it runs; a dead process that nobody has asked after yet does not. */
  private static boolean lives(ProcessHandle process) {
    if (!process.isAlive()) {
      return false;
    }
    try {
      String stat =
          Files.readString(PROC.resolve(process.pid() + "/stat"), StandardCharsets.ISO_8859_1);
      // The name may hold anything, also brackets and spaces; the state comes after it.
      int name = stat.lastIndexOf(") ");
      return name < 0 || "ZX".indexOf(stat.charAt(name + 2)) < 0;
    } catch (IOException e) {
      return Files.isDirectory(PROC) ? process.isAlive() : true;
    }
  }

  private static Set<ProcessHandle> marked(String mark) {
    Set<ProcessHandle> found = new LinkedHashSet<>();
    if (!Files.isDirectory(PROC)) {
      return found;
    }
    long self = ProcessHandle.current().pid();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : processes) {
        long pid = Long.parseLong(process.getFileName().toString());
        if (pid != self && isMarked(process, mark)) {
          // The number may have been given away meanwhile, so the mark is looked at again once the
          // handle, which knows when its process began, is there.
          ProcessHandle.of(pid).filter(_ -> isMarked(process, mark)).ifPresent(found::add);
        }
      }
    } catch (IOException | NumberFormatException e) {
      // Without the list there are the descendants alone.
    }
    return found;
  }

  private static boolean isMarked(Path process, String mark) {
    try {
      String environment =
          Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1);
      return environment.startsWith(mark + "=") || environment.contains("\0" + mark + "=");
    } catch (IOException e) {
      // Gone, or somebody else's.
      return false;
    }
  }
}
