package dev.signalbox.server.api;

import static dev.signalbox.services.system.Role.ADMIN;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.DefinitionException;
import dev.signalbox.definition.Graph;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.MachineWriter;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.check.Check;
import dev.signalbox.definition.check.CheckOptions;
import dev.signalbox.definition.check.CheckReport;
import dev.signalbox.definition.draw.Highlight;
import dev.signalbox.definition.draw.Options;
import dev.signalbox.journal.Count;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.MachinePause;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Routes over machines. */
public final class MachineRoutes implements AutoCloseable {
  /** States that a check over HTTP explores at most; the command line explores further. */
  private static final int EXPLORED = 50_000;

  private final Signalbox box;
  private final Catalog catalog;
  private final BoundedChecks checks;

  /**
   * @param budget how long one check of a machine that a caller sends may take
   */
  public MachineRoutes(Signalbox box, Catalog catalog, Duration budget) {
    this.checks = new BoundedChecks(budget);
    this.box = box;
    this.catalog = catalog;
  }

  public List<Route> routes() {
    Schema machine = Schema.named("Machine");
    return List.of(
        Route.get("/machines", "Every version of every published machine, with its live instances")
            .anyone()
            .gives(Schema.object().field("machines", Schema.listOf(machine)))
            .by(this::list),
        Route.post("/machines", "Publish a machine, which is checked first")
            .may(ADMIN)
            .query("name", Schema.TEXT, "a file name whose extension says the format; else YAML")
            .takes("text/plain", Schema.TEXT)
            .takes("application/yaml", Schema.TEXT)
            .gives(201, "Published, or it was there already", machine)
            .by(this::publish),
        Route.post("/machines/check", "Every problem of a machine, and what was proved of it")
            .changingNothing()
            .anyone()
            .query("name", Schema.TEXT, "a file name whose extension says the format; else YAML")
            .takes("text/plain", Schema.TEXT)
            .gives(Schema.object().field("machines", Schema.listOf(Schema.named("Check"))))
            .by(this::check),
        Route.get("/machines/{name}", "A machine, by name or name@version")
            .anyone()
            .gives(machine)
            .by(r ->
                Response.json(
                    view(catalog.find(r.path("name"), r.caller()), true, box.pausedMachines()))),
        Route.get("/machines/{name}/source", "The machine's text")
            .anyone()
            .query(
                "format",
                Schema.oneOf(MachineWriter.EXTENSIONS.toArray(String[]::new)),
                "another format than YAML")
            .gives(200, "The text", "text/plain", Schema.TEXT)
            .by(this::source),
        Route.get("/machines/{name}/diagram.svg", "The machine's picture")
            .anyone()
            .query("theme", Schema.oneOf("light", "dark", "auto"), "the colours")
            .query("direction", Schema.oneOf("down", "right"), "where the flow goes")
            .query("counts", Schema.FLAG, "with the live instances in each state")
            .query("title", Schema.FLAG, "with its name above; if not said, with it")
            .query("badges", Schema.FLAG, "with room for figures that a page fills in")
            .query("words", Schema.FLAG, "what lines say; false gives a small map of the states")
            .gives(200, "The picture", "image/svg+xml", Schema.TEXT)
            .by(this::diagram),
        Route.get("/machines/{name}/proofs", "What was proved, refuted or left open")
            .anyone()
            .gives(Schema.named("Check"))
            .by(r -> {
              Catalog.Listed listed = catalog.find(r.path("name"), r.caller());
              return Response.json(report(listed.definition(), listed.report()));
            }),
        Route.get("/machines/{name}/versions", "The machine's versions, oldest first")
            .anyone()
            .gives(Schema.object().field("versions", Schema.listOf(machine)))
            .by(this::versions),
        Route.get("/machines/{name}/diff", "What differs between two versions")
            .anyone()
            .query("from", Schema.WHOLE, "the older version")
            .query("to", Schema.WHOLE, "the newer version")
            .gives(Schema.named("Difference"))
            .by(this::difference));
  }

  /** Ends the checks that are under way. */
  @Override
  public void close() {
    checks.close();
  }

