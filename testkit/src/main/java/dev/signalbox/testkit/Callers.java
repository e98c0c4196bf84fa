package dev.signalbox.testkit;

import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Whoever asks nodes for something, and what they were answered. Some wait, some go on, and some
 * ask again with the key that they had.
 */
final class Callers {
  /** A command whose node died waits for ever; so many of those are remembered. */
  private static final int MOST_WAITING = 1_000;

  private final World world;
  private final List<Asked> asked = new ArrayList<>();
  private long commands;

  Callers(World world) {
    this.world = world;
  }

  /** A command that was sent, to which node, and what became of it. */
  private record Asked(
      Command command, @Nullable SimulatedNode node, CompletableFuture<Reply> reply) {}

  /** How many commands were sent, without repetitions. */
  long commands() {
    return commands;
  }

  /** Somebody asked for something that nobody here keeps in mind. */
  void counted() {
    commands++;
  }

  /** Sends what comes next, if there is anything. */
  void send(SimulatedNode node) {
    Command command = world.workload.next();
    if (command != null) {
      ask(node, command);
      for (Command below : world.workload.below(command)) {
        ask(node, below);
      }
    }
  }

  /** Asks a node, now and then as somebody who waits for the answer. */
  void ask(SimulatedNode node, Command command) {
    commands++;
    CompletableFuture<Reply> reply =
        world.random.nextInt(4) == 0 ? node.box.call(command) : node.box.submit(command);
    asked.add(new Asked(command, node, reply));
  }

  /** Asks a node as somebody who goes on. */
  CompletableFuture<Reply> submit(SimulatedNode node, Command command) {
    CompletableFuture<Reply> reply = node.box.submit(command);
    asked.add(new Asked(command, node, reply));
    return reply;
  }

  /** Sends something again that was sent before. */
  void repeat(SimulatedNode node) {
    if (!asked.isEmpty()) {
      world.mishaps.count(Fault.DUPLICATE);
      var _ = submit(node, asked.get(world.random.nextInt(asked.size())).command());
    }
  }

  /** Tells the auditor what was answered, and forgets it but for some to be sent again. */
  void settle() {
    List<Asked> waiting = new ArrayList<>();
    for (Asked one : asked) {
      if (!one.reply().isDone()) {
        waiting.add(unanswered(one));
      } else if (!one.reply().isCompletedExceptionally()) {
        world.auditor.answered(one.command(), one.reply().join());
        if (world.random.nextInt(16) == 0) {
          waiting.add(new Asked(one.command(), null, one.reply()));
        }
      } else if (world.random.nextInt(2) == 0) {
        waiting.add(new Asked(one.command(), null, one.reply()));
      }
    }
    asked.clear();
    int from = Math.max(0, waiting.size() - MOST_WAITING);
    asked.addAll(waiting.subList(from, waiting.size()));
  }

  /** Whoever asked a node that has nothing to do any more has an answer. */
  private Asked unanswered(Asked one) {
    SimulatedNode node = one.node();
    if (node == null || !node.isAlive()) {
      return new Asked(one.command(), null, one.reply());
    }
    if (node.box.isResting()) {
      world.auditor.found("%s was never answered".formatted(one.command()));
    }
    return one;
  }
}
