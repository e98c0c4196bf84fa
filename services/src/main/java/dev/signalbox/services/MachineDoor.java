package dev.signalbox.services;

import dev.signalbox.definition.MachineShelf;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Reply;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The instances of one machine that ships, and the way to them for callers that wait. What is
 * refused as busy is sent again, the same command under the same key, within a bound: other nodes
 * were faster, or the queue was full, and nothing was written.
 */
public final class MachineDoor {
  private static final int TRIES = 40;
  private static final long LONGEST_PAUSE = 50_000_000;

  private final Host host;
  private final String name;
  private final int version;
  private final Set<Integer> versions;

  /** Publishes the machine of a service where it is not yet. */
  public MachineDoor(Host host, String name) {
    this(host, ServiceMachines.SHELF, name);
  }

  /** Publishes a machine of the shelf where it is not yet. */
  public MachineDoor(Host host, MachineShelf shelf, String name) {
    this.host = host;
    this.name = name;
    this.version = shelf.machine(name).version();
    this.versions = shelf.versions(name).stream().map(Machine::version).collect(Collectors.toSet());
    host.publish(shelf, name);
  }

  /** The machine with the version that ships. */
  public String machine() {
    return name + "@" + version;
  }

  /**
   * The instance; null when there is none, or it is of another machine or of a version that never
   * shipped.
   */
  public @Nullable Instance find(String id) {
    Instance instance = host.find(id);
    return instance != null
            && instance.machine().equals(name)
            && versions.contains(instance.version())
        ? instance
        : null;
  }

  /** That there is no such instance. */
  public Rejection unknown(String id) {
    return new Rejection(
        Rejection.Code.UNKNOWN_INSTANCE,
        "Expected an instance of %s, but there is no '%s'. Look at the id.".formatted(name, id),
        List.of());
  }

  /** Sends the event, if the instance is of this machine. */
  public Reply send(Command.Send send) {
    return find(send.instance()) == null
        ? new Reply.Rejected(unknown(send.instance()))
        : submit(send);
  }

  /**
   * Carries out what a caller asks of the service, under a key of the caller's, and waits until it
   * is durable.
   *
   * @throws dev.signalbox.journal.JournalException when the store fails
   */
  public Reply submit(Command command) {
    return submit(command, c -> host.submitForCaller(name, c));
  }

  /**
   * Carries a command out whose key the service chose, and waits until it is durable.
   *
   * @throws dev.signalbox.journal.JournalException when the store fails
   */
  public Reply submitForService(Command command) {
    return submit(command, c -> host.submitForService(name, c));
  }

  private Reply submit(Command command, Function<Command, CompletableFuture<Reply>> way) {
    Reply reply = once(command, way);
    long pause = 500_000;
    for (int tries = 1; tries < TRIES && isBusy(reply); tries++) {
      LockSupport.parkNanos(this, pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE);
      reply = once(command, way);
    }
    return reply;
  }

  private static boolean isBusy(Reply reply) {
    return reply instanceof Reply.Rejected(Rejection rejection)
        && rejection.code() == Rejection.Code.BUSY;
  }

  private static Reply once(Command command, Function<Command, CompletableFuture<Reply>> way) {
    try {
      return way.apply(command).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }
}
