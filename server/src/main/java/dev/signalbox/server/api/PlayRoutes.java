package dev.signalbox.server.api;

import dev.signalbox.definition.Json;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.play.Entry;
import dev.signalbox.definition.play.MachineLibrary;
import dev.signalbox.definition.play.Playground;
import dev.signalbox.definition.play.Stage;
import dev.signalbox.definition.play.Stimulus;
import dev.signalbox.definition.play.StimulusReader;
import dev.signalbox.kernel.EventRule;
import dev.signalbox.services.system.Fields;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The route that plays a machine in memory, on a clock of its own; nothing is stored. */
public final class PlayRoutes {
  private static final int MOST_STIMULI = 500;
  private static final int MOST_STEPS = 1_000;

  private final Catalog catalog;

  public PlayRoutes(Catalog catalog) {
    this.catalog = catalog;
  }

  public List<Route> routes() {
    return List.of(
        Route.post("/machines/{name}/play", "Play a machine in memory and see where it stands")
            .changingNothing()
            .anyone()
            .takes(
                Schema.object()
                    .maybe(
                        "stimuli",
                        Schema.listOf(Schema.OBJECT)
                            .described(
                                "what happens, in order: {\"event\",\"data\",\"actor\"},"
                                    + " {\"after\":\"5m\"}, first also {\"start\":{…}}")))
            .gives(
                Schema.object()
                    .field("instance", Schema.TEXT)
                    .field("entries", Schema.listOf(Schema.OBJECT))
                    .field("states", Schema.listOf(Schema.TEXT))
                    .field("leaves", Schema.listOf(Schema.TEXT))
                    .field("context", Schema.OBJECT)
                    .field("awaited", Schema.listOf(Schema.OBJECT))
                    .field("now", Schema.WHOLE)
                    .field("next_due", Schema.WHOLE.orNull())
                    .field("final", Schema.FLAG)
                    .field("stopped", Schema.TEXT.orNull()))
            .by(this::play));
  }

  private Response play(Request request) throws IOException {
    Catalog.Listed listed = catalog.find(request.path("name"), request.caller());
    List<Stimulus> stimuli = stimuli(request.fields().only("stimuli"));
    MachineLibrary library =
        new MachineLibrary(
            catalog.all(request.caller()).reversed().stream().map(Catalog.Listed::machine).toList(),
            null);
    Stage stage = new Playground(listed.machine(), library, MOST_STEPS).pause(stimuli);
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("instance", listed.machine().name());
    view.put("entries", stage.entries().stream().map(Entry::json).toList());
    view.put("states", stage.states());
    view.put("leaves", stage.leaves());
    view.put("context", stage.context());
    view.put("awaited", stage.awaited().stream().map(event -> awaited(listed, event)).toList());
    view.put("now", stage.now());
    view.put("next_due", stage.nextDue());
    view.put("final", stage.done());
    view.put("stopped", stage.stopped());
    return Response.json(view);
  }

  private static Map<String, @Nullable Object> awaited(Catalog.Listed listed, String event) {
    EventRule rule = listed.environment().rule(event);
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("event", event);
    view.put("description", WaitingEvents.description(rule));
    view.put("roles", WaitingEvents.roles(rule));
    view.put("schema", WaitingEvents.schema(rule));
    return view;
  }

  private static List<Stimulus> stimuli(Fields body) {
    Object given = body.value("stimuli");
    if (given == null) {
      return List.of();
    }
    if (!(given instanceof List<?> list) || list.size() > MOST_STIMULI) {
      throw ProblemException.badRequest(
          "Expected 'stimuli' to be a list of at most %d, but found another."
              .formatted(MOST_STIMULI));
    }
    List<String> lines = new ArrayList<>();
    list.forEach(one -> lines.add(Json.text(one)));
    Problems problems = new Problems("stimuli");
    List<Stimulus> stimuli =
        StimulusReader.read(new Source("stimuli", String.join("\n", lines)), problems);
    for (Problem problem : problems.list()) {
      throw ProblemException.badRequest(
          "Stimulus %d: %s".formatted(problem.place().line(), problem.message()));
    }
    return stimuli;
  }
}
