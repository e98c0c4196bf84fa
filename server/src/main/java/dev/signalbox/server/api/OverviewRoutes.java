package dev.signalbox.server.api;

import dev.signalbox.journal.Count;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.kernel.Edge;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.alert.Alerts;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.PackagedSystem;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Routes that show the whole at a glance: what lives where, what moves, what needs a look. */
public final class OverviewRoutes {
  /** Machines that no system brought along are listed under this name. */
  private static final String OTHERS = "others";

  private final Signalbox box;
  private final Catalog catalog;
  private final InstantSource clock;
  private final Activity activity;
  private final Readings readings;
  private final Troubles troubles;

  /** Each system's name and title, in the order of the page. */
  private final Map<String, String> titles = new LinkedHashMap<>();

  private final Map<String, String> systemOf = new HashMap<>();
  private final List<Map<String, @Nullable Object>> listed = new ArrayList<>();

  public OverviewRoutes(
      Signalbox box,
      Catalog catalog,
      List<PackagedSystem> systems,
      Readings readings,
      Alerts alerts,
      CareRoutes.Sweeps sweeps,
      InstantSource clock) {
    this.box = box;
    this.readings = readings;
    this.troubles = new Troubles(box, alerts, sweeps);
    this.catalog = catalog;
    this.clock = clock;
    this.activity = new Activity(box.feed());
    for (PackagedSystem system : systems) {
      titles.put(system.name(), system.title());
      List<String> names = system.machines().stream().distinct().toList();
      names.forEach(name -> systemOf.put(name, system.name()));
      Map<String, @Nullable Object> view = new LinkedHashMap<>();
      view.put("name", system.name());
      view.put("title", system.title());
      view.put("machines", names);
      view.put("page", system.folder() == null ? null : "/" + system.name() + "/page.js");
      listed.add(view);
    }
    titles.put(OTHERS, "Published here");
  }

  public List<Route> routes() {
    Schema name = Schema.object().field("name", Schema.TEXT).field("title", Schema.TEXT);
    return List.of(
        Route.get("/systems", "The systems, and the module of each one's own pages")
            .anyone()
            .gives(
                Schema.object()
                    .field(
                        "systems",
                        Schema.listOf(
                            name.field("machines", Schema.listOf(Schema.TEXT))
                                .field("page", Schema.TEXT.orNull()))))
            .by(_ -> Response.json(Map.of("systems", listed))),
        Route.get("/overview", "What lives where, what moved lately, and what needs a look")
            .anyone()
            .gives(
                Schema.object()
                    .field("window", Schema.WHOLE.described("how far back flows go, in ms"))
                    .field("live", Schema.WHOLE)
                    .field("paused", Schema.WHOLE)
                    .field("halted", Schema.WHOLE)
                    .field("late", Schema.WHOLE)
                    .field(
                        "at_least",
                        Schema.listOf(Schema.TEXT)
                            .described(
                                "those of the figures of which only the first thousand are"
                                    + " counted"))
                    .field("approvals", Schema.WHOLE.described("that wait for a person"))
                    .field("steps", Schema.WHOLE.described("in the window"))
                    .field("refusals", Schema.WHOLE.described("in the window"))
                    .field("systems", Schema.listOf(name))
                    .field("machines", Schema.listOf(machine()))
                    .field("alerts", Schema.WHOLE.described("that fire"))
                    .field("troubles", Schema.listOf(Troubles.schema())))
            .by(this::overview),
        Route.get("/activity", "How much happened in the last minutes, every ten seconds")
            .anyone()
            .gives(
                Schema.object()
                    .field("every", Schema.WHOLE.described("how long a reading is, in ms"))
                    .field(
                        "series",
                        Schema.listOf(
                            Schema.object()
                                .field("name", Schema.TEXT)
                                .field("title", Schema.TEXT)
                                .field("unit", Schema.TEXT)
                                .field(
                                    "points",
                                    Schema.listOf(Schema.listOf(Schema.of("number")))
                                        .described("moment and value")))))
            .by(this::activity));
  }

