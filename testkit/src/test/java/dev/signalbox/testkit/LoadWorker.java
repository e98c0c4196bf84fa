package dev.signalbox.testkit;

import dev.signalbox.journal.JournalException;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.EffectHandler;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A process to be killed: it opens a store, puts it under load from several threads, and notes
 * every effect it does and every answer it gets. Started again, it goes on where its notes end, and
 * sends the last few commands of each thread once more.
 *
 * <p>Arguments: the store's address, the folder of the notes, the node's name, the seed.
 */
final class LoadWorker {
  /** Commands that are sent once more after a restart. */
  private static final int REPEATED = 4;

  private final Signalbox box;
  private final Notebook answers;
  private final Notebook errors;
  private final String node;
  private final long seed;

  private LoadWorker(Signalbox box, Path folder, String node, long seed) {
    this.box = box;
    this.answers = new Notebook(answers(folder, node));
    this.errors = new Notebook(errors(folder, node));
    this.node = node;
    this.seed = seed;
  }

  public static void main(String[] arguments) throws Exception {
    try {
      run(arguments);
    } catch (RuntimeException e) {
      System.err.println(e);
      Runtime.getRuntime().halt(2);
    }
  }

  private static void run(String[] arguments) throws IOException, InterruptedException {
    Path folder = Path.of(arguments[1]);
    String node = arguments[2];
    int[] places = places(folder, node);
    Signalbox box = Signalbox.open(arguments[0], Load.SETTINGS, InstantSource.system());
    // Publishing checks a machine, which takes longer than a worker has to live.
    Load.MACHINES.stream().filter(m -> !box.machines().contains(m)).forEach(box::publish);
    handle(box, folder, node);
    LoadWorker worker = new LoadWorker(box, folder, node, Long.parseLong(arguments[3]));
    System.out.println("ready");
    for (int thread = 0; thread < Load.THREADS; thread++) {
      int number = thread;
      Thread.ofVirtual().start(() -> worker.load(number, places[number]));
    }
    new CountDownLatch(1).await();
  }

  static Path answers(Path folder, String node) {
    return folder.resolve(node + ".answers");
  }

  static Path effects(Path folder, String node) {
    return folder.resolve(node + ".effects");
  }

  static Path errors(Path folder, String node) {
    return folder.resolve(node + ".errors");
  }

  /** Does the effects of the machines, noting each before it says how it went. */
  static void handle(Signalbox box, Path folder, String node) {
    Notebook effects = new Notebook(effects(folder, node));
    box.handle(
        "note",
        call -> {
          note(effects, call);
          return call.attempt() == 1 && call.key().hashCode() % 10 == 0
              ? new Outcome.RetryAfter(Duration.ofMillis(20), "not now")
              : Outcome.succeeded();
        });
    box.handle(
        "pay",
        call -> {
          note(effects, call);
          return call.key().hashCode() % 10 == 0 ? Outcome.failed("no money") : Outcome.succeeded();
        });
  }

  private static void note(Notebook effects, EffectHandler.Call call) throws IOException {
    effects.write(call.key() + " " + call.attempt());
    effects.force();
  }

  /** Where each thread goes on: a little before its last answer. */
  private static int[] places(Path folder, String node) throws IOException {
    int[] places = new int[Load.THREADS];
    Path file = answers(folder, node);
    if (Files.exists(file)) {
      for (String line : Files.readAllLines(file)) {
        String[] words = line.split(" ");
        int thread = Integer.parseInt(words[0]);
        places[thread] = Math.max(places[thread], Integer.parseInt(words[1]) + 1);
      }
    }
    for (int i = 0; i < places.length; i++) {
      places[i] = Math.max(0, places[i] - REPEATED);
    }
    return places;
  }

  private void load(int thread, int from) {
    try {
      for (int place = from; ; place++) {
        Command command = Load.command(seed, node, thread, place);
        Reply reply = insist(command);
        if (reply instanceof Reply.Accepted(Receipt receipt)) {
          answers.write(
              "%d %d %s %s %d %s"
                  .formatted(
                      thread,
                      place,
                      receipt.instance(),
                      key(command),
                      receipt.sequence(),
                      receipt.hash()));
        }
      }
    } catch (Exception e) {
      System.err.println("Thread " + thread + " of " + node + " ended: " + e);
      Runtime.getRuntime().halt(3);
    }
  }

  /** Sends the same command until there is an answer, as a caller does whom the store fails. */
  private Reply insist(Command command) throws IOException, InterruptedException {
    while (true) {
      try {
        return box.submit(command);
      } catch (JournalException e) {
        errors.write(Objects.toString(e.getMessage()));
        TimeUnit.MILLISECONDS.sleep(50);
      }
    }
  }

  private static String key(Command command) {
    return switch (command) {
      case Command.Start start -> Objects.requireNonNull(start.key());
      case Command.Send send -> Objects.requireNonNull(send.key());
      default -> throw new IllegalArgumentException("The load starts and sends.");
    };
  }
}
