package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.server.access.Tokens;
import dev.signalbox.services.person.Enrolment;
import dev.signalbox.services.person.People;
import dev.signalbox.services.person.Person;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox person}: who decides. */
@Command(
    name = "person",
    mixinStandardHelpOptions = true,
    description = "Enrol, list and remove the people who decide, and change your passphrase.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      PersonCommand.Add.class,
      PersonCommand.ListAll.class,
      PersonCommand.Remove.class,
      PersonCommand.Change.class,
      PersonCommand.SelfApproval.class
    })
@SuppressWarnings("NullAway.Init")
final class PersonCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "Expected add, list, remove, passphrase or self-approval, but there is none of these.");
  }

  private static void tell(CommandSpec spec, boolean json, Map<String, ?> line, String text) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(json ? Json.text(line) : text);
    out.flush();
  }

  private static Person named(StoreOptions store, String name) {
    return store.at(false, Desk::people).stream()
        .filter(person -> person.isCalled(name))
        .findFirst()
        .orElseThrow(() ->
            new CommandFailure(
                "Expected somebody who is enrolled, but '%s' is not. See signalbox person list."
                    .formatted(name)));
  }

  /** {@code signalbox person add}. */
  @Command(
      name = "add",
      mixinStandardHelpOptions = true,
      description = {
        "Enrol somebody, who types a passphrase at this terminal.",
        "The first is enrolled by whoever sits here, every other one by a person who is an admin."
      })
  static final class Add implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private StoreOptions store;

    @Parameters(paramLabel = "NAME", description = "How the person is called")
    private String name;

    @Option(
        names = "--may",
        paramLabel = "ROLE",
        description =
            "viewer, operator, approver, admin, or one that machines ask for (default: approver and"
                + " viewer)")
    private List<String> roles = List.of();

    @Option(
        names = "--account",
        paramLabel = "NAME",
        description = "Another name under which the person acts, such as a token's")
    private List<String> accounts = List.of();

    @Option(names = "--json", description = "One line of JSON")
    private boolean json;

    @Override
    public Integer call() {
      Deciding deciding = new Deciding(store);
      AskedPerson asked = new AskedPerson(store.terminal(), StoreOptions.account());
      if (!store.terminal().isThere()) {
        throw AskedPerson.nobody("enrol '%s'".formatted(name));
      }
      List<String> may = roles == null || roles.isEmpty() ? Enrolment.OTHERS : roles;
      for (String role : may) {
        if (!Tokens.isRole(role) || role.equals("agent")) {
          throw new CommandFailure(
              "Expected roles that a person may have, but '%s' is none.".formatted(role));
        }
      }
      Person person =
          store.at(true, Desk::people).isEmpty()
              ? asked.enrolled(
                  name,
                  (enrolment, passphrase) ->
                      store.at(true, desk -> desk.enrolFirst(enrolment, passphrase)))
              : another(deciding, asked, may);
      tell(
          spec,
          json,
          person.asMap(),
          "%s is enrolled and may %s.".formatted(person.name(), String.join(", ", person.roles())));
      return 0;
    }

    private Person another(Deciding deciding, AskedPerson asked, List<String> may) {
      store.terminal().tell("The passphrase of " + Plain.line(name) + ":");
      char[] passphrase = asked.fresh();
      try {
        Enrolment enrolment =
            new Enrolment(
                name,
                may,
                accounts == null ? Set.of() : Set.copyOf(accounts),
                false,
                StoreOptions.account());
        store.terminal().tell("And yours, who enrols:");
        return deciding.as(
            "enrol '%s'".formatted(name),
            remote ->
                RemoteDesk.person(remote.post("/people", RemoteDesk.order(enrolment, passphrase))),
            (box, decider) -> People.on(box).enrol(enrolment, passphrase, decider));
      } finally {
        Arrays.fill(passphrase, '\0');
      }
    }
  }

  /** {@code signalbox person list}. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = "List the people who decide.")
  static final class ListAll implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private StoreOptions store;

    @Option(names = "--json", description = "One line of JSON for each")
    private boolean json;

    @Override
    public Integer call() {
      List<Person> all = store.at(false, Desk::people);
      all.forEach(person ->
          tell(
              spec,
              json,
              person.asMap(),
              "%s  %s  %s  enrolled by %s%s"
                  .formatted(
                      person.name(),
                      person.state(),
                      String.join(", ", person.roles()),
                      Plain.line(person.enrolledBy()),
                      person.ownAllowed() ? "; approves their own while alone" : "")));
      StoreOptions.tellNothing(!all.isEmpty(), json, spec);
      return 0;
    }
  }

  /** {@code signalbox person remove}. */
  @Command(
      name = "remove",
      mixinStandardHelpOptions = true,
      description = "Let somebody decide no more.")
  static final class Remove implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private StoreOptions store;

    @Parameters(paramLabel = "NAME", description = "Who")
    private String name;

    @Option(names = "--json", description = "One line of JSON")
    private boolean json;

    @Override
    public Integer call() {
      Deciding deciding = new Deciding(store);
      Person person = named(store, name);
      deciding.as(
          "remove '%s'".formatted(name),
          remote -> remote.post("/people/" + Remote.encoded(person.id()) + "/remove", null),
          (box, decider) -> {
            People.on(box).remove(person.name(), decider);
            return Map.of();
          });
      tell(spec, json, Map.of("removed", person.name()), person.name() + " decides no more.");
      return 0;
    }
  }

  /** {@code signalbox person passphrase}. */
  @Command(
      name = "passphrase",
      mixinStandardHelpOptions = true,
      description = "Take another passphrase, with the one that you have.")
  static final class Change implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private StoreOptions store;

    @Option(names = "--json", description = "One line of JSON")
    private boolean json;

    @Override
    public Integer call() {
      Deciding deciding = new Deciding(store);
      AskedPerson asked = new AskedPerson(store.terminal(), StoreOptions.account());
      String what = "change a passphrase";
      if (!store.terminal().isThere()) {
        throw AskedPerson.nobody(what);
      }
      char[] passphrase = asked.fresh();
      store.terminal().tell("And the one that you have:");
      deciding.as(
          what,
          remote ->
              remote.post(
                  own(remote) + "/passphrase", Map.of("passphrase", new String(passphrase))),
          (box, decider) -> {
            People.on(box).change(decider, passphrase);
            return Map.of();
          });
      Arrays.fill(passphrase, '\0');
      tell(spec, json, Map.of("changed", true), "It is changed.");
      return 0;
    }
  }

  /** {@code signalbox person self-approval}. */
  @Command(
      name = "self-approval",
      mixinStandardHelpOptions = true,
      description = "Say whether you may approve what you started, as long as nobody else could.")
  static final class SelfApproval implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private StoreOptions store;

    @Parameters(paramLabel = "allowed|refused", description = "Which")
    private String word;

    @Option(names = "--json", description = "One line of JSON")
    private boolean json;

    @Override
    public Integer call() {
      String known = Words.known(spec, "self-approval", word, List.of("allowed", "refused"));
      boolean allowed = "allowed".equals(known);
      Deciding deciding = new Deciding(store);
      deciding.as(
          "say whether you approve your own",
          remote -> remote.post(own(remote) + "/self-approval", Map.of("self_approval", word)),
          (box, decider) -> {
            People.on(box).allowOwn(decider, allowed);
            return Map.of();
          });
      tell(spec, json, Map.of("self_approval", word), "self_approval: " + word);
      return 0;
    }
  }

  /** The path of the person whose session it is. */
  private static String own(Remote remote) {
    @Nullable Object name = remote.get("/session").get("name");
    return new RemoteDesk(remote)
        .people().stream()
            .filter(person -> person.name().equals(name))
            .findFirst()
            .map(person -> "/people/" + Remote.encoded(person.id()))
            .orElseThrow(() ->
                new CommandFailure("Expected a person's session, but it is somebody else's."));
  }
}
