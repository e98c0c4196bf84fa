package dev.signalbox.services.notification;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.RejectedException;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.runtime.Watch;
import dev.signalbox.services.ServiceMachines;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Tells people, systems and the audit what happened: by streams, signed webhooks and the log. Every
 * node may run one; they share the work.
 */
public final class Notifications implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Notifications.class.getName());
  private static final Duration LOOK_AROUND = Duration.ofSeconds(10);

  /** The most subscriptions of one store. */
  public static final int MOST_SUBSCRIPTIONS = 1_000;

  private final Signalbox box;
  private final NotificationSettings settings;
  private final NotificationStream stream;
  private final WebhookClient client;
  private final Map<String, Courier> couriers = new ConcurrentHashMap<>();
  private final Watch watch;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread roster;

  /**
   * Begins to serve the subscriptions that are there.
   *
   * @param secrets where the secrets of webhooks are found by their names
   */
  public Notifications(
      Signalbox box,
      Rules rules,
      Secrets secrets,
      NotificationSettings settings,
      InstantSource clock) {
    this.box = box;
    this.settings = settings;
    this.stream = new NotificationStream(box.feed(), rules);
    this.client = new WebhookClient(settings, secrets, clock);
    box.publish(ServiceMachines.SHELF, "subscription");
    box.publish(ServiceMachines.SHELF, "delivery");
    this.watch = box.feed().onCommit(this::wake);
    serveAll();
    this.roster = Thread.ofVirtual().name("signalbox-subscriptions").start(this::lookAround);
  }

  private void serveAll() {
    subscriptions().forEach(subscription -> serve(subscription.id()));
  }

  /** Finds, now and then, subscriptions that other nodes took on. */
  private void lookAround() {
    try {
      while (!closing.await(LOOK_AROUND.toMillis(), TimeUnit.MILLISECONDS)) {
        try {
          serveAll();
        } catch (RuntimeException e) {
          LOG.log(System.Logger.Level.WARNING, "Subscriptions are looked for later: {0}", e);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Everything that is told, for readers with cursors of their own. */
  public NotificationStream stream() {
    return stream;
  }

  /**
   * Adds a subscription, which is told of what happens from now on; the same name again changes
   * nothing.
   *
   * @throws IllegalArgumentException when webhooks may not go to its address
   * @throws RejectedException when it is refused
   */
  public Instance subscribe(Subscription subscription, Actor actor) {
    String url = subscription.url();
    if (url != null) {
      settings.urls().checked(url);
    }
    Reply reply =
        box.carryOutForCaller(
            "subscription",
            new Command.Start(
                "subscription",
                subscription.id(),
                subscription.input(box.feed().end()),
                actor,
                "subscribe"));
    if (reply instanceof Reply.Rejected(var rejection)) {
      throw new RejectedException(rejection);
    }
    serve(subscription.id());
    return box.instance(subscription.id());
  }

  /** Whether there is or was a subscription of that name. */
  public boolean isSubscribed(String name) {
    return box.find(Subscription.id(name)) != null;
  }

  /** The subscriptions that have not been removed. */
  public List<Instance> subscriptions() {
    return box.instances(
        Query.ALL
            .ofMachine("subscription")
            .that(InstanceRow.Status.LIVE)
            .page(0, MOST_SUBSCRIPTIONS));
  }

  /** Changes, pauses, resumes or removes a subscription: one of its machine's events. */
  public Reply tell(String name, String event, Map<String, ?> data, Actor actor) {
    Reply reply =
        box.carryOutForCaller(
            "subscription",
            Command.Send.of(Subscription.id(name), event, data.isEmpty() ? null : data).by(actor));
    wake();
    return reply;
  }

  /** What could not be delivered, the oldest first. */
  public List<DeadLetter> deadLetters(int most) {
    return box
        .instances(
            Query.ALL
                .ofMachine("delivery")
                .that(InstanceRow.Status.LIVE)
                .in("DEAD_LETTER")
                .page(0, most))
        .stream()
        .map(Notifications::letter)
        .toList();
  }

  /** Whether the id is that of a delivery. */
  public boolean isDelivery(String id) {
    Instance found = box.find(id);
    return found != null && found.machine().equals("delivery");
  }

  private static DeadLetter letter(Instance delivery) {
    Map<String, ?> context = delivery.context();
    return new DeadLetter(
        delivery.id(),
        String.valueOf(context.get("subscription")),
        String.valueOf(context.get("notification")),
        context.get("attempts") instanceof Long attempts ? attempts : 0,
        String.valueOf(context.get("reason")),
        delivery.since(),
        Courier.content(delivery));
  }

  /** Sends a dead letter once more, with the id it had. */
  public Reply redeliver(String delivery, Actor actor) {
    Reply reply =
        box.carryOutForCaller("delivery", Command.Send.of(delivery, "redeliver", null).by(actor));
    wake();
    return reply;
  }

  /** Gives a dead letter up. */
  public Reply discard(String delivery, String reason, Actor actor) {
    return box.carryOutForCaller(
        "delivery", Command.Send.of(delivery, "discard", Map.of("reason", reason)).by(actor));
  }

  private void serve(String id) {
    couriers.computeIfAbsent(
        id,
        _ -> {
          Courier courier = new Courier(box, stream, settings, client, id);
          courier.start();
          return courier;
        });
  }

  private void wake() {
    couriers.values().forEach(Courier::wake);
  }

  /** Stops; what was not delivered goes on where the store is opened next. */
  @Override
  public void close() {
    watch.close();
    closing.countDown();
    try {
      roster.join();
      for (Courier courier : couriers.values()) {
        courier.close();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    client.close();
  }
}
