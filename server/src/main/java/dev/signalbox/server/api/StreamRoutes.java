package dev.signalbox.server.api;

import dev.signalbox.server.stream.Streams;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The event stream. */
public final class StreamRoutes {
  private final Streams streams;

  public StreamRoutes(Streams streams) {
    this.streams = streams;
  }

  public List<Route> routes() {
    return List.of(
        Route.get("/stream", "Everything that is committed from now on, as server-sent events")
            .anyone()
            .query("machine", Schema.TEXT, "only of these machines, separated by commas")
            .query("instance", Schema.TEXT, "only of these instances, separated by commas")
            .query("state", Schema.TEXT, "only entries that leave one of these states active")
            .query("kind", Schema.TEXT, "only these kinds: start, event, timer, refusal …")
            .query("after", Schema.WHOLE, "what is above this position first; 0 for everything")
            .header("Last-Event-ID", "go on after this position, which browsers send by themselves")
            .gives(
                200,
                "Events 'entry' and 'refusal' whose data is an Entry in its place; 'end' when the"
                    + " server stops",
                "text/event-stream",
                Schema.named("StreamedEntry"))
            .by(this::stream));
  }

  private Response stream(Request request) {
    Caller caller = request.caller();
    Set<String> machines = words(request.query("machine"));
    Set<String> instances = words(request.query("instance"));
    Set<String> states = words(request.query("state"));
    Set<String> kinds = words(request.query("kind"));
    Predicate<String> visible =
        machine ->
            caller.mayUse(machine)
                && InstanceRoutes.isShown(machine, caller)
                && (machines.isEmpty() || machines.contains(machine));
    Streams.Filter filter =
        new Streams.Filter(
            visible,
            instance ->
                (caller.instance() == null || caller.instance().equals(instance))
                    && (instances.isEmpty() || instances.contains(instance)),
            kind -> kinds.isEmpty() || kinds.contains(kind),
            active -> states.isEmpty() || active.stream().anyMatch(states::contains));
    long after = after(request);
    if (!streams.enter(caller.credential())) {
      throw ProblemException.of(
          429,
          "too-many-requests",
          "Expected a place for one more stream, but all that there are, or that one may have, are"
              + " taken.",
          "Close another stream first.");
    }
    return Response.flow(
            "text/event-stream",
            out -> streams.write(caller.credential(), out, after, filter, request::isStillGood))
        .with("X-Accel-Buffering", "no");
  }

  private long after(Request request) {
    String header = request.header("Last-Event-ID");
    if (header != null && !header.isEmpty()) {
      try {
        return Math.max(0, Long.parseLong(header));
      } catch (NumberFormatException e) {
        throw ProblemException.badRequest(
            "Expected Last-Event-ID to be a position, but found another.");
      }
    }
    return request.query("after") == null
        ? streams.end()
        : request.number("after", 0, 0, Long.MAX_VALUE);
  }

  private static Set<String> words(@Nullable String text) {
    return text == null || text.isBlank() ? Set.of() : Set.copyOf(List.of(text.split(",")));
  }
}