  private Response activity(Request request) {
    Caller caller = request.caller();
    List<Activity.Bucket> spans = activity.spans(clock.millis());
    List<Map<String, @Nullable Object>> series = new ArrayList<>();
    series.add(series("live", "Live instances", "", living(spans, caller)));
    for (String[] kind :
        new String[][] {
          {"steps", "Steps"},
          {"start", "Starts"},
          {"ended", "Ends"},
          {"event", "Events sent"},
          {"timer", "Timers fired"},
          {"effect", "Results of effects"},
          {"message", "Messages"},
          {"refusal", "Refusals"}
        }) {
      series.add(rate(kind[0], kind[1], spans, span -> span.count(kind[0], caller::mayUse)));
    }
    for (Gauge gauge : GAUGES) {
      if (gauge.isFor(caller)) {
        series.add(series(gauge.name, gauge.title, gauge.unit, readings.of(gauge.name)));
      }
    }
    return Response.json(Map.of("every", Activity.SPAN, "series", series));
  }

  /**
   * A reading of the store.
   *
   * @param machine whose it is; null when it is everybody's, of which those who may see some
   *     machines only are not told
   */
  private record Gauge(String name, String title, String unit, @Nullable String machine) {
    boolean isFor(Caller caller) {
      return machine == null ? !caller.isRestricted() : caller.mayUse(machine);
    }
  }

  private static final List<Gauge> GAUGES =
      List.of(
          new Gauge("approvals_waiting", "Approvals that wait", "", "approval"),
          new Gauge("oldest_approval", "The oldest of them", "minutes", "approval"),
          new Gauge("tasks_queued", "Tasks that wait", "", "task"),
          new Gauge("effects_pending", "Effects under way", "", null),
          new Gauge("timer_lateness", "Timers fire late by", "ms", null),
          new Gauge("commands_waiting", "Commands that wait", "", null));

  /** How many lived at the end of each span: those who live now, with what changed since undone. */
  private List<List<Number>> living(List<Activity.Bucket> spans, Caller caller) {
    Set<Long> seen =
        catalog.all(caller).stream().map(l -> l.published().number()).collect(Collectors.toSet());
    long live =
        box.counts().stream()
            .filter(count -> !caller.isRestricted() || seen.contains(count.machine()))
            .mapToLong(Count::instances)
            .sum();
    List<List<Number>> points = new ArrayList<>();
    for (Activity.Bucket span : spans.reversed()) {
      points.add(List.of(span.start + Activity.SPAN, live));
      live -=
          span.count("start", caller::mayUse)
              + span.count("fork", caller::mayUse)
              - span.count("ended", caller::mayUse);
    }
    return points.reversed();
  }

  private static Map<String, @Nullable Object> rate(
      String name,
      String title,
      List<Activity.Bucket> spans,
      ToLongFunction<Activity.Bucket> count) {
    List<List<Number>> points = new ArrayList<>();
    for (Activity.Bucket span : spans) {
      double perSecond = count.applyAsLong(span) * 1_000.0 / Activity.SPAN;
      points.add(List.of(span.start + Activity.SPAN, perSecond));
    }
    return series(name, title, "a second", points);
  }

