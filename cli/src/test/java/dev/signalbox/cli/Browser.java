package dev.signalbox.cli;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** The machine's own Chromium, each window with a profile of its own. Nothing is downloaded. */
final class Browser implements AutoCloseable {
  private static final List<Path> PLACES =
      List.of(
          Path.of("/usr/bin/chromium"),
          Path.of("/usr/bin/chromium-browser"),
          Path.of("/usr/bin/google-chrome"),
          Path.of("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"));

  private final Playwright playwright;
  private final com.microsoft.playwright.Browser chromium;
  private final List<String> complaints = new ArrayList<>();

  /** A window. */
  record Size(int width, int height) {
    static final Size DESK = new Size(1280, 800);
    static final Size PHONE = new Size(390, 844);
  }

  private Browser(Path executable) {
    playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    chromium =
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(executable)
                    .setArgs(
                        List.of(
                            "--no-sandbox",
                            "--disable-gpu",
                            "--disable-background-networking",
                            "--disable-component-update",
                            "--disable-sync")));
  }

  /** Starts Chromium; where there is none, the test is not run. */
  static Browser open() {
    String given = System.getProperty("chromium", System.getenv("CHROMIUM"));
    List<Path> places = given == null ? PLACES : List.of(Path.of(given));
    Path found = places.stream().filter(Files::isExecutable).findFirst().orElse(null);
    Assumptions.assumeTrue(
        found != null,
        "Expected Chromium at one of %s, but found none. Install it, or give -Dchromium=PATH."
            .formatted(places));
    return new Browser(java.util.Objects.requireNonNull(found));
  }

  Page window() {
    return window(Size.DESK, ColorScheme.LIGHT);
  }

  Page window(Size size, ColorScheme scheme) {
    BrowserContext context =
        chromium.newContext(
            new com.microsoft.playwright.Browser.NewContextOptions()
                .setViewportSize(size.width(), size.height())
                .setColorScheme(scheme)
                .setReducedMotion(ReducedMotion.REDUCE)
                .setLocale("en-GB")
                .setTimezoneId("UTC"));
    context.setDefaultTimeout(10_000);
    Page page = context.newPage();
    page.onPageError(complaints::add);
    page.onConsoleMessage(message -> {
      if (message.type().equals("error") && !message.text().startsWith("Failed to load")) {
        complaints.add(message.text());
      }
    });
    return page;
  }

  /** What scripts and the content security policy complained about, in any window. */
  List<String> complaints() {
    return List.copyOf(complaints);
  }

  @Override
  public void close() {
    chromium.close();
    playwright.close();
  }
}
