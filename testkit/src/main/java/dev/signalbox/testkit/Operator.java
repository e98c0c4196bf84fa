package dev.signalbox.testkit;

import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Archive;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.ManualSignalbox;
import dev.signalbox.runtime.Scope;
import dev.signalbox.runtime.SigningKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whoever runs the nodes of a simulation, and does things to many instances at a time. */
final class Operator {
  private static final Actor SELF = new Actor(Actor.Kind.USER, "operator", List.of());
  private static final int ARCHIVED_AT_ONCE = 10;

  private final World world;
  private final SigningKey signing = SigningKey.fresh();

  Operator(World world) {
    this.world = world;
  }

  /** Erases an instance and what is below it. */
  void erase(ManualSignalbox box) {
    var _ = box.erase(world.workload.someone(), SELF);
  }

  /** Lets a whole machine stand still, or more often go on. */
  void standStill(ManualSignalbox box) {
    List<Machine> machines = world.plan.machines();
    Scope scope = scope(machines.get(world.random.nextInt(machines.size())));
    if (world.random.nextInt(4) == 0) {
      Command.Clocks clocks =
          world.random.nextBoolean() ? Command.Clocks.STOPPED : Command.Clocks.RUNNING;
      var _ = box.pause(scope, clocks, SELF, null);
    } else {
      var _ = box.resume(scope, SELF, null);
    }
  }

  /** Lets everything go on that stands still with its machine. */
  void resumeAll(ManualSignalbox box) {
    world.plan.machines().forEach(machine -> box.resume(scope(machine), SELF, null));
  }

  private static Scope scope(Machine machine) {
    return new Scope.OfMachine(machine.name());
  }

  /** Takes ended instances out of the store while nodes run. */
  void archive(SimulatedNode node) {
    world.auditor.follow();
    Path file = null;
    try {
      file = Files.createTempFile("simulation", ".jsonl");
      Files.delete(file);
      Archive.write(node.box.journal(), signing, file, world.now().millis(), ARCHIVED_AT_ONCE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      world.workload.forget(world.auditor.archived());
      delete(file);
    }
  }

  private static void delete(@Nullable Path file) {
    try {
      if (file != null) {
        Files.deleteIfExists(file);
        Files.deleteIfExists(file.resolveSibling(file.getFileName() + ".part"));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
