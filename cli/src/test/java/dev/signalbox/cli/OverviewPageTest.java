package dev.signalbox.cli;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.signalbox.cli.Visit.button;
import static dev.signalbox.cli.Visit.has;
import static dev.signalbox.cli.Visit.row;
import static dev.signalbox.cli.Visit.signedIn;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the page says of the whole: where everything is, what moves, what is wrong. */
class OverviewPageTest {
  private static final LocatorAssertions.ContainsTextOptions PATIENT =
      new LocatorAssertions.ContainsTextOptions().setTimeout(30_000);

  @TempDir Path folder;

  private static void gates(House house, String... ids) {
    house.box.publish(MachineReader.read(new Source("gate.yaml", PageTest.gate(1))));
    for (String id : ids) {
      house.box.submit(new Command.Start("gate", id, Map.of("coins", 3), Actor.SYSTEM, null));
    }
  }

  private static Locator count(Locator drawing, String state) {
    return drawing.locator("g.state[data-state='" + state + "'] > .count .figure");
  }

  @Test
  void states_have_live_counts_and_lines_their_flow() {
    try (Browser browser = Browser.open();
        House house = House.open(folder)) {
      gates(house, "g-1", "g-2", "g-3");
      Page page = signedIn(browser, house, "vic", "viewer");
      Locator card = page.getByRole(AriaRole.ARTICLE).filter(has("gate"));
      assertThat(card).containsText("3 live");
      assertThat(count(card, "SHUT")).hasText("3");
      assertThat(card.locator(".edge.flowing[data-from=SHUT][data-to=OPEN]")).hasCount(0);

      house.box.send("g-1", "pass");
      house.box.send("g-2", "pass");
      assertThat(count(card, "SHUT")).hasText("1");
      assertThat(count(card, "OPEN")).hasText("2");
      assertThat(card.locator(".edge.flowing[data-from=SHUT][data-to=OPEN]")).hasCount(1);
      assertThat(card.locator(".edge.flowing[data-from=OPEN][data-to=GONE]")).hasCount(0);
      assertThat(page.locator(".figure-card").filter(has("live")).locator("strong"))
          .not()
          .hasText("0");

      Locator rest = page.locator(".idle");
      assertThat(rest).containsText("research.hypothesis");
      assertThat(rest.locator("svg")).hasCount(0);
      button(page, "Draw them").click();
      Locator drawn = rest.getByRole(AriaRole.ARTICLE).filter(has("research.hypothesis"));
      assertThat(drawn.locator("g.state[data-state=GENERATED]")).isVisible();

      Scenes.go(page, "machines/gate");
      Locator live = page.locator("sb-machine");
      assertThat(count(live, "OPEN")).hasText("2");
      assertThat(live.locator("[data-trigger=pass] > .flow .figure")).hasText("2");
      live.locator("g.state[data-state=OPEN]").click();
      assertThat(row(page, "g-1")).isVisible();
      assertThat(row(page, "g-3")).hasCount(0);
    }
  }

  @Test
  void what_is_late_is_named_and_marked() {
    try (Browser browser = Browser.open();
        House house = House.late(folder, Duration.ofHours(1))) {
      gates(house, "g-1", "g-2");
      house.box.send("g-1", "pass");
      Page page = signedIn(browser, house, "vic", "viewer");
      Locator card = page.getByRole(AriaRole.ARTICLE).filter(has("gate"));
      assertThat(card).containsText("1 late");
      assertThat(card.locator("g.state.late")).hasCount(1);
      assertThat(card.locator("g.state.late[data-state=OPEN]")).hasCount(1);
      assertThat(page.locator(".alerts")).containsText("A timer should have fired");
      page.locator(".figure-card").filter(has("late")).click();
      assertThat(page.locator("sb-instances tbody tr").first()).containsText("g-1");
    }
  }

