package dev.signalbox.cli;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a person does with the page, in a real browser, against everything that runs. */
class PageTest {
  private static final String GATE =
      """
      machine: gate
      version: %d
      context:
        coins: { type: int, default: 0 }
      events:
        pay: { data: { coins: int } }
      states:
        SHUT:
          waits: for somebody who pays
          on:
            pay: { assign: { coins: ctx.coins + event.coins } }
            pass: { to: OPEN, when: ctx.coins >= 3 }
        OPEN:
          after: { 10m: SHUT }
          on:
            close: SHUT
            remove: GONE
        GONE: { final: true }
      invariants:
        - { name: opened-before-gone, before: { reaching: GONE, must_visit: OPEN } }
      """;

  @TempDir static Path folder;
  private static Browser browser;
  private static House house;

  @BeforeAll
  static void open() {
    browser = Browser.open();
    house = House.open(folder);
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
    assertThat(page.getByRole(AriaRole.HEADING, named("Overview"))).isVisible();
    return page;
  }

  private static Page.GetByRoleOptions named(String name) {
    return new Page.GetByRoleOptions().setName(name).setExact(true);
  }

  private static Locator button(Page page, String name) {
    return page.getByRole(AriaRole.BUTTON, named(name));
  }

  static String gate(int version) {
    return version == 1
        ? GATE.formatted(1)
        : GATE.formatted(version)
            .replace("remove: GONE", "remove: GONE\n      lock: LOCKED")
            .replace(
                "  GONE: {",
                "  LOCKED:\n    waits: for a key\n    on: { unlock: SHUT }\n  GONE: {");
  }

  private static void start(String id, Map<String, Object> input) {
    house.box.submit(new Command.Start("gate", id, input, Actor.SYSTEM, null));
  }

  private static void publish(int version) {
    house.box.publish(MachineReader.read(new Source("gate.yaml", gate(version))));
  }

  @Test
  void a_machine_is_published_started_sent_to_and_travelled_through() {
    Page page = signedIn("ada", "admin", "operator");
    Scenes.go(page, "machines/publish");
    page.getByLabel("Definition").fill(GATE.formatted(1).replace("to: OPEN", "to: OPPEN"));
    button(page, "Publish").click();
    assertThat(page.locator(".problems")).containsText("OPPEN");
    assertThat(page.locator(".problems button").first()).hasText(Pattern.compile("\\d+:\\d+"));
    page.getByLabel("Definition").fill(GATE.formatted(1));
    button(page, "Publish").click();
    assertThat(page.getByRole(AriaRole.HEADING, named("gate v1"))).isVisible();

    Scenes.go(page, "instances");
    button(page, "Start an instance").click();
    page.getByLabel("Machine").last().selectOption("gate");
    page.getByLabel("Id").fill("gate-1");
    button(page, "Start").click();
    assertThat(page.getByRole(AriaRole.HEADING, named("gate-1"))).isVisible();
    assertThat(active(page, "SHUT")).isVisible();

    button(page, "pass").click();
    Locator refusal = page.getByRole(AriaRole.ALERT);
    assertThat(refusal).containsText("guard-refused");
    assertThat(refusal).containsText("ctx.coins >= 3");
    assertThat(refusal).containsText("ctx.coins is 0");
    assertThat(refusal.getByText("Permitted instead")).containsText("pay");

    button(page, "pay").click();
    page.getByRole(AriaRole.DIALOG).getByLabel("coins").fill("3");
    page.getByRole(AriaRole.DIALOG).getByText("Send", exactly()).click();
    assertThat(page.locator("dl.fields").first()).containsText("3");
    button(page, "pass").click();
    assertThat(active(page, "OPEN")).isVisible();
    assertThat(page.locator("sb-time-left").first()).containsText(Pattern.compile("\\dm|\\ds"));

    Locator slider = page.getByRole(AriaRole.SLIDER);
    slider.focus();
    slider.press("ArrowLeft");
    slider.press("ArrowLeft");
    assertThat(page.getByText("As it was after step 1 of 3")).isVisible();
    assertThat(active(page, "SHUT")).isVisible();
    assertThat(page.locator("dl.fields").first()).containsText("0");
    button(page, "Back to now").click();
    assertThat(active(page, "OPEN")).isVisible();
    assertThat(browser.complaints()).isEmpty();
  }

  private static Locator.GetByTextOptions exactly() {
    return new Locator.GetByTextOptions().setExact(true);
  }

  private static Locator active(Page page, String state) {
    return page.locator("g.state.active[data-state='" + state + "']");
  }

