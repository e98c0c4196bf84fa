package dev.signalbox.cli;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import dev.signalbox.definition.Json;
import dev.signalbox.services.Sha256;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of runs, with real runs of real programs, in a real browser. */
class RunsPageTest {
  private static final LocatorAssertions.ContainsTextOptions PATIENTLY =
      new LocatorAssertions.ContainsTextOptions().setTimeout(30_000);

  @TempDir static Path folder;
  private static Browser browser;
  private static House house;
  private static String operator;

  @BeforeAll
  static void open() throws IOException {
    browser = Browser.open();
    house = House.open(folder);
    operator = house.token("olga", "operator");
    Path work = Files.createDirectory(folder.resolve("work"));
    Files.writeString(work.resolve("notes.txt"), "one\n");
    Files.writeString(work.resolve("merge.sh"), "echo $1 >> notes.txt\n");
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

  private static String start(String plan) throws Exception {
    return start("application/yaml", plan);
  }

  private static String start(String type, String body) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> answer =
          client.send(
              HttpRequest.newBuilder(URI.create(house.server.address() + "/api/v1/runs"))
                  .header("Authorization", "Bearer " + operator)
                  .header("Content-Type", type)
                  .POST(HttpRequest.BodyPublishers.ofString(body))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
      Map<?, ?> started = (Map<?, ?>) Objects.requireNonNull(Json.parse(answer.body()));
      return String.valueOf(started.get("run_id"));
    }
  }

