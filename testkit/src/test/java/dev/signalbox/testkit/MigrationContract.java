package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.MigrationReport;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Migrations of more instances than a page of a query holds, in every store that has files. */
abstract class MigrationContract {
  private static final int PAGE = Query.MOST;
  private static final Actor ANN = new Actor(Actor.Kind.USER, "ann", List.of());
  private static final Map<String, String> STATES = Map.of("WORKING", "BUSY");

  private static final String FIRST =
      """
      machine: job
      version: 1
      states:
        NEW: { waits: someone, on: { begin: WORKING, check: REVIEW, finish: DONE } }
        WORKING: { waits: someone, on: { finish: DONE } }
        REVIEW: { waits: someone, on: { ok: DONE } }
        DONE: { final: true }
      """;

  private static final String SECOND =
      """
      machine: job
      version: 2
      states:
        NEW: { waits: someone, on: { begin: BUSY, finish: DONE } }
        BUSY: { waits: someone, on: { finish: DONE } }
        DONE: { final: true }
      """;

  private Signalbox box;

  /** The address of the test's own store. */
  abstract String url() throws Exception;

  @BeforeEach
  void opened() throws Exception {
    box = Signalbox.open(url(), Settings.DEFAULT, new ManualClock());
    publish(FIRST);
  }

  @AfterEach
  void verified() {
    assertThat(Audit.verify(box.journal(), _ -> {}).findings()).isEmpty();
    box.close();
  }

  private void publish(String text) {
    box.publish(MachineReader.read(new Source("job.yaml", text)));
  }

  /** Every command is on its way before the first is answered, so that they share commits. */
  private List<Reply> all(List<Command> commands) {
    List<CompletableFuture<Reply>> replies = commands.stream().map(box::submitAsync).toList();
    return replies.stream().map(CompletableFuture::join).toList();
  }

  private void accepted(List<Command> commands) {
    assertThat(all(commands)).allSatisfy(r -> assertThat(r).isInstanceOf(Reply.Accepted.class));
  }

  private static String id(int i) {
    return "job-%05d".formatted(i);
  }

