package dev.signalbox.cli;

import dev.signalbox.definition.MachineIdentity;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.MachinePause;
import dev.signalbox.runtime.MigrationReport;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A store that the command itself has opened. */
record LocalDesk(Signalbox box) implements Desk {

  @Override
  public void publish(Machine machine) {
    box.publish(machine);
  }

  @Override
  public List<MachineIdentity> machines() {
    return box.machines().stream().map(MachineIdentity::of).toList();
  }

  @Override
  public Set<String> pausedMachines() {
    return box.pausedMachines().stream().map(MachinePause::machine).collect(Collectors.toSet());
  }

  @Override
  public Reply submit(Command command) {
    return box.submit(command);
  }

  @Override
  public Instance instance(String id, @Nullable Long at) {
    return at == null ? box.instance(id) : box.at(id, at);
  }

  @Override
  public List<Instance> instances(Query query) {
    return box.instances(query);
  }

  @Override
  public void each(Query query, Consumer<Instance> consumer) {
    long after = 0;
    List<InstanceRow> rows;
    do {
      rows = box.journal().query(query.page(after, Query.MOST));
      for (InstanceRow row : rows) {
        consumer.accept(box.view(row));
        after = row.number();
      }
    } while (rows.size() == Query.MOST);
  }

  @Override
  public List<String> history(String id, boolean refusals, long from, int most) {
    List<EntryRow> entries = refusals ? box.refusals(id, from, most) : box.history(id, from, most);
    return entries.stream().map(e -> new String(e.body(), StandardCharsets.UTF_8)).toList();
  }

  @Override
  public MigrationReport stranded(String machine, int version, Map<String, String> states) {
    return box.stranded(machine, version, states);
  }
}
