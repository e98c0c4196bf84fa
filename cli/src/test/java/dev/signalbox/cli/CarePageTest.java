package dev.signalbox.cli;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import dev.signalbox.journal.Query;
import dev.signalbox.services.budget.Budgets;
import dev.signalbox.services.notification.WebhookSecret;
import dev.signalbox.services.notification.WebhookVerifier;
import dev.signalbox.services.system.Caller;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator looks after on the page: budgets, notifications, sweeps. */
class CarePageTest {
  @TempDir static Path folder;
  private static Browser browser;
  private static House house;

  @BeforeAll
  static void open() {
    browser = Browser.open();
    house = House.telling(folder);
    Scenes.fill(house.box);
  }

  @AfterAll
  static void close() {
    if (house != null) {
      house.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  private static Page signedIn(String name, String... roles) {
    Page page = browser.window();
    page.navigate(house.link(name, roles));
    assertThat(page.locator("#navigation")).isVisible();
    return page;
  }

  private static Locator button(Page page, String name) {
    return page.getByRole(
        AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  private static Locator row(Page page, String text) {
    return page.getByRole(AriaRole.ROW).filter(new Locator.FilterOptions().setHasText(text));
  }

  /** Answers the question that is open. */
  private static void answer(Page page, String reason, String word) {
    Locator dialog = page.getByRole(AriaRole.DIALOG);
    dialog.getByLabel("Reason").fill(reason);
    dialog
        .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(word).setExact(true))
        .click();
  }

  @Test
  void a_person_raises_a_limit_and_a_viewer_only_sees_it() {
    Page viewer = signedIn("vic", "viewer");
    Scenes.go(viewer, "work/budgets");
    assertThat(row(viewer, "session/planner")).containsText("36,420 of 40,000");
    assertThat(button(viewer, "Raise tokens of session/planner")).hasCount(0);

    Page page = signedIn("olga", "operator");
    Scenes.go(page, "work/budgets");
    button(page, "Raise tokens of session/planner").click();
    page.getByRole(AriaRole.DIALOG).getByLabel("By how much").fill("10000");
    answer(page, "one more try", "Raise");
    assertThat(row(page, "session/planner")).containsText("36,420 of 50,000");
    assertThat(row(viewer, "session/planner")).containsText("of 50,000");
    Budgets budgets = Budgets.on(house.box);
    String id = budgets.budgets(Query.ALL).getFirst().id();
    assertThat(budgets.line(id, "session/planner", "tokens").limit()).isEqualTo(50_000);
  }

  @Test
  void what_could_not_be_delivered_is_sent_again_or_given_up() {
    Page page = signedIn("otto", "operator");
    Scenes.go(page, "notifications");
    assertThat(row(page, "https://127.0.0.1/hooks/night-shift")).containsText("active");
    assertThat(row(page, "alert-tasks-given-up.2.firing")).containsText("answered 503");
    button(page, "Discard alert-tasks-given-up.2.firing").click();
    answer(page, "nobody needs it", "Discard");
    assertThat(row(page, "alert-tasks-given-up.2.firing")).hasCount(0);
    assertThat(house.box.instance("delivery-1").leaves()).containsExactly("DISCARDED");

    button(page, "Pause night-shift").click();
    answer(page, "it moves house", "Pause");
    assertThat(row(page, "night-shift").first()).containsText("paused");
    assertThat(page.getByText("it moves house")).isVisible();
    button(page, "Resume night-shift").click();
    assertThat(row(page, "night-shift").first()).containsText("active");
  }

  @Test
  void a_sweep_only_looks_or_puts_right_and_tells_what_it_saw() {
    Page viewer = signedIn("vera", "viewer");
    Scenes.go(viewer, "audit");
    assertThat(viewer.getByText("This server has not swept yet.")).isVisible();
    assertThat(button(viewer, "Sweep")).hasCount(0);

    Page page = signedIn("sam", "operator");
    Scenes.go(page, "audit");
    LocatorAssertions.ContainsTextOptions patient =
        new LocatorAssertions.ContainsTextOptions().setTimeout(30_000);
    Locator verdict = page.locator("sb-sweep .verdict");
    button(page, "Only look").click();
    assertThat(verdict).containsText("looked at, nothing was changed.", patient);
    button(page, "Sweep").click();
    assertThat(verdict).containsText("looked at.", patient);
    viewer.reload();
    assertThat(viewer.locator("sb-sweep .verdict")).containsText("looked at.", patient);
  }

  private static Locator dialog(Page page) {
    return page.getByRole(AriaRole.DIALOG);
  }

  private static void press(Locator where, String name) {
    where
        .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(name).setExact(true))
        .click();
  }

  @Test
  void a_subscription_is_made_and_removed() {
    Page page = signedIn("oda", "operator");
    Scenes.go(page, "notifications");
    button(page, "Subscribe…").click();
    PageLooksTest.examine("notifications, subscribing", new AxeBuilder(page));
    dialog(page).getByLabel(Pattern.compile("^Name small")).fill("day-shift");
    dialog(page).getByLabel("audit").check();
    dialog(page).getByLabel("Address of the webhook").fill("ftp://127.0.0.1/hooks/day-shift");
    press(dialog(page), "Subscribe");
    assertThat(page.getByRole(AriaRole.ALERT)).containsText("it is not https");

    button(page, "Subscribe…").click();
    dialog(page).getByLabel(Pattern.compile("^Name small")).fill("day-shift");
    dialog(page).getByLabel("audit").check();
    press(dialog(page), "Subscribe");
    assertThat(row(page, "day-shift")).containsText("active");
    assertThat(row(page, "day-shift")).containsText("audit, user");
    assertThat(row(page, "day-shift")).containsText("log");

    button(page, "Remove day-shift").click();
    press(dialog(page), "Remove");
    assertThat(row(page, "day-shift")).hasCount(0);
    assertThat(house.box.instance("subscription-day-shift").leaves()).containsExactly("REMOVED");

    Page viewer = signedIn("vito", "viewer");
    Scenes.go(viewer, "notifications");
    assertThat(row(viewer, "night-shift").first()).isVisible();
    assertThat(button(viewer, "Subscribe…")).hasCount(0);
  }

  /** A request that came to a webhook. */
  private record Told(Headers headers, String body) {
    WebhookVerifier.Verdict verdict(String secret) {
      return new WebhookVerifier(List.of(WebhookSecret.of(secret)), InstantSource.system())
          .verify(headers::getFirst, body.getBytes(StandardCharsets.UTF_8));
    }
  }

  @Test
  void an_admin_makes_a_webhook_whose_secret_is_shown_once_and_removes_it() throws Exception {
    BlockingQueue<Told> came = new LinkedBlockingQueue<>();
    HttpServer receiver =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext(
        "/",
        exchange -> {
          came.add(
              new Told(
                  exchange.getRequestHeaders(),
                  new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    receiver.start();
    try {
      Page page = signedIn("alma", "admin");
      Scenes.go(page, "notifications");
      button(page, "Subscribe…").click();
      dialog(page).getByLabel(Pattern.compile("^Name small")).fill("late-shift");
      dialog(page).getByLabel("audit").check();
      dialog(page)
          .getByLabel("Address of the webhook")
          .fill("http://127.0.0.1:" + receiver.getAddress().getPort() + "/hook");
      press(dialog(page), "Subscribe");
      String secret = page.locator("code.secret").textContent();
      PageLooksTest.examine("notifications, with a secret", new AxeBuilder(page));
      assertThat(row(page, "late-shift")).containsText("active");

      house.box.start("lock", Map.of("resource", "told"));
      Told first = Objects.requireNonNull(came.poll(30, TimeUnit.SECONDS));
      assertThat(first.verdict(secret)).isInstanceOf(WebhookVerifier.Verdict.Accepted.class);

      button(page, "I have it").click();
      assertThat(page.locator("code.secret")).hasCount(0);
      page.reload();
      assertThat(row(page, "late-shift")).containsText("active");
      assertThat(page.content()).doesNotContain(secret);
      button(page, "Remove late-shift").click();
      press(dialog(page), "Remove");
      assertThat(row(page, "late-shift")).hasCount(0);
    } finally {
      receiver.stop(0);
    }
  }

  @Test
  void a_token_is_made_and_its_secret_is_shown_once() {
    Page page = signedIn("agnes", "admin");
    Scenes.go(page, "audit");
    button(page, "New token…").click();
    PageLooksTest.examine("audit, making a token", new AxeBuilder(page));
    dialog(page).getByLabel("Whose").fill("bot-11");
    press(dialog(page), "Make it");
    assertThat(page.getByRole(AriaRole.ALERT)).containsText("role");

    button(page, "New token…").click();
    dialog(page).getByLabel("Whose").fill("bot-11");
    dialog(page).getByLabel("agent").check();
    dialog(page).getByLabel("Only for these machines").fill("task, runs.run");
    dialog(page).getByLabel("Days until it ends").fill("7");
    press(dialog(page), "Make it");
    assertThat(row(page, "bot-11")).containsText("active");
    assertThat(row(page, "bot-11")).containsText("task, runs.run");
    String secret = page.locator("sb-tokens code.secret").textContent();
    PageLooksTest.examine("audit, with a secret", new AxeBuilder(page));
    Caller caller = Objects.requireNonNull(house.server.tokens().find(secret));
    assertThat(caller.roles()).containsExactly("agent");
    assertThat(caller.mayUse("task")).isTrue();
    assertThat(caller.mayUse("budget")).isFalse();

    button(page, "I have it").click();
    assertThat(page.locator("sb-tokens code.secret")).hasCount(0);
    page.reload();
    assertThat(row(page, "bot-11")).containsText("active");
    assertThat(page.content()).doesNotContain(secret);

    Page operator = signedIn("oleg", "operator");
    Scenes.go(operator, "audit");
    assertThat(button(operator, "Verify")).isVisible();
    assertThat(button(operator, "New token…")).hasCount(0);
  }

  @Test
  void a_token_is_revoked_and_what_was_refused_is_found() throws Exception {
    String bot = house.token("bot-9", "agent");
    Page page = signedIn("alan", "admin");
    Scenes.go(page, "audit");
    button(page, "Revoke the token of bot-9").click();
    page.getByRole(AriaRole.DIALOG)
        .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Revoke").setExact(true))
        .click();
    assertThat(row(page, "bot-9")).containsText("revoked");
    assertThat(house.server.tokens().find(bot)).isNull();

    page.navigate(house.server.address() + "/nothing.js");
    page.navigate(house.address("audit?q=nothing.js"));
    assertThat(row(page, "/nothing.js").first()).containsText("not-found");
  }
}