  private void started(int count) {
    List<Command> starts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      starts.add(new Command.Start("job", id(i), Map.of(), ANN, null));
    }
    accepted(starts);
  }

  private void sent(String event, Set<Integer> jobs) {
    accepted(jobs.stream().map(i -> (Command) Command.Send.of(id(i), event, null)).toList());
  }

  private Map<String, Long> sequences() {
    Map<String, Long> sequences = new TreeMap<>();
    long after = 0;
    List<Instance> page;
    do {
      page = box.instances(Query.ALL.ofMachine("job").page(after, PAGE));
      for (Instance job : page) {
        after = job.number();
        sequences.put(job.id(), job.sequence());
      }
    } while (page.size() == PAGE);
    return sequences;
  }

  private static List<String> names(MigrationReport report) {
    return report.stranded().stream().map(MigrationReport.Stranded::instance).sorted().toList();
  }

  @Test
  void the_dry_run_goes_through_every_page_and_the_migration_after_it_does_what_it_said() {
    int count = 2 * PAGE + 500;
    started(count);
    Set<Integer> review = new TreeSet<>(List.of(3, PAGE, PAGE + 700, 2 * PAGE - 1, 2 * PAGE + 499));
    Set<Integer> working = new TreeSet<>(List.of(7, PAGE - 1, PAGE + 1, 2 * PAGE, 2 * PAGE + 9));
    Set<Integer> finished = new TreeSet<>(List.of(0, PAGE + 5, 2 * PAGE + 5));
    sent("check", review);
    sent("begin", working);
    sent("finish", finished);
    accepted(List.of(new Command.Pause(id(2 * PAGE + 1), Command.Clocks.RUNNING, ANN, null)));
    publish(SECOND);
    accepted(List.of(new Command.Start("job", "new", Map.of(), ANN, null)));
    Map<String, Long> before = sequences();
    assertThat(before).hasSize(count + 1);

    MigrationReport report = box.stranded("job", 2, STATES);
    assertThat(names(report)).isEqualTo(review.stream().map(MigrationContract::id).toList());
    assertThat(report.stranded())
        .allSatisfy(s -> {
          assertThat(s.version()).isEqualTo(1);
          assertThat(s.states()).containsExactly("REVIEW");
          assertThat(s.why()).contains("no state 'REVIEW'");
        });
    assertThat(report.more()).isZero();
    assertThat(report.clean())
        .isEqualTo(
            Map.of(
                "NEW",
                (long) count - review.size() - working.size() - finished.size(),
                "WORKING",
                (long) working.size()));
    assertThat(sequences()).isEqualTo(before);

    Map<String, Reply> replies = migrated(before.keySet());
    Set<String> stranded = new TreeSet<>(names(report));
    for (Map.Entry<String, Reply> each : replies.entrySet()) {
      String id = each.getKey();
      switch (each.getValue()) {
        case Reply.Accepted(Receipt receipt) -> {
          assertThat(receipt.sequence()).isEqualTo(before.getOrDefault(id, 0L) + 1);
          assertThat(stranded).doesNotContain(id);
        }
        case Reply.Rejected(Rejection rejection) -> {
          assertThat(rejection.code())
              .as(id)
              .isEqualTo(
                  stranded.contains(id) || id.equals("new")
                      ? Rejection.Code.STRANDED
                      : Rejection.Code.INSTANCE_FINAL);
          assertThat(box.instance(id).version()).isEqualTo(id.equals("new") ? 2 : 1);
        }
      }
    }
    assertThat(replies.values().stream().filter(Reply.Accepted.class::isInstance).count())
        .isEqualTo(report.clean().values().stream().mapToLong(Long::longValue).sum());
    assertThat(box.instance(id(2 * PAGE)).leaves()).containsExactly("BUSY");
    assertThat(box.instance(id(2 * PAGE + 1)).status()).isEqualTo("paused");
    String entry =
        new String(box.history(id(2 * PAGE), 3, 1).getFirst().body(), StandardCharsets.UTF_8);
    assertThat(entry)
        .contains("\"kind\":\"migrate\"")
        .contains("\"states\":{\"WORKING\":\"BUSY\"}")
        .contains("\"name\":\"ann\"");

    MigrationReport again = box.stranded("job", 2, STATES);
    assertThat(again.clean()).isEmpty();
    assertThat(names(again)).isEqualTo(names(report));
    assertThat(box.stranded("job", 2, Map.of("REVIEW", "NEW")).isClean()).isTrue();
  }

  private Map<String, Reply> migrated(Set<String> ids) {
    List<String> order = List.copyOf(ids);
    List<Reply> replies =
        all(
            order.stream()
                .map(id -> (Command) new Command.Migrate(id, 2, STATES, ANN, null))
                .toList());
    Map<String, Reply> byId = new LinkedHashMap<>();
    for (int i = 0; i < order.size(); i++) {
      byId.put(order.get(i), replies.get(i));
    }
    return byId;
  }

  @Test
  void of_more_stranded_than_a_page_the_first_are_named_and_all_are_counted() {
    int count = PAGE + 50;
    started(count);
    Set<Integer> review = new TreeSet<>();
    for (int i = 0; i < count; i++) {
      if (i % 100 != 0) {
        review.add(i);
      }
    }
    sent("check", review);
    publish(SECOND);
    MigrationReport report = box.stranded("job", 2, STATES);
    assertThat(report.stranded()).hasSize(1_000);
    assertThat(report.more()).isEqualTo(review.size() - 1_000);
    assertThat(report.clean()).isEqualTo(Map.of("NEW", (long) count - review.size()));
    assertThat(report.isClean()).isFalse();
  }
}