  @Test
  void an_approval_is_decided_on_with_everything_in_sight() {
    Page page = signedIn("grace", "approver");
    String id = Scenes.askForApproval(house.box, "deploy", Map.of("host", "web-1"), "agent-7");
    Scenes.go(page, "approvals");
    Locator request = page.getByRole(AriaRole.ARTICLE).filter(has("web-1"));
    assertThat(request).containsText("agent-7");
    assertThat(request).containsText("high risk");
    assertThat(request.getByLabel("Arguments")).containsText("\"host\": \"web-1\"");
    assertThat(request.locator(".chain")).hasText("ada → coordinator → agent-7");
    assertThat(request.locator(".expiry"))
        .containsText(Pattern.compile("expires in 23h 59m|24h|1d"));
    request.getByRole(AriaRole.BUTTON).getByText("Approve…").click();
    assertThat(request.getByLabel("Your name")).hasValue("grace");
    request.getByLabel("Your passphrase").fill("not the one");
    request.getByRole(AriaRole.BUTTON).getByText("Approve", exactly()).click();
    assertThat(request).containsText("wrong-passphrase");
    request.getByLabel("Your passphrase").fill(Enrolled.PASSPHRASE);
    request.getByRole(AriaRole.BUTTON).getByText("Approve", exactly()).click();
    assertThat(request).hasCount(0);
    assertThat(page.getByRole(AriaRole.ROW).filter(has("deploy"))).containsText("granted");
    assertThat(house.box.instance(id).leaves()).containsExactly("APPROVED");

    house.box.start("approval", Map.of("digest", "d-1", "requester", "cron"));
    Locator bare = page.getByRole(AriaRole.ARTICLE).filter(has("cron"));
    assertThat(bare).containsText("An action");
    assertThat(bare.getByText("Reject…")).isVisible();

    String other = Scenes.askForApproval(house.box, "erase", Map.of("disk", "sda"), "agent-7");
    Locator second = page.getByRole(AriaRole.ARTICLE).filter(has("sda"));
    second.getByText("Reject…").click();
    second.getByLabel("Reason").fill("not on a Friday");
    second.getByRole(AriaRole.BUTTON).getByText("Reject", exactly()).click();
    assertThat(page.getByRole(AriaRole.ROW).filter(has("erase"))).containsText("not on a Friday");
    assertThat(house.box.instance(other).context()).containsEntry("reason", "not on a Friday");
  }

  private static Locator.FilterOptions has(String text) {
    return new Locator.FilterOptions().setHasText(text);
  }

  @Test
  void two_browsers_agree_within_a_second() {
    publish(1);
    start("shared", Map.of("coins", 3));
    Page one = signedIn("one", "operator");
    Page two = signedIn("two", "viewer");
    Scenes.go(one, "instances/shared");
    Scenes.go(two, "instances/shared");
    assertThat(active(two, "SHUT")).isVisible();
    button(one, "pass").click();
    assertThat(active(two, "OPEN"))
        .isVisible(new LocatorAssertions.IsVisibleOptions().setTimeout(1_000));
    assertThat(active(one, "OPEN")).isVisible();
    assertThat(two.getByText("No event is yours to send.")).isVisible();
  }

  @Test
  void a_flow_is_done_with_the_keyboard_alone() {
    publish(1);
    start("keyed", Map.of("coins", 3));
    Page page = browser.window();
    page.navigate(house.server.address() + "/");
    tabTo(page, "Token");
    page.keyboard().type(house.token("kay", "operator"));
    page.keyboard().press("Enter");
    assertThat(page.getByRole(AriaRole.HEADING, named("Overview"))).isVisible();
    tabTo(page, "Instances");
    page.keyboard().press("Enter");
    assertThat(page.getByRole(AriaRole.HEADING, named("Instances"))).isVisible();
    tabTo(page, "keyed");
    page.keyboard().press("Enter");
    assertThat(active(page, "SHUT")).isVisible();
    tabTo(page, "pass");
    page.keyboard().press("Enter");
    assertThat(active(page, "OPEN")).isVisible();
    assertThat(page.getByText("It took pass.")).isVisible();
  }

  /** Presses Tab until what has the focus is called so; what has the focus must show it. */
  private static void tabTo(Page page, String name) {
    for (int i = 0; i < 60; i++) {
      page.keyboard().press("Tab");
      Object reached =
          page.evaluate(
              """
              name => {
                const e = document.activeElement;
                const label = e.labels?.[0]?.textContent ?? e.getAttribute('aria-label') ?? e.textContent;
                if (label.trim() !== name) return false;
                const style = getComputedStyle(e);
                return style.outlineStyle !== 'none' || style.boxShadow !== 'none' ? true : 'hidden';
              }
              """,
              name);
      if (Boolean.TRUE.equals(reached)) {
        return;
      }
      assertThat(reached).as("the focus on '%s' must be seen", name).isEqualTo(false);
    }
    throw new AssertionError("Expected to reach '%s' with Tab, but did not.".formatted(name));
  }