  private static Map<String, @Nullable Object> series(
      String name, String title, String unit, List<List<Number>> points) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("name", name);
    view.put("title", title);
    view.put("unit", unit);
    view.put("points", points);
    return view;
  }

  private static Schema machine() {
    return Schema.object()
        .field("name", Schema.TEXT)
        .field("version", Schema.WHOLE)
        .field("system", Schema.TEXT)
        .field("live", Schema.WHOLE)
        .field("late", Schema.WHOLE)
        .field("late_states", Schema.listOf(Schema.TEXT))
        .field("states", Schema.mapOf(Schema.WHOLE).described("live instances by innermost state"))
        .field(
            "flows",
            Schema.listOf(
                Schema.object()
                    .field("from", Schema.TEXT)
                    .field("on", Schema.TEXT)
                    .field("to", Schema.listOf(Schema.TEXT))
                    .field("count", Schema.WHOLE)));
  }

  private Response overview(Request request) {
    Caller caller = request.caller();
    long now = clock.millis();
    Activity.Flow flow = activity.flow(now, caller::mayUse);
    Troubles.Found late = troubles.late(now, caller);
    Troubles.Found halted = troubles.standing(InstanceRow.Status.HALTED, caller);
    Troubles.Found paused = troubles.standing(InstanceRow.Status.PAUSED, caller);
    List<Map<String, @Nullable Object>> machines = machines(caller, flow, late.instances());
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("window", Activity.FLOW);
    view.put("live", machines.stream().mapToLong(m -> (Long) m.get("live")).sum());
    view.put("paused", paused.count());
    view.put("halted", halted.count());
    view.put("late", late.count());
    view.put(
        "at_least",
        Stream.of(Map.entry("paused", paused), Map.entry("halted", halted), Map.entry("late", late))
            .filter(figure -> figure.getValue().more())
            .map(Map.Entry::getKey)
            .toList());
    view.put("approvals", waiting(machines));
    view.put("steps", flow.steps());
    view.put("refusals", flow.refusals());
    view.put("systems", systems());
    view.put("machines", machines);
    List<Map<String, @Nullable Object>> firing = troubles.firing(caller);
    view.put("alerts", (long) firing.size());
    List<Map<String, @Nullable Object>> all = new ArrayList<>(firing);
    all.addAll(Troubles.halted(halted.instances()));
    all.addAll(Troubles.late(late.instances(), now));
    all.addAll(troubles.left(caller));
    view.put("troubles", all);
    return Response.json(view);
  }

  private List<Map<String, String>> systems() {
    return titles.entrySet().stream()
        .map(e -> Map.of("name", e.getKey(), "title", e.getValue()))
        .toList();
  }

  private List<Map<String, @Nullable Object>> machines(
      Caller caller, Activity.Flow flow, List<Instance> late) {
    Map<Long, List<Count>> counts = new HashMap<>();
    box.counts().forEach(c -> counts.computeIfAbsent(c.machine(), _ -> new ArrayList<>()).add(c));
    Map<String, Integer> newest = new HashMap<>();
    List<Catalog.Listed> all = catalog.all(caller);
    all.forEach(m -> newest.merge(m.published().name(), m.published().version(), Math::max));
    List<Map<String, @Nullable Object>> views = new ArrayList<>();
    for (Catalog.Listed machine : all) {
      String name = machine.published().name();
      int version = machine.published().version();
      List<Count> here = counts.getOrDefault(machine.published().number(), List.of());
      Map<String, Long> states = new LinkedHashMap<>();
      here.forEach(c -> c.leaves().forEach(s -> states.merge(s, c.instances(), Long::sum)));
      boolean last = newest.getOrDefault(name, version) == version;
      if (InstanceRoutes.isOwn(name) || (!last && here.isEmpty())) {
        continue;
      }
      List<Instance> behind =
          late.stream().filter(i -> i.machine().equals(name) && i.version() == version).toList();
      Map<String, @Nullable Object> view = new LinkedHashMap<>();
      view.put("name", name);
      view.put("version", (long) version);
      view.put("system", systemOf.getOrDefault(name, OTHERS));
      view.put("live", here.stream().mapToLong(Count::instances).sum());
      view.put("late", (long) behind.size());
      view.put(
          "late_states", behind.stream().flatMap(i -> i.leaves().stream()).distinct().toList());
      view.put("states", states);
      view.put(
          "flows", flows(flow.taken().getOrDefault(new Activity.Version(name, version), Map.of())));
      views.add(view);
    }
    return views;
  }

  private static List<Map<String, @Nullable Object>> flows(Map<Edge, Long> taken) {
    List<Map<String, @Nullable Object>> views = new ArrayList<>();
    taken.forEach((edge, count) -> {
      Map<String, @Nullable Object> view = Views.edge(edge);
      view.put("count", count);
      views.add(view);
    });
    return views;
  }

  /** How many approvals wait for a person, by the machine that asks people. */
  private static long waiting(List<Map<String, @Nullable Object>> machines) {
    long waiting = 0;
    for (Map<String, @Nullable Object> machine : machines) {
      if ("approval".equals(machine.get("name"))
          && machine.get("states") instanceof Map<?, ?> states
          && states.get("AWAITING_HUMAN") instanceof Long count) {
        waiting += count;
      }
    }
    return waiting;
  }
}
