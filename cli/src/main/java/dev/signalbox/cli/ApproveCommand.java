package dev.signalbox.cli;

import dev.signalbox.services.approval.Answer;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Approvals;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox approve}: a person says yes to one exact action. */
@Command(
    name = "approve",
    mixinStandardHelpOptions = true,
    description = {
      "Approve a request, as a person at a terminal.",
      "What is approved is shown first; then your passphrase is asked for."
    })
@SuppressWarnings("NullAway.Init")
final class ApproveCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private StoreOptions store;

  @Parameters(paramLabel = "ID", description = "The approval")
  private String id;

  @Option(
      names = "--digest",
      paramLabel = "SHA256",
      description = "Of what you saw; another one is refused (default: of what is shown now)")
  private @Nullable String digest;

  @Option(
      names = "--condition",
      paramLabel = "TEXT",
      description = "Only if; whoever uses the approval must name it as met")
  private @Nullable String condition;

  @Option(names = "--json", description = "One line of JSON")
  private boolean json;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    Deciding deciding = new Deciding(store);
    Approval approval = store.at(false, desk -> ApprovalsCommand.one(desk, id));
    if (json) {
      store.terminal().tell(ApprovalTeller.whole(approval));
    } else {
      out.println(ApprovalTeller.whole(approval));
      out.flush();
    }
    String seen = digest == null ? approval.digest() : digest;
    Map<String, String> body = new LinkedHashMap<>(Map.of("digest", seen));
    if (condition != null) {
      body.put("condition", condition);
    }
    Answer answer = new Answer.Approve(seen, condition);
    return StoreOptions.tell(
        deciding.decide(
            "approve '%s'".formatted(id),
            "/approvals/" + Remote.encoded(id) + "/approve",
            body,
            (box, decider) -> Approvals.on(box).answer(id, decider, answer, null)),
        json,
        out);
  }
}
