package dev.signalbox.services.budget;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.ManualSignalbox;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.SharedPostgres;
import dev.signalbox.testkit.ManualClock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many callers on one tree: no line is ever overrun by more than what was settled beyond. */
class BudgetRacesTest {
  private static final int SEEDS = Integer.getInteger("budgets.seeds", 30);
  private static final Duration LEASE = Duration.ofMinutes(10);
  private static final Account[] TREE = {
    Account.of("s", Map.of("tokens", 20_000L, "calls", 300L)),
    Account.of("s/a", Map.of("tokens", 8_000L)),
    Account.of("s/b", Map.of("tokens", 15_000L, "calls", 200L)),
  };

  @TempDir Path folder;

  /** After every entry, each line holds what its reservations say and stays within its limit. */
  private static long checked(Host host, String budget) {
    Map<String, Map<?, ?>> held = new LinkedHashMap<>();
    long entries = 0;
    long from = 1;
    while (true) {
      List<EntryRow> page = host.history(budget, from, 1_000);
      for (EntryRow entry : page) {
        Map<?, ?> body = body(entry);
        if (body.get("changes") instanceof Map<?, ?> changes) {
          if (changes.get("reservations") instanceof List<?> reservations) {
            held.clear();
            reservations.forEach(
                r -> held.put(String.valueOf(((Map<?, ?>) r).get("id")), (Map<?, ?>) r));
          }
          if (changes.get("lines") instanceof List<?> lines) {
            lines.forEach(item -> holds(Line.from((Map<?, ?>) item), held, entry.sequence()));
          }
        }
        from = entry.sequence() + 1;
        entries++;
      }
      if (page.size() < 1_000) {
        return entries;
      }
    }
  }

  private static void holds(Line line, Map<String, Map<?, ?>> held, long sequence) {
    long sum = 0;
    for (Map<?, ?> one : held.values()) {
      Held reservation = Held.from(one);
      if (line.isAbove(reservation.account())) {
        sum += reservation.amounts().getOrDefault(line.unit(), 0L);
      }
    }
    assertThat(line.reserved()).as("entry %d, %s", sequence, line).isEqualTo(sum);
    assertThat(line.used() + line.reserved())
        .as("entry %d, %s", sequence, line)
        .isLessThanOrEqualTo(line.limit() + line.over());
  }

