package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Json;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.approval.Action;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.services.approval.Asker;
import dev.signalbox.services.approval.Request;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Approvals from the command line, also as docs/approvals.md shows it. */
class ApprovalCommandsTest {
  private static final Path ROOT = Path.of(System.getProperty("project.root"));
  private static final Action DEPLOY =
      Action.of("run-42", "deploy", Map.of("version", 7, "to", "prod"))
          .by(Map.of("command", List.of("deploy.sh")));

  @TempDir Path folder;
  private String url = "";
  private String id = "";

  @BeforeEach
  void a_request_waits() {
    url = "jdbc:sqlite:" + folder.resolve("box.db");
    try (Signalbox box = Signalbox.open(url)) {
      id =
          Approvals.on(box)
              .request(
                  Request.of(
                          DEPLOY,
                          new Asker(Actor.Kind.USER, "ann", ""),
                          new Asker(Actor.Kind.AGENT, "planner", ""))
                      .quorum(2));
    }
    Enrolled.at(url, "ann", "bob", "eve");
  }

  private record Result(int code, String out) {}

  private Result run(String... args) {
    StringWriter out = new StringWriter();
    CommandLine line = Main.commandLine(new ScriptedTerminal(Enrolled.PASSPHRASE));
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(out));
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--db", url));
    return new Result(line.execute(all.toArray(String[]::new)), out.toString());
  }

  /** The commands of the page, with what stands for the reader's own. */
  private List<String[]> page() throws Exception {
    return Files.readAllLines(ROOT.resolve("docs/approvals.md")).stream()
        .filter(line -> line.startsWith("./signalbox "))
        .map(line -> line.replaceFirst(" +# .*", "").replace("./signalbox ", ""))
        .map(line -> line.replace("ID", id).replace("SHA256", DEPLOY.digest()))
        .map(line -> line.replace("backup is taken", "backup_is_taken"))
        .map(line -> line.replace("not on a Friday", "not_on_a_Friday").replace("\"", ""))
        .map(line -> line.split(" "))
        .toList();
  }

  @Test
  void the_page_s_commands_work_in_their_order() throws Exception {
    List<String[]> commands = page();
    assertThat(commands).hasSize(3);
    assertThat(run(commands.get(0)).out())
        .contains(id)
        .contains("deploy of run-42: {\"to\":\"prod\",\"version\":7}")
        .contains("done by {\"command\":[\"deploy.sh\"]}")
        .contains("digest " + DEPLOY.digest())
        .contains("asked by user ann > agent planner; 0 of 2 approved");
    Result approved = run(commands.get(1));
    assertThat(approved.code()).as(approved.out()).isZero();
    assertThat(approved.out()).contains("is in AWAITING_HUMAN");
    assertThat(run(commands.get(0)).out()).contains("Nothing waits");
    assertThat(run(commands.get(2)).out()).contains("is in ABORTED");
    assertThat(run("approvals", id).out()).contains("ABORTED (rejected)").contains("1 of 2");
    assertThat(run("verify").code()).isZero();
  }

  @Test
  void an_approval_is_one_line_of_json() throws Exception {
    Result listed = run("approvals", "--json");
    Map<?, ?> line = (Map<?, ?>) Objects.requireNonNull(Json.parse(listed.out().strip()));
    assertThat(line.get("arguments")).isEqualTo(Map.of("to", "prod", "version", 7L));
    assertThat(line.get("digest")).isEqualTo(DEPLOY.digest());
    assertThat(run("approvals", "--json", "--older-than", "2h").out()).isEmpty();
    assertThat(run("approvals", "--subject", "run-42").out()).contains(id);
    assertThat(run("approvals", "--requester", "joe").out()).contains("Nothing waits");
    assertThat(run("approve", id, "--as", "bob", "--json").out())
        .contains("\"states\":[\"AWAITING_HUMAN\"]")
        .hasLineCount(1);
  }

  @Test
  void what_is_not_allowed_says_why_and_exits_with_one() {
    Result stranger = run("approve", id, "--as", "joe");
    assertThat(stranger.code()).isEqualTo(1);
    assertThat(stranger.out()).contains("Expected a passphrase").contains("Nothing was done");
    Result believed = run("send", id, "remind", "--role", "approver");
    assertThat(believed.code()).isEqualTo(1);
    assertThat(believed.out()).contains("'approver' is a person's");
    Result system = run("send", id, "executed", "--role", "system", "--data", "{}");
    assertThat(system.code()).isEqualTo(1);
    Result own = run("approve", id, "--as", "ann");
    assertThat(own.code()).isEqualTo(1);
    assertThat(own.out()).contains("(guard-refused)");
    Result withdrawn = run("reject", id, "--as", "ann", "--reason", "x");
    assertThat(withdrawn.code()).isEqualTo(1);
    assertThat(withdrawn.out()).contains("(guard-refused)");
    Result slid = run("approve", id, "--as", "bob", "--digest", "00");
    assertThat(slid.code()).isEqualTo(1);
    Result unknown = run("reject", "nothing", "--reason", "x", "--as", "bob");
    assertThat(unknown.code()).isEqualTo(1);
    assertThat(unknown.out()).contains("there is no");
    assertThat(run("approve", "nothing").code()).isEqualTo(1);
    Result soon = run("approvals", "--older-than", "soon");
    assertThat(soon.code()).isEqualTo(2);
    assertThat(soon.out()).contains("Expected a time");
    assertThat(run("approvals", "--most", "0").code()).isEqualTo(2);
    assertThat(run("approve").code()).isEqualTo(2);
    assertThat(run("reject", id).code()).isEqualTo(2);
  }
}
