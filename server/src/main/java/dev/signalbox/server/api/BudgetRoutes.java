package dev.signalbox.server.api;

import static dev.signalbox.services.system.Role.ADMIN;
import static dev.signalbox.services.system.Role.OPERATOR;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.budget.Account;
import dev.signalbox.services.budget.Budgets;
import dev.signalbox.services.budget.Grant;
import dev.signalbox.services.budget.Line;
import dev.signalbox.services.system.Fields;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Routes over budgets. Whoever is governed by one does not use them: an agent could settle less
 * than it used.
 */
public final class BudgetRoutes {
  private static final String MACHINE = "budget";

  private final Signalbox box;
  private final Budgets budgets;

  public BudgetRoutes(Signalbox box) {
    this.box = box;
    this.budgets = Budgets.on(box);
  }

  public List<Route> routes() {
    Schema budget = Schema.named("Budget");
    Schema receipt = Schema.named("Receipt");
    Schema amounts = Schema.mapOf(Schema.WHOLE);
    Schema account =
        Schema.object()
            .field("account", Schema.TEXT.described("a/b is below a"))
            .field("limits", amounts.described("how much of each unit"))
            .maybe("owner", Schema.TEXT.described("the instance that is told"))
            .maybe("exhausted_event", Schema.TEXT)
            .maybe("replenished_event", Schema.TEXT);
    Schema held =
        Schema.object()
            .field("reservation", Schema.TEXT)
            .field("account", Schema.TEXT)
            .field("reserved", amounts);
    return List.of(
        Route.get("/budgets", "Budgets that are open, the youngest first")
            .anyone()
            .query("subject", Schema.TEXT, "what they are for")
            .query("most", Schema.WHOLE, "how many, at most 1000; 100 if not said")
            .gives(Schema.object().field("budgets", Schema.listOf(budget)))
            .by(this::list),
        Route.post("/budgets", "Open a budget with its first accounts")
            .may(OPERATOR, ADMIN)
            .keyed("the same key gives the same budget")
            .takes(
                Schema.object()
                    .field("subject", Schema.TEXT)
                    .field("accounts", Schema.listOf(account))
                    .maybe("warn_low", Schema.WHOLE.described("percent; 80 if not said"))
                    .maybe("warn_high", Schema.WHOLE.described("percent; 95 if not said")))
            .gives(201, "Opened", budget)
            .by(this::open),
        Route.get("/budgets/{id}", "A budget and its lines")
            .anyone()
            .gives(budget)
            .by(r -> Response.json(view(found(r)))),
        Route.post("/budgets/{id}/accounts", "Open one more account")
            .may(OPERATOR)
            .takes(account)
            .gives(receipt)
            .by(r -> {
              Account opened = account(r.fields());
              return Replies.answer(() -> by(r).add(found(r).id(), opened));
            }),
        Route.post("/budgets/{id}/reserve", "Take amounts on the whole path before use, or nothing")
            .may(OPERATOR)
            .takes(
                Schema.object()
                    .field("reservation", Schema.TEXT.described("the same one again is the same"))
                    .field("account", Schema.TEXT)
                    .field("amounts", amounts)
                    .field("lease_ms", Schema.WHOLE))
            .gives(Schema.named("Grant"))
            .by(this::reserve),
        Route.post("/budgets/{id}/settle", "Say what was really used of a reservation")
            .may(OPERATOR)
            .takes(held.field("used", amounts))
            .gives(receipt)
            .by(r -> {
              Fields body = r.fields().only("reservation", "account", "reserved", "used");
              Grant.Reserved reserved = reserved(r, body);
              Map<String, Long> used = amounts(body, "used");
              return Replies.answer(() -> by(r).settle(reserved, used));
            }),
        Route.post("/budgets/{id}/release", "Give a whole reservation back")
            .may(OPERATOR)
            .takes(held)
            .gives(receipt)
            .by(r -> {
              Grant.Reserved reserved =
                  reserved(r, r.fields().only("reservation", "account", "reserved"));
              return Replies.answer(() -> by(r).release(reserved));
            }),
        Route.post("/budgets/{id}/replenish", "Raise a limit")
            .may(OPERATOR)
            .takes(
                Schema.object()
                    .field("account", Schema.TEXT)
                    .field("unit", Schema.TEXT)
                    .field("amount", Schema.WHOLE)
                    .field("reason", Schema.TEXT)
                    .maybe("new_period", Schema.FLAG.described("nothing counts as used then")))
            .gives(receipt)
            .by(this::replenish),
        Route.post("/budgets/{id}/close", "End a budget")
            .may(OPERATOR)
            .gives(receipt)
            .by(r -> Replies.answer(() -> by(r).close(found(r).id()))));
  }

  private Budgets by(Request request) {
    return budgets.by(request.caller().actor());
  }