  private static Map<?, ?> body(EntryRow entry) {
    try {
      Object body = Json.parse(new String(entry.body(), StandardCharsets.UTF_8));
      return (Map<?, ?>) Objects.requireNonNull(body);
    } catch (Json.SyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Callers reserve, use at most that, and settle or release, until nothing fits any more. */
  private static void race(List<Signalbox> nodes, int callers, int rounds) throws Exception {
    List<Budgets> services = nodes.stream().map(Budgets::on).toList();
    String id = services.getFirst().open("s-1", TREE);
    AtomicLong spent = new AtomicLong();
    AtomicLong refusals = new AtomicLong();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      for (int caller = 0; caller < callers; caller++) {
        Budgets budgets = services.get(caller % services.size());
        Random random = new Random(caller);
        String account = List.of("s", "s/a", "s/b").get(caller % 3);
        all.add(
            threads.submit(() -> {
              for (int round = 0; round < rounds; round++) {
                long want = 1 + random.nextLong(200);
                Map<String, Long> amounts = Map.of("tokens", want, "calls", 1L);
                switch (budgets.reserve(id, account, amounts, LEASE)) {
                  case Grant.Reserved held when random.nextInt(5) == 0 ->
                      taken(budgets.release(held));
                  case Grant.Reserved held -> {
                    long used = random.nextLong(want + 1);
                    spent.addAndGet(used);
                    taken(budgets.settle(held, Map.of("tokens", used, "calls", 1L)));
                  }
                  case Grant.Refused(Grant.Reason reason, String message) -> {
                    assertThat(reason).as(message).isEqualTo(Grant.Reason.EXHAUSTED);
                    refusals.incrementAndGet();
                  }
                }
              }
              return null;
            }));
      }
      for (Future<?> one : all) {
        one.get();
      }
    }
    Line root = services.getLast().line(id, "s", "tokens");
    assertThat(root.used()).isEqualTo(spent.get()).isLessThanOrEqualTo(root.limit());
    assertThat(services.getLast().lines(id)).allMatch(l -> l.reserved() == 0 && l.over() == 0);
    assertThat(refusals.get()).isPositive();
    assertThat(checked(nodes.getFirst(), id)).isGreaterThan(100);
    assertThat(Audit.verify(nodes.getFirst().journal(), _ -> {}).findings()).isEmpty();
  }

  private static void taken(Reply reply) {
    assertThat(reply).isInstanceOf(Reply.Accepted.class);
  }

  @Test
  void sixty_four_callers_never_overrun_a_tree_on_sqlite() throws Exception {
    try (Signalbox box = Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"))) {
      race(List.of(box), 64, 12);
    }
  }

  @Test
  void sixty_four_callers_of_two_nodes_never_overrun_a_tree_on_postgresql() throws Exception {
    String url = SharedPostgres.database();
    try (Signalbox one = Signalbox.open(url);
        Signalbox two = Signalbox.open(url)) {
      race(List.of(one, two), 64, 8);
    }
  }

  @Test
  void no_interleaving_of_nodes_leases_overruns_and_crashes_breaks_a_line() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      try {
        story(seed);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("with seed " + seed + ": " + e.getMessage(), e);
      }
    }
  }

  private static void story(long seed) {
    Random random = new Random(seed);
    ManualClock clock = new ManualClock();
    Journal journal = new MemoryJournal(clock, true);
    ManualSignalbox[] nodes = {node(journal, clock, random), node(journal, clock, random)};
    Budgets.on(nodes[0]);
    List<Object> lines = new ArrayList<>();
    for (Account account : TREE) {
      lines.addAll(account.lines());
    }
    var _ =
        nodes[0].submit(
            new Command.Start("budget", "b", Map.of("lines", lines), Actor.SYSTEM, null));
    nodes[0].rest();
    List<Held> asked = new ArrayList<>();
    for (int i = 0; i < 120; i++) {
      int n = random.nextInt(2);
      ManualSignalbox node = nodes[n];
      switch (random.nextInt(10)) {
        case 0, 1, 2, 3 -> {
          Map<String, Long> amounts = Map.of("tokens", 1 + random.nextLong(6_000), "calls", 1L);
          String account = List.of("s", "s/a", "s/b").get(random.nextInt(3));
          Duration lease = Duration.ofMinutes(1 + random.nextInt(10));
          asked.add(new Held("r" + i, account, amounts, 0));
          var _ = node.submit(Budgets.reserving("b", "r" + i, account, amounts, lease, 0));
        }
        case 4, 5 -> end(node, asked, random);
        case 6 -> clock.advance(Duration.ofSeconds(random.nextInt(120)));
        case 7 -> {
          if (random.nextInt(6) == 0) {
            nodes[n] = node(journal, clock, random);
          }
        }
        case 8 -> {
          node.step();
        }
        default -> node.rest();
      }
    }
    for (ManualSignalbox node : nodes) {
      node.rest();
    }
    assertThat(checked(nodes[0], "b")).isPositive();
    assertThat(Audit.verify(journal, _ -> {}).findings()).isEmpty();
  }

  /** Settles, releases or lets lapse something that was asked for, granted or not. */
  private static void end(ManualSignalbox node, List<Held> asked, Random random) {
    if (asked.isEmpty()) {
      return;
    }
    Held held = asked.get(random.nextInt(asked.size()));
    if (random.nextInt(3) > 0) {
      long used = random.nextLong(Objects.requireNonNull(held.amounts().get("tokens")) * 5 / 4 + 1);
      Map<String, Object> data = new LinkedHashMap<>(held.data());
      data.put("reserved", held.amounts());
      data.put("amounts", Map.of("tokens", used, "calls", 1L));
      var _ = node.submit(Command.Send.of("b", "settle", data).key("settle " + held.id()));
    } else {
      String event = random.nextBoolean() ? "release" : "lapse";
      var _ = node.submit(Command.Send.of("b", event, held.data()));
    }
  }

  private static ManualSignalbox node(Journal journal, ManualClock clock, Random random) {
    return new ManualSignalbox(journal, Settings.DEFAULT, clock, new Random(random.nextLong()));
  }
}
