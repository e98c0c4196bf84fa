package dev.signalbox.server.api;

import static dev.signalbox.services.system.Role.ADMIN;
import static dev.signalbox.services.system.Role.AGENT;
import static dev.signalbox.services.system.Role.APPROVER;
import static dev.signalbox.services.system.Role.OPERATOR;

import dev.signalbox.definition.draw.Drawing;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.RejectedException;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.server.access.KeyedRequests;
import dev.signalbox.server.access.Tokens;
import dev.signalbox.services.person.People;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.Fields;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Role;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Routes over instances: what they are, and what may be asked of them. */
public final class InstanceRoutes {
  private static final int LONGEST_KEY = 200;

  /** Machines by which agents are limited and people are told; no agent starts one. */
  private static final Set<String> KEPT = Set.of("alert", "budget", "delivery", "subscription");

  /** Machines of the server itself: who may come in, who decides, and answers under a key. */
  private static final Set<String> OWN =
      Set.of(Tokens.MACHINE, KeyedRequests.MACHINE, People.MACHINE);

  private final Signalbox box;
  private final Catalog catalog;
  private final InstanceSearch search;

  public InstanceRoutes(Signalbox box, Catalog catalog) {
    this.box = box;
    this.catalog = catalog;
    this.search = new InstanceSearch(box, catalog);
  }

  public List<Route> routes() {
    Schema instance = Schema.named("Instance");
    Schema receipt = Schema.named("Receipt");
    return List.of(
        Route.get("/instances", "Instances that fit, page by page")
            .anyone()
            .query("machine", Schema.TEXT, "of that machine, any version")
            .query("state", Schema.TEXT, "in that state, at any depth")
            .query("status", Schema.oneOf("live", "paused", "halted", "ended"), "that stand so")
            .query("parent", Schema.TEXT, "invoked by that instance")
            .query("entered_before", Schema.WHOLE, "in their states since before that moment")
            .query("q", Schema.TEXT, "an id, or the value of a searchable field")
            .query("field.NAME", Schema.TEXT, "with that value of a searchable field")
            .query(
                "order",
                Schema.oneOf("oldest", "newest", "waiting", "refused", "due"),
                "which come first, oldest if not said; waiting gives those that have not ended,"
                    + " longest in their states first; refused gives those that refused something,"
                    + " most often first; due gives one page of those with a deadline")
            .query("after", Schema.TEXT, "the next of the page before")
            .query("most", Schema.WHOLE, "how many, at most 1000; 100 if not said")
            .gives(page(instance))
            .by(search::list),
        Route.post("/instances", "Start an instance")
            .may(OPERATOR, AGENT, ADMIN)
            .keyed("the same key gives the same instance")
            .takes(
                Schema.object()
                    .field("machine", Schema.TEXT.described("a name, or name@version"))
                    .maybe("id", Schema.TEXT)
                    .maybe("input", Schema.OBJECT))
            .gives(201, "Started", receipt)
            .by(this::start),
        Route.get("/instances/{id}", "An instance as it stands, or stood")
            .anyone()
            .query("at", Schema.WHOLE, "as it was after that entry")
            .gives(instance)
            .by(this::show),
        Route.post("/instances/{id}/events", "Send an event")
            .may(OPERATOR, APPROVER, AGENT, ADMIN)
            .keyed("the same key gives the same answer")
            .header("If-Match", "refuse unless the instance's ETag is this one")
            .takes(
                Schema.object()
                    .field("event", Schema.TEXT)
                    .maybe("data", Schema.ANY)
                    .maybe("expected_sequence", Schema.WHOLE))
            .gives(receipt)
            .by(this::send),
        Route.get("/instances/{id}/permitted", "The events that the caller may send now")
            .anyone()
            .gives(Schema.object().field("permitted", Schema.listOf(Schema.named("Permitted"))))
            .by(r -> {
              Instance found = visible(r);
              return Response.json(Map.of("permitted", permitted(found, r.caller())));
            }),
        Route.get("/instances/{id}/children", "The instances that it invoked")
            .anyone()
            .query("after", Schema.TEXT, "the next of the page before")
            .query("most", Schema.WHOLE, "how many, at most 1000; 100 if not said")
            .gives(page(instance))
            .by(r -> search.page(r, Query.ALL.below(visible(r).id()))),
        Route.get("/instances/{id}/diagram.svg", "The machine with the instance's path on it")
            .anyone()
            .query("at", Schema.WHOLE, "as it was after that entry")
            .query("theme", Schema.oneOf("light", "dark", "auto"), "the colours")
            .query("direction", Schema.oneOf("down", "right"), "where the flow goes")
            .gives(200, "The picture", "image/svg+xml", Schema.TEXT)
            .by(this::diagram),
        Route.post("/instances/{id}/cancel", "End it, with everything it invoked")
            .may(OPERATOR, ADMIN)
            .keyed("the same key gives the same answer")
            .gives(receipt)
            .by(r -> command(r, (id, key) -> new Command.Cancel(id, r.caller().actor(), key))),
        Route.post("/instances/{id}/pause", "Let it stand still")
            .may(OPERATOR, ADMIN)
            .keyed("the same key gives the same answer")
            .takes(
                Schema.object()
                    .maybe(
                        "clocks",
                        Schema.oneOf("stopped", "running")
                            .described("what its timers do meanwhile; stopped if not said")))
            .gives(receipt)
            .by(this::pause),
        Route.post("/instances/{id}/resume", "Let it go on")
            .may(OPERATOR, ADMIN)
            .keyed("the same key gives the same answer")
            .gives(receipt)
            .by(r -> command(r, (id, key) -> new Command.Resume(id, r.caller().actor(), key))),
        Route.post("/instances/{id}/fork", "Begin a new one where it was after an entry")
            .may(OPERATOR, ADMIN)
            .keyed("the same key gives the same instance")
            .takes(Schema.object().field("sequence", Schema.WHOLE).maybe("id", Schema.TEXT))
            .gives(201, "Begun", receipt)
            .by(this::fork),
        Route.post("/instances/{id}/migrate", "Take it to another version")
            .may(ADMIN)
            .keyed("the same key gives the same answer")
            .takes(
                Schema.object()
                    .field("to", Schema.WHOLE)
                    .maybe("states", Schema.mapOf(Schema.TEXT)))
            .gives(receipt)
            .by(this::migrate));
  }

