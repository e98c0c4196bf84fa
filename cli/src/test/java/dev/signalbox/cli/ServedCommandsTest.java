package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.server.LocalToken;
import dev.signalbox.server.Server;
import dev.signalbox.server.ServerSettings;
import dev.signalbox.services.approval.Action;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.services.approval.Asker;
import dev.signalbox.services.approval.Request;
import dev.signalbox.services.lock.Locks;
import dev.signalbox.services.task.NewTask;
import dev.signalbox.services.task.TaskQueue;
import dev.signalbox.services.worker.Workers;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Whatever works on a store works through the server that is up on it, and says the same. */
@SuppressWarnings("NullAway.Init")
class ServedCommandsTest {
  private static final String MACHINES =
      """
      machine: order
      context:
        name: { type: string, default: "", personal: true }
      states:
        PACKING:
          after: { 1h: LATE }
          invoke: { machine: parcel, id: parcel }
          on: { stop: STOPPED, call: { assign: { name: event.name } }, done.invoke.parcel: STOPPED }
        LATE: { final: true }
        STOPPED: { final: true }
      ---
      machine: parcel
      states:
        OPEN: { waits: somebody, on: { close: CLOSED } }
        CLOSED: { final: true }
      """;

  private Terminal terminal = Terminal.NONE;
  @TempDir Path folder;
  private Signalbox box;
  private Server server;

  @BeforeEach
  void a_server_is_up() throws Exception {
    InstantSource clock = InstantSource.system();
    String url = "jdbc:sqlite:" + folder.resolve("signalbox.db");
    box = Signalbox.open(url, Settings.DEFAULT, clock);
    server =
        Server.start(
            box, List.of(), ServerSettings.DEFAULT.at("127.0.0.1", 0).folder(folder), clock);
    LocalToken.in(folder, server.tokens(), "ann");
    ((SqliteJournal) box.journal()).announce(server.address());
    MachineReader.readAll(new Source("order.yaml", MACHINES), null)
        .forEach(d -> box.publish(java.util.Objects.requireNonNull(d.machine())));
  }

  @AfterEach
  void it_ends() {
    server.close();
    box.close();
  }

  private record Result(int exit, String out, String err) {}

  private Result run(String... args) {
    CommandLine line = Main.commandLine(terminal);
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--db", "jdbc:sqlite:" + folder.resolve("signalbox.db")));
    int exit = line.execute(all.toArray(String[]::new));
    return new Result(exit, out.toString(), err.toString());
  }

  private String token(String name, String role, String... more) {
    List<String> words = new ArrayList<>(List.of("token", "create", name, "--may", role));
    words.addAll(List.of(more));
    return run(words.toArray(String[]::new)).out().strip();
  }

  private static String id(CompletableFuture<Reply> reply) {
    return ((Reply.Accepted) reply.join()).receipt().instance();
  }

  /** What there is once the engine has done what it does by itself. */
  private static <T> T until(Supplier<@Nullable T> look) {
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    T found = look.get();
    while (found == null) {
      assertThat(System.nanoTime()).as("what happens by itself").isLessThan(end);
      LockSupport.parkNanos(10_000_000);
      found = look.get();
    }
    return found;
  }

  /** Starts an order, and waits until its parcel is there. */
  private String started(String id) {
    assertThat(run("start", "order", "--id", id).exit()).isZero();
    return until(() -> {
      List<dev.signalbox.runtime.Instance> below =
          box.instances(dev.signalbox.journal.Query.ALL.below(id));
      return below.isEmpty() ? null : below.getFirst().id();
    });
  }

  @Test
  void an_instance_stands_still_and_goes_on() {
    started("o-1");
    Result paused = run("pause", "o-1", "--key", "k", "--json");
    assertThat(paused.exit()).isZero();
    assertThat(paused.out())
        .contains("{\"instance\":\"o-1\",\"sequence\":2,\"states\":[\"PACKING\"]");
    assertThat(run("pause", "o-1", "--key", "k", "--json").out()).isEqualTo(paused.out());
    Result again = run("pause", "o-1");
    assertThat(again.exit()).isEqualTo(1);
    assertThat(again.out()).contains("(instance-paused)");
    assertThat(box.instance("o-1").status()).isEqualTo("paused");
    assertThat(run("history", "o-1").out()).contains("(pause) by ann");
    assertThat(run("resume", "o-1").exit()).isZero();
    assertThat(run("pause", "o-1", "--clocks", "running").exit()).isZero();
    assertThat(run("history", "o-1", "--json").out()).contains("\"timers\":\"running\"");
    assertThat(run("resume", "nobody").out()).contains("(unknown-instance)");
    assertThat(run("cancel", "o-1").out()).contains("o-1 is in");
    assertThat(box.instance("o-1").status()).isEqualTo("ended");
  }

