package dev.signalbox.cli;

import dev.signalbox.definition.MachineIdentity;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Erasure;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.MachinePause;
import dev.signalbox.runtime.MigrationReport;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Scope;
import dev.signalbox.runtime.ScopeReport;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.person.Enrolment;
import dev.signalbox.services.person.People;
import dev.signalbox.services.person.Person;
import dev.signalbox.services.retention.Archives;
import dev.signalbox.services.sweep.SweepReport;
import dev.signalbox.services.sweep.SweepSettings;
import dev.signalbox.services.sweep.Sweeper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
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
  public void each(Query query, Predicate<Instance> more) {
    long after = 0;
    boolean wanted = true;
    List<InstanceRow> rows;
    do {
      rows = box.journal().query(query.page(after, Query.MOST));
      for (InstanceRow row : rows) {
        wanted = more.test(box.view(row));
        after = row.number();
      }
    } while (wanted && rows.size() == Query.MOST);
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

  @Override
  public ScopeReport pause(Scope scope, Command.Clocks clocks, Actor actor, @Nullable String key) {
    return box.pause(scope, clocks, actor, key);
  }

  @Override
  public ScopeReport resume(Scope scope, Actor actor, @Nullable String key) {
    return box.resume(scope, actor, key);
  }

  @Override
  public Erasure erase(String id, Actor actor) {
    return box.erase(id, actor);
  }

  @Override
  public SweepReport sweep(boolean dryRun) {
    return new Sweeper(box, Sweeper.standard(), SweepSettings.DEFAULT).sweep(dryRun);
  }

  @Override
  public List<Person> people() {
    boolean any = box.machines().stream().anyMatch(m -> m.name().equals(People.MACHINE));
    return any ? People.on(box).all() : List.of();
  }

  @Override
  public Person enrolFirst(Enrolment enrolment, char[] passphrase) {
    return People.on(box).enrolFirst(enrolment, passphrase);
  }

  @Override
  public Archives.@Nullable Written archive(int olderThanDays, int most, Path folder, Actor actor)
      throws IOException {
    return new Archives(box, folder, InstantSource.system())
        .write(Duration.ofDays(olderThanDays), most, actor);
  }

  @Override
  public Actor acting(Actor named) {
    return named;
  }
}
