package dev.signalbox.cli;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.system.PackagedSystem;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A system brings its machine, a route and pages of its own, and the page loads them. */
class SystemPageTest {
  @TempDir Path folder;

  /** Lamps that can be lit. */
  private static final class Board implements PackagedSystem {
    @Override
    public String name() {
      return "board";
    }

    @Override
    public String title() {
      return "Lamp board";
    }

    @Override
    public void publish(Signalbox box) {
      box.publish(
          MachineReader.read(
              new Source(
                  "lamp.yaml",
                  """
                  machine: board.lamp
                  states:
                    DARK: { waits: for someone, on: { flip: LIT } }
                    LIT: { waits: for someone, on: { flip: DARK } }
                  """)));
    }

    @Override
    public List<String> machines() {
      return List.of("board.lamp");
    }

    @Override
    public List<Route> routes(Signalbox box) {
      return List.of(
          Route.get("/board/lamps", "Every lamp")
              .anyone()
              .gives(Schema.OBJECT)
              .by(_ ->
                  Response.json(
                      Map.of(
                          "lamps",
                          box.instances(Query.ALL.ofMachine("board.lamp").page(0, 100)).stream()
                              .map(i -> Map.of("id", i.id(), "state", i.leaves().getFirst()))
                              .toList()))));
    }

    @Override
    public String folder() {
      return "board";
    }
  }

  @Test
  void its_pages_are_listed_loaded_styled_and_live() {
    try (Browser browser = Browser.open();
        House house = House.open(folder, List.of(new Board()))) {
      house.box.submit(new Command.Start("board.lamp", "lamp-1", Map.of(), Actor.SYSTEM, null));
      Page page = browser.window();
      page.navigate(house.link("olga", "operator"));
      page.getByRole(AriaRole.LINK, named("Board")).click();
      assertThat(page.getByRole(AriaRole.HEADING, named("Board"))).isVisible();
      assertThat(page.locator(".lamps strong")).hasText("DARK");
      assertThat(page.locator(".lamps strong")).hasCSS("color", "rgb(1, 2, 3)");
      page.getByRole(AriaRole.BUTTON, named("Flip lamp-1")).click();
      assertThat(page.locator(".lamps strong")).hasText("LIT");

      Page other = browser.window();
      other.navigate(house.link("vera", "viewer"));
      assertThat(other.getByRole(AriaRole.HEADING, named("Overview"))).isVisible();
      Scenes.go(other, "systems/board");
      assertThat(other.locator(".lamps strong")).hasText("LIT");
      assertThat(other.getByRole(AriaRole.BUTTON, named("Flip lamp-1"))).hasCount(0);
      house.box.send("lamp-1", "flip");
      assertThat(other.locator(".lamps strong")).hasText("DARK");
      assertThat(page.locator(".lamps strong")).hasText("DARK");
      page.getByRole(AriaRole.LINK, named("About the board")).click();
      assertThat(page.getByRole(AriaRole.HEADING, named("About board"))).isVisible();
      assertThat(browser.complaints()).isEmpty();
    }
  }

  private static Page.GetByRoleOptions named(String name) {
    return new Page.GetByRoleOptions().setName(name).setExact(true);
  }
}
