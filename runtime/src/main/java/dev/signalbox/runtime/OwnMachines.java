package dev.signalbox.runtime;

import dev.signalbox.definition.MachineShelf;
import dev.signalbox.kernel.Rejection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The engine's own machines. What has to be known of a store as a whole is an instance of one: so
 * it is durable, the same on every node and every store, chained, exported and verified as
 * everything else is, and the journal says who did it. Each is published when it is first needed.
 *
 * <p>Their names, and the ids of their instances, begin with what no other may begin with, and only
 * the engine starts and changes them.
 */
final class OwnMachines {
  static final String PREFIX = "signalbox.";

  /** Whether a machine stands still; one for each machine that was ever paused. */
  static final String STANDSTILL = PREFIX + "standstill";

  /** That an archived instance was erased; one for each. */
  static final String ERASURE = PREFIX + "erasure";

  /** That instances were archived; one for each some hundred of a file. */
  static final String ARCHIVE = PREFIX + "archive";

  static final MachineShelf SHELF = new MachineShelf(OwnMachines.class, paths());

  private OwnMachines() {}

  private static Map<String, String> paths() {
    Map<String, String> paths = new LinkedHashMap<>();
    paths.put(STANDSTILL, "standstill.yaml");
    paths.put(ERASURE, "erasure.yaml");
    paths.put(ARCHIVE, "archive.yaml");
    return paths;
  }

  /** Whether the name, or the id, is the engine's own. */
  static boolean isOwn(@Nullable String name) {
    return name != null && name.startsWith(PREFIX);
  }

  /** Why nobody outside may give the command, or null. */
  static @Nullable Rejection refusal(Command command) {
    String own =
        switch (command) {
          case Command.Send send -> send.instance();
          case Command.Start start -> isOwn(start.machine()) ? start.machine() : start.id();
          case Command.Fork fork -> isOwn(fork.instance()) ? fork.instance() : fork.id();
          case Command.GiveUp giveUp -> giveUp.instance();
          case Command.Cancel cancel -> cancel.instance();
          case Command.Pause pause -> pause.instance();
          case Command.Resume resume -> resume.instance();
          case Command.Migrate migrate -> migrate.instance();
          case Command.Erase erase -> erase.instance();
          // It brings back what the journal says, and the rest is not for the outside anyway.
          case Command.Correct _,
              Command.Fire _,
              Command.Deliver _,
              Command.Conclude _,
              Command.Restore _,
              Command.Branch _ ->
              null;
        };
    return isOwn(own) ? refusal(String.valueOf(own)) : null;
  }

  static Rejection refusal(String own) {
    return Admission.rejection(
        Rejection.Code.RESERVED_MACHINE,
        "Expected another machine or instance than '%s', but what begins with '%s' is the engine's own."
            .formatted(own, PREFIX));
  }
}
