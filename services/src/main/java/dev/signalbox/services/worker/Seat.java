package dev.signalbox.services.worker;

import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Reply;
import dev.signalbox.services.task.Companion;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * What a worker has in hand, as whoever asks for it believes, and how that is written down: one
 * event for what it is done with and what it takes next.
 */
final class Seat implements Companion {
  private final Host host;
  private final String worker;
  private List<String> hand;

  Seat(Host host, String worker, List<String> hand) {
    this.host = host;
    this.worker = worker;
    this.hand = List.copyOf(hand);
  }

  String worker() {
    return worker;
  }

  synchronized boolean isBusy() {
    return !hand.isEmpty();
  }

  @Override
  public synchronized CompletableFuture<Reply> taking(
      List<String> tasks, Collection<String> kinds) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("kinds", List.copyOf(kinds));
    String event;
    if (hand.isEmpty()) {
      event = "task_taken";
      data.put("tasks", List.copyOf(tasks));
    } else {
      event = "task_done";
      data.put("tasks", hand);
      data.put("next", List.copyOf(tasks));
    }
    hand = List.copyOf(tasks);
    return send(event, data);
  }

  @Override
  public synchronized void waiting() {
    if (!hand.isEmpty()) {
      var _ = send("task_done", Map.of("tasks", hand));
      hand = List.of();
    }
  }

  private CompletableFuture<Reply> send(String event, Map<String, Object> data) {
    return host.submitForCaller(
        Worker.MACHINE, Command.Send.of(worker, event, data).by(actor(worker)));
  }

  static Actor actor(String worker) {
    return new Actor(Actor.Kind.SYSTEM, worker, List.of("worker"));
  }
}
