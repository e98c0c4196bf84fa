package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Change;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.InstanceKey;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.NewEntry;
import dev.signalbox.kernel.Kernel;
import dev.signalbox.kernel.machine.Machine;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A store that does not do what it says is found by the auditor of the simulation. */
class SabotageTest {
  private static List<String> findings(UnaryOperator<Journal> sabotage) {
    return findings(sabotage, 20_000);
  }

  private static List<String> findings(UnaryOperator<Journal> sabotage, long faults) {
    return Simulation.run(
            Simulation.Plan.of(SimulationTest.MACHINES, 1, faults).sabotaged(sabotage))
        .findings();
  }

  /** Faults after which there is enough of what only shows when everything has come to rest. */
  private static final long FEW = 6_000;

  /** Effects can be claimed as soon as a group arrives, before it is written. */
  private static final class EffectsBeforeCommit extends ForwardingJournal {
    private List<EffectRow> early = List.of();
    private int count;

    EffectsBeforeCommit(Journal to) {
      super(to);
    }

    @Override
    public Appended append(Group group) {
      early = group.changes().stream().flatMap(c -> c.effects().stream()).toList();
      if (!early.isEmpty() && ++count % 7 == 0) {
        throw new dev.signalbox.journal.JournalException("Not now.", null);
      }
      return super.append(group);
    }

    @Override
    public List<EffectRow> claim(String owner, Collection<String> names, long lease, int most) {
      List<EffectRow> ready = early;
      early = List.of();
      return ready.isEmpty() ? super.claim(owner, names, lease, most) : ready;
    }
  }

  @Test
  void an_effect_before_its_commit_is_found() {
    assertThat(findings(EffectsBeforeCommit::new)).isNotEmpty();
  }

  /** Leaves the effects of a state that is left in the store. */
  private static final class Clinging extends ForwardingJournal {
    Clinging(Journal to) {
      super(to);
    }

    @Override
    public Appended append(Group group) {
      group.changes().forEach(change -> change.left().clear());
      return super.append(group);
    }
  }

  @Test
  void an_effect_that_outlives_its_state_is_found() {
    Simulation.Plan plan =
        Simulation.Plan.of(SimulationTest.DIGGING, 1, 20_000).sabotaged(Clinging::new);
    assertThat(Simulation.run(plan).findings())
        .anyMatch(finding -> finding.contains("after the state with which it ends"));
  }

  /** Says that a group is written, and now and then forgets to. */
  private static final class Forgetful extends ForwardingJournal {
    private int count;

    Forgetful(Journal to) {
      super(to);
    }

    @Override
    public Appended append(Group group) {
      return ++count % 50 == 0 ? new Appended(count, List.of()) : super.append(group);
    }
  }

  @Test
  void an_answer_before_its_commit_is_found() {
    assertThat(findings(Forgetful::new)).isNotEmpty();
  }

  /** Delivers messages without taking them out. */
  private static final class Echoing extends ForwardingJournal {
    Echoing(Journal to) {
      super(to);
    }

    @Override
    public Appended append(Group group) {
      group.changes().forEach(change -> change.delivered().clear());
      return super.append(group);
    }
  }

  @Test
  void a_message_delivered_twice_is_found() {
    assertThat(findings(Echoing::new)).isNotEmpty();
  }

  /** Gives effects away again while someone has them. */
  private static final class Leaseless extends ForwardingJournal {
    Leaseless(Journal to) {
      super(to);
    }

    @Override
    public List<EffectRow> claim(String owner, Collection<String> names, long lease, int most) {
      return super.claim(owner, names, 0, most).stream()
          .map(e ->
              new EffectRow(
                  e.number(),
                  e.instance(),
                  e.key(),
                  e.name(),
                  e.reply(),
                  e.idempotent(),
                  e.during(),
                  e.input(),
                  e.due(),
                  e.attempt(),
                  e.fence(),
                  e.owner(),
                  false))
          .toList();
    }
  }

  @Test
  void an_effect_done_twice_is_found() {
    assertThat(findings(Leaseless::new)).isNotEmpty();
  }

  /** Forgets the keys of commands. */
  private static final class Keyless extends ForwardingJournal {
    Keyless(Journal to) {
      super(to);
    }

