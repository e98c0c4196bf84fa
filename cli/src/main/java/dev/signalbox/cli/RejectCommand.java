package dev.signalbox.cli;

import dev.signalbox.services.approval.Answer;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Approvals;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox reject}: a person says no. */
@Command(
    name = "reject",
    mixinStandardHelpOptions = true,
    description = "Reject a request for everybody, as a person at a terminal.")
@SuppressWarnings("NullAway.Init")
final class RejectCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private StoreOptions store;

  @Parameters(paramLabel = "ID", description = "The approval")
  private String id;

  @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Why not")
  private String reason;

  @Option(names = "--json", description = "One line of JSON")
  private boolean json;

  @Override
  public Integer call() {
    Deciding deciding = new Deciding(store);
    Approval approval = store.at(false, desk -> ApprovalsCommand.one(desk, id));
    store.terminal().tell(ApprovalTeller.whole(approval));
    Answer answer = new Answer.Reject(reason);
    return StoreOptions.tell(
        deciding.decide(
            "reject '%s'".formatted(id),
            "/approvals/" + Remote.encoded(id) + "/reject",
            Map.of("reason", reason),
            (box, decider) -> Approvals.on(box).answer(id, decider, answer, null)),
        json,
        spec.commandLine().getOut());
  }
}
