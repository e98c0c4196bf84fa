package dev.signalbox.services.budget;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.RejectedException;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.ServiceKey;
import dev.signalbox.services.MachineDoor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Budgets of a store. Any thread may use it, and any number of nodes. */
public final class Budgets {
  static final String MACHINE = "budget";

  /** How often a reservation is tried again after what lapsed has come back. */
  private static final int TRIES = 20;

  private final Host host;
  private final MachineDoor door;
  private final Actor actor;

  private Budgets(Host host, MachineDoor door, Actor actor) {
    this.host = host;
    this.door = door;
    this.actor = actor;
  }

  /** The budgets of a store; their machine is published there when it is not yet. */
  public static Budgets on(Host host) {
    return new Budgets(host, new MachineDoor(host, MACHINE), Actor.SYSTEM);
  }

  /** The same budgets, with the actor in the journal as who opens, reserves and settles. */
  public Budgets by(Actor other) {
    return new Budgets(host, door, other);
  }

  /** A budget that warns at 80 and 95 percent. */
  public String open(String subject, Account... accounts) {
    return open(subject, null, 80, 95, accounts);
  }

  /**
   * Opens a budget with its first accounts.
   *
   * @param subject what it is for, to find it by
   * @param key the same key is the same budget; or null
   * @param low the percentage of a line at which it warns first
   * @param high at which it warns again
   * @return its id
   * @throws RejectedException when it is refused
   */
  public String open(String subject, @Nullable String key, int low, int high, Account... accounts) {
    if (low < 1 || high < low || high > 100) {
      throw new IllegalArgumentException(
          "Expected to warn at 1 to 100 percent, first low and then high, but found %d and %d."
              .formatted(low, high));
    }
    Map<String, Object> input = new LinkedHashMap<>();
    input.put("subject", subject);
    input.put("warn_low", (long) low);
    input.put("warn_high", (long) high);
    List<Map<String, Object>> lines = new ArrayList<>();
    for (Account account : accounts) {
      lines.addAll(account.lines());
    }
    if (lines.size() > 500
        || lines.stream().map(l -> l.get("of")).distinct().count() < lines.size()) {
      throw new IllegalArgumentException(
          "Expected at most 500 lines, each account and unit once, but found %d."
              .formatted(lines.size()));
    }
    input.put("lines", lines);
    return accepted(door.submit(new Command.Start(door.machine(), null, input, actor, key)))
        .instance();
  }

  /** Opens one more account; the same again changes nothing. */
  public Reply add(String budget, Account account) {
    return send(
        budget, "open_account", Map.of("lines", account.lines()), actor, "open " + account.name());
  }

  /** Reserves under an id that nobody else has. */
  public Grant reserve(String budget, String account, Map<String, Long> amounts, Duration lease) {
    return reserve(budget, UUID.randomUUID().toString(), account, amounts, lease);
  }

  /**
   * Takes the amounts from the account and all above it, or nothing.
   *
   * @param id names the reservation, such as the key of an effect: asking again is the same one
   * @param lease after which the amounts come back if nobody settled
   */
  public Grant reserve(
      String budget, String id, String account, Map<String, Long> amounts, Duration lease) {
    checked(amounts);
    if (lease.toMillis() < 1 || lease.compareTo(Duration.ofDays(30)) > 0) {
      throw new IllegalArgumentException(
          "Expected a lease of a millisecond to 30 days, but found %s.".formatted(lease));
    }
    for (int attempt = 0; attempt < TRIES; attempt++) {
      Reply reply = sendOwn(reserving(budget, id, account, amounts, lease, attempt).by(actor));
      Grant grant = answer(budget, id, account, amounts, reply);
      if (grant != null) {
        return grant;
      }
      lapse(door.find(budget));
    }
    return new Grant.Refused(
        Grant.Reason.NOT_NOW,
        "Expected to reserve in '%s', but leases ran out as fast as they came back. Try again."
            .formatted(budget));
  }

