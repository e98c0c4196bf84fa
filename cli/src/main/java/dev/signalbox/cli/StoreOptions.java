package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.RejectedException;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.runtime.Why;
import dev.signalbox.server.LocalToken;
import dev.signalbox.server.access.Tokens;
import dev.signalbox.services.person.Decider;
import dev.signalbox.services.person.EnrolmentException;
import dev.signalbox.services.person.People;
import dev.signalbox.services.person.Person;
import dev.signalbox.services.person.Proof;
import dev.signalbox.systems.runs.file.RunFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.System.Logger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Which store a command works on, and who does it. */
@SuppressWarnings("NullAway.Init")
final class StoreOptions {
  private static final Logger LOG = System.getLogger(StoreOptions.class.getName());

  /** How long a command waits at its end until what it did has arrived everywhere. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  static final String SQLITE = "jdbc:sqlite:";

  /** Where {@code up} keeps its store when nobody says otherwise. */
  static final String USUAL = "jdbc:sqlite:.signalbox/signalbox.db";

  @Option(
      names = "--db",
      paramLabel = "URL",
      defaultValue = USUAL,
      description = "The store (default ${DEFAULT-VALUE}); also jdbc:postgresql://HOST/DATABASE")
  private String url;

  @Option(
      names = "--as",
      paramLabel = "NAME",
      description = "Who does it; a person who is enrolled says the passphrase (default: you)")
  private @Nullable String name;

  @Option(
      names = "--role",
      paramLabel = "ROLE",
      description = "A role of who does it; may be given several times; approver is a person's")
  private List<String> roles = List.of();

  @Option(
      names = "--runs",
      paramLabel = "FOLDER",
      description = "The folders of the runs (default: runs, beside the store)")
  private @Nullable Path runs;

  /** The store's address. */
  String url() {
    return url;
  }

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  /** Who said the passphrase at the terminal for this command. */
  private @Nullable Decider decider;

  /** Whether who acts is found out later, by what {@link Deciding} asks. */
  private boolean later;

  /** Looks at the store as whoever the token says, until somebody is asked who decides. */
  void identifyLater() {
    later = true;
  }

  /** The name that was given, or null. */
  @Nullable String named() {
    return name;
  }

  /** The name of whoever is logged in here. */
  static String account() {
    String user = System.getProperty("user.name");
    return user == null || user.isBlank() ? "owner" : user;
  }

  /** Options that hold these options are part of the command themselves. */
  void partOf(CommandSpec command) {
    spec = command;
  }

  /** Where a person may sit. */
  Terminal terminal() {
    return Main.terminal(spec);
  }

  /**
   * Who does it: the person who said the passphrase, or a name that the command line gives by
   * itself. Such a name has no role by which people or the engine's own parts are known.
   */
  Actor actor() {
    if (decider != null) {
      return decider.deciding(List.of());
    }
    List<String> given = roles == null ? List.of() : roles;
    for (String role : given) {
      if (role.equals(People.APPROVER)) {
        throw new CommandFailure(
            "Expected a role that an option gives, but 'approver' is a person's. Give --as NAME of"
                + " somebody who is enrolled, at a terminal; 'signalbox person add' enrols.");
      }
      if (!Tokens.isRole(role)) {
        throw new CommandFailure(
            "Expected a role that people and programs may have, but '%s' is none.".formatted(role));
      }
    }
    return new Actor(Actor.Kind.USER, name == null ? account() : name, given);
  }

  /**
   * Whoever is named and enrolled says the passphrase first: nobody acts under a person's name
   * without it.
   */
  private void identify(Signalbox box) {
    String given = name;
    if (given == null || later || decider != null) {
      return;
    }
    List<Person> enrolled = new LocalDesk(box).people();
    for (Person person : enrolled) {
      if (person.isCalled(given)) {
        decider = proved(People.on(box), person.name());
        return;
      }
    }
  }

  private Decider proved(People people, String person) {
    if (!terminal().isThere()) {
      throw AskedPerson.nobody("act as '%s'".formatted(person));
    }
    return new AskedPerson(terminal(), account())
        .proved(
            person,
            passphrase ->
                switch (people.prove(person, passphrase, "terminal")) {
                  case Proof.Proved(Person _, Decider found) -> found;
                  case Proof.Wrong() -> null;
                  case Proof.Locked() -> throw Deciding.locked(person);
                });
  }

  @Option(
      names = "--api-token",
      paramLabel = "TOKEN",
      defaultValue = "${env:SIGNALBOX_TOKEN}",
      description = "Of a server that is up on the store (default: the data folder's own)")
  private @Nullable String token;

