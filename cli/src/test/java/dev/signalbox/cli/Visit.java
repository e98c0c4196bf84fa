package dev.signalbox.cli;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;

/** What a person finds on any page. */
final class Visit {
  private Visit() {}

  /** A window in which somebody has followed a link that signs them in. */
  static Page signedIn(Browser browser, House house, String name, String... roles) {
    Page page = browser.window();
    page.navigate(house.link(name, roles));
    assertThat(page.locator("#navigation")).isVisible();
    return page;
  }

  static Page.GetByRoleOptions named(String name) {
    return new Page.GetByRoleOptions().setName(name).setExact(true);
  }

  static Locator button(Page page, String name) {
    return page.getByRole(AriaRole.BUTTON, named(name));
  }

  static Locator row(Page page, String text) {
    return page.getByRole(AriaRole.ROW).filter(has(text));
  }

  static Locator.FilterOptions has(String text) {
    return new Locator.FilterOptions().setHasText(text);
  }
}