    @Override
    public List<String> keys(long instance, int most) {
      return List.of();
    }
  }

  @Test
  void a_command_carried_out_twice_is_found() {
    assertThat(findings(Keyless::new)).isNotEmpty();
  }

  /** Loses what a change has to say to others. */
  private static final class Mute extends ForwardingJournal {
    private int count;

    Mute(Journal to) {
      super(to);
    }

    @Override
    public Appended append(Group group) {
      for (Change change : group.changes()) {
        if (!change.effects().isEmpty() && ++count % 20 == 0) {
          change.effects().clear();
        }
      }
      return super.append(group);
    }
  }

  @Test
  void a_lost_effect_is_found() {
    assertThat(findings(Mute::new, FEW)).isNotEmpty();
  }

  /** Loses messages. */
  private static final class Deaf extends ForwardingJournal {
    private int count;

    Deaf(Journal to) {
      super(to);
    }

    @Override
    public Appended append(Group group) {
      for (Change change : group.changes()) {
        if (!change.messages().isEmpty() && ++count % 20 == 0) {
          change.messages().clear();
        }
      }
      return super.append(group);
    }
  }

  @Test
  void a_lost_message_is_found() {
    assertThat(findings(Deaf::new, FEW))
        .anyMatch(finding -> finding.contains("is gone, and nobody got it"));
  }

  /** Says that what certain messages brought is written, and only takes the messages out. */
  private static final class Swallowing extends ForwardingJournal {
    private final Predicate<String> events;

    Swallowing(Journal to, Predicate<String> events) {
      super(to);
      this.events = events;
    }

    @Override
    public Appended append(Group group) {
      return super.append(
          new Group(group.at(), group.changes().stream().map(this::swallowed).toList()));
    }

    private Change swallowed(Change change) {
      InstanceRow before = change.before();
      if (before == null
          || change.entries().size() != 1
          || change.delivered().isEmpty()
          || !(body(change).get("event") instanceof Map<?, ?> event)
          || !events.test(String.valueOf(event.get("name")))) {
        return change;
      }
      Change kept = Change.of(before);
      kept.after(before);
      kept.delivered().addAll(change.delivered());
      return kept;
    }
  }

  /** The child never ends by itself. */
  private static final List<Machine> VISIT =
      MachineReader.readAll(
              new Source(
                  "visit.yaml",
                  """
                  machine: host
                  states:
                    ALONE: { waits: for a guest, on: { ring: VISITED } }
                    VISITED:
                      waits: for the guest to go
                      invoke: { machine: guest, id: guest }
                      on: { leave: ALONE, ring: VISITED, done.invoke.guest: ALONE }
                  ---
                  machine: guest
                  states:
                    HERE: { waits: for the night, on: { yawn: GONE } }
                    GONE: { final: true }
                  """),
              null)
          .stream()
          .map(Definition::machine)
          .map(Objects::requireNonNull)
          .toList();

  @Test
  void a_child_that_is_not_cancelled_with_its_state_is_found() {
    Simulation.Plan plan = Simulation.Plan.of(VISIT, 1, FEW);
    assertThat(Simulation.run(plan).findings()).isEmpty();
    assertThat(
            Simulation.run(plan.sabotaged(to -> new Swallowing(to, Kernel.CANCEL::equals)))
                .findings())
        .anyMatch(finding -> finding.contains("was cancelled, and has not ended"));
  }

  @Test
  void an_end_that_nobody_tells_the_parent_is_found() {
    assertThat(findings(to -> new Swallowing(to, name -> name.startsWith("done.invoke")), FEW))
        .anyMatch(finding -> finding.contains("has ended, and nobody told"));
  }

  /** Forgets now and then by what an instance is found. */
  private static final class Indexless extends ForwardingJournal {
    private int count;

    Indexless(Journal to) {
      super(to);
    }

    @Override
    public Appended append(Group group) {
      for (Change change : group.changes()) {
        if (!change.search().isEmpty() && ++count % 3 == 0) {
          change.search().clear();
        }
      }
      return super.append(group);
    }
  }

  @Test
  void an_instance_that_its_values_do_not_lead_to_is_found() {
    assertThat(findings(Indexless::new, FEW))
        .anyMatch(finding -> finding.startsWith("n '") && finding.contains("leads to instances"));
  }