  @Test
  void a_tree_stands_still_and_goes_on() {
    String parcel = started("o-1");
    assertThat(run("pause", "o-1", "--tree", "--json").out().strip())
        .isEqualTo("{\"done\":2,\"already\":0,\"refused\":[]}");
    assertThat(box.instance(parcel).status()).isEqualTo("paused");
    assertThat(run("resume", "o-1", "--tree").out()).contains("2 resumed, 0 were so already");
    assertThat(box.instance(parcel).status()).isEqualTo("live");
    Result unknown = run("pause", "nobody", "--tree");
    assertThat(unknown.exit()).isEqualTo(1);
    assertThat(unknown.err()).contains("nobody");
  }

  @Test
  void a_machine_stands_still_and_goes_on() {
    started("o-1");
    assertThat(run("pause", "--machine", "order", "--clocks", "running", "--json").out().strip())
        .isEqualTo("{\"done\":1,\"already\":0,\"refused\":[]}");
    assertThat(run("machines").out()).contains("paused");
    assertThat(run("start", "order").out()).contains("(machine-paused)");
    assertThat(run("resume", "--machine", "order").out()).contains("1 resumed");
    assertThat(run("start", "order").exit()).isZero();
    Result unknown = run("pause", "--machine", "nothing");
    assertThat(unknown.exit()).isEqualTo(1);
    assertThat(unknown.err()).contains("unknown-machine");
    assertThat(run("pause", "--machine", "order", "o-1").exit()).isEqualTo(2);
  }

  @Test
  void a_new_version_tells_whom_it_would_strand_and_takes_the_others_along() throws Exception {
    String parcel = started("o-1");
    Path file = folder.resolve("parcel.yaml");
    String open = "  OPEN: { waits: somebody, on: { close: CLOSED } }\n";
    String rest = "  CLOSED: { final: true }\n";
    Files.writeString(
        file, "machine: parcel\nversion: 2\nstates:\n" + open.replace("OPEN", "WRAPPED") + rest);
    Result published = run("publish", file.toString(), "--json");
    assertThat(published.exit()).isZero();
    assertThat(published.out())
        .startsWith("{\"machine\":\"parcel\",\"version\":2,\"clean\":{},\"stranded\":[{")
        .contains(parcel);
    assertThat(run("publish", file.toString()).out()).contains("stranded: " + parcel);
    Result stranded = run("migrate", "parcel", "--to", "2");
    assertThat(stranded.exit()).isEqualTo(1);
    assertThat(stranded.out()).contains("stranded: " + parcel).contains("0 migrated");
    Result dry = run("migrate", "parcel", "--to", "2", "--map", "OPEN=WRAPPED", "--dry-run");
    assertThat(dry.exit()).isZero();
    assertThat(dry.out()).contains("1 in OPEN go along").contains("nothing was changed");
    assertThat(box.instance(parcel).version()).isEqualTo(1);
    assertThat(run("migrate", "parcel", "--to", "2", "--map", "OPEN=WRAPPED").out())
        .contains("1 migrated");
    assertThat(box.instance(parcel).leaves()).containsExactly("WRAPPED");
    assertThat(run("history", parcel).out()).contains("(migrate) by ann");
  }

  @Test
  void who_may_not_is_refused() {
    started("o-1");
    String viewer = token("bob", "viewer");
    for (String[] words :
        new String[][] {
          {"pause", "o-1"},
          {"resume", "o-1"},
          {"pause", "o-1", "--tree"},
          {"pause", "--machine", "order"},
          {"cancel", "o-1"},
          {"erase", "o-1"},
          {"sweep"},
          {"fork", "o-1", "--at", "1"},
          {"archive"},
        }) {
      List<String> all = new ArrayList<>(List.of(words));
      all.addAll(List.of("--api-token", viewer));
      Result refused = run(all.toArray(String[]::new));
      assertThat(refused.exit()).as(String.join(" ", words)).isEqualTo(1);
      assertThat(refused.err()).as(String.join(" ", words)).contains("(forbidden)");
    }
    String one = token("eve", "operator", "--instance", "o-1");
    assertThat(run("pause", "--machine", "order", "--api-token", one).err()).contains("forbidden");
    assertThat(run("pause", "o-1", "--tree", "--api-token", one).err()).contains("forbidden");
    assertThat(box.instance("o-1").status()).isEqualTo("live");
    assertThat(run("pause", "o-1", "--api-token", one).exit()).isZero();
  }

