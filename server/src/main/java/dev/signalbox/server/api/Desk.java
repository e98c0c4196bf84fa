package dev.signalbox.server.api;

import static dev.signalbox.services.system.Role.ADMIN;
import static dev.signalbox.services.system.Role.AGENT;
import static dev.signalbox.services.system.Role.OPERATOR;

import dev.signalbox.journal.EntryRow;
import dev.signalbox.kernel.Environment;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.RejectedException;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Role;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a caller may do with machines and instances when it does not come through the routes: the
 * same roles, the same limits to its machines, the same views and the same problems.
 */
public final class Desk {
  private static final Set<Role> STARTERS = Set.of(OPERATOR, AGENT, ADMIN);
  private static final int LONGEST_KEY = 200;
  private static final int PAGE = 500;

  private final Signalbox box;
  private final Catalog catalog;

  public Desk(Signalbox box, Catalog catalog) {
    this.box = box;
    this.catalog = catalog;
  }

  /** The newest version of every machine that the caller may start, with what starts it. */
  public List<Map<String, @Nullable Object>> machines(Caller caller) {
    Map<String, Machine> newest = new LinkedHashMap<>();
    for (Catalog.Listed listed : catalog.all(caller)) {
      Machine machine = listed.machine();
      if (!catalog.isClosed(machine.name())) {
        newest.merge(machine.name(), machine, (a, b) -> a.version() > b.version() ? a : b);
      }
    }
    List<Map<String, @Nullable Object>> views = new ArrayList<>();
    for (Machine machine : newest.values()) {
      Map<String, @Nullable Object> view = Views.machineHead(machine);
      Map<String, Object> input = new LinkedHashMap<>();
      for (Field field : machine.context()) {
        input.put(field.name(), Views.schema(field.type()));
      }
      view.put("input", Map.of("type", "object", "properties", input));
      view.put("events", machine.events().stream().map(EventType::name).toList());
      views.add(view);
    }
    return views;
  }

  /**
   * The instance.
   *
   * @throws RejectedException when there is none
   * @throws ProblemException when the caller may not see it
   */
  public Instance visible(String id, Caller caller) {
    return InstanceRoutes.visible(box, id, caller);
  }

  /** The instance as it stands, with the events that wait and whether the caller may send them. */
  public Map<String, @Nullable Object> view(Instance instance, Caller caller) {
    Map<String, @Nullable Object> view = Views.instance(instance);
    view.put("permitted", permitted(instance, caller));
    return view;
  }

  private List<Map<String, @Nullable Object>> permitted(Instance instance, Caller caller) {
    return WaitingEvents.permitted(catalog, instance, caller);
  }

  /** An event that the caller may send now. */
  public record Offer(
      String event, @Nullable String description, @Nullable Map<String, @Nullable Object> schema) {}

  /**
   * The events that the caller may send now, each by its name: where a transition waits for a
   * pattern, the names that the machine's author wrote and it covers.
   */
  public List<Offer> offers(Instance instance, Caller caller) {
    if (!WaitingEvents.maySend(catalog, instance, caller)) {
      return List.of();
    }
    Environment.Sender sender = new Environment.Sender.Caller(caller.actor());
    return WaitingEvents.of(catalog, instance).stream()
        .filter(rule -> rule.permits(sender))
        .map(rule ->
            new Offer(rule.event(), WaitingEvents.description(rule), WaitingEvents.schema(rule)))
        .toList();
  }

  /** The names of the events that the instance's machine declares, whoever may send them. */
  public List<String> declared(Instance instance) {
    return catalog.of(instance.machine(), instance.version()).machine().events().stream()
        .map(EventType::name)
        .toList();
  }

  /**
   * Starts an instance.
   *
   * @throws ProblemException when the caller may not
   * @throws RejectedException when it is refused
   */
  public Map<String, @Nullable Object> start(
      String machine,
      @Nullable String id,
      Map<String, @Nullable Object> input,
      Caller caller,
      @Nullable String key) {
    permit(caller, STARTERS, "start instances");
    InstanceRoutes.checkStart(machine, caller);
    if (id != null && !Cursors.isId(id)) {
      throw ProblemException.badRequest(
          "Expected an id of at most 200 letters, digits and . _ : @ -, but found another.");
    }
    Reply reply =
        box.submit(new Command.Start(machine, id, input, caller.actor(), checkedKey(key)));
    return switch (reply) {
      case Reply.Accepted(Receipt receipt) -> Views.receipt(receipt);
      case Reply.Rejected(Rejection rejection) -> throw new RejectedException(rejection);
    };
  }

  /**
   * Sends an event.
   *
   * @throws ProblemException when it is refused; it says what is permitted instead
   */
  public Map<String, @Nullable Object> send(
      String id,
      String event,
      @Nullable Object data,
      Caller caller,
      @Nullable String key,
      @Nullable Long expected) {
    permit(caller, WaitingEvents.SENDERS, "send events");
    InstanceRoutes.changeable(box, id, caller);
    Reply reply =
        box.submit(new Command.Send(id, event, data, caller.actor(), checkedKey(key), expected));
    return switch (reply) {
      case Reply.Accepted(Receipt receipt) -> Views.receipt(receipt);
      case Reply.Rejected(Rejection rejection) -> {
        Instance now = box.instance(id);
        throw Rejections.problem(rejection, Rejections.instead(now, permitted(now, caller)));
      }
    };
  }

  /** Whether an entry from the first to the last sequence number was caused by the event. */
  public boolean happened(Instance instance, String event, long first, long last) {
    long next = first;
    while (next <= last) {
      List<EntryRow> page = box.history(instance.id(), next, (int) Math.min(PAGE, last - next + 1));
      for (EntryRow entry : page) {
        if (Views.body(entry).get("event") instanceof Map<?, ?> cause
            && event.equals(cause.get("name"))) {
          return true;
        }
        next = entry.sequence() + 1;
      }
      if (page.isEmpty()) {
        return false;
      }
    }
    return false;
  }

  private static void permit(Caller caller, Set<Role> roles, String what) {
    if (!caller.hasAny(roles)) {
      throw ProblemException.forbidden(
          "Expected '%s' to have a role that may %s, but it has %s."
              .formatted(caller.name(), what, String.join(", ", caller.roles())),
          "Let someone with the role do it.");
    }
  }

  private static @Nullable String checkedKey(@Nullable String key) {
    if (key != null && (key.isEmpty() || key.length() > LONGEST_KEY)) {
      throw ProblemException.badRequest(
          "Expected an idempotency key of 1 to %d characters, but found another."
              .formatted(LONGEST_KEY));
    }
    return key;
  }
}
