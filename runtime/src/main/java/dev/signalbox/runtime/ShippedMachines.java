package dev.signalbox.runtime;

import dev.signalbox.definition.MachineIdentity;
import dev.signalbox.definition.MachineShelf;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.machine.Machine;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The machines that came with the program, and what only the program does to them, whichever door a
 * command comes by:
 *
 * <ul>
 *   <li>versions of them are published, their instances forked and migrated by the program alone: a
 *       second copy of an approval, or one under a weaker version, would be a gate of the caller's
 *       own making;
 *   <li>instances of those that are closed are started, sent to and ended by the service that owns
 *       them alone, which has routes and roles of its own;
 *   <li>ids that begin as the services compute theirs are chosen by nobody else.
 * </ul>
 *
 * <p>The program is what comes through {@link Host#submitForService} and {@link
 * Host#submitForCaller}, and who is no user and no agent. Pausing, resuming and erasing are cares
 * of whoever runs the store, so they are open.
 */
final class ShippedMachines {
  private final Map<String, MachineShelf> shelves = new ConcurrentHashMap<>();
  private final Map<String, Set<String>> digests = new ConcurrentHashMap<>();
  private final Set<String> keptIds = ConcurrentHashMap.newKeySet();

  ShippedMachines(List<MachineShelf> known) {
    known.forEach(shelf -> shelf.names().forEach(name -> add(shelf, name)));
  }

  /** The machine ships with the program, from now on. */
  void add(MachineShelf shelf, String name) {
    shelves.put(name, shelf);
    digests.remove(name);
    if (shelf.isClosed(name)) {
      keptIds.addAll(shelf.keptIds(name));
    }
  }

  /** Whether a machine of that name came with the program. */
  boolean has(String name) {
    return shelves.containsKey(name);
  }

  /** Whether instances of the machine are reached through the service that owns them alone. */
  boolean isClosed(String name) {
    MachineShelf shelf = shelves.get(name);
    return shelf != null && shelf.isClosed(name);
  }

  /** Whether it is the very machine that came with the program, in whatever version. */
  boolean isOne(PublishedChart chart) {
    if (!chart.shipped) {
      chart.shipped = isOne(chart.published.name(), chart.published.digest());
    }
    return chart.shipped;
  }

  private boolean isOne(String name, String digest) {
    MachineShelf shelf = shelves.get(name);
    return shelf != null
        && digests.computeIfAbsent(name, _ -> digests(shelf, name)).contains(digest);
  }

  private static Set<String> digests(MachineShelf shelf, String name) {
    return shelf.versions(name).stream()
        .map(MachineIdentity::digest)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** The roles that the machines of the program ask for, in whatever version. */
  Set<String> roles() {
    Set<String> roles = new TreeSet<>();
    shelves.forEach((name, shelf) ->
        shelf
            .versions(name)
            .forEach(machine -> machine.events().forEach(event -> roles.addAll(event.roles()))));
    return roles;
  }

  /** Whether it has the name of a machine of the program, and is none of its versions. */
  boolean isForeign(PublishedChart chart) {
    return has(chart.published.name()) && !isOne(chart);
  }

  /** The name under which the instances of the machine are trusted; null when they are not. */
  @Nullable String trusted(PublishedChart chart) {
    return isForeign(chart) ? null : chart.published.name();
  }

  /**
   * Refuses to publish what would pass for a machine of the program, or whose instances would get
   * ids as the services compute theirs.
   *
   * @param known whether a machine of the name was published before
   */
  void checkPublication(Machine machine, String digest, boolean known) {
    String name = machine.name();
    if (has(name) && !isOne(name, digest)) {
      throw new IllegalArgumentException(
          "Expected another name than '%s', but that machine came with the program, which alone publishes versions of it."
              .formatted(name));
    }
    String kept = has(name) || known ? null : kept(name);
    if (kept != null) {
      throw new IllegalArgumentException(
          "Expected another name than '%s', but what begins with '%s' is for a service."
              .formatted(name, kept));
    }
  }

  private @Nullable String kept(String id) {
    for (String beginning : keptIds) {
      if (id.startsWith(beginning)) {
        return beginning;
      }
    }
    return null;
  }

  /** Why the command may not begin an instance of the machine, or null. */
  @Nullable Rejection startRefusal(
      PublishedChart machine, @Nullable String id, Actor actor, Ticket ticket) {
    String name = machine.published.name();
    if (isForeign(machine) || isOtherThan(ticket.service, name)) {
      return closed("start an instance of", name);
    }
    if (isProgram(actor, ticket)) {
      return null;
    }
    if (isClosed(name)) {
      return closed("start an instance of", name);
    }
    String kept = id == null ? null : kept(id);
    return kept == null
        ? null
        : Admission.rejection(
            Rejection.Code.RESERVED_MACHINE,
            "Expected an id of the caller's own, but those that begin with '%s' are a service's. Choose another."
                .formatted(kept));
  }

  /** Why the command may not change an instance of the machine, or null. */
  @Nullable Rejection changeRefusal(PublishedChart machine, Actor actor, Ticket ticket) {
    String name = machine.published.name();
    return isOtherThan(ticket.service, name) || (isClosed(name) && !isProgram(actor, ticket))
        ? closed("reach an instance of", name)
        : null;
  }

  /** A service acts on instances of its own machine, whatever id it was given. */
  private static boolean isOtherThan(@Nullable String service, String machine) {
    return service != null && !service.equals(machine);
  }

  /** Why the command may not make another of an instance of the machine, or null. */
  @Nullable Rejection copyRefusal(PublishedChart machine, Actor actor, Ticket ticket) {
    String name = machine.published.name();
    return isOtherThan(ticket.service, name) || (has(name) && !isProgram(actor, ticket))
        ? Admission.rejection(
            Rejection.Code.RESERVED_MACHINE,
            "Expected to fork or migrate an instance of a machine of the caller's own, but '%s' came with the program, which alone does so."
                .formatted(name))
        : null;
  }

  /** Why an instance of one machine may not send to one of the other, or null. */
  @Nullable Rejection sendRefusal(PublishedChart recipient, @Nullable PublishedChart sender) {
    String name = recipient.published.name();
    return isClosed(name) && (sender == null || !isOne(sender))
        ? closed("reach an instance of", name)
        : null;
  }

  private static boolean isProgram(Actor actor, Ticket ticket) {
    return ticket.isInternal()
        || ticket.service != null
        || (actor.kind() != Actor.Kind.USER && actor.kind() != Actor.Kind.AGENT);
  }

  private static Rejection closed(String what, String name) {
    return Admission.rejection(
        Rejection.Code.RESERVED_MACHINE,
        "Expected to %s another machine, but '%s' is reached through its own service alone. Use its routes and commands."
            .formatted(what, name));
  }
}
