package dev.signalbox.cli;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.sun.net.httpserver.HttpServer;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.runtime.Command;
import dev.signalbox.server.Server;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many tabs of one browser, and other servers on the same host. */
class TabsPageTest {
  private static final LocatorAssertions.IsVisibleOptions PATIENTLY =
      new LocatorAssertions.IsVisibleOptions().setTimeout(60_000);

  private static final String BELL =
      """
      machine: bell
      states:
        HANGING: { on: { ring: RUNG } }
        RUNG: { final: true }
      """;

  @TempDir Path folder;

  private static boolean leads(Page page) {
    return Boolean.TRUE.equals(
        page.evaluate("async () => (await import('/stream.js')).stream.leads"));
  }

  private static void start(House house, String id) {
    house.box.submit(new Command.Start("bell", id, Map.of(), Server.owner("test"), null));
  }

  private static void assertAllSee(List<Page> tabs, String id) {
    for (Page tab : tabs) {
      assertThat(tab.getByText(id, new Page.GetByTextOptions().setExact(true)).first())
          .isVisible(PATIENTLY);
    }
  }

  @Test
  void ten_tabs_are_live_over_one_stream_also_after_the_one_that_reads_was_closed() {
    try (House house = House.open(folder);
        Browser browser = Browser.open()) {
      house.box.publish(MachineReader.read(new Source("bell.yaml", BELL)));
      Page first = Visit.signedIn(browser, house, "ann", "operator");
      first.setDefaultTimeout(60_000);
      List<Page> tabs = new ArrayList<>(List.of(first));
      for (int i = 1; i < 10; i++) {
        Page tab = first.context().newPage();
        tab.setDefaultTimeout(60_000);
        tabs.add(tab);
      }
      for (Page tab : tabs) {
        tab.navigate(house.address("instances?machine=bell"));
        assertThat(tab.locator(".pulse").getByText("Live")).isVisible(PATIENTLY);
      }
      assertThat(tabs.stream().filter(TabsPageTest::leads)).hasSize(1);
      start(house, "bell-one");
      assertAllSee(tabs, "bell-one");

      Page leader = tabs.stream().filter(TabsPageTest::leads).findFirst().orElseThrow();
      tabs.remove(leader);
      leader.close();
      start(house, "bell-two");
      assertAllSee(tabs, "bell-two");
      for (Page tab : tabs) {
        assertThat(tab.locator(".pulse").getByText("Live")).isVisible(PATIENTLY);
      }
      assertThat(tabs.stream().filter(TabsPageTest::leads)).hasSize(1);
      assertThat(browser.complaints()).isEmpty();
    }
  }

  @Test
  void what_the_leader_hears_reaches_the_others_without_a_gap_when_another_takes_over() {
    try (House house = House.open(folder);
        Browser browser = Browser.open()) {
      house.box.publish(MachineReader.read(new Source("bell.yaml", BELL)));
      Page leader = Visit.signedIn(browser, house, "ann", "operator");
      assertThat(leader.locator(".pulse").getByText("Live")).isVisible(PATIENTLY);
      Page follower = leader.context().newPage();
      follower.navigate(house.address("instances"));
      assertThat(follower.locator(".pulse").getByText("Live")).isVisible(PATIENTLY);
      follower.evaluate(
          "async () => { window.heard = []; (await import('/stream.js')).stream.each((entry) =>"
              + " window.heard.push(entry.instance)); }");
      start(house, "bell-0");
      follower.waitForCondition(() -> heard(follower).contains("bell-0"));
      leader.close();
      List<String> all = new ArrayList<>(List.of("bell-0"));
      for (int i = 1; i < 30; i++) {
        start(house, "bell-" + i);
        all.add("bell-" + i);
      }
      follower.waitForCondition(
          () -> heard(follower).contains("bell-29"),
          new Page.WaitForConditionOptions().setTimeout(60_000));
      assertThat(heard(follower)).containsExactlyElementsOf(all);
    }
  }

  @SuppressWarnings("unchecked")
  private static List<String> heard(Page page) {
    return ((List<Object>) page.evaluate("() => window.heard"))
        .stream().map(String::valueOf).filter(id -> id.startsWith("bell-")).toList();
  }

  @Test
  void another_server_on_the_host_can_do_nothing_with_the_cookie_it_is_sent() throws Exception {
    CompletableFuture<@Nullable String> sent = new CompletableFuture<>();
    HttpServer other =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    other.createContext(
        "/",
        exchange -> {
          sent.complete(exchange.getRequestHeaders().getFirst("Cookie"));
          byte[] body = "<p>hello".getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().add("Content-Type", "text/html");
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    other.start();
    try (House house = House.open(folder);
        Browser browser = Browser.open();
        HttpClient client = HttpClient.newHttpClient()) {
      Page page = Visit.signedIn(browser, house, "ann", "admin");
      page.navigate("http://127.0.0.1:" + other.getAddress().getPort() + "/");
      String cookie = sent.get(60, TimeUnit.SECONDS);
      assertThat(cookie).as("browsers send cookies to every port").contains("signalbox_");
      assertThat(page.evaluate("() => localStorage.getItem('signalbox.session')")).isNull();
      for (String path : List.of("/api/v1/session", "/api/v1/instances", "/api/v1/audit")) {
        HttpResponse<String> got =
            client.send(
                HttpRequest.newBuilder(URI.create(house.server.address() + path))
                    .header("Cookie", String.valueOf(cookie))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(got.statusCode()).as(path).isEqualTo(403);
        assertThat(got.body()).doesNotContain("csrf_token");
      }
      HttpResponse<String> minted =
          client.send(
              HttpRequest.newBuilder(URI.create(house.server.address() + "/api/v1/tokens"))
                  .header("Cookie", String.valueOf(cookie))
                  .header("Content-Type", "application/json")
                  .POST(
                      HttpRequest.BodyPublishers.ofString(
                          "{\"name\":\"evil\",\"roles\":[\"admin\"]}"))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(minted.statusCode()).isEqualTo(403);
    } finally {
      other.stop(0);
    }
  }

  @Test
  void a_page_that_lost_its_token_asks_to_sign_in_and_leads_back() {
    try (House house = House.open(folder);
        Browser browser = Browser.open()) {
      Page page = Visit.signedIn(browser, house, "ann", "operator");
      page.setDefaultTimeout(60_000);
      page.navigate(house.address("machines"));
      page.evaluate("() => localStorage.clear()");
      page.reload();
      page.waitForURL(url -> url.contains("/sign-in"));
      page.getByLabel("Token").fill(house.token("bob", "viewer"));
      page.getByLabel("Token").press("Enter");
      page.waitForURL(url -> url.endsWith("/#/machines"));
      assertThat(page.locator(".me")).containsText("bob");
    }
  }
}
