package dev.signalbox.services.notification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.definition.DefinitionException;
import dev.signalbox.definition.Json;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import io.cloudevents.CloudEvent;
import io.cloudevents.jackson.JsonFormat;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Telling, on a real SQLite file and with real receivers. */
class NotificationsTest {
  private static final String KEY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private static final Actor OPERATOR = new Actor(Actor.Kind.USER, "kim", List.of("operator"));

  private static final Machine LAMP =
      MachineReader.read(
          new Source(
              "lamp.yaml",
              """
              machine: lamp
              states:
                DARK:
                  waits: for someone
                  on:
                    light: { to: LIT, emit: { record: lamp.lit, data: { watts: 40 } } }
                    off: GONE
                LIT: { waits: for someone, on: { dim: DARK } }
                GONE: { final: true }
              """));

  @TempDir Path folder;
  private Signalbox box;

  @BeforeEach
  void opened() throws Exception {
    Files.writeString(Files.createDirectories(folder.resolve("secrets")).resolve("lamp-key"), KEY);
    box = open();
    box.publish(LAMP);
  }

  @AfterEach
  void closed() {
    box.close();
  }

  private Signalbox open() {
    return Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"));
  }

  private Notifications notifications() {
    return new Notifications(
        box,
        Rules.standard(),
        Secrets.folder(folder.resolve("secrets")),
        NotificationSettings.DEFAULT
            .to(UrlPolicy.LOOPBACK_AND_PRIVATE)
            .pacing(
                Duration.ofMillis(500),
                new Backoff(Duration.ofMillis(10), Duration.ofMillis(50)),
                Duration.ofMillis(100)),
        InstantSource.system());
  }

  private static Receiver receiver(java.util.function.ToIntFunction<Integer> behaviour)
      throws Exception {
    return new Receiver(List.of(WebhookSecret.of(KEY)), behaviour);
  }

  /**
   * Waits for something that other threads do, looking again after each commit and now and then.
   */
  private void until(String what, BooleanSupplier condition) throws InterruptedException {
    Semaphore news = new Semaphore(0);
    try (var _ = box.feed().onCommit(news::release)) {
      for (int i = 0; i < 600 && !condition.getAsBoolean(); i++) {
        boolean _ = news.tryAcquire(50, TimeUnit.MILLISECONDS);
        news.drainPermits();
      }
    }
    assertThat(condition.getAsBoolean()).as(what).isTrue();
  }

