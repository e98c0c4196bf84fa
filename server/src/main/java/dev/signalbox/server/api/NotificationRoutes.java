package dev.signalbox.server.api;

import static dev.signalbox.services.system.Role.ADMIN;
import static dev.signalbox.services.system.Role.OPERATOR;
import static dev.signalbox.services.system.Role.VIEWER;

import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Instance;
import dev.signalbox.server.access.MadeSecrets;
import dev.signalbox.server.stream.NotificationStreams;
import dev.signalbox.services.notification.Audience;
import dev.signalbox.services.notification.Cursor;
import dev.signalbox.services.notification.DeadLetter;
import dev.signalbox.services.notification.Notification;
import dev.signalbox.services.notification.NotificationStream;
import dev.signalbox.services.notification.Notifications;
import dev.signalbox.services.notification.Subscription;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.Fields;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Role;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Routes over who is told of what: notifications, subscriptions, and what could not be delivered.
 */
public final class NotificationRoutes {
  private static final String SUBSCRIPTION = "subscription";
  private static final String DELIVERY = "delivery";

  private final Notifications notifications;
  private final @Nullable MadeSecrets made;
  private final NotificationStreams streams;

  /**
   * @param made where secrets are made for webhooks that name none; null where none can be
   */
  public NotificationRoutes(
      Notifications notifications, @Nullable MadeSecrets made, NotificationStreams streams) {
    this.notifications = notifications;
    this.made = made;
    this.streams = streams;
  }

  public List<Route> routes() {
    Schema receipt = Schema.named("Receipt");
    Schema reason = Schema.object().field("reason", Schema.TEXT);
    return List.of(
        told(Route.get("/notifications", "What is told, from a place on"))
            .query("after", Schema.TEXT, "the next of the page before; the beginning if not said")
            .query("most", Schema.WHOLE, "how many, at most 1000; 100 if not said")
            .gives(
                Schema.object()
                    .field("notifications", Schema.listOf(Schema.named("Notification")))
                    .field("next", Schema.TEXT)
                    .field("end", Schema.FLAG.described("whether there was nothing more")))
            .by(this::page),
        told(Route.get("/notifications/stream", "What is told from now on, as server-sent events"))
            .query("after", Schema.TEXT, "go on behind this place first")
            .header("Last-Event-ID", "go on behind this place, which browsers send by themselves")
            .gives(
                200,
                "Events 'notification'; 'end' when the server stops",
                "text/event-stream",
                Schema.named("Notification"))
            .by(this::stream),
        Route.get("/subscriptions", "Who is told of what, and how")
            .may(VIEWER, OPERATOR, ADMIN)
            .gives(
                Schema.object().field("subscriptions", Schema.listOf(Schema.named("Subscription"))))
            .by(r -> {
              Replies.check(r, SUBSCRIPTION);
              return Response.json(
                  Map.of(
                      "subscriptions",
                      notifications.subscriptions().stream()
                          .map(NotificationRoutes::view)
                          .toList()));
            }),
        Route.post("/subscriptions", "Tell somebody from now on: by a signed webhook or the log")
            .withoutKey()
            .may(OPERATOR, ADMIN)
            .takes(
                Schema.object()
                    .field("name", Schema.TEXT.described("small letters, digits and dashes"))
                    .field("audiences", Schema.listOf(Schema.oneOf("user", "system", "audit")))
                    .maybe("rules", Schema.listOf(Schema.TEXT).described("only of these rules"))
                    .maybe("url", Schema.TEXT.described("of a webhook; without it the log"))
                    .maybe(
                        "secret",
                        Schema.TEXT.described(
                            "the name of the webhook's secret; without it one is made"))
                    .maybe("attempts", Schema.WHOLE.described("1 to 100; 8 if not said")))
            .gives(201, "Subscribed", Schema.named("Subscription"))
            .by(this::subscribe),
        Route.post("/subscriptions/{name}/change", "Another address or another secret")
            .may(OPERATOR, ADMIN)
            .takes(Schema.object().maybe("url", Schema.TEXT).maybe("secret", Schema.TEXT))
            .gives(receipt)
            .by(this::change),
        Route.post("/subscriptions/{name}/pause", "Tell it nothing until it is resumed")
            .may(OPERATOR, ADMIN)
            .takes(reason)
            .gives(receipt)
            .by(r -> tell(r, "pause", Map.of("reason", r.fields().only("reason").text("reason")))),
        Route.post("/subscriptions/{name}/resume", "Tell it on, and what happened meanwhile")
            .may(OPERATOR, ADMIN)
            .gives(receipt)
            .by(r -> tell(r, "resume", Map.of())),
        Route.post("/subscriptions/{name}/remove", "Tell it nothing any more")
            .may(OPERATOR, ADMIN)
            .gives(receipt)
            .by(r -> tell(r, "remove", Map.of())),
        Route.get("/dead-letters", "What could not be delivered, and why, the oldest first")
            .may(VIEWER, OPERATOR, ADMIN)
            .query("most", Schema.WHOLE, "how many, at most 1000; 100 if not said")
            .gives(Schema.object().field("dead_letters", Schema.listOf(Schema.named("DeadLetter"))))
            .by(r -> {
              Replies.checkUnrestricted(r);
              int most = (int) r.number("most", 100, 1, Query.MOST);
              return Response.json(
                  Map.of(
                      "dead_letters",
                      notifications.deadLetters(most).stream()
                          .map(NotificationRoutes::view)
                          .toList()));
            }),
        Route.post("/dead-letters/{id}/redeliver", "Send it once more, with the id it had")
            .may(OPERATOR)
            .gives(receipt)
            .by(r -> {
              Replies.check(r, DELIVERY);
              return Replies.answer(() -> notifications.redeliver(delivery(r), r.caller().actor()));
            }),
        Route.post("/dead-letters/{id}/discard", "Give it up")
            .may(OPERATOR)
            .takes(reason)
            .gives(receipt)
            .by(r -> {
              Replies.check(r, DELIVERY);
              String why = r.fields().only("reason").text("reason");
              return Replies.answer(
                  () -> notifications.discard(delivery(r), why, r.caller().actor()));
            }));
  }