  /**
   * Works where the store is: through the server that is up on it, or on the store itself.
   *
   * @param making whether a store that is not there is made
   */
  <T extends @Nullable Object> T at(boolean making, Function<Desk, T> work) {
    try (Remote remote = remote()) {
      if (remote != null) {
        return work.apply(new RemoteDesk(remote));
      }
    } catch (Remote.Refused e) {
      throw new CommandFailure("%s (%s)".formatted(e.getMessage(), e.code()));
    }
    return making
        ? making(box -> work.apply(new LocalDesk(box)))
        : with(box -> work.apply(new LocalDesk(box)));
  }

  /**
   * Asks a service: at the server that is up, or the one that the command makes on the store.
   *
   * @param path of the server's route, which answers with a receipt
   */
  Reply ask(String path, Object body, Function<Signalbox, Reply> locally) {
    try (Remote remote = remote()) {
      if (remote != null) {
        return new RemoteDesk(remote).reply(path, null, body);
      }
    } catch (Remote.Refused e) {
      throw new CommandFailure("%s (%s)".formatted(e.getMessage(), e.code()));
    }
    return with(locally);
  }

  /** The server that is up on the store, or null when there is none. */
  @Nullable Remote remote() {
    if (!url.startsWith(SQLITE)) {
      return null;
    }
    Path file = Path.of(url.substring(SQLITE.length()));
    String address = SqliteJournal.announced(file);
    if (address == null || !Remote.isUp(address)) {
      return null;
    }
    Remote remote = new Remote(address, token == null || token.isBlank() ? local(file) : token);
    return later || (name == null && (roles == null || roles.isEmpty()))
        ? remote
        : asPerson(remote);
  }

  /** At a server whoever the token says acts, or a person who says the passphrase. */
  private Remote asPerson(Remote remote) {
    String given = name;
    List<Person> enrolled = given == null ? List.of() : new RemoteDesk(remote).people();
    for (Person person : enrolled) {
      if (given != null && person.isCalled(given)) {
        if (!terminal().isThere()) {
          throw AskedPerson.nobody("act as '%s'".formatted(person.name()));
        }
        return new AskedPerson(terminal(), account())
            .proved(person.name(), passphrase -> remote.asPerson(person.name(), passphrase));
      }
    }
    throw new CommandFailure(
        "Expected whoever the token says to act, or a person who is enrolled, but found --as or --role of another while %s is up. Give --api-token instead: 'signalbox token create' makes one."
            .formatted(remote.address()));
  }

  private static String local(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    Path kept = LocalToken.file(folder == null ? Path.of(".") : folder);
    try {
      return Files.readString(kept).strip();
    } catch (IOException e) {
      throw new CommandFailure(
          "Expected the token of the server in %s, but it can't be read. Give --api-token."
              .formatted(kept));
    }
  }

  /** Where the store keeps what belongs to it: beside its file, or where a server would keep it. */
  Path folder() {
    return folder(url);
  }

  /** Where the store with the address keeps what belongs to it. */
  static Path folder(String url) {
    Path file = file(url);
    Path beside = file == null ? Path.of(".signalbox") : file.toAbsolutePath().getParent();
    return beside == null ? Path.of(".") : beside;
  }

  /** The file that a store is in, or null. */
  private static @Nullable Path file(String url) {
    return url.startsWith(SQLITE) ? Path.of(url.substring(SQLITE.length())) : null;
  }

  /** Everything that belongs to a store wherever it lies, which nothing that a plan starts sees. */
  static List<Path> kept(String url) {
    List<Path> kept = new ArrayList<>();
    String keys = System.getenv("SIGNALBOX_KEYS");
    if (keys != null && !keys.isBlank()) {
      kept.add(Path.of(keys));
    }
    Path named = file(url);
    if (named != null) {
      for (Path file : List.of(named.toAbsolutePath(), SqliteJournal.located(named))) {
        kept.add(file);
        for (String beside : List.of("-wal", "-shm", "-journal", ".lock")) {
          kept.add(file.resolveSibling(file.getFileName() + beside));
        }
        kept.add(file.resolveSibling(SqliteJournal.KEYS));
      }
    }
    return kept;
  }

  /**
   * The keys of the store with the address; a database's, where nothing else is said, are where a
   * server would keep them, if they are there.
   */
  static @Nullable Keyring keyring(String url) {
    Keyring keyring = Keyring.of(url);
    Path usual = folder(url).resolve(SqliteJournal.KEYS);
    return keyring == null && Files.isDirectory(usual) ? Keyring.at(usual) : keyring;
  }

