package dev.signalbox.runtime;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.DefinitionException;
import dev.signalbox.definition.MachineIdentity;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.MachineShelf;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.check.Check;
import dev.signalbox.definition.check.CheckReport;
import dev.signalbox.definition.expression.CelExpressions;
import dev.signalbox.definition.yaml.YamlWriter;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.PublishedMachine;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.machine.Machine;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The published machines. Any thread may ask. */
final class Machines {
  private static final int MOST_COMPILED = 256;

  private static final Map<String, Chart> COMPILED =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Chart> eldest) {
          return size() > MOST_COMPILED;
        }
      };

  private final Journal journal;
  private final Map<Long, PublishedChart> charts = new ConcurrentHashMap<>();

  /** The seals of the instances. */
  final Seals seals;

  /** Those that came with the program. */
  final ShippedMachines shipped;

  Machines(Journal journal, Seals seals) {
    this(journal, seals, List.of());
  }

  Machines(Journal journal, Seals seals, List<MachineShelf> shelves) {
    this.journal = journal;
    this.seals = seals;
    this.shipped = new ShippedMachines(shelves);
  }

  /**
   * Publishes a machine, or finds it published.
   *
   * @param checked whether it has to pass the checks; the machines inside others passed with them
   * @throws DefinitionException when the checks find errors
   * @throws IllegalArgumentException when the version is taken by another machine, the name is the
   *     engine's own or a service's, or the machine has personal fields and there is no keyring
   */
  PublishedChart publish(Machine machine, boolean checked) {
    if (OwnMachines.isOwn(machine.name())) {
      throw new IllegalArgumentException(
          "Expected another name than '%s', but those that begin with '%s' are the engine's own."
              .formatted(machine.name(), OwnMachines.PREFIX));
    }
    shipped.checkPublication(
        machine, MachineIdentity.digest(machine), find(machine.name()) != null);
    return published(machine, checked);
  }

  /**
   * Publishes the newest version of a machine that came with the program, or finds it published.
   */
  void ship(MachineShelf shelf, String name) {
    shipped.add(shelf, name);
    publish(shelf.machine(name), false).shipped = true;
  }

  /** Publishes a machine of the engine's own, or finds it published. */
  PublishedChart own(String name) {
    return published(OwnMachines.SHELF.machine(name), false);
  }

  private PublishedChart published(Machine machine, boolean checked) {
    String digest = MachineIdentity.digest(machine);
    PublishedChart known = find(machine.name(), machine.version());
    if (known == null) {
      if (PublishedChart.isPersonal(machine)) {
        // Better now than when the first instance starts.
        WrappingKey _ = seals.wrapping();
      }
      Source source =
          new Source(
              machine.name() + ".yaml", YamlWriter.write(machine, new Problems(machine.name())));
      if (checked) {
        check(source);
      }
      PublishedMachine kept =
          journal.publish(
              new PublishedMachine(
                  0, machine.name(), machine.version(), digest, source.text(), journal.now()));
      known = loaded(kept);
    }
    if (!known.published.digest().equals(digest)) {
      throw new IllegalArgumentException(
          "Expected version %d of machine '%s' to be new, but another machine has it; give yours a higher version."
              .formatted(machine.version(), machine.name()));
    }
    return known;
  }

  private static void check(Source source) {
    List<Definition> definitions = MachineReader.readAll(source, null);
    CheckReport report = Check.run(definitions.getFirst());
    if (report.problems().stream().anyMatch(Problem::isError)) {
      throw new DefinitionException(source, report.problems());
    }
  }

  /** The machine by name, or by name, at sign and version; null when there is none. */
  @Nullable PublishedChart find(String reference) {
    int at = reference.lastIndexOf('@');
    if (at > 0) {
      try {
        return find(reference.substring(0, at), Integer.parseInt(reference.substring(at + 1)));
      } catch (NumberFormatException e) {
        return null;
      }
    }
    PublishedChart newest = newest(reference);
    if (newest == null) {
      refresh();
      newest = newest(reference);
    }
    return newest;
  }

  private @Nullable PublishedChart newest(String name) {
    return charts.values().stream()
        .filter(chart -> chart.published.name().equals(name) && !shipped.isForeign(chart))
        .max(Comparator.comparingInt(chart -> chart.published.version()))
        .orElse(null);
  }

  @Nullable PublishedChart find(String name, int version) {
    PublishedChart known = known(name, version);
    if (known == null) {
      refresh();
      known = known(name, version);
    }
    return known;
  }

  private @Nullable PublishedChart known(String name, int version) {
    for (PublishedChart chart : charts.values()) {
      if (chart.published.name().equals(name) && chart.published.version() == version) {
        return chart;
      }
    }
    return null;
  }

  /** The machine with the digest, or null. */
  @Nullable PublishedChart withDigest(String digest) {
    PublishedChart known = knownDigest(digest);
    if (known == null) {
      refresh();
      known = knownDigest(digest);
    }
    return known;
  }

  private @Nullable PublishedChart knownDigest(String digest) {
    for (PublishedChart chart : charts.values()) {
      if (chart.published.digest().equals(digest)) {
        return chart;
      }
    }
    return null;
  }

  @Nullable PublishedChart find(long number) {
    PublishedChart known = charts.get(number);
    if (known == null) {
      refresh();
      known = charts.get(number);
    }
    return known;
  }

  PublishedChart get(long number) {
    PublishedChart known = find(number);
    if (known == null) {
      throw new IllegalStateException(
          "The journal names machine %d, which it has not.".formatted(number));
    }
    return known;
  }

  List<PublishedChart> all() {
    refresh();
    return charts.values().stream()
        .sorted(Comparator.comparingLong(PublishedChart::number))
        .toList();
  }

  /** That there is no such machine. */
  Rejection unknown(String reference) {
    return Admission.rejection(
        Rejection.Code.UNKNOWN_MACHINE,
        "Expected a published machine, but there is no '%s'; there are %s."
            .formatted(
                reference,
                all().stream()
                    .filter(machine -> !machine.own)
                    .map(machine -> machine.published.name())
                    .distinct()
                    .toList()));
  }

  private void refresh() {
    for (PublishedMachine machine : journal.machines()) {
      if (!charts.containsKey(machine.number())) {
        loaded(machine);
      }
    }
  }

  private PublishedChart loaded(PublishedMachine published) {
    return charts.computeIfAbsent(
        published.number(), _ -> new PublishedChart(published, compiled(published)));
  }

  /** The chart of a published machine; those of one digest share it, for it never changes. */
  private static Chart compiled(PublishedMachine published) {
    synchronized (COMPILED) {
      Chart known = COMPILED.get(published.digest());
      if (known == null) {
        known = compile(published);
        COMPILED.put(published.digest(), known);
      }
      return known;
    }
  }

  private static Chart compile(PublishedMachine published) {
    Machine machine =
        MachineReader.read(new Source(published.name() + ".yaml", published.definition()));
    String digest = MachineIdentity.digest(machine);
    if (!digest.equals(published.digest())) {
      throw new IllegalStateException(
          "Expected machine '%s' version %d to be as it was published, but its text has digest %s, not %s."
              .formatted(published.name(), published.version(), digest, published.digest()));
    }
    return Chart.compile(machine, CelExpressions.of(machine));
  }

  /** What a row shows; one that can't be read must not keep others from being seen. */
  Instance view(InstanceRow row) {
    PublishedChart machine = find(row.machine());
    if (machine == null) {
      return Instance.unreadable(null, row);
    }
    try {
      return Instance.of(machine, row, seals.snapshot(machine, row));
    } catch (JournalException e) {
      throw e;
    } catch (RuntimeException | StackOverflowError e) {
      return Instance.unreadable(machine, row);
    }
  }
}