  private static Route.Draft told(Route.Draft draft) {
    return draft
        .may(VIEWER, OPERATOR, Role.APPROVER, ADMIN)
        .query("audience", Schema.TEXT, "user, system or audit, separated by commas")
        .query("machine", Schema.TEXT, "only of that machine")
        .query("instance", Schema.TEXT, "only of that instance")
        .query("rule", Schema.TEXT, "only of these rules, separated by commas");
  }

  private static NotificationStream.Filter filter(Request request) {
    Set<Audience> audiences = new LinkedHashSet<>();
    for (String word : words(request.query("audience"))) {
      audiences.add(Replies.checked(() -> Audience.of(word.toLowerCase(Locale.ROOT))));
    }
    return new NotificationStream.Filter(
        audiences,
        request.query("machine"),
        request.query("instance"),
        words(request.query("rule")));
  }

  private static Set<String> words(@Nullable String text) {
    return text == null || text.isBlank()
        ? Set.of()
        : new LinkedHashSet<>(List.of(text.split(",")));
  }

  private static Predicate<String> visible(Caller caller) {
    return machine ->
        caller.mayUse(machine) && (!InstanceRoutes.isOwn(machine) || caller.has(ADMIN));
  }

  private Response page(Request request) {
    Cursor after = cursor(request.query("after"), Cursor.START);
    NotificationStream.Page page =
        notifications.stream()
            .read(after, filter(request), (int) request.number("most", 100, 1, Query.MOST));
    Predicate<String> visible = visible(request.caller());
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put(
        "notifications",
        page.notifications().stream()
            .filter(n -> visible.test(n.machine()))
            .map(Notification::asMap)
            .toList());
    view.put("next", page.next().text());
    view.put("end", page.isEnd());
    return Response.json(view);
  }

  private static Cursor cursor(@Nullable String text, Cursor otherwise) {
    return text == null || text.isEmpty() ? otherwise : Replies.checked(() -> Cursor.of(text));
  }