  @Test
  void personal_data_is_erased() {
    started("o-1");
    run("send", "o-1", "call", "--data", "{\"name\":\"Zaphod\"}");
    assertThat(run("erase", "o-1").err()).contains("has not ended").contains("(not-ended)");
    run("cancel", "o-1");
    String parcel = box.instances(dev.signalbox.journal.Query.ALL.below("o-1")).getFirst().id();
    until(() -> box.instance(parcel).status().equals("ended") ? parcel : null);
    assertThat(run("erase", "o-1", "--json").out().strip())
        .isEqualTo("{\"erased\":[\"%s\",\"o-1\"],\"clear\":[],\"forks\":[]}".formatted(parcel));
    assertThat(run("history", "o-1", "--json").out()).doesNotContain("Zaphod");
    assertThat(run("verify").out()).contains("all as they were written");
  }

  @Test
  void a_new_one_begins_where_another_was() {
    started("o-1");
    run("send", "o-1", "stop");
    Result begun = run("fork", "o-1", "--at", "1", "--id", "o-2");
    assertThat(begun.exit()).isZero();
    assertThat(box.instance("o-2").leaves()).containsExactly("PACKING");
    assertThat(run("fork", "o-1", "--at", "99").err() + run("fork", "o-1", "--at", "99").out())
        .contains("o-1");
    assertThat(run("fork", "o-1", "--at", "2").out()).contains("(instance-final)");
    assertThat(run("fork", "o-1").exit()).isEqualTo(2);
  }

  @Test
  void what_has_ended_goes_into_an_archive_that_verifies() throws Exception {
    String parcel = started("o-1");
    started("o-2");
    assertThat(run("archive", "--older-than", "0").out()).contains("Nothing ended");
    run("cancel", "o-1");
    until(() -> box.instance(parcel).status().equals("ended") ? parcel : null);
    Result archived = run("archive", "--older-than", "0", "--json");
    assertThat(archived.exit()).isZero();
    assertThat(archived.out()).contains("\"instances\":2,\"kept\":0");
    Path file;
    try (Stream<Path> files = Files.list(folder.resolve("archives"))) {
      file = files.findFirst().orElseThrow();
    }
    assertThat(archived.out()).contains(file.getFileName().toString());
    StringWriter out = new StringWriter();
    assertThat(Main.commandLine().setOut(new PrintWriter(out)).execute("verify", file.toString()))
        .isZero();
    assertThat(run("verify").out()).contains("all as they were written");
    assertThat(run("show", "o-1").err()).contains("o-1");
    assertThat(run("show", "o-2").exit()).isZero();
  }

  @Test
  void the_store_is_swept() {
    started("o-1");
    Result dry = run("sweep", "--dry-run", "--json");
    assertThat(dry.exit()).isZero();
    assertThat(dry.out()).contains("\"findings\":{}").contains("\"dry_run\":true");
    assertThat(run("sweep").out()).contains(", 0 corrected");
  }

  @Test
  void what_happens_is_watched_and_goes_on_when_the_server_stops() throws Exception {
    run("start", "order", "--id", "o-1");
    StringWriter seen = new StringWriter();
    CommandLine line = Main.commandLine().setOut(new PrintWriter(seen));
    CompletableFuture<Integer> exit =
        CompletableFuture.supplyAsync(() ->
            line.execute(
                "watch",
                "--machine",
                "order,parcel",
                "--after",
                "0",
                "--most",
                "4",
                "--json",
                "--db",
                "jdbc:sqlite:" + folder.resolve("signalbox.db")));
    until(() -> seen.toString().lines().count() == 2 ? seen : null);
    run("send", "o-1", "nonsense");
    until(() -> seen.toString().lines().count() == 3 ? seen : null);
    server.close();
    assertThat(box.send("o-1", "stop")).isInstanceOf(Reply.Accepted.class);
    assertThat(exit.get(30, java.util.concurrent.TimeUnit.SECONDS)).isZero();
    List<String> lines = seen.toString().lines().toList();
    assertThat(lines).hasSize(4).allMatch(each -> each.startsWith("{\"position\":"));
    assertThat(lines.get(2)).contains("\"kind\":\"refusal\"");
    assertThat(lines.get(3)).contains("\"kind\":");
    assertThat(lines).doesNotHaveDuplicates();
  }