  @Test
  void very_many_that_are_late_are_counted_to_a_thousand() {
    try (Browser browser = Browser.open();
        House house = House.late(folder, Duration.ofHours(1))) {
      String[] ids = IntStream.range(0, 1_001).mapToObj(i -> "g-" + i).toArray(String[]::new);
      gates(house, Arrays.copyOf(ids, 25));
      for (String id : Arrays.copyOf(ids, 25)) {
        house.box.send(id, "pass");
      }
      Page page = signedIn(browser, house, "vic", "viewer");
      Locator figure = page.locator(".figure-card").filter(has("late"));
      assertThat(figure).hasText("25 late");
      gates(house, Arrays.copyOfRange(ids, 25, 1_001));
      for (String id : Arrays.copyOfRange(ids, 25, 1_001)) {
        house.box.send(id, "pass");
      }
      assertThat(figure).hasText("1,000 or more late");
      Locator card = page.getByRole(AriaRole.ARTICLE).filter(has("gate"));
      assertThat(card).containsText("1,000 or more late");
      assertThat(page.locator(".alerts li").filter(has("A timer should have fired"))).hasCount(20);
    }
  }

  @Test
  void a_machine_is_shown_with_what_was_proved_of_it_and_with_what_breaks_it() {
    try (Browser browser = Browser.open();
        House house = House.open(folder)) {
      gates(house);
      Page page = signedIn(browser, house, "ada", "admin");
      Scenes.go(page, "machines/gate");
      page.getByRole(AriaRole.TAB, Visit.named("Checks and proofs")).click();
      Locator proof = page.locator(".proofs > li");
      assertThat(proof).containsText("proved");
      assertThat(proof).containsText("opened-before-gone");
      assertThat(proof).containsText("before: { reaching: GONE, must_visit: OPEN }");
      assertThat(page.locator("#tab-panel")).containsText("all that can be reached");

      Scenes.go(page, "machines/publish");
      page.getByLabel("Definition")
          .fill(
              """
              machine: hole
              states:
                A: { waits: for somebody, on: { go: B, jump: C } }
                B: { waits: for somebody, on: { go: C } }
                C: { final: true }
              invariants:
                - { name: b-before-c, before: { reaching: C, must_visit: B } }
              """);
      button(page, "Check").click();
      assertThat(page.locator(".proofs > li")).containsText("refuted");
      assertThat(page.locator(".counterexample")).containsText("jump");
      button(page, "Publish").click();
      assertThat(page.locator(".problems")).containsText("b-before-c");
      assertThat(house.box.machines()).noneMatch(machine -> machine.name().equals("hole"));
    }
  }

  @Test
  void what_happened_is_drawn_as_charts() {
    try (Browser browser = Browser.open();
        House house = House.open(folder)) {
      gates(house, "g-1");
      Page page = signedIn(browser, house, "vic", "viewer");
      Scenes.go(page, "metrics");
      Locator live =
          page.getByRole(
              AriaRole.REGION,
              new Page.GetByRoleOptions().setName("Live instances").setExact(true));
      assertThat(live.locator("path.curve"))
          .hasAttribute("d", Pattern.compile("M[\\d. ]+(L[\\d. ]+)+"));
      assertThat(live.locator("svg"))
          .hasAttribute("aria-label", Pattern.compile("Live instances: [1-9]\\d* +now.*"));
      assertThat((Integer) page.evaluate("document.querySelectorAll('path.curve').length"))
          .isGreaterThan(8);
    }
  }

  @Test
  void a_journal_that_was_changed_is_called_broken_with_its_place() throws Exception {
    try (Browser browser = Browser.open();
        House house = House.open(folder)) {
      gates(house, "g-1");
      house.box.send("g-1", "pass");
      try (Connection connection =
              DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("house.db"));
          Statement statement = connection.createStatement()) {
        statement.execute(
            "update entry set body = cast(replace(cast(body as text), 'pass', 'skip') as blob)");
      }
      Page page = signedIn(browser, house, "otto", "operator");
      Scenes.go(page, "audit");
      button(page, "Verify").click();
      assertThat(page.locator(".verdict").first()).containsText("broken", PATIENT);
      assertThat(page.locator(".verdict .problems").first()).containsText("g-1");
    }
  }
}