  private List<String> lamps(int count) {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(box.start("lamp", Map.of()).id());
      box.send(ids.get(i), "light");
    }
    return ids;
  }

  /** What the rules tell the audience of everything in the journal. */
  private Set<String> wanted(Notifications notifications, Audience audience) {
    Set<String> ids = new HashSet<>();
    Cursor at = Cursor.START;
    NotificationStream.Page page;
    do {
      page = notifications.stream().read(at, NotificationStream.Filter.of(audience), 100);
      page.notifications().forEach(n -> ids.add(n.id()));
      at = page.next();
    } while (!page.isEnd());
    return ids;
  }

  @Test
  void the_three_audiences_are_told_what_the_seed_says() {
    String id = lamps(1).getFirst();
    box.send(id, "nonsense");
    box.send(id, "dim");
    box.send(id, "off");
    try (Notifications notifications = notifications()) {
      List<Notification> user = read(notifications, Audience.USER);
      List<Notification> system = read(notifications, Audience.SYSTEM);
      List<Notification> audit = read(notifications, Audience.AUDIT);
      assertThat(user).extracting(Notification::text).containsExactly(id + " ended in GONE.");
      assertThat(system)
          .extracting(Notification::type)
          .containsExactly("step", "step", "refused", "step", "step");
      assertThat(audit)
          .extracting(Notification::text)
          .contains("system caused light; " + id + " is in LIT.")
          .contains("system was refused nonsense by " + id + ": no-transition.");
      assertThat(audit)
          .allSatisfy(n -> {
            assertThat(n.at()).isPositive();
            assertThat(n.data()).containsKeys("event", "actor", "kind", "states");
          });
      assertThat(system).extracting(Notification::id).doesNotHaveDuplicates();
      assertThat(read(notifications, Audience.SYSTEM)).isEqualTo(system);
    }
  }

  private static List<Notification> read(Notifications notifications, Audience audience) {
    return notifications.stream()
        .read(Cursor.START, NotificationStream.Filter.of(audience), 1_000)
        .notifications();
  }

  @Test
  void a_stream_goes_on_behind_the_last_one_that_was_heard() {
    lamps(5);
    try (Notifications notifications = notifications()) {
      NotificationStream stream = notifications.stream();
      List<Notification> all =
          stream.read(Cursor.START, NotificationStream.Filter.ALL, 1_000).notifications();
      for (int cut = 0; cut < all.size(); cut++) {
        Cursor last = Cursor.of(all.get(cut).cursor().text());
        assertThat(stream.read(last, NotificationStream.Filter.ALL, 1_000).notifications())
            .isEqualTo(all.subList(cut + 1, all.size()));
      }
      assertThat(stream.read(stream.end(), NotificationStream.Filter.ALL, 10).notifications())
          .isEmpty();
    }
  }

  @Test
  void a_webhook_is_a_signed_cloud_event() throws Exception {
    try (Receiver receiver = receiver(_ -> 200);
        Notifications notifications = notifications()) {
      notifications.subscribe(
          Subscription.webhook("lamps", receiver.url(), "lamp-key", Audience.USER, Audience.AUDIT),
          OPERATOR);
      String id = lamps(1).getFirst();
      until("both arrive", () -> receiver.accepted.size() == 2);
      assertThat(receiver.refused).isEmpty();
      for (String body : receiver.accepted.values()) {
        CloudEvent event = new JsonFormat().deserialize(body.getBytes(StandardCharsets.UTF_8));
        assertThat(event.getSpecVersion().toString()).isEqualTo("1.0");
        assertThat(event.getType()).isEqualTo("dev.signalbox.notification.step");
        assertThat(event.getSubject()).isEqualTo(id);
        assertThat(event.getExtension("audience")).isEqualTo("audit");
        assertThat(receiver.accepted).containsKey(event.getId());
        Object data =
            Json.parse(
                new String(
                    Objects.requireNonNull(event.getData()).toBytes(), StandardCharsets.UTF_8));
        assertThat(data)
            .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
            .containsEntry("instance", id);
      }
      assertThat(receiver.headers.peek().get("Content-type"))
          .containsExactly("application/cloudevents+json");
    }
  }

  @Test
  void a_receiver_that_fails_hangs_breaks_and_floods_gets_everything_in_the_end() throws Exception {
    int[] moods = {
      500, Receiver.HANG, 200, Receiver.BREAK, 302, 200, 429, Receiver.FLOOD, 503, 200
    };
    try (Receiver receiver = receiver(count -> moods[count % moods.length]);
        Receiver calm = receiver(_ -> 200);
        Notifications notifications = notifications()) {
      notifications.subscribe(
          Subscription.webhook("moody", receiver.url(), "lamp-key", Audience.SYSTEM).trying(100),
          OPERATOR);
      notifications.subscribe(
          Subscription.webhook("calm", calm.url(), "lamp-key", Audience.SYSTEM), OPERATOR);
      lamps(10);
      Set<String> wanted = wanted(notifications, Audience.SYSTEM);
      assertThat(wanted).hasSize(20);
      until("the calm one is not held up", () -> calm.accepted.keySet().equals(wanted));
      until("the moody one has everything", () -> receiver.accepted.keySet().equals(wanted));
      assertThat(receiver.refused).isEmpty();
      assertThat(receiver.requests.get()).isGreaterThan(20);
      assertThat(notifications.deadLetters(100)).isEmpty();
    }
  }

  @Test
  void a_receiver_whose_answers_are_lost_recognises_what_comes_again() throws Exception {
    try (Receiver receiver = receiver(count -> count % 2 == 0 ? 200 : Receiver.SWALLOW);
        Notifications notifications = notifications()) {
      notifications.subscribe(
          Subscription.webhook("lossy", receiver.url(), "lamp-key", Audience.AUDIT).trying(100),
          OPERATOR);
      lamps(10);
      Set<String> wanted = wanted(notifications, Audience.AUDIT);
      until(
          "everything is delivered",
          () ->
              receiver.accepted.keySet().equals(wanted)
                  && box.instances(Query.ALL.ofMachine("delivery").in("DELIVERED").page(0, 100))
                          .size()
                      == wanted.size());
      assertThat(receiver.replayed).isNotEmpty();
      assertThat(receiver.accepted.size() + receiver.replayed.size())
          .isEqualTo(receiver.requests.get());
      assertThat(receiver.refused).isEmpty();
    }
  }

  @Test
  void what_never_arrives_is_a_dead_letter_with_its_reason_and_can_be_sent_again()
      throws Exception {
    boolean[] mended = {false};
    try (Receiver receiver = receiver(_ -> mended[0] ? 200 : 503);
        Notifications notifications = notifications()) {
      notifications.subscribe(
          Subscription.webhook("broken", receiver.url(), "lamp-key", Audience.AUDIT).trying(3),
          OPERATOR);
      lamps(3);
      until("six dead letters", () -> notifications.deadLetters(100).size() == 6);
      assertThat(receiver.requests.get()).isEqualTo(18);
      assertThat(notifications.deadLetters(100))
          .allSatisfy(letter -> {
            assertThat(letter.reason()).isEqualTo("the receiver answered 503");
            assertThat(letter.attempts()).isEqualTo(3);
            assertThat(letter.content()).isNotNull();
          });
      assertThat(receiver.accepted).isEmpty();
      DeadLetter first = notifications.deadLetters(1).getFirst();
      assertThat(notifications.redeliver(first.id(), Actor.SYSTEM))
          .isInstanceOf(Reply.Rejected.class);
      mended[0] = true;
      assertThat(notifications.redeliver(first.id(), OPERATOR)).isInstanceOf(Reply.Accepted.class);
      until("it arrives", () -> receiver.accepted.containsKey(first.notification()));
      assertThat(
              notifications.discard(notifications.deadLetters(1).getFirst().id(), "old", OPERATOR))
          .isInstanceOf(Reply.Accepted.class);
      until("four are left", () -> notifications.deadLetters(100).size() == 4);
    }
  }

  @Test
  void a_subscription_to_the_log_writes_a_line_for_each() throws Exception {
    Queue<String> lines = new ConcurrentLinkedQueue<>();
    Handler listener =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            lines.add(new SimpleFormatter().formatMessage(record));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger log = Logger.getLogger("dev.signalbox.notification");
    log.addHandler(listener);
    try (Notifications notifications = notifications()) {
      notifications.subscribe(Subscription.log("night", Audience.USER), OPERATOR);
      String id = lamps(1).getFirst();
      box.send(id, "dim");
      box.send(id, "off");
      until("the line is there", () -> !lines.isEmpty());
      String told = wanted(notifications, Audience.USER).iterator().next();
      assertThat(lines).containsExactly("user %s %s: %s ended in GONE.".formatted(told, id, id));
    } finally {
      log.removeHandler(listener);
    }
  }

  @Test
  void a_hanging_receiver_blocks_neither_the_engine_nor_the_others() throws Exception {
    try (Receiver hanging = receiver(_ -> Receiver.HANG);
        Receiver calm = receiver(_ -> 200);
        Notifications notifications = notifications()) {
      notifications.subscribe(
          Subscription.webhook("hanging", hanging.url(), "lamp-key", Audience.SYSTEM).trying(2),
          OPERATOR);
      notifications.subscribe(
          Subscription.webhook("calm", calm.url(), "lamp-key", Audience.SYSTEM), OPERATOR);
      lamps(50);
      until("the calm one has all", () -> calm.accepted.size() == 100);
      // The hanging one needs at least 100 x 2 x 0.5 s / 4 = 25 s; the engine answers meanwhile.
      assertThat(box.send(box.start("lamp", Map.of()).id(), "light"))
          .isInstanceOf(Reply.Accepted.class);
      assertThat(hanging.accepted).isEmpty();
    }
  }

  @Test
  void one_that_answers_gone_is_left_alone_until_a_person_resumes_it() throws Exception {
    int[] status = {410};
    try (Receiver receiver = receiver(_ -> status[0]);
        Notifications notifications = notifications()) {
      notifications.subscribe(
          Subscription.webhook("gone", receiver.url(), "lamp-key", Audience.AUDIT), OPERATOR);
      lamps(1);
      until("it is paused", () -> box.instance("subscription-gone").leaves().contains("PAUSED"));
      assertThat(String.valueOf(box.instance("subscription-gone").context().get("reason")))
          .contains("410");
      until("a dead letter", () -> !notifications.deadLetters(10).isEmpty());
      status[0] = 200;
      notifications.tell("gone", "resume", Map.of(), OPERATOR);
      lamps(1);
      until("it goes on", () -> receiver.accepted.size() >= 2);
    }
  }

  @Test
  void nothing_is_lost_when_everything_stops_in_between() throws Exception {
    try (Receiver receiver = receiver(count -> count % 3 == 0 ? 200 : 500)) {
      Set<String> wanted;
      try (Notifications notifications = notifications()) {
        notifications.subscribe(
            Subscription.webhook("lamps", receiver.url(), "lamp-key", Audience.AUDIT).trying(100),
            OPERATOR);
        lamps(10);
      }
      box.close();
      box = open();
      lamps(5);
      try (Notifications notifications = notifications()) {
        wanted = wanted(notifications, Audience.AUDIT);
        assertThat(wanted).hasSize(30);
        until("all arrive", () -> receiver.accepted.keySet().equals(wanted));
      }
      assertThat(receiver.refused).isEmpty();
    }
  }

  @Test
  void a_missing_secret_is_said_and_no_secret_is_ever_written_down() throws Exception {
    try (Receiver receiver = receiver(_ -> 200);
        Notifications notifications = notifications()) {
      notifications.subscribe(
          Subscription.webhook("lost", receiver.url(), "lost-key", Audience.AUDIT).trying(1),
          OPERATOR);
      notifications.subscribe(
          Subscription.webhook("lamps", receiver.url(), "lamp-key", Audience.AUDIT), OPERATOR);
      lamps(1);
      until("two dead letters", () -> notifications.deadLetters(10).size() == 2);
      until("two arrive", () -> receiver.accepted.size() == 2);
      assertThat(notifications.deadLetters(10).getFirst().reason())
          .contains("'lost-key'")
          .contains("not there");
    }
    String journal =
        box.journal().groups(0, 10_000).stream()
            .flatMap(g -> g.entries().stream())
            .map(EntryRow::body)
            .map(b -> new String(b, StandardCharsets.UTF_8))
            .collect(Collectors.joining());
    assertThat(journal).contains("lamp-key").doesNotContain("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  }

  @Test
  void an_address_that_is_not_allowed_is_refused_at_once() {
    try (Notifications notifications =
        new Notifications(
            box,
            Rules.standard(),
            Secrets.folder(folder),
            NotificationSettings.DEFAULT,
            InstantSource.system())) {
      assertThatThrownBy(() ->
              notifications.subscribe(
                  Subscription.webhook("x", "http://127.0.0.1/x", "k", Audience.USER), OPERATOR))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("https");
    }
  }

  @Test
  void rules_are_read_from_yaml_with_every_problem_at_once() {
    Rules rules =
        Rules.read(
            new Source(
                "rules.yaml",
                """
                notifications:
                  - name: lit
                    audience: user
                    on: record
                    names: [lamp.*]
                    machines: lamp
                    text: "{instance} is lit: {what}"
                """));
    String id = lamps(1).getFirst();
    List<Notification> told =
        box.feed().read(0, 100).stream().flatMap(e -> rules.of(e).stream()).toList();
    assertThat(told).hasSize(1);
    assertThat(told.getFirst().text()).isEqualTo(id + " is lit: lamp.lit");
    assertThat(told.getFirst().data()).containsEntry("data", Map.of("watts", 40L));

    assertThatThrownBy(() ->
            Rules.read(
                new Source(
                    "bad.yaml",
                    """
                    notifications:
                      - name: one
                        audience: everybody
                        on: record
                      - name: one
                        audience: user
                        in: record
                    """)))
        .isInstanceOfSatisfying(
            DefinitionException.class,
            e ->
                assertThat(e.problems())
                    .extracting(p -> p.code())
                    .contains("wrong-type", "unknown-key", "missing-key", "duplicate-name"));
  }
}
