package dev.signalbox.services.notification;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.RejectedException;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.ServiceKey;
import dev.signalbox.runtime.Signalbox;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Serves one subscription: reads on from its cursor, starts deliveries or writes lines, and makes
 * the attempts that are due. It has a thread of its own, and one for each attempt.
 */
final class Courier {
  static final Actor COURIER = new Actor(Actor.Kind.SYSTEM, "courier", List.of("courier"));

  private static final System.Logger LOG = System.getLogger(Courier.class.getName());
  private static final System.Logger TOLD = System.getLogger("dev.signalbox.notification");

  /** How many entries are passed before the cursor is written although nobody was told. */
  private static final int PASSED = 1_000;

  private static final int PAGE = 200;
  private static final long BREATH = 10_000_000;

  private final Signalbox box;
  private final NotificationStream stream;
  private final NotificationSettings settings;
  private final WebhookClient client;
  private final String id;
  private final Semaphore news = new Semaphore(1);
  private final Semaphore hands;
  private final Set<String> underWay = ConcurrentHashMap.newKeySet();
  private final Thread thread;
  private volatile boolean closed;
  private @Nullable Cursor cursor;
  private int passed;
  private boolean told;
  private int open = -1;

  Courier(
      Signalbox box,
      NotificationStream stream,
      NotificationSettings settings,
      WebhookClient client,
      String id) {
    this.box = box;
    this.stream = stream;
    this.settings = settings;
    this.client = client;
    this.id = id;
    this.hands = new Semaphore(settings.attemptsAtOnce());
    this.thread = Thread.ofVirtual().name("signalbox-courier-" + id).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** There may be something to do. */
  void wake() {
    if (news.availablePermits() == 0) {
      news.release();
    }
  }

  /** Ends; attempts that run are cut off, and their leases bring them back. */
  void close() throws InterruptedException {
    closed = true;
    wake();
    thread.join();
  }

  private void run() {
    try {
      while (!closed) {
        boolean more = false;
        try {
          more = round();
        } catch (RuntimeException e) {
          LOG.log(
              System.Logger.Level.WARNING,
              "Courier of {0} goes on after a pause: {1}",
              id,
              e.getMessage());
        }
        if (!more) {
          boolean _ = news.tryAcquire(settings.poll().toMillis(), TimeUnit.MILLISECONDS);
          // Commits come in crowds; one look is enough for all that come within a moment.
          LockSupport.parkNanos(BREATH);
          news.drainPermits();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** One look at everything; true when there is more to do at once. */
  private boolean round() throws InterruptedException {
    Instance subscription;
    try {
      subscription = box.instance(id);
    } catch (RejectedException e) {
      closed = true;
      return false;
    }
    if (subscription.status().equals("ended")) {
      closed = true;
      return false;
    }
    if (!subscription.leaves().contains("ACTIVE") || !subscription.status().equals("live")) {
      return false;
    }
    boolean more = readOn(subscription);
    if (isWebhook(subscription)) {
      attemptDue(subscription);
    }
    return more;
  }

  private static boolean isWebhook(Instance subscription) {
    return "webhook".equals(subscription.context().get("channel"));
  }

  private static String text(Instance instance, String field) {
    return String.valueOf(instance.context().get(field));
  }

  private static long number(Instance instance, String field) {
    return (Long) Objects.requireNonNull(instance.context().get(field));
  }

  private boolean readOn(Instance subscription) {
    Cursor from = cursor;
    if (from == null) {
      from = Cursor.after(number(subscription, "cursor"));
    }
    if (isWebhook(subscription) && isCrowded(subscription)) {
      return false;
    }
    NotificationStream.Page page = stream.read(from, filter(subscription), PAGE);
    if (!page.notifications().isEmpty()) {
      if (isWebhook(subscription)) {
        begin(subscription, page.notifications());
      } else {
        page.notifications().forEach(Courier::write);
      }
      told = true;
    }
    cursor = page.next();
    passed += page.entries();
    if (passed >= PASSED || (told && page.isEnd())) {
      remember(page.next().position());
    }
    return !page.isEnd();
  }

  private static NotificationStream.Filter filter(Instance subscription) {
    Set<Audience> audiences = new HashSet<>();
    if (subscription.context().get("audiences") instanceof List<?> words) {
      words.forEach(word -> audiences.add(Audience.of(String.valueOf(word))));
    }
    Set<String> rules = new HashSet<>();
    if (subscription.context().get("rules") instanceof List<?> names) {
      names.forEach(name -> rules.add(String.valueOf(name)));
    }
    return new NotificationStream.Filter(audiences, null, null, rules);
  }

  private static void write(Notification notification) {
    TOLD.log(
        System.Logger.Level.INFO,
        "{0} {1} {2}: {3}",
        notification.audience().word(),
        notification.id(),
        notification.instance(),
        notification.text());
  }

  /** Moves the durable cursor; what was read is told or waits in deliveries by now. */
  private void remember(long position) {
    Command.Send send = Command.Send.of(id, "read_until", Map.of("position", position)).by(COURIER);
    // Another node may be further; then there is nothing to remember.
    Reply _ = box.carryOutForCaller("subscription", send);
    passed = 0;
    told = false;
  }

  /** Whether as many deliveries are under way as may be; they are counted when it may matter. */
  private boolean isCrowded(Instance subscription) {
    if (open >= 0 && open < settings.openDeliveries()) {
      return false;
    }
    open = 0;
    for (String state : List.of("PENDING", "SENDING", "WAITING")) {
      open += deliveries(subscription, state, settings.openDeliveries()).size();
    }
    return open >= settings.openDeliveries();
  }

  private List<Instance> deliveries(Instance subscription, String state, int most) {
    return box.instances(
        Query.ALL
            .ofMachine("delivery")
            .that(InstanceRow.Status.LIVE)
            .in(state)
            .with(Map.of("open_for", text(subscription, "name")))
            .page(0, most));
  }

  /** Starts a delivery for each; one that was started before stays as it is. */
  private void begin(Instance subscription, List<Notification> notifications) {
    List<CompletableFuture<Reply>> replies = new ArrayList<>();
    for (Notification notification : notifications) {
      Map<String, @Nullable Object> input = new LinkedHashMap<>();
      input.put("subscription", text(subscription, "name"));
      input.put("open_for", text(subscription, "name"));
      input.put("notification", notification.id());
      input.put("body", new String(CloudEventBody.of(notification), StandardCharsets.UTF_8));
      input.put("most_attempts", number(subscription, "attempts"));
      input.put("lease_ms", settings.lease().toMillis());
      String delivery = "delivery-" + text(subscription, "name") + "-" + notification.id();
      replies.add(
          box.submitForService(
              "delivery",
              new Command.Start(
                  "delivery", delivery, input, COURIER, ServiceKey.of(notification.id()))));
    }
    open += notifications.size();
    for (CompletableFuture<Reply> reply : replies) {
      if (reply.join() instanceof Reply.Rejected(var rejection)) {
        throw new IllegalStateException(rejection.message());
      }
    }
  }

  private void attemptDue(Instance subscription) throws InterruptedException {
    for (Instance delivery :
        deliveries(subscription, "PENDING", Math.max(10, 2 * settings.attemptsAtOnce()))) {
      if (!underWay.add(delivery.id())) {
        continue;
      }
      if (!hands.tryAcquire()) {
        underWay.remove(delivery.id());
        return;
      }
      Thread.ofVirtual()
          .name("signalbox-webhook-" + delivery.id())
          .start(() -> {
            try {
              attempt(subscription, delivery);
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            } catch (RuntimeException e) {
              // Its lease brings it back.
              LOG.log(System.Logger.Level.WARNING, "{0}: {1}", delivery.id(), e.getMessage());
            } finally {
              underWay.remove(delivery.id());
              hands.release();
              wake();
            }
          });
    }
  }

  private void attempt(Instance subscription, Instance delivery) throws InterruptedException {
    Reply taken =
        box.carryOutForCaller(
            "delivery",
            Command.Send.of(delivery.id(), "send", null)
                .by(COURIER)
                .expecting(delivery.sequence()));
    if (!(taken instanceof Reply.Accepted)) {
      return;
    }
    long attempt = number(delivery, "attempts") + 1;
    byte[] body = text(delivery, "body").getBytes(StandardCharsets.UTF_8);
    WebhookClient.Answer answer =
        client.send(
            text(subscription, "url"),
            text(subscription, "secret"),
            text(delivery, "notification"),
            body);
    switch (answer) {
      case WebhookClient.Answer.Delivered(int status) ->
          report(delivery, "delivered", Map.of("attempt", attempt, "status", (long) status));
      case WebhookClient.Answer.Failed(String reason, long wish) -> {
        long wait = settings.backoff().before((int) attempt, chance(delivery, attempt)).toMillis();
        report(
            delivery,
            "failed",
            Map.of("attempt", attempt, "reason", reason, "wait_ms", Math.max(wait, wish)));
      }
      case WebhookClient.Answer.Gone(String reason) -> {
        report(delivery, "hopeless", Map.of("attempt", attempt, "reason", reason));
        Reply _ =
            box.carryOutForCaller(
                "subscription", Command.Send.of(id, "pause", Map.of("reason", reason)).by(COURIER));
      }
    }
  }

  /** The same for the same attempt, so that a run can be repeated. */
  private SplittableRandom chance(Instance delivery, long attempt) {
    return new SplittableRandom(settings.seed() * 31 + delivery.id().hashCode() * 1_009L + attempt);
  }

  private void report(Instance delivery, String event, Map<String, Object> data) {
    // A late report is refused: the lease was over and another attempt counts.
    Reply _ =
        box.carryOutForCaller("delivery", Command.Send.of(delivery.id(), event, data).by(COURIER));
  }

  /** The body of a delivery as JSON values, for those who look at dead letters. */
  static @Nullable Object content(Instance delivery) {
    try {
      return Json.parse(text(delivery, "body"));
    } catch (Json.SyntaxException e) {
      return null;
    }
  }
}
