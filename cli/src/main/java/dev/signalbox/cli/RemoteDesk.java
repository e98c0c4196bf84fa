package dev.signalbox.cli;

import static dev.signalbox.cli.Remote.encoded;

import dev.signalbox.definition.Json;
import dev.signalbox.definition.MachineIdentity;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.yaml.YamlWriter;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Erasure;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.MigrationReport;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Scope;
import dev.signalbox.runtime.ScopeReport;
import dev.signalbox.services.person.Enrolment;
import dev.signalbox.services.person.Person;
import dev.signalbox.services.retention.Archives;
import dev.signalbox.services.sweep.Correction;
import dev.signalbox.services.sweep.Finding;
import dev.signalbox.services.sweep.SweepReport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The server that owns the store. Who acts is whoever the token says. */
record RemoteDesk(Remote remote) implements Desk {

  @Override
  public void publish(Machine machine) {
    String text = YamlWriter.write(machine, new Problems(machine.name()));
    Map<?, ?> _ = remote.postText("/machines?name=" + encoded(machine.name()) + ".yaml", text);
  }

  @Override
  public List<MachineIdentity> machines() {
    return list(remote.get("/machines").get("machines")).stream()
        .map(m ->
            new MachineIdentity(
                text(m.get("name")), (int) number(m.get("version")), text(m.get("digest"))))
        .toList();
  }

  @Override
  public Set<String> pausedMachines() {
    return list(remote.get("/machines").get("machines")).stream()
        .filter(m -> m.get("paused") != null)
        .map(m -> text(m.get("name")))
        .collect(Collectors.toSet());
  }

  @Override
  public Reply submit(Command command) {
    return switch (command) {
      case Command.Start start -> {
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        body.put("machine", start.machine());
        body.put("id", start.id());
        body.put("input", start.input());
        yield reply("/instances", start.key(), body);
      }
      case Command.Send send -> {
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        body.put("event", send.event());
        body.put("data", send.data());
        body.put("expected_sequence", send.expectedSequence());
        yield reply("/instances/" + encoded(send.instance()) + "/events", send.key(), body);
      }
      case Command.Migrate migrate ->
          reply(
              "/instances/" + encoded(migrate.instance()) + "/migrate",
              migrate.key(),
              Map.of("to", (long) migrate.toVersion(), "states", migrate.states()));
      case Command.Pause pause ->
          reply(
              "/instances/" + encoded(pause.instance()) + "/pause",
              pause.key(),
              clocks(pause.clocks()));
      case Command.Resume resume ->
          reply("/instances/" + encoded(resume.instance()) + "/resume", resume.key(), Map.of());
      case Command.Cancel cancel ->
          reply("/instances/" + encoded(cancel.instance()) + "/cancel", cancel.key(), Map.of());
      case Command.Fork fork -> {
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        body.put("sequence", fork.sequence());
        body.put("id", fork.id());
        yield reply("/instances/" + encoded(fork.instance()) + "/fork", fork.key(), body);
      }
      default ->
          throw new CommandFailure(
              "Expected a command that the server takes, but it takes no such one.");
    };
  }

  private static Map<String, String> clocks(Command.Clocks clocks) {
    return Map.of("clocks", clocks.name().toLowerCase(Locale.ROOT));
  }

  /** What the server answers to a request that gives a receipt. */
  Reply reply(String path, @Nullable String key, Object body) {
    try {
      Map<?, ?> receipt = remote.post(path, keyed(key), body);
      return new Reply.Accepted(
          new Receipt(
              text(receipt.get("instance")),
              number(receipt.get("sequence")),
              text(receipt.get("hash")),
              texts(receipt.get("states")),
              Boolean.TRUE.equals(receipt.get("ended"))));
    } catch (Remote.Refused refused) {
      Rejection rejection = rejection(refused.code(), String.valueOf(refused.getMessage()));
      if (rejection == null) {
        throw refused;
      }
      return new Reply.Rejected(rejection);
    }
  }

  private static Map<String, String> keyed(@Nullable String key) {
    return key == null ? Map.of() : Map.of("Idempotency-Key", key);
  }

  /** The engine's rejection of that code, or null when it is none of the engine's. */
  private static @Nullable Rejection rejection(String word, String message) {
    for (Rejection.Code code : Rejection.Code.values()) {
      if (code.word().equals(word)) {
        return new Rejection(code, message, List.of());
      }
    }
    return null;
  }

  @Override
  public Instance instance(String id, @Nullable Long at) {
    return instance(remote.get("/instances/" + encoded(id) + (at == null ? "" : "?at=" + at)));
  }

