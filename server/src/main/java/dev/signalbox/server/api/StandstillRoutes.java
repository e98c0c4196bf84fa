package dev.signalbox.server.api;

import static dev.signalbox.services.system.Role.ADMIN;
import static dev.signalbox.services.system.Role.OPERATOR;

import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Scope;
import dev.signalbox.runtime.ScopeReport;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Routes that let many instances stand still or go on: all of a machine, or a tree. */
public final class StandstillRoutes {
  private final Signalbox box;
  private final Catalog catalog;

  public StandstillRoutes(Signalbox box, Catalog catalog) {
    this.box = box;
    this.catalog = catalog;
  }

  @FunctionalInterface
  private interface Scoping {
    Scope of(Request request);
  }

  public List<Route> routes() {
    return List.of(
        pause("/machines/{name}/pause", "Let its instances stand still, and none begin", this::all),
        resume("/machines/{name}/resume", "Let its instances go on, and new ones begin", this::all),
        pause(
            "/instances/{id}/tree/pause", "Let it and everything below it stand still", this::tree),
        resume("/instances/{id}/tree/resume", "Let it and everything below it go on", this::tree));
  }

  private Route pause(String path, String summary, Scoping scope) {
    return draft(path, summary)
        .takes(
            Schema.object()
                .maybe(
                    "clocks",
                    Schema.oneOf("stopped", "running")
                        .described("what timers do meanwhile; stopped if not said")))
        .by(r -> pause(r, scope));
  }

  private Route resume(String path, String summary, Scoping scope) {
    return draft(path, summary)
        .by(r ->
            Response.json(
                told(box.resume(scope.of(r), r.caller().actor(), InstanceRoutes.key(r)))));
  }

  private static Route.Draft draft(String path, String summary) {
    return Route.post(path, summary)
        .may(OPERATOR, ADMIN)
        .keyed("asked again with it, what was done is found done")
        .gives(
            Schema.object()
                .field("done", Schema.WHOLE)
                .field("already", Schema.WHOLE)
                .field("refused", Schema.listOf(Schema.OBJECT)));
  }

  private Response pause(Request request, Scoping scope) throws IOException {
    Command.Clocks clocks = InstanceRoutes.clocks(request);
    return Response.json(
        told(
            box.pause(
                scope.of(request), clocks, request.caller().actor(), InstanceRoutes.key(request))));
  }

  private Scope all(Request request) {
    String name = catalog.find(request.path("name"), request.caller()).published().name();
    InstanceRoutes.refuseOwn(name);
    if (request.caller().instance() != null) {
      throw ProblemException.forbidden(
          "Expected a token for all of '%s', but that of '%s' is for one instance."
              .formatted(name, request.caller().name()),
          "Use a token without such a limit.");
    }
    return new Scope.OfMachine(name);
  }

  /** What is below an instance may be of any machine, so the caller must be for all of them. */
  private Scope tree(Request request) {
    Replies.checkUnrestricted(request);
    return new Scope.Tree(
        InstanceRoutes.changeable(box, request.path("id"), request.caller()).id());
  }

  private static Map<String, @Nullable Object> told(ScopeReport report) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("done", report.done());
    view.put("already", report.already());
    view.put(
        "refused",
        report.refused().stream()
            .map(refused ->
                Map.of(
                    "instance", refused.instance(),
                    "code", refused.rejection().code().word(),
                    "message", refused.rejection().message()))
            .toList());
    return view;
  }
}
