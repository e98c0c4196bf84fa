package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.testkit.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Instances in an order, page by page over a socket. */
class SortedInstancesTest {
  private final ManualClock clock = new ManualClock();
  @TempDir Path folder;
  private Served served;

  @BeforeEach
  void start() {
    served = new Served(folder, Served.SETTINGS, clock, List.of());
  }

  @AfterEach
  void stop() {
    served.close();
  }

  private List<String> walked(String query) throws Exception {
    List<String> ids = new ArrayList<>();
    Object next = "";
    while (next != null) {
      Served.Answer page =
          served.get("/api/v1/instances?" + query + "&after=" + next, served.admin);
      page.list("instances").forEach(one -> ids.add(String.valueOf(((Map<?, ?>) one).get("id"))));
      assertThat(page.at("whole")).isEqualTo(true);
      next = page.json().get("next");
    }
    return ids;
  }

  @Test
  void who_waits_longest_or_was_refused_most_comes_first_over_all_pages() throws Exception {
    Actor approver = new Actor(Actor.Kind.USER, "kim", List.of("reviewer"));
    for (String id : List.of("d-1", "d-2", "d-3", "d-4", "d-5")) {
      Map<String, Object> input = Map.of("service", id.equals("d-2") ? "web" : "mail");
      served.box.submit(new Command.Start("deploy", id, input, approver, null));
      clock.advance(Duration.ofSeconds(1));
    }
    for (String id : List.of("d-2", "d-4", "d-4", "d-5")) {
      served.box.send(id, "start");
    }
    for (int i = 0; i < 2; i++) {
      served.box.submit(Command.Send.of("d-1", "approve", null).by(approver));
    }
    served.box.send("d-1", "start");
    served.box.submit(new Command.Cancel("d-3", approver, null));
    for (int most = 1; most < 5; most++) {
      String page = "&most=" + most;
      assertThat(walked("machine=deploy&order=waiting" + page))
          .containsExactly("d-2", "d-4", "d-5", "d-1");
      assertThat(walked("state=PLANNED&order=waiting" + page)).containsExactly("d-2", "d-4", "d-5");
      assertThat(walked("machine=deploy&order=refused" + page))
          .containsExactly("d-4", "d-5", "d-2");
      assertThat(walked("q=mail&order=waiting" + page)).containsExactly("d-4", "d-5", "d-1");
      assertThat(walked("q=mail&order=refused" + page)).containsExactly("d-4", "d-5");
      assertThat(walked("q=mail&order=newest" + page)).containsExactly("d-5", "d-4", "d-3", "d-1");
      assertThat(walked("q=d-3&order=waiting" + page)).containsExactly("d-3");
    }
    assertThat(walked("machine=deploy&status=ended&order=waiting")).containsExactly("d-3");
    assertThat(walked("q=web&order=due")).containsExactly("d-2");
  }

  @Test
  void a_place_in_one_order_is_none_in_another() throws Exception {
    for (String id : List.of("d-1", "d-2")) {
      served.box.submit(new Command.Start("deploy", id, Map.of(), Actor.SYSTEM, null));
      served.box.send(id, "start");
    }
    String list = "/api/v1/instances?machine=deploy&most=1&order=";
    for (String order : List.of("waiting", "refused", "newest")) {
      String next = served.get(list + order, served.admin).word("next");
      for (String other : List.of("waiting", "refused", "newest")) {
        int status = served.get(list + other + "&after=" + next, served.admin).status();
        assertThat(status).as(order + " " + other).isEqualTo(order.equals(other) ? 200 : 400);
      }
    }
    assertThat(served.get(list + "waiting&after=V0FJVElORzoxOng", served.admin).status())
        .isEqualTo(400);
  }
}
