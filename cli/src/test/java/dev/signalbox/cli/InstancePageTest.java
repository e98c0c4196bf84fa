package dev.signalbox.cli;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.signalbox.cli.Visit.button;
import static dev.signalbox.cli.Visit.has;
import static dev.signalbox.cli.Visit.row;
import static dev.signalbox.cli.Visit.signedIn;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Instance;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Instances, found and looked into. */
class InstancePageTest {
  private static final String SHOP =
      """
      machine: parcel
      context: { place: { type: string, default: "", searchable: true }, kilos: { type: int, default: 0 } }
      events: { weigh: { data: { kilos: int } } }
      states:
        PACKED:
          after: { 2h: LOST }
          on: { weigh: { assign: { kilos: event.kilos } }, send: { to: SENT, when: ctx.kilos > 0 } }
        SENT: { after: { 30m: LOST }, on: { arrive: HERE } }
        HERE: { final: true }
        LOST: { final: true }
      """;

  private static final String ORDER =
      """
      machine: order
      states:
        OPEN:
          waits: for its box
          invoke: { machine: box, id: box }
          on: { done.invoke.box: SHIPPED }
        SHIPPED: { final: true }
      """;

  private static final String BOX =
      """
      machine: box
      states:
        OPEN:
          waits: for its parcel
          invoke: { machine: parcel, id: parcel }
          on: { done.invoke.parcel: FULL }
        FULL: { final: true }
      """;

  @TempDir static Path folder;
  private static Browser browser;
  private static House house;

