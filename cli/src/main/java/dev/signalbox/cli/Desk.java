package dev.signalbox.cli;

import dev.signalbox.definition.MachineIdentity;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Erasure;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.MigrationReport;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Scope;
import dev.signalbox.runtime.ScopeReport;
import dev.signalbox.services.person.Enrolment;
import dev.signalbox.services.person.Person;
import dev.signalbox.services.retention.Archives;
import dev.signalbox.services.sweep.SweepReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
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

  /**
   * Shows every instance that fits, page by page.
   *
   * @param more sees one and says whether it wants the next page
   */
  void each(Query query, Predicate<Instance> more);

  /** Entries as the journal has them, or refusals: canonical JSON. */
  List<String> history(String id, boolean refusals, long from, int most);

  MigrationReport stranded(String machine, int version, Map<String, String> states);

  ScopeReport pause(Scope scope, Command.Clocks clocks, Actor actor, @Nullable String key);

  ScopeReport resume(Scope scope, Actor actor, @Nullable String key);

  Erasure erase(String id, Actor actor);

  SweepReport sweep(boolean dryRun);

  /**
   * Takes what ended longer ago than so many days out of the store.
   *
   * @param folder of the store, where it is not a server's
   * @return null when there was nothing
   */
  Archives.@Nullable Written archive(int olderThanDays, int most, Path folder, Actor actor)
      throws IOException;

  /** Those who decide. */
  List<Person> people();

  /** Enrols the first of them. */
  Person enrolFirst(Enrolment enrolment, char[] passphrase);

  /** Who acts: the one that the command names, or at a server whoever the token says. */
  Actor acting(Actor named);
}
