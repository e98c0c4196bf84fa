package dev.signalbox.services.task;

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
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A runtime that throws for some commands, once each, instead of answering them. */
final class FailingHost implements Host {
  private final Host to;
  private @Nullable Predicate<Command> next;

  FailingHost(Host to) {
    this.to = to;
  }

  void failOnce(Predicate<Command> command) {
    next = command;
  }

  @Override
  public CompletableFuture<Reply> submitAsync(Command command) {
    fail(command);
    return to.submitAsync(command);
  }

  @Override
  public CompletableFuture<Reply> submitForCaller(String machine, Command command) {
    fail(command);
    return to.submitForCaller(machine, command);
  }

  @Override
  public CompletableFuture<Reply> submitForService(String machine, Command command) {
    fail(command);
    return to.submitForService(machine, command);
  }

  private void fail(Command command) {
    if (next != null && next.test(command)) {
      next = null;
      throw new IllegalStateException("not this one");
    }
  }

  @Override
  public void publish(Machine machine) {
    to.publish(machine);
  }

  @Override
  public void publish(MachineShelf shelf, String name) {
    to.publish(shelf, name);
  }

  @Override
  public @Nullable Instance find(String id) {
    return to.find(id);
  }

  @Override
  public List<Instance> instances(Query query) {
    return to.instances(query);
  }

  @Override
  public Instance view(InstanceRow row) {
    return to.view(row);
  }

  @Override
  public List<EntryRow> history(String id, long from, int most) {
    return to.history(id, from, most);
  }

  @Override
  public Journal journal() {
    return to.journal();
  }

  @Override
  public InstantSource clock() {
    return to.clock();
  }
}
