package dev.signalbox.runtime;

import dev.signalbox.definition.MachineShelf;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.machine.Machine;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What a service needs of a runtime, whether it has threads ({@link Signalbox}) or is driven by
 * hand ({@link ManualSignalbox}). So a service that never blocks is tested over every interleaving
 * on a manual clock.
 */
public interface Host {

  /** Publishes a machine, or finds it published. */
  void publish(Machine machine);

  /**
   * Publishes a machine that ships. Its invariants are proved when it is built, so nothing is
   * explored again.
   *
   * @throws IllegalArgumentException when the version is taken by another machine
   */
  void publish(MachineShelf shelf, String name);

  /** Carries a command out; the future completes when it is durable. */
  CompletableFuture<Reply> submitAsync(Command command);

  /**
   * Carries a command out that a service gives for itself: also to a machine that is closed to all
   * others, and under a key that it chose, a {@link ServiceKey}; {@link #submitAsync} refuses both.
   *
   * @param machine the service's; a command to an instance of another is refused
   */
  CompletableFuture<Reply> submitForService(String machine, Command command);

  /**
   * Carries a command out that a service gives for a caller of its own: also to a machine that is
   * closed to all others, under a key that the caller chose. Whether the caller may is for the
   * service and the machine's roles to say.
   *
   * @param machine the service's; a command to an instance of another is refused
   */
  CompletableFuture<Reply> submitForCaller(String machine, Command command);

  /**
   * As {@link #submitForCaller}, and waits until it is durable.
   *
   * @throws dev.signalbox.journal.JournalException when the store fails
   */
  default Reply carryOutForCaller(String machine, Command command) {
    return Signalbox.joined(submitForCaller(machine, command));
  }

  /** The instance as the last commit left it, or null. */
  @Nullable Instance find(String id);

  /** Instances that fit the query, ordered by number. */
  List<Instance> instances(Query query);

  /** What a row of the store shows. */
  Instance view(InstanceRow row);

  /** The instance's entries from a sequence number on. */
  List<EntryRow> history(String id, long from, int most);

  /** The journal underneath, for reading. */
  Journal journal();

  /** What time it is here. */
  InstantSource clock();
}