  private Response list(Request request) {
    Map<Long, Long> live = new LinkedHashMap<>();
    for (Count count : box.counts()) {
      live.merge(count.machine(), count.instances(), Long::sum);
    }
    List<MachinePause> paused = box.pausedMachines();
    List<Map<String, @Nullable Object>> views = new ArrayList<>();
    for (Catalog.Listed listed : catalog.all(request.caller())) {
      Map<String, @Nullable Object> view = view(listed, false, paused);
      view.put("live", live.getOrDefault(listed.published().number(), 0L));
      views.add(view);
    }
    return Response.json(Map.of("machines", views));
  }

  private Map<String, @Nullable Object> view(
      Catalog.Listed listed, boolean whole, List<MachinePause> paused) {
    Machine machine = listed.machine();
    Map<String, @Nullable Object> view = Views.machineHead(machine);
    view.put("digest", listed.published().digest());
    view.put("published_at", listed.published().at());
    Graph graph = Graph.of(machine);
    view.put("states", graph.states().stream().map(Graph.Vertex::id).toList());
    view.put("transitions", (long) graph.edges().size());
    view.put("paused", paused(machine.name(), paused));
    if (whole) {
      view.put("events", machine.events().stream().map(MachineRoutes::event).toList());
      view.put(
          "context",
          machine.context().stream()
              .map(field -> {
                Map<String, @Nullable Object> shown = new LinkedHashMap<>();
                shown.put("name", field.name());
                shown.put("schema", Views.schema(field.type()));
                shown.put("searchable", field.searchable());
                shown.put("personal", field.personal());
                return shown;
              })
              .toList());
      view.put("invariants", machine.invariants().stream().map(i -> i.name()).toList());
      view.put("counts", counts(listed));
    }
    return view;
  }

  private static @Nullable Map<String, @Nullable Object> paused(
      String machine, List<MachinePause> paused) {
    for (MachinePause pause : paused) {
      if (pause.machine().equals(machine)) {
        Map<String, @Nullable Object> view = new LinkedHashMap<>();
        view.put("by", pause.actor().name());
        view.put("clocks", pause.clocks().name().toLowerCase(Locale.ROOT));
        view.put("since", pause.since());
        return view;
      }
    }
    return null;
  }

