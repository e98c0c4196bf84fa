package dev.signalbox.cli;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every page as it looks with a day's work on it: all of them in light, and in dark those that have
 * every colour, or all with {@code -Dpage.looks=true}. With {@code -Dpage.screenshots=FOLDER} the
 * pictures of the docs are taken anew.
 */
class PageLooksTest {
  /** Whether every page is looked at in dark too, and the pictures are taken. */
  private static final boolean ALL =
      Boolean.getBoolean("page.looks") || !System.getProperty("page.screenshots", "").isEmpty();

  /** Together they show every colour there is. */
  private static final Set<String> COLOURFUL =
      Set.of("sign-in", "", "instances", "instances/run-7", "approvals", "audit");

  @TempDir static Path folder;
  private static Browser browser;
  private static House house;

  @BeforeAll
  static void open() {
    browser = Browser.open();
    house = House.open(folder);
    for (int version : List.of(1, 2)) {
      house.box.publish(MachineReader.read(new Source("gate.yaml", PageTest.gate(version))));
    }
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

  @Test
  void everybody_can_use_every_page_light_and_dark() throws IOException {
    Page page = browser.window();
    page.navigate(house.server.address());
    assertThat(page.getByRole(AriaRole.HEADING).first()).isVisible();
    check(page, "sign-in");
    page.navigate(house.link("ada", "admin", "operator", "approver"));
    assertThat(page.locator("#navigation")).isAttached();
    for (String path : Scenes.PAGES) {
      Scenes.go(page, path);
      settle(page);
      check(page, path);
    }
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void a_phone_shows_the_same() throws IOException {
    Page page = browser.window(Browser.Size.PHONE, ColorScheme.LIGHT);
    page.navigate(house.link("phil", "admin", "operator", "approver"));
    assertThat(page.locator("#navigation")).isAttached();
    for (String path : ALL ? Scenes.PAGES : List.of("", "instances/run-7", "approvals")) {
      Scenes.go(page, path);
      settle(page);
      shoot(page, path, "phone");
    }
  }

  /** Waits until what the page asked for is there and drawn. */
  private static void settle(Page page) {
    assertThat(page.locator("main h1").first()).isVisible();
    page.waitForFunction("() => !document.querySelector('main [aria-busy=true]')");
  }

  /** Everything in light; in dark what depends on colours. */
  private static void check(Page page, String path) throws IOException {
    shoot(page, path, "light");
    examine(path + " in light", new AxeBuilder(page));
    if (!ALL && !COLOURFUL.contains(path)) {
      return;
    }
    page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
    shoot(page, path, "dark");
    examine(path + " in dark", new AxeBuilder(page).withRules(List.of("color-contrast")));
    page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.LIGHT));
  }

  /** Asks axe-core, and takes only what is not serious. */
  static void examine(String what, AxeBuilder axe) {
    assertThat(axe.analyze().getViolations())
        .as("what keeps people from using #/%s", what)
        .filteredOn(rule -> List.of("serious", "critical").contains(rule.getImpact()))
        .extracting(rule -> rule.getId() + " " + rule.getNodes().getFirst().getHtml())
        .isEmpty();
  }

  private static void shoot(Page page, String path, String kind) throws IOException {
    String target = System.getProperty("page.screenshots", "");
    if (target.isEmpty()) {
      return;
    }
    String name = path.isEmpty() ? "overview" : path.replaceAll("[^a-z0-9]+", "-");
    Path file =
        Path.of(System.getProperty("project.root", ""), target)
            .resolve(name + (kind.equals("light") ? "" : "-" + kind) + ".png");
    Files.createDirectories(file.getParent());
    page.screenshot(new Page.ScreenshotOptions().setPath(file));
  }
}