  @BeforeAll
  static void open() {
    browser = Browser.open();
    house = House.open(folder);
    for (String text : List.of(SHOP, BOX, ORDER)) {
      house.box.publish(MachineReader.read(new Source("shop.yaml", text)));
    }
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

  private static void parcel(String id, String place) {
    house.box.submit(new Command.Start("parcel", id, Map.of("place", place), Actor.SYSTEM, null));
  }

  private static void sent(String id) {
    house.box.send(id, "weigh", Map.of("kilos", 3));
    house.box.send(id, "send");
  }

  private static Locator listed(Page page) {
    return page.locator("sb-instances tbody tr td[data-label=Instance]");
  }

  /** What stands behind a word above the list. */
  private static Locator field(Page page, String label) {
    return page.locator("form.filters label")
        .filter(new Locator.FilterOptions().setHasText(Pattern.compile("^" + label + "(?![a-z])")))
        .locator("input, select");
  }

  @Test
  void instances_are_searched_filtered_and_sorted() {
    parcel("s-1", "lyon");
    parcel("s-2", "oslo");
    parcel("s-3", "lyon");
    sent("s-2");
    house.box.send("s-3", "send");
    house.box.send("s-3", "send");
    Page page = signedIn(browser, house, "vic", "viewer");
    Scenes.go(page, "instances?machine=parcel");
    assertThat(row(page, "s-1")).isVisible();

    field(page, "Search").fill("oslo");
    field(page, "Search").press("Enter");
    assertThat(listed(page)).hasText(new String[] {"s-2"});
    field(page, "Search").fill("s-3");
    field(page, "Search").press("Enter");
    assertThat(listed(page)).hasText(new String[] {"s-3"});
    field(page, "Search").fill("oslo");
    field(page, "Search").press("Enter");
    field(page, "State").fill("PACKED");
    field(page, "State").press("Enter");
    assertThat(page.getByText("Nothing fits")).isVisible();
    field(page, "State").fill("SENT");
    field(page, "State").press("Enter");
    assertThat(listed(page)).hasText(new String[] {"s-2"});
    Scenes.go(page, "instances?machine=parcel");
    assertThat(row(page, "s-1")).isVisible();
    field(page, "Field").fill("place");
    field(page, "Field").press("Enter");
    field(page, "Value").fill("lyon");
    field(page, "Value").press("Enter");
    assertThat(listed(page)).hasText(new String[] {"s-3", "s-1"});

    field(page, "Sort").selectOption("oldest");
    assertThat(listed(page)).hasText(new String[] {"s-1", "s-3"});
    field(page, "Sort").selectOption("refused");
    assertThat(listed(page)).hasText(new String[] {"s-3"});
    field(page, "Sort").selectOption("waiting");
    assertThat(listed(page)).hasText(new String[] {"s-1", "s-3"});
    field(page, "Sort").selectOption("due");
    assertThat(listed(page)).hasText(new String[] {"s-1", "s-3"});
    Scenes.go(page, "instances?machine=parcel&status=ended");
    assertThat(page.getByText("Nothing fits")).isVisible();
  }

  @Test
  void instances_are_sorted_over_all_pages() {
    house.box.publish(
        MachineReader.read(
            new Source(
                "lamp.yaml",
                """
                machine: lamp
                states:
                  OFF: { waits: somebody, on: { turn: ON } }
                  ON: { waits: somebody, on: { turn: OFF } }
                """)));
    // The one that is not turned comes first: the others may be turned in its millisecond.
    for (int i = -1; i < 119; i++) {
      String id = "l-" + (i < 0 ? 119 : i);
      house.box.submit(new Command.Start("lamp", id, Map.of(), Actor.SYSTEM, null));
    }
    for (int i = 0; i < 119; i++) {
      house.box.send("l-" + i, "turn");
    }
    house.box.send("l-0", "odd");
    house.box.send("l-119", "odd");
    house.box.send("l-0", "odd");
    Page page = signedIn(browser, house, "vic", "viewer");
    Scenes.go(page, "instances?machine=lamp");
    assertThat(listed(page)).hasCount(100);
    field(page, "Sort").selectOption("refused");
    assertThat(listed(page)).hasText(new String[] {"l-0", "l-119"});
    field(page, "Sort").selectOption("waiting");
    assertThat(listed(page)).hasCount(100);
    assertThat(listed(page).first()).hasText("l-119");
    button(page, "Next page").click();
    assertThat(listed(page)).hasCount(20);
    assertThat(listed(page).last()).hasText("l-118");
    button(page, "First page").click();
    assertThat(listed(page).first()).hasText("l-119");

    Scenes.go(page, "");
    page.locator(".figure-card").filter(has("refusals in")).click();
    assertThat(field(page, "Sort")).hasValue("refused");
    assertThat(listed(page).first()).not().hasText("l-119");
  }

  @Test
  void what_never_falls_due_is_no_deadline() {
    house.box.publish(
        MachineReader.read(
            new Source(
                "relic.yaml",
                """
                machine: relic
                states:
                  KEPT: { after: { 36500d: DUST }, on: { lend: LENT } }
                  LENT: { after: { 2h: LOST, 36500d: DUST } }
                  LOST: { final: true }
                  DUST: { final: true }
                """)));
    house.box.submit(new Command.Start("relic", "r-1", Map.of(), Actor.SYSTEM, null));
    Page page = signedIn(browser, house, "vic", "viewer");
    Scenes.go(page, "instances?machine=relic");
    assertThat(row(page, "r-1").locator("td[data-label=Due]")).hasText("–");
    Scenes.go(page, "instances/r-1");
    assertThat(page.locator(".head-state")).containsText(Pattern.compile("since \\d+:\\d\\d"));
    assertThat(page.locator(".deadlines")).hasCount(0);
    house.box.send("r-1", "lend");
    assertThat(page.locator(".deadlines li")).hasCount(1);
    assertThat(page.locator(".deadlines")).containsText("1h 59m");
  }

  @Test
  void an_instance_that_is_not_there_is_told_in_sentences() {
    Page page = signedIn(browser, house, "vic", "viewer");
    Scenes.go(page, "instances/nobody");
    assertThat(page.locator(".notice.bad p"))
        .hasText(
            new String[] {
              "Expected an instance, but there is no 'nobody'.",
              "Look at the id; archived instances are gone from the store."
            });
  }

  @Test
  void an_instance_shows_its_path_its_changes_and_why_guards_said_what_they_said() {
    parcel("p-1", "rome");
    house.box.send("p-1", "send");
    sent("p-1");
    Page page = signedIn(browser, house, "vic", "viewer");
    Scenes.go(page, "instances/p-1");
    assertThat(page.locator("g.state.visited[data-state=PACKED]")).isVisible();
    assertThat(page.locator("g.state.active[data-state=SENT]")).isVisible();
    assertThat(page.locator("g.state.visited[data-state=LOST]")).hasCount(0);
    assertThat(page.locator("g.transition.visited[data-trigger=send]")).hasCount(1);
    assertThat(page.locator("g.transition.visited[data-trigger=arrive]")).hasCount(0);
    assertThat(page.locator(".edge.visited[data-from=PACKED][data-to=SENT]")).hasCount(1);

    Locator weighed = page.locator(".history li").filter(has("weigh"));
    weighed.locator("summary").click();
    assertThat(weighed.locator("del")).hasText("0");
    assertThat(weighed.locator("ins")).hasText("3");
    Locator taken = page.locator(".history li:not(.refused)").filter(has("send"));
    taken.locator("summary").click();
    assertThat(taken.locator(".guards")).containsText("ctx.kilos > 0");
    assertThat(taken.locator(".guards .mark")).hasText("yes");
    Locator refused = page.locator(".history li.refused");
    refused.locator("summary").click();
    assertThat(refused.locator(".guards .mark")).hasText("no");
    assertThat(refused.locator(".guards")).containsText("ctx.kilos is 0");
  }

  @Test
  void time_in_each_state_grows_and_the_deadline_counts_down() {
    parcel("t-1", "rome");
    sent("t-1");
    Page page = browser.window();
    page.clock().install();
    page.navigate(house.link("vic", "viewer"));
    assertThat(page.locator("#navigation")).isVisible();
    Scenes.go(page, "instances/t-1");
    Locator left = page.locator(".deadlines sb-time-left");
    assertThat(left).containsText(Pattern.compile("29m|30m"));
    page.clock().fastForward("20:00");
    assertThat(left).containsText(Pattern.compile("9m|10m"));
    Locator stays = page.locator("sb-state-bar .legend li");
    assertThat(stays.filter(has("SENT"))).containsText(Pattern.compile("20m"));
    assertThat(stays.filter(has("PACKED"))).containsText(Pattern.compile("\\ds"));
    Object widths =
        page.evaluate(
            "[...document.querySelectorAll('.state-bar span')].map(s =>"
                + " s.getBoundingClientRect().width)");
    assertThat((List<?>) widths)
        .satisfiesExactly(
            packed -> assertThat(((Number) packed).doubleValue()).isLessThan(60),
            sent -> assertThat(((Number) sent).doubleValue()).isGreaterThan(300));
    page.clock().fastForward("11:00");
    assertThat(left).containsText("late");
  }

  /** What the instance invoked, as soon as it is there. */
  private static Instance child(String parent) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (System.nanoTime() < end) {
      List<Instance> found = house.box.instances(Query.ALL.below(parent).page(0, 1));
      if (!found.isEmpty()) {
        return found.getFirst();
      }
      Thread.onSpinWait();
    }
    throw new AssertionError("Expected '%s' to invoke something.".formatted(parent));
  }

  @Test
  void children_are_a_tree_that_leads_up_and_down() {
    house.box.submit(new Command.Start("order", "o-1", Map.of(), Actor.SYSTEM, null));
    Instance box = child("o-1");
    Instance parcel = child(box.id());
    Page page = signedIn(browser, house, "vic", "viewer");
    Scenes.go(page, "instances/o-1");
    Locator tree = page.locator("sb-family");
    assertThat(tree).containsText(box.id());
    assertThat(tree.getByText(parcel.id())).hasCount(0);
    button(page, "Show what " + box.id() + " invoked").click();
    assertThat(tree.getByText(parcel.id())).isVisible();
    assertThat(tree.getByRole(AriaRole.LISTITEM).filter(has(parcel.id())).last())
        .containsText("PACKED");
    tree.getByRole(AriaRole.LINK).filter(has(parcel.id())).click();
    assertThat(page.getByRole(AriaRole.HEADING, Visit.named(parcel.id()))).isVisible();
    assertThat(page.locator("sb-family")).containsText("invoked it");
    page.locator("sb-family").getByRole(AriaRole.LINK).first().click();
    assertThat(page.getByRole(AriaRole.HEADING, Visit.named(box.id()))).isVisible();
  }
}