  private Instance found(Request request) {
    Replies.check(request, MACHINE);
    Instance budget = box.find(request.path("id"));
    if (budget == null || !budget.machine().equals(MACHINE)) {
      throw ProblemException.notFound("Expected a budget, but there is no such one.");
    }
    return budget;
  }

  private Response list(Request request) {
    Replies.check(request, MACHINE);
    Query query =
        Query.ALL
            .newest()
            .that(InstanceRow.Status.LIVE)
            .page(0, (int) request.number("most", 100, 1, Query.MOST));
    String subject = request.query("subject");
    query = subject == null ? query : query.with(Map.of("subject", subject));
    return Response.json(
        Map.of("budgets", budgets.budgets(query).stream().map(BudgetRoutes::view).toList()));
  }

  private Response open(Request request) throws IOException {
    Replies.check(request, MACHINE);
    Fields body = request.fields().only("subject", "accounts", "warn_low", "warn_high");
    List<Account> accounts = new ArrayList<>();
    if (!(body.value("accounts") instanceof List<?> list) || list.isEmpty()) {
      throw ProblemException.badRequest("Expected at least one account, but there is none.");
    }
    for (Object one : list) {
      accounts.add(account(Fields.of(one)));
    }
    String key = InstanceRoutes.key(request.header("Idempotency-Key"));
    String id =
        Replies.checked(() ->
            by(request)
                .open(
                    body.text("subject"),
                    key,
                    percent(body, "warn_low", 80),
                    percent(body, "warn_high", 95),
                    accounts.toArray(Account[]::new)));
    return Response.created("/api/v1/budgets/" + id, view(box.instance(id)));
  }

  private static int percent(Fields body, String name, int otherwise) {
    Long value = body.numberOrNull(name);
    return value == null ? otherwise : (int) Math.clamp(value, 0L, 1_000L);
  }

  private static Account account(Fields body) {
    body.only("account", "limits", "owner", "exhausted_event", "replenished_event");
    return Replies.checked(() ->
        new Account(
            body.text("account"),
            amounts(body, "limits"),
            textOf(body, "owner"),
            textOf(body, "exhausted_event"),
            textOf(body, "replenished_event")));
  }

  private static String textOf(Fields body, String name) {
    String text = body.textOrNull(name);
    return text == null ? "" : text;
  }

  private static Map<String, Long> amounts(Fields body, String name) {
    Map<String, Long> amounts = new LinkedHashMap<>();
    body.object(name)
        .forEach((unit, amount) -> {
          if (!(amount instanceof Long whole)) {
            throw ProblemException.badRequest(
                "Expected '%s' to be an object of whole numbers, but found another."
                    .formatted(name));
          }
          amounts.put(unit, whole);
        });
    return amounts;
  }

  private Response reserve(Request request) throws IOException {
    String id = found(request).id();
    Fields body = request.fields().only("reservation", "account", "amounts", "lease_ms");
    Long lease = body.numberOrNull("lease_ms");
    if (lease == null) {
      throw ProblemException.badRequest("Expected 'lease_ms', but it is missing.");
    }
    Grant grant =
        Replies.checked(() ->
            by(request)
                .reserve(
                    id,
                    body.text("reservation"),
                    body.text("account"),
                    amounts(body, "amounts"),
                    Duration.ofMillis(lease)));
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    switch (grant) {
      case Grant.Reserved _ -> {
        view.put("granted", true);
        view.put("reason", null);
        view.put("message", "");
      }
      case Grant.Refused(Grant.Reason reason, String why) -> {
        view.put("granted", false);
        view.put("reason", reason.name().toLowerCase(Locale.ROOT));
        view.put("message", why);
      }
    }
    return Response.json(view);
  }

  private Grant.Reserved reserved(Request request, Fields body) {
    return new Grant.Reserved(
        found(request).id(),
        body.text("reservation"),
        body.text("account"),
        amounts(body, "reserved"));
  }

  private Response replenish(Request request) throws IOException {
    String id = found(request).id();
    Fields body = request.fields().only("account", "unit", "amount", "reason", "new_period");
    Long amount = body.numberOrNull("amount");
    if (amount == null) {
      throw ProblemException.badRequest("Expected 'amount', but it is missing.");
    }
    return Replies.answer(() ->
        budgets.replenish(
            id,
            request.caller().actor(),
            body.text("account"),
            body.text("unit"),
            amount,
            body.flag("new_period", false),
            body.text("reason")));
  }

  private static Map<String, @Nullable Object> view(Instance budget) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("id", budget.id());
    view.put("subject", budget.context().get("subject"));
    view.put("status", budget.status());
    view.put("lines", Budgets.lines(budget).stream().map(BudgetRoutes::view).toList());
    return view;
  }

  private static Map<String, @Nullable Object> view(Line line) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("account", line.account());
    view.put("unit", line.unit());
    view.put("limit", line.limit());
    view.put("used", line.used());
    view.put("reserved", line.reserved());
    view.put("over", line.over());
    view.put("left", line.left());
    view.put("exhausted", line.exhausted());
    return view;
  }
}
