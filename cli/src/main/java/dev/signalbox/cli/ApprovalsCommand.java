package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.kernel.machine.Durations;
import dev.signalbox.runtime.Instance;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.services.approval.Inbox;
import dev.signalbox.services.person.Authentication;
import dev.signalbox.services.person.Decider;
import dev.signalbox.services.person.Person;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox approvals}: what waits for people. */
@Command(
    name = "approvals",
    mixinStandardHelpOptions = true,
    description = "Show the requests that wait for people, the oldest first, or one of any state.")
@SuppressWarnings("NullAway.Init")
final class ApprovalsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private StoreOptions store;

  @Parameters(arity = "0..1", paramLabel = "ID", description = "Only this one, whatever its state")
  private @Nullable String id;

  @Option(names = "--mine", description = "Those that --as, a person, may answer (default: you)")
  private boolean mine;

  @Option(names = "--subject", paramLabel = "TEXT", description = "About that subject")
  private @Nullable String subject;

  @Option(names = "--requester", paramLabel = "NAME", description = "Asked by that name")
  private @Nullable String requester;

  @Option(
      names = "--older-than",
      paramLabel = "TIME",
      description = "Waiting for longer than that, such as 2h or 30m")
  private @Nullable String age;

  @Option(
      names = "--most",
      paramLabel = "N",
      converter = Count.class,
      defaultValue = "100",
      description = "How many (default ${DEFAULT-VALUE}, at most 1000)")
  private int most;

  @Option(names = "--json", description = "One line of JSON for each")
  private boolean json;

  @Override
  public Integer call() {
    store.identifyLater();
    Inbox inbox = inbox();
    List<Approval> found =
        store.at(false, desk -> id == null ? waiting(desk, inbox) : List.of(one(desk, id)));
    PrintWriter out = spec.commandLine().getOut();
    found.forEach(approval ->
        out.println(
            json
                ? Json.text(approval.asMap())
                : id == null ? text(approval) : ApprovalTeller.whole(approval)));
    if (found.isEmpty() && !json) {
      out.println("Nothing waits for people.");
    }
    out.flush();
    return 0;
  }

  private Inbox inbox() {
    Inbox inbox = Inbox.ALL.most(Math.min(most, 1_000));
    if (subject != null) {
      inbox = inbox.about(subject);
    }
    if (requester != null) {
      inbox = inbox.askedBy(requester);
    }
    return age == null
        ? inbox
        : inbox.askedBefore(InstantSource.system().instant().minus(duration(age)));
  }

  private List<Approval> waiting(Desk desk, Inbox all) {
    Inbox inbox = mine ? all.of(person(desk)) : all;
    return Pages.collect(desk, inbox.query(), Approval::of, inbox::wants, inbox.most());
  }

  /** The person whose inbox it is; looking at it takes no passphrase. */
  private Decider person(Desk desk) {
    String name = store.named() == null ? StoreOptions.account() : store.named();
    List<Person> people = desk.people();
    return people.stream()
        .filter(person -> person.isCalled(name))
        .findFirst()
        .map(person ->
            new Decider(
                person.actor(),
                new Authentication.Passphrase(),
                person.accounts(),
                person.ownAllowed() && people.size() == 1))
        .orElseThrow(() ->
            new CommandFailure(
                "Expected somebody who is enrolled, but '%s' is not. See signalbox person list."
                    .formatted(name)));
  }

  /** The request of that id, whatever its state. */
  static Approval one(Desk desk, String id) {
    Instance instance = desk.instance(id, null);
    if (!instance.machine().equals(Approvals.MACHINE)) {
      throw new CommandFailure(
          "Expected an approval, but '%s' is an instance of %s. See signalbox approvals."
              .formatted(id, instance.machine()));
    }
    return Approval.of(instance);
  }

  private Duration duration(String text) {
    return Durations.parse(text)
        .orElseThrow(() ->
            new ParameterException(
                spec.commandLine(),
                "Expected a time such as 2h or 30m after --older-than, but found '%s'."
                    .formatted(text)));
  }

  /** One of many: what, by whom, until when; all that is hashed, as it is hashed. */
  private static String text(Approval approval) {
    return """
    %s  %s risk  %s
      %s: %s%s
      asked by %s; %d of %d approved%s; expires %s
      digest %s\
    """
        .formatted(
            approval.id(),
            approval.risk().word(),
            ApprovalTeller.state(approval),
            Plain.line(ApprovalTeller.what(approval.action())),
            Plain.line(CanonicalJson.text(approval.action().arguments())),
            approval.action().identity().isEmpty()
                ? ""
                : "\n  done by " + Plain.line(CanonicalJson.text(approval.action().identity())),
            Plain.line(ApprovalTeller.chain(approval)),
            approval.approvers().size(),
            approval.quorum(),
            approval.assignedTo().isEmpty()
                ? ""
                : "; for " + Plain.line(String.join(", ", approval.assignedTo())),
            approval.expiresAt(),
            approval.digest());
  }
}
