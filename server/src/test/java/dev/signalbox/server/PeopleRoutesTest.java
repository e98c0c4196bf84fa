package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.server.access.PersonAccess;
import dev.signalbox.testkit.ManualClock;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** People over HTTP: who enrols, who decides, and what a token can't do. */
class PeopleRoutesTest {
  private static final Map<String, Object> MERGE = Map.of("subject", "repo", "action", "merge");

  @TempDir Path folder;

  private static Map<String, Object> somebody(String name) {
    return Map.of("name", name, "passphrase", Served.PASSPHRASE);
  }

  private static Map<String, Object> saying(String name, String passphrase) {
    return Map.of("person", name, "passphrase", passphrase);
  }

  @Test
  void no_token_decides_whatever_its_roles_and_none_gets_the_role() throws Exception {
    try (Served served = new Served(folder)) {
      Served.Answer asked = served.post("/api/v1/approvals", served.token("bot", "agent"), MERGE);
      String base = "/api/v1/approvals/" + asked.word("id");
      Map<String, Object> digest = Map.of("digest", asked.word("digest"));
      assertThat(served.post(base + "/approve", served.admin, digest).status()).isEqualTo(403);
      assertThat(served.post(base + "/reject", served.admin, Map.of("reason", "x")).status())
          .isEqualTo(403);
      String local = LocalToken.in(folder, served.server.tokens(), "root");
      assertThat(served.post(base + "/approve", local, digest).status()).isEqualTo(403);
      for (String door : List.of("/api/v1/instances/" + asked.word("id") + "/events")) {
        Map<String, Object> event = Map.of("event", "approve", "data", digest);
        assertThat(served.post(door, local, event).status()).isEqualTo(403);
      }
      Served.Answer made =
          served.post(
              "/api/v1/tokens",
              served.admin,
              Map.of("name", "eve", "roles", List.of("approver", "viewer")));
      assertThat(made.status()).isEqualTo(400);
      assertThat(made.word("detail")).contains("a person's");
      assertThat(served.get(base, served.admin).at("state")).isEqualTo("AWAITING_HUMAN");
    }
  }

  @Test
  void the_first_is_enrolled_by_an_admin_and_all_others_by_people() throws Exception {
    try (Served served = new Served(folder)) {
      assertThat(
              served
                  .post("/api/v1/people", served.token("o", "operator"), somebody("kim"))
                  .status())
          .isEqualTo(403);
      assertThat(served.post("/api/v1/people", served.admin, somebody("kim")).status())
          .isEqualTo(201);
      Served.Answer second = served.post("/api/v1/people", served.admin, somebody("eve"));
      assertThat(second.status()).isEqualTo(403);
      assertThat(second.at("code")).isEqualTo("passphrase-needed");

      String session = served.session(served.admin);
      assertThat(served.get("/api/v1/session", session).at("passphrase_needed")).isEqualTo(true);
      assertThat(
              served.post("/api/v1/session/person", session, saying("kim", "wrong one")).at("code"))
          .isEqualTo("wrong-passphrase");
      Served.Answer said =
          served.post("/api/v1/session/person", session, saying("kim", Served.PASSPHRASE));
      assertThat(said.at("name")).isEqualTo("kim");
      assertThat(said.at("passphrase_needed")).isEqualTo(false);
      assertThat(served.post("/api/v1/people", session, somebody("eve")).status()).isEqualTo(201);
      assertThat(served.post("/api/v1/people", session, somebody("Eve")).status()).isEqualTo(409);
      assertThat(served.get("/api/v1/people", session).text())
          .contains("\"kim\"", "\"eve\"")
          .doesNotContain("hash", "salt");
    }
  }

  @Test
  void nobody_is_shown_what_is_kept_of_a_passphrase() throws Exception {
    try (Served served = new Served(folder)) {
      String kim = served.person("kim", "admin", "approver", "operator", "viewer");
      String id =
          String.valueOf(
              ((Map<?, ?>) served.get("/api/v1/people", kim).list("people").getFirst()).get("id"));
      for (String caller : List.of(served.admin, kim)) {
        for (String path :
            List.of("/api/v1/instances/" + id, "/api/v1/instances/" + id + "/history")) {
          assertThat(served.get(path, caller).status()).as(path).isEqualTo(403);
        }
        assertThat(served.get("/api/v1/instances?machine=person", caller).text())
            .doesNotContain("pbkdf2");
      }
    }
  }

  @Test
  void the_passphrase_is_remembered_for_some_minutes_and_then_asked_for_again() throws Exception {
    ManualClock clock = new ManualClock();
    Signalbox box =
        Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"), Settings.DEFAULT, clock);
    try (Served served = new Served(box, folder, Served.SETTINGS, clock, List.of())) {
      String kim = served.person("kim", "approver");
      Served.Answer asked = served.post("/api/v1/approvals", served.token("bot", "agent"), MERGE);
      String base = "/api/v1/approvals/" + asked.word("id");
      Map<String, Object> digest = Map.of("digest", asked.word("digest"));
      assertThat(served.get(base, kim).at("passphrase_needed")).isEqualTo(false);
      clock.advance(PersonAccess.REMEMBERED);
      assertThat(served.get(base, kim).at("passphrase_needed")).isEqualTo(true);
      assertThat(served.post(base + "/approve", kim, digest).status()).isEqualTo(403);
      assertThat(
              served.post("/api/v1/session/person", kim, saying("kim", Served.PASSPHRASE)).status())
          .isEqualTo(200);
      assertThat(served.post(base + "/approve", kim, digest).status()).isEqualTo(200);
      assertThat(served.get(base, kim).list("approvers")).isEqualTo(List.of("kim"));
    }
  }

  @Test
  void an_agent_says_no_passphrase_and_five_wrong_ones_are_enough() throws Exception {
    try (Served served = new Served(folder)) {
      served.person("kim", "approver");
      String agent = served.session(served.token("bot", "agent"));
      assertThat(
              served
                  .post("/api/v1/session/person", agent, saying("kim", Served.PASSPHRASE))
                  .status())
          .isEqualTo(403);
      assertThat(
              served
                  .post("/api/v1/session/person", served.admin, saying("kim", Served.PASSPHRASE))
                  .status())
          .isEqualTo(400);
      String session = served.session(served.admin);
      for (int i = 0; i < 5; i++) {
        assertThat(
                served
                    .post("/api/v1/session/person", session, saying("kim", "wrong " + i))
                    .status())
            .isEqualTo(403);
      }
      assertThat(
              served
                  .post("/api/v1/session/person", session, saying("kim", Served.PASSPHRASE))
                  .status())
          .isEqualTo(429);
    }
  }
}