  /** Does not know that anybody stands still. */
  private static final class Restless extends ForwardingJournal {
    Restless(Journal to) {
      super(to);
    }

    private static @Nullable InstanceRow running(@Nullable InstanceRow row) {
      return row != null && row.status() == InstanceRow.Status.PAUSED
          ? row.standing(InstanceRow.Status.LIVE, row.due())
          : row;
    }

    @Override
    public @Nullable InstanceRow load(String id) {
      return running(super.load(id));
    }

    @Override
    public @Nullable InstanceRow load(long number) {
      return running(super.load(number));
    }
  }

  @Test
  void a_step_of_what_stands_still_is_found() {
    assertThat(findings(Restless::new))
        .anyMatch(finding -> finding.contains("stood still, and took a"));
  }

  /** Keeps the keys that it is told to destroy. */
  private static final class Hoarding extends ForwardingJournal {
    Hoarding(Journal to) {
      super(to);
    }

    @Override
    public void destroyKeys(Collection<Long> instances) {
      // It says nothing and does nothing.
    }
  }

  @Test
  void an_erasure_that_leaves_the_key_is_found() {
    assertThat(findings(Hoarding::new, FEW))
        .anyMatch(finding -> finding.contains("its key is still"));
  }

  /** Loses keys that it said it keeps. */
  private static final class Losing extends ForwardingJournal {
    private int count;

    Losing(Journal to) {
      super(to);
    }

    @Override
    public void keepKeys(List<InstanceKey> keys) {
      if (++count % 20 != 0) {
        super.keepKeys(keys);
      }
    }
  }

  @Test
  void a_key_that_is_lost_is_found() {
    assertThat(findings(Losing::new)).isNotEmpty();
  }

  /** The entry of a change, if it has one. */
  private static Map<?, ?> body(Change change) {
    if (change.entries().isEmpty()) {
      return Map.of();
    }
    NewEntry entry = change.entries().getFirst();
    return Auditor.body(
        new EntryRow(
            0, 0, entry.chain(), entry.sequence(), entry.hash(), entry.body(), entry.key()));
  }

  /** Writes down that a row was put right, and leaves it as it is. */
  private static final class Pretending extends ForwardingJournal {
    Pretending(Journal to) {
      super(to);
    }

    @Override
    public Appended append(Group group) {
      for (Change change : group.changes()) {
        if ("correct".equals(body(change).get("kind"))) {
          InstanceRow after = change.after();
          InstanceRow before = Objects.requireNonNull(load(after.number()));
          change.after(before.recorded(after.sequence(), after.head(), after.at()));
        }
      }
      return super.append(group);
    }
  }

  @Test
  void a_correction_that_leaves_the_row_is_found() {
    assertThat(findings(Pretending::new)).isNotEmpty();
  }

  /** Whether the change tells somebody that an effect was given up. */
  private static boolean isGivenUp(Change change) {
    Map<?, ?> body = body(change);
    return "effect".equals(body.get("kind")) && !body.containsKey("cause");
  }

  /** Says that whoever waited was told, and writes nothing. */
  private static final class Evasive extends ForwardingJournal {
    Evasive(Journal to) {
      super(to);
    }

    @Override
    public Appended append(Group group) {
      List<Change> told = group.changes().stream().filter(c -> !isGivenUp(c)).toList();
      return super.append(new Group(group.at(), told));
    }
  }

  @Test
  void giving_up_that_tells_nobody_is_found() {
    assertThat(findings(Evasive::new)).isNotEmpty();
  }

  /** Writes down that an effect was given up, and lets the instance wait on. */
  private static final class Holding extends ForwardingJournal {
    Holding(Journal to) {
      super(to);
    }

    @Override
    public Appended append(Group group) {
      for (Change change : group.changes()) {
        if (isGivenUp(change) && change.isOneStep()) {
          InstanceRow after = change.after();
          InstanceRow before = Objects.requireNonNull(load(after.number()));
          change.after(before.recorded(after.sequence(), after.head(), after.at()));
        }
      }
      return super.append(group);
    }
  }

  @Test
  void giving_up_that_changes_nothing_is_found() {
    assertThat(findings(Holding::new)).isNotEmpty();
  }
}
