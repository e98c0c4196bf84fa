package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.runtime.Watch;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.services.sandbox.Unconfined;
import dev.signalbox.services.tool.HandlerTool;
import dev.signalbox.services.workspace.Workspace;
import dev.signalbox.systems.runs.file.RunFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** A store on a real file with the system of runs, a folder to work in, and people. */
final class RunHouse implements AutoCloseable {
  static final Actor ANN = new Actor(Actor.Kind.USER, "ann", List.of("operator"));
  static final Actor BOB = person("bob", "approver");
  static final Actor EVE = person("eve", "approver");

  final Path work;
  final Signalbox box;
  final Runs runs;
  final Approvals approvals;
  final RunsSettings settings;

  /** Effects that never end while their names are in here. */
  final Set<String> stuck = ConcurrentHashMap.newKeySet();

  private final RunsSystem system;

  private RunHouse(
      Path folder, UnaryOperator<RunsSettings> with, InstantSource clock, Settings engine)
      throws IOException {
    work = folder.resolve("work").toRealPath();
    // Tools leave beside their folder what tests look at.
    Path beside = folder.toRealPath();
    settings =
        with.apply(
            RunsSettings.in(beside.resolve("runs"), work)
                .sandbox(sandbox -> sandbox.changing(List.of(beside))));
    box = Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"), engine, clock);
    system = new RunsSystem(settings);
    system.publish(box);
    box.around(handler ->
        call -> {
          if (stuck.contains(call.effect())) {
            new CountDownLatch(1).await();
          }
          return handler.handle(call);
        });
    system.attach(box);
    runs = system.runs(box);
    approvals = Approvals.on(box);
  }

  static Actor person(String name, String... roles) {
    return new Actor(Actor.Kind.USER, name, List.of(roles));
  }

  static RunHouse in(Path folder) throws IOException {
    return in(folder, settings -> settings);
  }

  static RunHouse in(Path folder, UnaryOperator<RunsSettings> with) throws IOException {
    return in(folder, with, InstantSource.system());
  }

  static RunHouse in(Path folder, UnaryOperator<RunsSettings> with, InstantSource clock)
      throws IOException {
    Files.createDirectories(folder.resolve("work"));
    return new RunHouse(folder, with, clock, Settings.DEFAULT);
  }

  /** A house that is left while tools run; they get seconds for it, and not their usual time. */
  static RunHouse abandoned(Path folder, String name, HandlerTool.Handler handler)
      throws IOException {
    Files.createDirectories(folder.resolve("work"));
    return new RunHouse(
        folder,
        settings -> settings.handler(name, handler),
        InstantSource.system(),
        RunNode.SETTINGS);
  }

  /** A house in which plans may call the function. */
  static RunHouse with(Path folder, String name, HandlerTool.Handler handler) throws IOException {
    return in(folder, settings -> settings.handler(name, handler));
  }

  /** A house where nothing keeps processes, which somebody has allowed. */
  static RunHouse unconfined(Path folder) throws IOException {
    return in(
        folder,
        settings ->
            settings.sandbox(sandbox ->
                sandbox.in(Unconfined.WANTED).unconfined(SandboxSettings.Unconfined.ALLOW)));
  }

  /** A house with what {@link RunPlans#MERGE} needs. */
  static RunHouse merging(Path folder) throws IOException {
    return merging(folder, InstantSource.system());
  }

  static RunHouse merging(Path folder, InstantSource clock) throws IOException {
    RunHouse house = in(folder, settings -> settings, clock);
    house.file("merge.sh", "echo $1 > merged.txt\n");
    return house;
  }

  void file(String name, String text) throws IOException {
    Files.writeString(work.resolve(name), text);
  }

  String start(String plan) {
    return runs.start(PlanReader.read(new Source("plan.yaml", plan), work), ANN);
  }

  String tree() {
    return Workspace.of(work).footprint().treeHash();
  }

  /** Waits until the run is as wanted. */
  Instance until(String run, Predicate<Instance> wanted) {
    Semaphore news = new Semaphore(0);
    try (Watch _ = box.feed().onCommit(news::release)) {
      for (int waits = 0; waits < 100; waits++) {
        Instance now = runs.run(run);
        if (wanted.test(now)) {
          return now;
        }
        assertThat(now.status()).as("%s %s", now.states(), now.context()).isEqualTo("live");
        boolean _ = news.tryAcquire(1, TimeUnit.SECONDS);
        news.drainPermits();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new AssertionError(runs.run(run).toString());
  }

  /** The run starts, and ends without anybody's doing. */
  Instance ended(String plan) {
    return untilEnd(start(plan));
  }

  Instance untilEnd(String run) {
    return until(run, i -> i.status().equals("ended"));
  }

  /** Waits until a person has to decide, and gives what there is to decide. */
  List<Approval> untilAsked(String run) {
    Instance waiting = until(run, i -> i.leaves().contains("awaiting_decision"));
    return RunEntry.list(waiting.context().get("approvals_pending")).stream()
        .map(id -> approvals.approval(String.valueOf(id)))
        .toList();
  }

  void approve(Approval approval) {
    assertThat(approvals.approve(approval.id(), BOB, approval.digest()))
        .isInstanceOf(Reply.Accepted.class);
  }

  /** Every piece of evidence of the run. */
  List<String> evidence(String run) throws IOException {
    List<String> texts = new ArrayList<>();
    try (Stream<Path> files = Files.walk(settings.folder().resolve(run).resolve("evidence"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        texts.add(Files.readString(file));
      }
    }
    return texts;
  }

  /** The files of the runs, written when the test says so and not by themselves any more. */
  RunFiles files() {
    system.close();
    return new RunFiles(box, settings.folder());
  }

  /** Ends without a look at the journal. */
  void leave() {
    system.close();
    box.close();
  }

  @Override
  public void close() {
    assertThat(Audit.verify(box.journal(), _ -> {}).findings()).isEmpty();
    leave();
  }
}