  private static Schema page(Schema instance) {
    return Schema.object()
        .field("instances", Schema.listOf(instance))
        .field("next", Schema.TEXT.orNull())
        .field("whole", Schema.FLAG.described("whether all that fit were looked at for the order"));
  }

  static boolean isVisible(Instance instance, Caller caller) {
    return caller.mayUse(instance.machine())
        && (caller.instance() == null || caller.instance().equals(instance.id()))
        && isShown(instance.machine(), caller);
  }

  /**
   * Whether the caller may look at instances of the machine and their entries. Tokens are shown to
   * admins; what is kept of people's passphrases is shown to nobody.
   */
  static boolean isShown(String machine, Caller caller) {
    return !isOwn(machine) || (!machine.equals(People.MACHINE) && caller.has(Role.ADMIN));
  }

  /** Whether the machine is the server's own, which only its own routes use. */
  static boolean isOwn(String machine) {
    return OWN.stream().anyMatch(own -> machine.equals(own) || machine.startsWith(own + "@"));
  }

  /**
   * The instance of the request's path.
   *
   * @throws RejectedException when there is none
   * @throws ProblemException when the caller may not see it
   */
  private Instance visible(Request request) {
    return visible(box, request.path("id"), request.caller());
  }

  static Instance visible(Signalbox box, String id, Caller caller) {
    Instance instance = box.instance(id);
    if (!isVisible(instance, caller)) {
      throw Rejections.forbidden(caller, instance);
    }
    return instance;
  }

