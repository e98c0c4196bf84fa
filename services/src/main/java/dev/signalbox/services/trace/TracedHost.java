package dev.signalbox.services.trace;

import dev.signalbox.definition.MachineShelf;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Reply;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A store whose commands are carried out in spans; all else is the store's own. */
record TracedHost(Host host, Tracing tracing) implements Host {
  @Override
  public CompletableFuture<Reply> submitAsync(Command command) {
    return tracing.submitAsync(command);
  }

  @Override
  public void publish(Machine machine) {
    host.publish(machine);
  }

  @Override
  public void publish(MachineShelf shelf, String name) {
    host.publish(shelf, name);
  }

  @Override
  public @Nullable Instance find(String id) {
    return host.find(id);
  }

  @Override
  public List<Instance> instances(Query query) {
    return host.instances(query);
  }

  @Override
  public Instance view(InstanceRow row) {
    return host.view(row);
  }

  @Override
  public List<EntryRow> history(String id, long from, int most) {
    return host.history(id, from, most);
  }

  @Override
  public Journal journal() {
    return host.journal();
  }

  @Override
  public InstantSource clock() {
    return host.clock();
  }
}