  @Test
  void a_token_for_one_machine_watches_that_one_alone() {
    String only = token("bot", "agent", "--only", "parcel");
    run("start", "order", "--id", "o-1");
    run("start", "parcel", "--id", "p-1");
    assertThat(run("watch", "--after", "0", "--most", "2", "--api-token", only).out())
        .contains("p-1")
        .doesNotContain("o-1 ")
        .hasLineCount(2);
    Result stranger = run("watch", "--api-token", "sbx_nobody");
    assertThat(stranger.exit()).isEqualTo(1);
    assertThat(stranger.err()).contains("Expected").doesNotContain("\tat ");
  }

  @Test
  void people_answer_what_waits_for_them() {
    Action action = Action.of("run-42", "deploy", Map.of("version", 7));
    Approvals approvals = Approvals.on(box);
    String yes = approvals.request(Request.of(action, new Asker(Actor.Kind.AGENT, "planner", "")));
    String no =
        approvals.request(
            Request.of(
                Action.of("run-43", "drop", Map.of()), new Asker(Actor.Kind.AGENT, "planner", "")));
    assertThat(run("approvals").out()).contains(yes).contains(no);
    Enrolled.in(box, "kim");
    assertThat(run("approvals", "--mine", "--as", "kim", "--subject", "run-42").out())
        .contains("deploy of run-42")
        .doesNotContain(no);
    String viewer = token("bob", "viewer");
    assertThat(run("approvals", "--mine", "--api-token", viewer).exit()).isEqualTo(1);
    assertThat(run("approve", yes).err()).contains("Expected a person at a terminal");
    terminal = new ScriptedTerminal("not the one", "nor this", "nor that");
    assertThat(run("approve", yes, "--as", "kim").err()).contains("it was none of these");
    terminal = new ScriptedTerminal(Enrolled.PASSPHRASE);
    assertThat(run("approve", yes, "--as", "kim", "--digest", "00").exit()).isEqualTo(1);
    terminal = new ScriptedTerminal(Enrolled.PASSPHRASE);
    Result approved = run("approve", yes, "--as", "kim", "--digest", action.digest(), "--json");
    assertThat(approved.exit()).as(approved.err() + approved.out()).isZero();
    assertThat(approved.out()).contains("\"states\":[\"APPROVED\"]").hasLineCount(1);
    terminal = new ScriptedTerminal(Enrolled.PASSPHRASE);
    assertThat(run("reject", no, "--as", "kim", "--reason", "never").out())
        .contains("is in ABORTED");
    assertThat(run("approvals").out()).contains("Nothing waits");
    assertThat(run("approvals", no).out()).contains("ABORTED (rejected)");
    assertThat(run("approvals", "nothing").exit()).isEqualTo(1);
  }

  @Test
  void tasks_workers_and_locks_are_seen_and_changed() {
    TaskQueue queue = TaskQueue.stepped(box);
    String task = id(queue.submit(NewTask.of("build", "ann"), Actor.SYSTEM));
    Workers workers = Workers.stepped(box, queue);
    String worker = id(workers.register("w", "pool", List.of("test"), true, Actor.SYSTEM, null));
    workers.ready(worker, null).join();
    Locks locks = Locks.stepped(box);
    locks.ask("repo", "ann", null).join();
    locks.ask("disk", "ann", null).join();
    assertThat(run("tasks", "--kind", "build").out()).contains(task);
    assertThat(run("tasks", "--json").out()).contains("\"made_from\"");
    assertThat(run("tasks", "retry", task).exit()).isEqualTo(1);
    assertThat(run("tasks", "cancel", task, "--reason", "not needed").exit()).isZero();
    assertThat(run("tasks", "--outcome", "cancelled").out()).contains("not needed");
    assertThat(run("workers").out()).contains(worker).contains("READY");
    assertThat(run("workers", "drain", worker).exit()).isZero();
    assertThat(run("workers", "--json").out()).contains("\"state\":\"SHUTTING_DOWN\"");
    assertThat(run("locks").out()).contains("repo").contains("disk");
    assertThat(run("locks", "release", "repo", "--token", "7").exit()).isEqualTo(1);
    assertThat(run("locks", "release", "repo", "--token", "1").exit()).isZero();
    assertThat(run("locks", "release", "disk", "--force").exit()).isZero();
    assertThat(run("locks").out()).doesNotContain("repo").doesNotContain("disk");
  }
}