  private static Map<String, @Nullable Object> event(EventType type) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("name", type.name());
    view.put("description", type.description());
    view.put("roles", type.roles());
    view.put("schema", type.data() == null ? null : Views.schema(type.data()));
    return view;
  }

  /** How many live instances have each innermost state active. */
  private Map<String, Long> counts(Catalog.Listed listed) {
    Map<String, Long> counts = new LinkedHashMap<>();
    for (Count count : box.counts()) {
      if (count.machine() == listed.published().number()) {
        count.leaves().forEach(leaf -> counts.merge(leaf, count.instances(), Long::sum));
      }
    }
    return counts;
  }

  private Response publish(Request request) throws IOException {
    List<Definition> definitions = MachineReader.readAll(text(request), null);
    if (definitions.size() != 1) {
      throw ProblemException.badRequest(
          "Expected one machine, but found %d.".formatted(definitions.size()));
    }
    Definition definition = definitions.getFirst();
    Machine machine = definition.machine();
    if (machine == null || definition.hasErrors()) {
      throw new DefinitionException(definition.source(), definition.problems());
    }
    if (InstanceRoutes.isOwn(machine.name())) {
      throw ProblemException.forbidden(
          "Expected another name than '%s', but that machine is the server's own."
              .formatted(machine.name()),
          "Give the machine another name.");
    }
    if (!request.caller().mayUse(machine.name())) {
      throw Rejections.machineForbidden(request.caller(), machine.name());
    }
    try {
      box.publish(machine);
    } catch (IllegalArgumentException e) {
      throw ProblemException.of(
          409, "version-taken", String.valueOf(e.getMessage()), "Give it a higher version.");
    }
    Catalog.Listed listed =
        catalog.find(machine.name() + "@" + machine.version(), request.caller());
    return Response.created(
        "/api/v1/machines/" + machine.name() + "@" + machine.version(),
        view(listed, true, box.pausedMachines()));
  }

  private static Source text(Request request) throws IOException {
    String name = request.query("name");
    String text = request.text();
    if (text.isBlank()) {
      throw ProblemException.badRequest("Expected the text of a machine, but there is none.");
    }
    return new Source(name == null || name.length() > 200 ? "machine.yaml" : name, text);
  }

  private Response check(Request request) throws IOException {
    Source source = text(request);
    return checks.run(request.caller().credential(), () -> checked(source));
  }

  private static Response checked(Source source) {
    List<Map<String, @Nullable Object>> reports = new ArrayList<>();
    for (Definition definition : MachineReader.readAll(source, null)) {
      CheckReport report = Check.run(definition, CheckOptions.DEFAULT.withStates(EXPLORED));
      reports.add(report(definition, report));
    }
    return Response.json(Map.of("machines", reports));
  }

  private static Map<String, @Nullable Object> report(Definition definition, CheckReport report) {
    Machine machine = definition.machine();
    Graph graph = Graph.of(definition);
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("machine", machine == null ? null : machine.name());
    view.put("ok", report.ok());
    view.put("states", (long) graph.states().size());
    view.put("transitions", (long) graph.edges().size());
    view.put("explored", (long) report.statistics().explored());
    view.put("complete", report.statistics().complete());
    view.put("problems", report.problems().stream().map(Views::problem).toList());
    view.put("invariants", report.invariants().stream().map(Views::verdict).toList());
    return view;
  }

  private Response source(Request request) {
    Catalog.Listed listed = catalog.find(request.path("name"), request.caller());
    String format = request.query("format");
    if (format == null || format.equals("yaml")) {
      return Response.text("text/plain", listed.published().definition());
    }
    if (!MachineWriter.EXTENSIONS.contains(format)) {
      throw ProblemException.badRequest(
          "Expected one of the formats %s, but found another."
              .formatted(String.join(", ", MachineWriter.EXTENSIONS)));
    }
    return Response.text(
        "text/plain",
        MachineWriter.write(listed.machine(), format, new Problems(listed.machine().name())));
  }

  private Response diagram(Request request) {
    Catalog.Listed listed = catalog.find(request.path("name"), request.caller());
    Options options = options(request);
    if ("true".equals(request.query("counts"))) {
      options =
          options.highlight(
              new Highlight(
                  java.util.Set.of(),
                  java.util.Set.of(),
                  java.util.Set.of(),
                  counts(listed),
                  Map.of()));
    }
    return Response.text("image/svg+xml", listed.picture(options));
  }

  /** How a picture is wanted. */
  static Options options(Request request) {
    return Options.DEFAULT
        .theme(word(request, "theme", Options.Theme.AUTO, Options.Theme.values()))
        .direction(word(request, "direction", Options.Direction.DOWN, Options.Direction.values()))
        .badges("true".equals(request.query("badges")))
        .words(!"false".equals(request.query("words")))
        .title(!"false".equals(request.query("title")));
  }

  private static <E extends Enum<E>> E word(Request request, String name, E otherwise, E[] known) {
    String text = request.query(name);
    if (text == null) {
      return otherwise;
    }
    for (E one : known) {
      if (one.name().toLowerCase(Locale.ROOT).equals(text)) {
        return one;
      }
    }
    throw ProblemException.badRequest(
        "Expected another '%s', but found one that is not known.".formatted(name));
  }

  private Response versions(Request request) {
    String name = catalog.find(request.path("name"), request.caller()).published().name();
    List<MachinePause> paused = box.pausedMachines();
    List<Map<String, @Nullable Object>> views =
        catalog.all(request.caller()).stream()
            .filter(l -> l.published().name().equals(name))
            .sorted(java.util.Comparator.comparingInt(l -> l.published().version()))
            .map(l -> view(l, false, paused))
            .toList();
    return Response.json(Map.of("versions", views));
  }

  private Response difference(Request request) {
    String name = request.path("name");
    Machine from =
        catalog
            .find(name + "@" + request.number("from", 1, 1, Integer.MAX_VALUE), request.caller())
            .machine();
    Machine to =
        catalog
            .find(name + "@" + request.number("to", 2, 1, Integer.MAX_VALUE), request.caller())
            .machine();
    return Response.json(Differences.between(from, to));
  }
}