  /** As {@link #visible}, for those who want to change it. */
  static Instance changeable(Signalbox box, String id, Caller caller) {
    Instance instance = visible(box, id, caller);
    refuseOwn(instance.machine());
    return instance;
  }

  static void refuseOwn(String machine) {
    if (isOwn(machine)) {
      throw ProblemException.forbidden(
          "Expected another machine than '%s', but that one is the server's own."
              .formatted(machine),
          "Use /api/v1/tokens or /api/v1/people.");
    }
  }

  private Response show(Request request) {
    Instance instance = visible(request);
    boolean past = request.query("at") != null;
    if (past) {
      instance = box.at(instance.id(), request.number("at", 1, 0, Long.MAX_VALUE));
    }
    Map<String, @Nullable Object> view = Views.instance(instance);
    view.put("permitted", past ? List.of() : permitted(instance, request.caller()));
    return Response.json(view).with("ETag", tag(instance.sequence()));
  }

  private static String tag(long sequence) {
    return "\"" + sequence + "\"";
  }

  /** The events that wait to be sent, and whether the caller's roles allow it. */
  private List<Map<String, @Nullable Object>> permitted(Instance instance, Caller caller) {
    return WaitingEvents.permitted(catalog, instance, caller);
  }

  /** Whether an instance may be given the id. */
  public static boolean isId(String id) {
    return Cursors.isId(id);
  }

  private Response start(Request request) throws IOException {
    Fields body = request.fields().only("machine", "id", "input");
    String machine = body.text("machine");
    checkStart(machine, request.caller());
    Reply reply =
        box.submit(
            new Command.Start(
                machine,
                id(body.textOrNull("id")),
                body.object("input"),
                request.caller().actor(),
                key(request)));
    return created(reply);
  }

  /** Refuses machines that the caller may not start. */
  static void checkStart(String machine, Caller caller) {
    refuseOwn(machine);
    int at = machine.lastIndexOf('@');
    String name = at < 0 ? machine : machine.substring(0, at);
    if (!caller.mayUse(name)) {
      throw Rejections.machineForbidden(caller, name);
    }
    if (caller.instance() != null) {
      throw ProblemException.forbidden(
          "Expected to start an instance, but the token of '%s' is for '%s' alone."
              .formatted(caller.name(), caller.instance()),
          "Use another token.");
    }
    if (caller.has(Role.AGENT) && KEPT.contains(name)) {
      throw ProblemException.forbidden(
          "Expected to start '%s', but no agent may: it governs agents.".formatted(name),
          "Let an operator do it.");
    }
    if (name.equals("approval")) {
      throw ProblemException.forbidden(
          "Expected to start an instance, but an approval is asked for, not started.",
          "Use POST /api/v1/approvals, which asks in your name.");
    }
  }

  static @Nullable String id(@Nullable String id) {
    if (id != null && !Cursors.isId(id)) {
      throw ProblemException.badRequest(
          "Expected an id of at most 200 letters, digits and . _ : @ -, but found another.");
    }
    return id;
  }

  private static Response created(Reply reply) {
    return switch (reply) {
      case Reply.Accepted(Receipt receipt) ->
          Response.created("/api/v1/instances/" + receipt.instance(), Views.receipt(receipt))
              .with("ETag", tag(receipt.sequence()));
      case Reply.Rejected(Rejection rejection) -> throw new RejectedException(rejection);
    };
  }

  private Response send(Request request) throws IOException {
    Fields body = request.fields().only("event", "data", "expected_sequence");
    String id = request.path("id");
    if (request.caller().isRestricted()) {
      changeable(box, id, request.caller());
    }
    Long expected = body.numberOrNull("expected_sequence");
    String match = request.header("If-Match");
    if (match != null && !match.equals("*")) {
      expected = Cursors.tagged(match);
    }
    Reply reply =
        box.submit(
            new Command.Send(
                id,
                body.text("event"),
                body.value("data"),
                request.caller().actor(),
                key(request),
                expected));
    return answered(reply, id, request.caller());
  }

