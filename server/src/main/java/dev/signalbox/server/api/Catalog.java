package dev.signalbox.server.api;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.check.Check;
import dev.signalbox.definition.check.CheckReport;
import dev.signalbox.definition.draw.Drawing;
import dev.signalbox.definition.draw.Highlight;
import dev.signalbox.definition.draw.Options;
import dev.signalbox.journal.PublishedMachine;
import dev.signalbox.kernel.Environment;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.ProblemException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The published machines as the API looks at them. Any thread may ask. */
public final class Catalog {
  /** Kept of one machine. There are no more ways to ask for one without highlights. */
  private static final int MOST_PICTURES = 96;

  private final Signalbox box;
  private final Map<Long, Listed> listed = new ConcurrentHashMap<>();

  public Catalog(Signalbox box) {
    this.box = box;
  }

  /** A published machine; what takes long to find out is found out once. */
  public static final class Listed {
    private final PublishedMachine published;
    private final Definition definition;
    private final Machine machine;
    private final Environment environment;
    private final Map<Options, String> pictures = new ConcurrentHashMap<>();
    private volatile @Nullable CheckReport report;

    private Listed(PublishedMachine published) {
      this.published = published;
      this.definition =
          MachineReader.readAll(
                  new Source(published.name() + ".yaml", published.definition()), null)
              .getFirst();
      this.machine = Objects.requireNonNull(definition.machine());
      this.environment = Environment.of(machine);
    }

    public PublishedMachine published() {
      return published;
    }

    public Definition definition() {
      return definition;
    }

    public Machine machine() {
      return machine;
    }

    /** What was proved of it. */
    public CheckReport report() {
      CheckReport known = report;
      if (known == null) {
        synchronized (this) {
          known = report;
          if (known == null) {
            known = Check.run(definition);
            report = known;
          }
        }
      }
      return known;
    }

    /** Its picture; the few ways in which pages ask for it are drawn once. */
    String picture(Options options) {
      String known = pictures.get(options);
      if (known == null) {
        known = Drawing.svg(machine, options);
        if (options.highlight().equals(Highlight.NONE) && pictures.size() < MOST_PICTURES) {
          pictures.put(options, known);
        }
      }
      return known;
    }

    /** What the outside may do to its instances. */
    Environment environment() {
      return environment;
    }
  }

  /** Every version of every machine that the caller may see, in the order of publication. */
  public List<Listed> all(Caller caller) {
    refresh();
    return listed.values().stream()
        .filter(l -> caller.mayUse(l.published.name()))
        .sorted(Comparator.comparingLong(l -> l.published.number()))
        .toList();
  }

  /** Whether instances of the machine are reached through the routes of a service alone. */
  boolean isClosed(String machine) {
    return box.isClosed(machine);
  }

  /** The machine by its number in the store. */
  Listed numbered(long number) {
    Listed found = listed.get(number);
    if (found == null) {
      refresh();
      found = listed.get(number);
    }
    return Objects.requireNonNull(found, "The journal names a machine that it has.");
  }

  /**
   * The machine by a name, or a name, an at sign and a version; without version the newest.
   *
   * @throws ProblemException when there is none, or the caller may not see it
   */
  public Listed find(String reference, Caller caller) {
    int at = reference.lastIndexOf('@');
    String name = at < 0 ? reference : reference.substring(0, at);
    if (!caller.mayUse(name)) {
      throw Rejections.machineForbidden(caller, name);
    }
    return all(caller).stream()
        .filter(l -> l.published.name().equals(name))
        .filter(l ->
            at < 0 || Integer.toString(l.published.version()).equals(reference.substring(at + 1)))
        .max(Comparator.comparingInt(l -> l.published.version()))
        .orElseThrow(() ->
            ProblemException.of(
                404,
                "unknown-machine",
                "Expected a published machine, but there is no such one.",
                "GET /api/v1/machines lists them."));
  }

  /** The machine of an instance. */
  Listed of(String name, int version) {
    Listed found = known(name, version);
    if (found == null) {
      refresh();
      found = known(name, version);
    }
    return Objects.requireNonNull(found, "An instance has a machine that was published.");
  }

  private @Nullable Listed known(String name, int version) {
    for (Listed one : listed.values()) {
      if (one.published.version() == version && one.published.name().equals(name)) {
        return one;
      }
    }
    return null;
  }

  private void refresh() {
    for (PublishedMachine machine : box.journal().machines()) {
      listed.computeIfAbsent(machine.number(), _ -> new Listed(machine));
    }
  }
}