  static Command.Send reserving(
      String budget,
      String id,
      String account,
      Map<String, Long> amounts,
      Duration lease,
      int attempt) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("reservation", id);
    data.put("account", account);
    data.put("amounts", amounts);
    data.put("lease_ms", lease.toMillis());
    return new Command.Send(
        budget, "reserve", data, Actor.SYSTEM, "reserve " + id + " " + attempt, null);
  }

  /** What the reply means; null when something has to come back first. */
  @Nullable Grant answer(
      String budget, String id, String account, Map<String, Long> amounts, Reply reply) {
    return switch (reply) {
      case Reply.Accepted(Receipt receipt) ->
          recorded(budget, receipt.sequence(), "budget.reserved")
              ? new Grant.Reserved(budget, id, account, amounts)
              : new Grant.Refused(
                  Grant.Reason.EXHAUSTED,
                  "Expected to reserve %s in '%s' of '%s', but it does not fit. Settle, or let somebody replenish."
                      .formatted(amounts, account, budget));
      case Reply.Rejected(Rejection rejection)
          when mayComeBack(budget, id, account, amounts, rejection) ->
          null;
      case Reply.Rejected(Rejection rejection) ->
          new Grant.Refused(
              rejection.code() == Rejection.Code.BUSY
                  ? Grant.Reason.NOT_NOW
                  : Grant.Reason.NOT_POSSIBLE,
              rejection.message());
    };
  }

  /** Whether it was refused for nothing else than leases that are over. */
  private boolean mayComeBack(
      String budget, String id, String account, Map<String, Long> amounts, Rejection rejection) {
    Instance instance = door.find(budget);
    if (rejection.code() != Rejection.Code.GUARD_REFUSED || instance == null) {
      return false;
    }
    List<Line> lines = lines(instance);
    List<Held> held = held(instance);
    return held.size() < 1_000
        && held.stream().noneMatch(h -> h.id().equals(id))
        && amounts.keySet().stream()
            .allMatch(u -> lines.stream().anyMatch(l -> l.unit().equals(u) && l.isAbove(account)));
  }

  private boolean recorded(String budget, long sequence, String kind) {
    EntryRow entry = host.history(budget, sequence, 1).getFirst();
    try {
      return Json.parse(new String(entry.body(), StandardCharsets.UTF_8)) instanceof Map<?, ?> body
          && body.get("records") instanceof List<?> records
          && records.stream().anyMatch(r -> r instanceof Map<?, ?> m && kind.equals(m.get("kind")));
    } catch (Json.SyntaxException e) {
      throw new IllegalStateException("Expected an entry to be JSON.", e);
    }
  }

  /**
   * Says what was really used. What is missing in it was not used; more than was reserved counts,
   * and is recorded.
   */
  public Reply settle(Grant.Reserved reserved, Map<String, Long> used) {
    used.forEach(Budgets::checked);
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("reservation", reserved.id());
    data.put("account", reserved.account());
    data.put("reserved", reserved.amounts());
    data.put("amounts", used);
    return send(reserved.budget(), "settle", data, actor, "settle " + reserved.id());
  }

  /** Gives everything back. */
  public Reply release(Grant.Reserved reserved) {
    return send(
        reserved.budget(),
        "release",
        new Held(reserved.id(), reserved.account(), reserved.amounts(), 0).data(),
        actor,
        "release " + reserved.id());
  }

  /**
   * Raises the limit of one line, by a person with the role {@code operator}.
   *
   * @param newPeriod whether nothing of it counts as used any more
   */
  public Reply replenish(
      String budget,
      Actor person,
      String account,
      String unit,
      long amount,
      boolean newPeriod,
      String reason) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("account", account);
    data.put("unit", unit);
    data.put("amount", amount);
    data.put("new_period", newPeriod);
    data.put("reason", reason);
    return send(budget, "replenish", data, person, null);
  }

  /** Ends the budget. */
  public Reply close(String budget) {
    return send(budget, "close", null, actor, null);
  }

  /** The budgets that fit. */
  public List<Instance> budgets(Query query) {
    return host.instances(query.ofMachine(MACHINE));
  }

  /**
   * Every line of the budget.
   *
   * @throws RejectedException when there is no such budget
   */
  public List<Line> lines(String budget) {
    Instance instance = door.find(budget);
    if (instance == null) {
      throw new RejectedException(door.unknown(budget));
    }
    return lines(instance);
  }

  /** The line of an account and a unit. */
  public Line line(String budget, String account, String unit) {
    return lines(budget).stream()
        .filter(l -> l.account().equals(account) && l.unit().equals(unit))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "Expected a line for %s in '%s' of '%s', but there is none."
                    .formatted(unit, account, budget)));
  }

  /** Lets every reservation whose lease is over come back, in all budgets; says how many. */
  public int tend() {
    int lapsed = 0;
    long after = 0;
    while (true) {
      List<Instance> page =
          host.instances(
              Query.ALL.ofMachine(MACHINE).that(InstanceRow.Status.LIVE).page(after, 100));
      for (Instance instance : page) {
        lapsed += lapse(instance);
        after = instance.number();
      }
      if (page.size() < 100) {
        return lapsed;
      }
    }
  }

  private int lapse(@Nullable Instance instance) {
    int lapsed = 0;
    if (instance != null) {
      long now = host.clock().millis();
      for (Held held : held(instance)) {
        if (held.until() <= now) {
          Command.Send lapse =
              Command.Send.of(instance.id(), "lapse", held.data())
                  .key(ServiceKey.of("lapse " + held.id()));
          lapsed += door.submitForService(lapse) instanceof Reply.Accepted ? 1 : 0;
        }
      }
    }
    return lapsed;
  }

  /** The lines of a budget as the instance has them. */
  public static List<Line> lines(Instance instance) {
    List<Line> lines = new ArrayList<>();
    for (Object item : list(instance, "lines")) {
      lines.add(Line.from((Map<?, ?>) item));
    }
    return List.copyOf(lines);
  }

  static List<Held> held(Instance instance) {
    List<Held> held = new ArrayList<>();
    for (Object item : list(instance, "reservations")) {
      held.add(Held.from((Map<?, ?>) item));
    }
    return held;
  }

  private static List<?> list(Instance instance, String name) {
    return instance.context().get(name) instanceof List<?> list ? list : List.of();
  }

  private static void checked(Map<String, Long> amounts) {
    if (amounts.isEmpty()) {
      throw new IllegalArgumentException("Expected an amount to reserve, but there is none.");
    }
    amounts.forEach(Budgets::checked);
  }

  private static void checked(String unit, long amount) {
    if (amount < 0 || amount > Account.MOST) {
      throw new IllegalArgumentException(
          "Expected 0 to %,d of %s, but found %,d.".formatted(Account.MOST, unit, amount));
    }
  }

  private Reply send(
      String budget, String event, @Nullable Object data, Actor sender, @Nullable String key) {
    return sendOwn(new Command.Send(budget, event, data, sender, key, null));
  }

  /** Sends under a key of this service's own. */
  private Reply sendOwn(Command.Send send) {
    return door.find(send.instance()) == null
        ? new Reply.Rejected(door.unknown(send.instance()))
        : door.submitForService(ServiceKey.on(send));
  }

  private static Receipt accepted(Reply reply) {
    return switch (reply) {
      case Reply.Accepted(Receipt receipt) -> receipt;
      case Reply.Rejected(Rejection rejection) -> throw new RejectedException(rejection);
    };
  }
}