  private static Page signedIn(Browser.Size size, String name, String... roles) {
    Page page = browser.window(size, ColorScheme.LIGHT);
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

  @Test
  void a_run_is_followed_approved_and_looked_into() throws Exception {
    String run =
        start(
            """
            project: website
            environment: dev
            folder: work
            approvers: { escalate_after: 8h }
            tools:
              - { name: look, command: [cat, notes.txt], access: read }
              - name: merge
                command: [sh, merge.sh, topic]
                writes: [notes.txt]
                risks: [merge_to_main]
            checks:
              - { name: there, command: [grep, topic, notes.txt] }
            """);
    Page page = signedIn(Browser.Size.DESK, "bob", "approver", "operator");
    page.getByRole(AriaRole.LINK, named("Approved runs")).click();
    assertThat(page.getByRole(AriaRole.ROW).filter(has(run))).containsText("WEBSITE");
    page.getByRole(AriaRole.LINK, named(run)).click();

    Locator asked = page.locator("runs-approval");
    assertThat(asked).containsText("May it do merge?", PATIENTLY);
    assertThat(asked).containsText("escalated in 7h 59m");
    assertThat(page.locator("g.state.active[data-state='AWAITING_APPROVAL']")).isVisible();
    button(page, "Approve exactly this").click();
    asked.getByLabel("Your passphrase").fill(Enrolled.PASSPHRASE);
    button(page, "Approve").click();
    assertThat(page.locator(".head-state")).containsText("complete", PATIENTLY);
    assertThat(asked).hasCount(0);

    Locator merge = page.locator(".run-calls > li").filter(has("merge")).first();
    merge.locator("summary").first().click();
    merge.locator("runs-evidence summary").filter(has("diff")).click();
    assertThat(merge.locator(".diff .added").filter(has("+topic"))).isVisible();
    assertThat(page.locator(".run-calls").nth(1)).containsText("pass");
    assertThat(page.locator(".run-verdicts > li")).hasCount(5);
    assertThat(page.locator(".run-verdicts")).containsText("cleared");
    assertThat(page.locator(".run-timeline .bar.pass")).hasCount(2);
    assertThat(page.locator(".run-decided")).containsText("by bob");
    assertThat(origin(page)).hasCount(0);
    check(page, "systems-runs-run");
    Scenes.go(page, "systems/runs");
    assertThat(page.getByRole(AriaRole.ROW).filter(has(run))).containsText("2 of 2");
    check(page, "systems-runs");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void who_may_not_decide_is_told_why_and_has_no_button_for_it() throws Exception {
    String run =
        start(
            """
            project: two
            environment: dev
            folder: work
            tools:
              - name: publish
                command: [touch, published.txt]
                writes: [published.txt]
                risk: high
                approvers: { quorum: 2, assigned_to: [kim, lee], roles: [release] }
            checks:
              - { name: there, command: [test, -f, published.txt] }
            """);
    Map<List<String>, String> told =
        Map.of(
            List.of("olga", "operator", "approver", "release"),
            "You asked for this; somebody else decides.",
            List.of("bob", "approver", "release"),
            "It is put to others: kim, lee.",
            List.of("lee", "approver"),
            "Only somebody with the role release decides.");
    for (Map.Entry<List<String>, String> each : told.entrySet()) {
      List<String> who = each.getKey();
      Page page =
          signedIn(
              Browser.Size.DESK, who.getFirst(), who.subList(1, who.size()).toArray(String[]::new));
      Scenes.go(page, "systems/runs/" + run);
      assertTold(page.locator("runs-approval"), each.getValue());
      Scenes.go(page, "approvals");
      assertTold(page.getByRole(AriaRole.ARTICLE).filter(has("publish")), each.getValue());
      page.context().close();
    }

    Page kim = signedIn(Browser.Size.DESK, "kim", "approver", "release");
    Scenes.go(kim, "systems/runs/" + run);
    assertThat(kim.locator(".run-calls").first())
        .containsText("2 of kim, lee, with the role release");
    button(kim, "Approve exactly this").click();
    kim.locator("runs-approval").getByLabel("Your passphrase").fill(Enrolled.PASSPHRASE);
    button(kim, "Approve").click();
    Locator asked = kim.locator("runs-approval");
    assertThat(asked).containsText("You have approved it; it needs 1 more.", PATIENTLY);
    assertThat(button(kim, "Approve exactly this")).hasCount(0);
    button(kim, "Reject…").click();
    asked.getByLabel("Reason").fill("not today");
    button(kim, "Reject").click();
    assertThat(kim.locator(".head-state")).containsText("rolled back", PATIENTLY);
    assertThat(browser.complaints()).isEmpty();
  }

  private static void assertTold(Locator asked, String why) {
    assertThat(asked).containsText(why, PATIENTLY);
    assertThat(asked.getByRole(AriaRole.BUTTON)).hasCount(0);
  }

  @Test
  void a_run_that_fails_shows_why_and_what_was_undone() throws Exception {
    String run =
        start(
            """
            project: broken
            environment: dev
            folder: work
            tools:
              - { name: note, command: [cp, notes.txt, copy.txt], writes: [copy.txt] }
              - { name: fail, command: [sh, -c, "echo no >&2; exit 3"], access: read }
            checks:
              - { name: there, command: [test, -f, copy.txt] }
            """);
    Page page = signedIn(Browser.Size.PHONE, "vera", "viewer");
    Scenes.go(page, "systems/runs/" + run);
    assertThat(page.locator(".head-state")).containsText("rolled back", PATIENTLY);
    assertThat(page.locator(".run-rollback")).containsText("note");
    assertThat(page.locator(".run-calls").first()).containsText("fail");
    assertThat(button(page, "Halt…")).hasCount(0);
    assertThat(page.evaluate("document.documentElement.scrollWidth")).isEqualTo(390);
    shoot(page, "systems-runs-run-phone");
  }

  @Test
  void a_run_of_a_frozen_plan_names_what_it_comes_from() throws Exception {
    FrozenExample.copyTo(folder);
    String run = start("application/json", Json.text(FrozenExample.texts(folder)));
    Page page = signedIn(Browser.Size.DESK, "vera", "viewer");
    Scenes.go(page, "systems/runs/" + run);
    assertThat(origin(page)).isVisible();
    assertThat(origin(page).locator("xpath=.."))
        .containsText(
            "PLAN-6f1c2a of intent_new_greeting, "
                + Sha256.hex(Files.readAllBytes(folder.resolve("plan/manifest.json"))));
    assertThat(page.locator("runs-approval")).containsText("greeting.change", PATIENTLY);
    origin(page).scrollIntoViewIfNeeded();
    check(page, "systems-runs-run-frozen");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void a_run_is_halted_with_a_reason() throws Exception {
    String run =
        start(
            """
            project: slow
            environment: dev
            folder: work
            tools:
              - { name: wait, command: [sleep, "600"], access: read }
            checks:
              - { name: there, command: ["true"] }
            """);
    Page page = signedIn(Browser.Size.DESK, "otto", "operator");
    Scenes.go(page, "systems/runs/" + run);
    assertThat(page.locator(".run-calls").first()).containsText("running", PATIENTLY);
    button(page, "Halt…").click();
    page.getByRole(AriaRole.DIALOG).getByLabel("Reason").fill("enough");
    page.getByRole(AriaRole.DIALOG).getByText("Halt", exactly()).click();
    assertThat(page.locator(".head-state")).containsText("halted unsafe", PATIENTLY);
    assertThat(page.locator(".notice.bad").first()).containsText("enough");
  }

  /** The name of the fact that says which frozen plan the run comes from. */
  private static Locator origin(Page page) {
    return page.locator(".fields dt").filter(has("frozen plan"));
  }

  private static Locator.GetByTextOptions exactly() {
    return new Locator.GetByTextOptions().setExact(true);
  }

  private static Locator.FilterOptions has(String text) {
    return new Locator.FilterOptions().setHasText(text);
  }

  private static void check(Page page, String name) throws IOException {
    shoot(page, name);
    for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
      page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
      assertThat(new AxeBuilder(page).analyze().getViolations())
          .as("what keeps people from using %s in %s", name, scheme)
          .filteredOn(rule -> List.of("serious", "critical").contains(rule.getImpact()))
          .extracting(rule -> rule.getId() + " " + rule.getNodes().getFirst().getHtml())
          .isEmpty();
    }
    shoot(page, name + "-dark");
    page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.LIGHT));
  }

  /** Takes the picture for the docs, if asked to, of what is drawn to its end. */
  private static void shoot(Page page, String name) throws IOException {
    page.waitForFunction("() => !document.querySelector('main [aria-busy=true]')");
    String target = System.getProperty("page.screenshots", "");
    if (!target.isEmpty()) {
      Path file = Path.of(System.getProperty("project.root", ""), target).resolve(name + ".png");
      Files.createDirectories(file.getParent());
      page.screenshot(new Page.ScreenshotOptions().setPath(file));
    }
  }
}