  @Test
  void no_page_scrolls_sideways_on_a_phone() {
    publish(1);
    Scenes.fill(house.box);
    Page page = browser.window(Browser.Size.PHONE, ColorScheme.LIGHT);
    page.navigate(house.link("phil", "admin", "operator", "approver"));
    assertThat(page.getByRole(AriaRole.HEADING, named("Overview"))).isVisible();
    for (String path : Scenes.PAGES) {
      Scenes.go(page, path);
      assertThat(page.locator("main h1")).isVisible();
      page.waitForFunction("() => !document.querySelector('main [aria-busy=true]')");
      assertThat(page.evaluate("document.documentElement.scrollWidth"))
          .as("the width of #/%s", path)
          .isEqualTo(390);
    }
    button(page, "Menu").click();
    assertThat(page.getByRole(AriaRole.LINK, named("Audit"))).isVisible();
  }

  @Test
  void many_instances_are_acted_on_together_after_a_question() {
    publish(1);
    for (String id : List.of("bulk-1", "bulk-2")) {
      start(id, Map.of());
    }
    Page page = signedIn("olga", "operator");
    Scenes.go(page, "instances?machine=gate&status=live");
    page.getByLabel("Choose bulk-1").check();
    page.getByLabel("Choose bulk-2").check();
    button(page, "Pause").click();
    button(page, "Pause 2").click();
    assertThat(page.getByText("2 instances took “pause”.")).isVisible();
    assertThat(house.box.instance("bulk-1").status()).isEqualTo("paused");
    assertThat(house.box.instance("bulk-2").status()).isEqualTo("paused");
  }

  @Test
  void two_versions_are_compared_and_one_is_played() {
    publish(1);
    publish(2);
    Page page = signedIn("vera", "viewer");
    Scenes.go(page, "machines/gate?tab=difference&version=2");
    assertThat(page.getByText("added").first()).isVisible();
    assertThat(page.locator("g.state.added[data-state='LOCKED']")).isVisible();
    Scenes.go(page, "machines/gate?tab=play&version=2");
    assertThat(active(page, "SHUT")).isVisible();
    button(page, "pass").click();
    assertThat(page.locator(".history")).containsText("guard-refused");
    button(page, "pay").click();
    page.getByRole(AriaRole.DIALOG).getByLabel("coins").fill("5");
    page.getByRole(AriaRole.DIALOG).getByText("Play", exactly()).click();
    button(page, "pass").click();
    assertThat(active(page, "OPEN")).isVisible();
    button(page, "Let 10m pass").click();
    assertThat(active(page, "SHUT")).isVisible();
    button(page, "Take back").click();
    assertThat(active(page, "OPEN")).isVisible();
  }

  @Test
  void work_offers_what_the_role_and_the_state_allow() {
    Scenes.fill(house.box);
    Page viewer = signedIn("vic", "viewer");
    Scenes.go(viewer, "work/tasks");
    assertThat(viewer.getByRole(AriaRole.ROW).filter(has("task-1"))).isVisible();
    assertThat(button(viewer, "Cancel… task-1")).hasCount(0);

    Page page = signedIn("otto", "operator");
    Scenes.go(page, "work/tasks");
    button(page, "Cancel… task-1").click();
    page.getByRole(AriaRole.DIALOG).getByLabel("Reason").fill("not needed");
    page.getByRole(AriaRole.DIALOG).getByText("Cancel", exactly()).click();
    assertThat(page.getByRole(AriaRole.STATUS).filter(has("Cancel task-1: done."))).isVisible();
    assertThat(house.box.instance("task-1").context().get("outcome")).isEqualTo("cancelled");
    Scenes.failedTask(house.box, "task-dead");
    button(page, "Retry task-dead").click();
    assertThat(page.getByText("A new task was made from task-dead.")).isVisible();

    Scenes.go(page, "work/workers");
    button(page, "Drain worker-2").click();
    assertThat(page.getByText("worker-2 takes no more tasks.")).isVisible();
    Scenes.go(page, "work/locks");
    button(page, "Break… lock:index:papers").click();
    page.getByRole(AriaRole.DIALOG).getByLabel("Reason").fill("its holder hangs");
    page.getByRole(AriaRole.DIALOG).getByText("Break", exactly()).click();
    assertThat(page.getByText("Break index:papers: done.")).isVisible();
  }

  @Test
  void an_alert_that_fires_is_seen() {
    Scenes.fill(house.box);
    Page page = signedIn("vera", "viewer");
    assertThat(page.locator(".alerts"))
        .containsText(
            "tasks-given-up", new LocatorAssertions.ContainsTextOptions().setTimeout(30_000));
    Scenes.go(page, "metrics");
    assertThat(page.getByRole(AriaRole.ROW).filter(has("tasks-given-up"))).containsText("firing");
  }

  @Test
  void the_journal_is_verified_from_the_page() {
    publish(1);
    Page page = signedIn("alan", "admin");
    Scenes.go(page, "audit");
    button(page, "Verify").click();
    assertThat(page.locator(".verdict").first())
        .containsText("sound", new LocatorAssertions.ContainsTextOptions().setTimeout(30_000));
    assertThat(page.getByRole(AriaRole.ROW).filter(has("sign-in")).first()).containsText("alan");
  }
}
