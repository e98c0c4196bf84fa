package dev.signalbox.services.approval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Signalbox;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The example of docs/approvals.md, as it stands there. */
class ApprovalExampleTest {
  private static final Path ROOT = Path.of(System.getProperty("project.root"));

  @Test
  void the_example_runs() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (Signalbox box = Signalbox.open("memory:")) {
      example(box, new PrintStream(bytes, true, StandardCharsets.UTF_8));
    }
    assertThat(bytes.toString(StandardCharsets.UTF_8)).contains("deployed {").contains("version=7");
  }

  @Test
  void the_page_shows_what_runs_here() throws IOException {
    String here =
        Files.readString(
            ROOT.resolve(
                "services/src/test/java/dev/signalbox/services/approval/ApprovalExampleTest.java"));
    String own =
        here.substring(
                here.lastIndexOf("// example\n") + 11, here.lastIndexOf("    // end of example"))
            .replace("out.println", "System.out.println")
            .replaceAll("(?m)^    ", "");
    Matcher fence =
        Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(ROOT.resolve("docs/approvals.md")));
    assertThat(fence.find()).isTrue();
    assertThat(fence.group(1)).isEqualTo(own);
  }

  private static void example(Signalbox box, PrintStream out) throws Exception {
    Actor ann = ApprovalsTest.ANN;
    Actor planner = new Actor(Actor.Kind.AGENT, "planner", List.of());
    Actor bob = ApprovalsTest.BOB;
    Actor eve = ApprovalsTest.EVE;
    // example
    Approvals approvals = Approvals.on(box);
    Action deploy = Action.of("run-42", "deploy", Map.of("to", "prod", "version", 7));
    String id =
        approvals.request(
            Request.of(deploy, Asker.of(ann), Asker.of(planner)) // ann asked the agent, it asks us
                .quorum(2)
                .expiresIn(Duration.ofHours(4)));

    approvals.approve(id, bob, deploy.digest());
    approvals.approve(id, eve, deploy.digest(), "backup is taken");

    Terms terms = Terms.NONE.meeting("backup is taken");
    switch (approvals.execute(id, deploy, terms, action -> "deployed " + action.arguments())) {
      case Execution.Done<String>(String result) -> out.println(result);
      case Execution.Rejected<String>(Claim.Rejected why) -> out.println(why.message());
    }
    // end of example
  }
}