  private Response answered(Reply reply, String id, Caller caller) {
    return switch (reply) {
      case Reply.Accepted(Receipt receipt) ->
          Response.json(Views.receipt(receipt)).with("ETag", tag(receipt.sequence()));
      case Reply.Rejected(Rejection rejection) -> throw refused(rejection, id, caller);
    };
  }

  /** The problem of a refused command, with what is permitted instead where that helps. */
  private RuntimeException refused(Rejection rejection, String id, Caller caller) {
    InstanceRow row = box.journal().load(id);
    if (row == null) {
      return new RejectedException(rejection);
    }
    Instance now = box.view(row);
    return isVisible(now, caller)
        ? Rejections.problem(rejection, Rejections.instead(now, permitted(now, caller)))
        : new RejectedException(rejection);
  }

  static @Nullable String key(Request request) {
    return key(request.header("Idempotency-Key"));
  }

  static @Nullable String key(@Nullable String key) {
    if (key != null && (key.isEmpty() || key.length() > LONGEST_KEY)) {
      throw ProblemException.badRequest(
          "Expected an Idempotency-Key of 1 to %d characters, but found another."
              .formatted(LONGEST_KEY));
    }
    return key;
  }

  @FunctionalInterface
  private interface Commanding {
    Command of(String id, @Nullable String key);
  }

  private Response command(Request request, Commanding commanding) {
    String id = request.path("id");
    changeable(box, id, request.caller());
    return answered(box.submit(commanding.of(id, key(request))), id, request.caller());
  }

  /** What the request's body says that timers do. */
  static Command.Clocks clocks(Request request) throws IOException {
    String word = request.fields().only("clocks").textOrNull("clocks");
    return switch (word) {
      case null -> Command.Clocks.STOPPED;
      case "stopped" -> Command.Clocks.STOPPED;
      case "running" -> Command.Clocks.RUNNING;
      default ->
          throw ProblemException.badRequest(
              "Expected 'clocks' to be stopped or running, but found another.");
    };
  }

  private Response pause(Request request) throws IOException {
    Command.Clocks clocks = clocks(request);
    return command(
        request, (id, key) -> new Command.Pause(id, clocks, request.caller().actor(), key));
  }

  private Response fork(Request request) throws IOException {
    Fields body = request.fields().only("sequence", "id");
    Long sequence = body.numberOrNull("sequence");
    if (sequence == null) {
      throw ProblemException.badRequest("Expected the field 'sequence', but it is missing.");
    }
    String id = request.path("id");
    changeable(box, id, request.caller());
    return created(
        box.submit(
            new Command.Fork(
                id, sequence, id(body.textOrNull("id")), request.caller().actor(), key(request))));
  }

  private Response migrate(Request request) throws IOException {
    Fields body = request.fields().only("to", "states");
    Long to = body.numberOrNull("to");
    if (to == null || to < 1 || to > Integer.MAX_VALUE) {
      throw ProblemException.badRequest("Expected the version in 'to', but it is missing.");
    }
    Map<String, String> states = body.textMap("states");
    return command(
        request,
        (id, key) -> new Command.Migrate(id, to.intValue(), states, request.caller().actor(), key));
  }

  private Response diagram(Request request) {
    Instance instance = visible(request);
    long at = request.number("at", instance.sequence(), 0, Long.MAX_VALUE);
    if (at != instance.sequence()) {
      instance = box.at(instance.id(), at);
    }
    Catalog.Listed listed = catalog.of(instance.machine(), instance.version());
    return Response.text(
        "image/svg+xml",
        Drawing.svg(
            listed.machine(), MachineRoutes.options(request).highlight(Trail.of(box, instance))));
  }
}