  @Override
  public List<Instance> instances(Query query) {
    return list(remote.get("/instances?" + parameters(query)).get("instances")).stream()
        .map(RemoteDesk::instance)
        .toList();
  }

  @Override
  public void each(Query query, Predicate<Instance> more) {
    String parameters = parameters(query.page(0, Query.MOST));
    boolean wanted = true;
    Object next = "";
    while (wanted && next != null) {
      Map<?, ?> page = remote.get("/instances?" + parameters + "&after=" + next);
      for (Map<?, ?> view : list(page.get("instances"))) {
        wanted = more.test(instance(view));
      }
      next = page.get("next");
    }
  }

  private static String parameters(Query query) {
    Map<String, @Nullable Object> named = new LinkedHashMap<>();
    named.put("machine", query.machine());
    named.put("state", query.state());
    named.put("parent", query.parent());
    named.put("entered_before", query.enteredBefore());
    named.put(
        "status", query.status() == null ? null : query.status().name().toLowerCase(Locale.ROOT));
    query.fields().forEach((name, value) -> named.put("field." + name, value));
    named.put("order", query.newestFirst() ? "newest" : null);
    named.put("most", query.most());
    List<String> parts = new ArrayList<>();
    named.forEach((name, value) -> {
      if (value != null) {
        parts.add(encoded(name) + "=" + encoded(value.toString()));
      }
    });
    return String.join("&", parts);
  }

  @Override
  public List<String> history(String id, boolean refusals, long from, int most) {
    List<String> bodies = new ArrayList<>();
    long next = from;
    while (bodies.size() < most) {
      int page = Math.min(1_000, most - bodies.size());
      Map<?, ?> answer =
          remote.get(
              "/instances/%s/%s?from=%d&most=%d"
                  .formatted(encoded(id), refusals ? "refusals" : "history", next, page));
      for (Map<?, ?> entry : list(answer.get("entries"))) {
        Map<Object, @Nullable Object> body = new LinkedHashMap<>(entry);
        body.remove("position");
        body.remove("hash");
        bodies.add(CanonicalJson.text(body));
      }
      if (answer.get("next") == null) {
        return bodies;
      }
      next = number(answer.get("next"));
    }
    return bodies;
  }

  @Override
  public MigrationReport stranded(String machine, int version, Map<String, String> states) {
    Map<?, ?> report =
        remote.post(
            "/machines/" + encoded(machine) + "/migration",
            Map.of("to", (long) version, "states", states));
    Map<String, Long> clean = new LinkedHashMap<>();
    ((Map<?, ?>) java.util.Objects.requireNonNull(report.get("clean")))
        .forEach((state, count) -> clean.put(text(state), number(count)));
    List<MigrationReport.Stranded> stranded =
        list(report.get("stranded")).stream()
            .map(s ->
                new MigrationReport.Stranded(
                    text(s.get("instance")),
                    (int) number(s.get("version")),
                    texts(s.get("states")),
                    text(s.get("why"))))
            .toList();
    Map<String, Long> reread = new LinkedHashMap<>();
    if (report.get("reread") instanceof Map<?, ?> given) {
      given.forEach((invariant, count) -> reread.put(text(invariant), number(count)));
    }
    return new MigrationReport(clean, stranded, number(report.get("more")), reread);
  }

  @Override
  public ScopeReport pause(Scope scope, Command.Clocks clocks, Actor actor, @Nullable String key) {
    return report(remote.post(path(scope) + "/pause", keyed(key), clocks(clocks)));
  }

  @Override
  public ScopeReport resume(Scope scope, Actor actor, @Nullable String key) {
    return report(remote.post(path(scope) + "/resume", keyed(key), Map.of()));
  }

  private static String path(Scope scope) {
    return switch (scope) {
      case Scope.OfMachine(String machine) -> "/machines/" + encoded(machine);
      case Scope.Tree(String instance) -> "/instances/" + encoded(instance) + "/tree";
    };
  }

  private static ScopeReport report(Map<?, ?> view) {
    List<ScopeReport.Refused> refused = new ArrayList<>();
    for (Map<?, ?> one : list(view.get("refused"))) {
      Rejection rejection = rejection(text(one.get("code")), text(one.get("message")));
      if (rejection != null) {
        refused.add(new ScopeReport.Refused(text(one.get("instance")), rejection));
      }
    }
    return new ScopeReport(number(view.get("done")), number(view.get("already")), refused);
  }

  @Override
  public Erasure erase(String id, Actor actor) {
    Map<?, ?> erasure = remote.post("/instances/" + encoded(id) + "/erase", Map.of());
    return new Erasure(
        texts(erasure.get("erased")), texts(erasure.get("clear")), texts(erasure.get("forks")));
  }

