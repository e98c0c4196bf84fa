package dev.signalbox.cli;

import dev.signalbox.definition.MachineIdentity;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.MigrationReport;
import dev.signalbox.runtime.Reply;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What commands ask for, wherever it is answered: by a store that the command opened, or by the
 * server that owns the store.
 */
interface Desk {

  void publish(Machine machine);

  List<MachineIdentity> machines();

  /** The names of the machines that are paused. */
  Set<String> pausedMachines();

  Reply submit(Command command);

  /**
   * @param at as it was after that entry, or null for now
   */
  Instance instance(String id, @Nullable Long at);

  List<Instance> instances(Query query);

  /** Tells every instance that fits, page by page. */
  void each(Query query, Consumer<Instance> consumer);

  /** Entries as the journal has them, or refusals: canonical JSON. */
  List<String> history(String id, boolean refusals, long from, int most);

  MigrationReport stranded(String machine, int version, Map<String, String> states);
}