  /** Where the runs of the store have their folders. */
  Path runs() {
    return runs == null ? folder().resolve("runs") : runs;
  }

  /** Works on a store that is there, and closes it. */
  <T extends @Nullable Object> T with(Function<Signalbox, T> work) {
    refuseLost(url);
    if (url.startsWith(SQLITE) && Files.notExists(Path.of(url.substring(SQLITE.length())))) {
      throw new CommandFailure(
          "Expected a store at %s, but there is none. Publish a machine first, or give --db."
              .formatted(url));
    }
    return making(work);
  }

  /**
   * Refuses a store that is gone while something of it is still there: what it held is not to be
   * replaced by an empty one without a word.
   */
  static void refuseLost(String url) {
    if (!url.startsWith(SQLITE)) {
      return;
    }
    Path file = Path.of(url.substring(SQLITE.length()));
    String loss = SqliteJournal.loss(file);
    if (loss != null) {
      throw new CommandFailure(loss);
    }
    Path token = LocalToken.file(file.toAbsolutePath().resolveSibling("."));
    if (file.endsWith("signalbox.db")
        && Files.notExists(SqliteJournal.located(file))
        && Files.exists(token)) {
      throw new CommandFailure(
          ("Expected the store '%s', but it is gone, while its token '%s' is still there. Bring the"
                  + " store back from a backup. To give up what it held and begin anew, move the"
                  + " token away first.")
              .formatted(file, token.normalize()));
    }
  }

  /**
   * Works on a store, which is made when there is none, and closes it when what was done has
   * arrived everywhere. The files of the runs that something happened to show it then.
   */
  <T extends @Nullable Object> T making(Function<Signalbox, T> work) {
    try (Signalbox box = ShippedSystems.open(url, InstantSource.system(), keyring(url))) {
      box.readAtClose(since -> refresh(box, since));
      identify(box);
      T result = work.apply(box);
      boolean _ = box.rest(PATIENCE);
      return result;
    } catch (JournalException
        | RejectedException
        | EnrolmentException
        | IllegalArgumentException e) {
      throw new CommandFailure(Why.of(e));
    }
  }

  /** What the command did is in the store, whether the files can be written or not. */
  private void refresh(Signalbox box, long since) {
    Path folder = runs();
    if (Files.isDirectory(folder)) {
      try {
        RunFiles.refresh(box, folder, since);
      } catch (RuntimeException e) {
        String why =
            String.valueOf(
                e.getCause() instanceof IOException io ? io.getMessage() : e.getMessage());
        LOG.log(
            Logger.Level.WARNING,
            "Expected to write the files of the runs in {0}, but it fails: {1}. The store has"
                + " everything; the next command that changes a run writes them.",
            folder,
            why);
      }
    }
  }

  /** Tells what became of a command; the answer is the exit code. */
  static int tell(Reply reply, boolean json, PrintWriter out) {
    switch (reply) {
      case Reply.Accepted(Receipt receipt) -> {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("instance", receipt.instance());
        line.put("sequence", receipt.sequence());
        line.put("states", receipt.states());
        line.put("ended", receipt.ended());
        line.put("hash", receipt.hash());
        out.println(
            json
                ? Json.text(line)
                : "%s is in %s (entry %d)"
                    .formatted(
                        receipt.instance(),
                        String.join(", ", receipt.states()),
                        receipt.sequence()));
      }
      case Reply.Rejected(Rejection rejection) ->
          out.println(
              json
                  ? Json.text(
                      Map.of("code", rejection.code().word(), "message", rejection.message()))
                  : "%s (%s)".formatted(rejection.message(), rejection.code().word()));
    }
    out.flush();
    return reply instanceof Reply.Accepted ? 0 : 1;
  }

  /**
   * Tells that nothing was found, where a person would see nothing at all.
   *
   * @param any whether something was
   */
  static void tellNothing(boolean any, boolean json, CommandSpec spec) {
    if (!any && !json) {
      spec.commandLine().getErr().println("Nothing fits.");
      spec.commandLine().getErr().flush();
    }
  }

  /** The JSON that an option holds, or null when it is not given. */
  static @Nullable Object json(CommandSpec spec, @Nullable String text, String option) {
    try {
      return text == null ? null : Json.parse(text);
    } catch (Json.SyntaxException e) {
      throw new ParameterException(
          spec.commandLine(),
          "Expected JSON after %s, but found '%s': %s.".formatted(option, text, e.getMessage()));
    }
  }
}