  @Override
  public SweepReport sweep(boolean dryRun) {
    Map<?, ?> report = remote.post("/sweeps", Map.of("dry_run", dryRun));
    Map<String, Long> counts = new LinkedHashMap<>();
    if (report.get("counts") instanceof Map<?, ?> map) {
      map.forEach((kind, count) -> counts.put(text(kind), number(count)));
    }
    return new SweepReport(
        number(report.get("scanned")),
        0,
        dryRun,
        list(report.get("findings")).stream().map(RemoteDesk::outcome).toList(),
        number(report.get("more")),
        counts);
  }

  @Override
  public Archives.@Nullable Written archive(int olderThanDays, int most, Path folder, Actor actor) {
    Map<?, ?> written =
        remote.post(
            "/archives",
            Map.of(),
            Map.of("older_than_days", (long) olderThanDays, "most", (long) most));
    return written.get("file") == null
        ? null
        : new Archives.Written(
            folder.resolve("archives").resolve(text(written.get("file"))),
            text(written.get("sha256")),
            number(written.get("instances")),
            number(written.get("kept")));
  }

  private static SweepReport.Outcome outcome(Map<?, ?> view) {
    return new SweepReport.Outcome(
        new Finding(
            text(view.get("kind")),
            text(view.get("instance")),
            text(view.get("machine")),
            0,
            texts(view.get("states")),
            text(view.get("reason")),
            Correction.of(text(view.get("correction")))),
        Boolean.TRUE.equals(view.get("corrected")),
        text(view.get("note")));
  }

  @Override
  public List<Person> people() {
    return list(remote.get("/people").get("people")).stream().map(RemoteDesk::person).toList();
  }

  @Override
  public Person enrolFirst(Enrolment enrolment, char[] passphrase) {
    return person(remote.post("/people", order(enrolment, passphrase)));
  }

  /** What enrols somebody. */
  static Map<String, Object> order(Enrolment enrolment, char[] passphrase) {
    Map<String, Object> order = new LinkedHashMap<>();
    order.put("name", enrolment.name());
    order.put("passphrase", new String(passphrase));
    order.put("roles", enrolment.roles());
    order.put("accounts", List.copyOf(enrolment.accounts()));
    order.put("self_approval", enrolment.ownAllowed() ? "allowed" : "refused");
    return order;
  }

  static Person person(Map<?, ?> view) {
    return new Person(
        text(view.get("id")),
        text(view.get("name")),
        texts(view.get("roles")),
        Set.copyOf(texts(view.get("accounts"))),
        "allowed".equals(view.get("self_approval")),
        text(view.get("enrolled_by")),
        text(view.get("state")));
  }

  @Override
  public Actor acting(Actor named) {
    Map<?, ?> session = remote.get("/session");
    return new Actor(
        Actor.Kind.valueOf(text(session.get("kind")).toUpperCase(Locale.ROOT)),
        text(session.get("name")),
        texts(session.get("roles")));
  }

  private static Instance instance(Map<?, ?> view) {
    Map<String, @Nullable Object> context = new LinkedHashMap<>();
    if (view.get("context") instanceof Map<?, ?> map) {
      map.forEach((name, value) -> context.put(text(name), value));
    }
    return new Instance(
        0,
        text(view.get("id")),
        text(view.get("machine")),
        (int) number(view.get("version")),
        view.get("parent") instanceof String parent ? parent : null,
        texts(view.get("states")),
        texts(view.get("leaves")),
        context,
        text(view.get("status")),
        number(view.get("sequence")),
        text(view.get("hash")),
        number(view.get("refusals")),
        number(view.get("since")),
        list(view.get("deadlines")).stream()
            .map(d ->
                new Instance.Deadline(
                    text(d.get("id")),
                    d.get("state") instanceof String state ? state : null,
                    text(d.get("event")),
                    number(d.get("due"))))
            .toList(),
        texts(view.get("awaited")),
        view.get("output"));
  }

  private static String text(@Nullable Object value) {
    return value instanceof String text ? text : Json.text(value);
  }

  private static long number(@Nullable Object value) {
    return value instanceof Number number ? number.longValue() : 0;
  }

  private static List<String> texts(@Nullable Object value) {
    return value instanceof List<?> list ? list.stream().map(String::valueOf).toList() : List.of();
  }

  private static List<Map<?, ?>> list(@Nullable Object value) {
    List<Map<?, ?>> maps = new ArrayList<>();
    if (value instanceof List<?> list) {
      for (Object item : list) {
        if (item instanceof Map<?, ?> map) {
          maps.add(map);
        }
      }
    }
    return maps;
  }
}
