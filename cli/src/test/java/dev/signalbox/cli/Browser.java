package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/** The machine's own Chromium, each window with a profile of its own. Nothing is downloaded. */
final class Browser implements AutoCloseable {
  private static final List<Path> PLACES =
      List.of(
          Path.of("/usr/bin/chromium"),
          Path.of("/usr/bin/chromium-browser"),
          Path.of("/usr/bin/google-chrome"),
          Path.of("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"));

  /** Started once for all tests of this process, which are on one thread; it ends with it. */
  private static com.microsoft.playwright.@Nullable Browser started;

  private final com.microsoft.playwright.Browser chromium;
  private final List<BrowserContext> windows = new ArrayList<>();
  private final List<String> complaints = new ArrayList<>();

  /** A window. */
  record Size(int width, int height) {
    static final Size DESK = new Size(1280, 800);
    static final Size PHONE = new Size(390, 844);
  }

  private Browser(com.microsoft.playwright.Browser chromium) {
    this.chromium = chromium;
  }

  private static com.microsoft.playwright.Browser launched(Path executable) {
    Playwright playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    return playwright
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

  /** Windows of Chromium; where there is none, the test is not run, but in CI it fails. */
  static Browser open() {
    String given = System.getProperty("chromium", System.getenv("CHROMIUM"));
    List<Path> places = given == null ? PLACES : List.of(Path.of(given));
    Path found = places.stream().filter(Files::isExecutable).findFirst().orElse(null);
    String missing =
        "Expected Chromium at one of %s, but found none. Install it, or give -Dchromium=PATH."
            .formatted(places);
    if ("true".equals(System.getenv("CI"))) {
      assertThat(found).as(missing).isNotNull();
    }
    Assumptions.assumeTrue(found != null, missing);
    com.microsoft.playwright.Browser running = started;
    if (running == null || !running.isConnected()) {
      running = launched(java.util.Objects.requireNonNull(found));
      started = running;
    }
    return new Browser(running);
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
    windows.add(context);
    context.setDefaultTimeout(60_000);
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
    windows.forEach(BrowserContext::close);
  }
}