  private Response stream(Request request) {
    Caller caller = request.caller();
    NotificationStream.Filter filter = filter(request);
    String header = request.header("Last-Event-ID");
    Cursor after =
        cursor(
            header == null || header.isEmpty() ? request.query("after") : header,
            notifications.stream().end());
    if (!streams.enter(caller.credential())) {
      throw ProblemException.of(
          429,
          "too-many-requests",
          "Expected a place for one more stream, but all are taken.",
          "Close another stream first.");
    }
    return Response.flow(
            "text/event-stream",
            out ->
                streams.write(
                    caller.credential(), out, after, filter, visible(caller), request::isStillGood))
        .with("X-Accel-Buffering", "no");
  }

  private Response subscribe(Request request) throws IOException {
    Replies.checkUnrestricted(request);
    Fields body = request.fields().only("name", "audiences", "rules", "url", "secret", "attempts");
    Map<String, @Nullable Object> view =
        Replies.checked(() -> subscribe(wanted(body), request.caller().actor()));
    return Response.created("/api/v1/instances/" + view.get("instance"), view);
  }

  private Subscription wanted(Fields body) {
    Set<Audience> audiences = new LinkedHashSet<>();
    body.texts("audiences").forEach(word -> audiences.add(Audience.of(word)));
    Long attempts = body.numberOrNull("attempts");
    String name = body.text("name");
    String url = body.textOrNull("url");
    String secret = body.textOrNull("secret");
    return new Subscription(
        name,
        audiences,
        body.texts("rules"),
        url,
        secret == null && url != null && made != null ? MadeSecrets.nameFor(name) : secret,
        attempts == null ? (url == null ? 1 : 8) : (int) Math.clamp(attempts, 0L, 101L));
  }

  /** One at a time, so that a secret is shown to whoever made it and to nobody after. */
  private synchronized Map<String, @Nullable Object> subscribe(Subscription wanted, Actor actor) {
    String name = MadeSecrets.nameFor(wanted.name());
    if (made == null
        || !name.equals(wanted.secret())
        || notifications.isSubscribed(wanted.name())) {
      return view(notifications.subscribe(wanted, actor));
    }
    String secret = made.make(name);
    try {
      Map<String, @Nullable Object> view = view(notifications.subscribe(wanted, actor));
      view.put("signing_secret", secret);
      return view;
    } catch (RuntimeException e) {
      made.forget(name);
      throw e;
    }
  }

  private Response change(Request request) throws IOException {
    Fields body = request.fields().only("url", "secret");
    Map<String, Object> data = new LinkedHashMap<>();
    for (String name : List.of("url", "secret")) {
      String text = body.textOrNull(name);
      if (text != null) {
        data.put(name, text);
      }
    }
    if (data.isEmpty()) {
      throw ProblemException.badRequest("Expected 'url' or 'secret', but there is neither.");
    }
    return tell(request, "change", data);
  }

  private Response tell(Request request, String event, Map<String, ?> data) {
    Replies.check(request, SUBSCRIPTION);
    return Replies.answer(
        () -> notifications.tell(request.path("name"), event, data, request.caller().actor()));
  }

  /** The delivery of the path, so that no other instance is sent its events. */
  private String delivery(Request request) {
    String id = request.path("id");
    if (!notifications.isDelivery(id)) {
      throw ProblemException.notFound("Expected a dead letter, but there is no such one.");
    }
    return id;
  }

  private static Map<String, @Nullable Object> view(Instance subscription) {
    Map<String, @Nullable Object> context = subscription.context();
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("name", context.get("name"));
    view.put("state", subscription.leaf());
    view.put("channel", context.get("channel"));
    view.put("audiences", context.get("audiences"));
    view.put("rules", context.get("rules"));
    view.put("url", context.get("url"));
    view.put("secret", context.get("secret"));
    view.put("attempts", context.get("attempts"));
    view.put("reason", context.get("reason"));
    view.put("instance", subscription.id());
    return view;
  }

  private static Map<String, @Nullable Object> view(DeadLetter letter) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("id", letter.id());
    view.put("subscription", letter.subscription());
    view.put("notification", letter.notification());
    view.put("attempts", letter.attempts());
    view.put("reason", letter.reason());
    view.put("since", letter.since());
    view.put("content", letter.content());
    return view;
  }
}
