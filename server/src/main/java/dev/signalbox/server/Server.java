package dev.signalbox.server;

import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.server.access.Access;
import dev.signalbox.server.access.AuditLog;
import dev.signalbox.server.access.ClientAddresses;
import dev.signalbox.server.access.Jwts;
import dev.signalbox.server.access.KeyedRequests;
import dev.signalbox.server.access.MadeSecrets;
import dev.signalbox.server.access.PersonAccess;
import dev.signalbox.server.access.Sessions;
import dev.signalbox.server.access.SignInLinks;
import dev.signalbox.server.access.Tokens;
import dev.signalbox.server.api.AccessRoutes;
import dev.signalbox.server.api.ApprovalRoutes;
import dev.signalbox.server.api.ArchiveRoutes;
import dev.signalbox.server.api.BudgetRoutes;
import dev.signalbox.server.api.BulkRoute;
import dev.signalbox.server.api.CareRoutes;
import dev.signalbox.server.api.Catalog;
import dev.signalbox.server.api.HistoryRoutes;
import dev.signalbox.server.api.InstanceRoutes;
import dev.signalbox.server.api.LockRoutes;
import dev.signalbox.server.api.MachineRoutes;
import dev.signalbox.server.api.NotificationRoutes;
import dev.signalbox.server.api.OverviewRoutes;
import dev.signalbox.server.api.PeopleRoutes;
import dev.signalbox.server.api.PlayRoutes;
import dev.signalbox.server.api.StandstillRoutes;
import dev.signalbox.server.api.StreamRoutes;
import dev.signalbox.server.api.TaskRoutes;
import dev.signalbox.server.api.WorkerRoutes;
import dev.signalbox.server.mcp.McpDoor;
import dev.signalbox.server.stream.NotificationStreams;
import dev.signalbox.server.stream.Streams;
import dev.signalbox.services.lock.Locks;
import dev.signalbox.services.person.People;
import dev.signalbox.services.retention.Archives;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.PackagedSystem;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.task.TaskQueue;
import dev.signalbox.services.worker.Workers;
import io.javalin.Javalin;
import jakarta.servlet.Servlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;

/**
 * A running server: the API, the page and whatever systems bring along, over one signalbox, which
 * it does not close.
 */
public final class Server implements AutoCloseable {
  /** Held, because a logger that nobody holds forgets its level. */
  private static final List<Logger> CHATTY =
      List.of(Logger.getLogger("io.javalin"), Logger.getLogger("org.eclipse.jetty"));

  /** These warn of what strangers send, who could fill the log; the audit log has it, bounded. */
  private static final List<Logger> GOSSIPS =
      List.of(
          Logger.getLogger("org.eclipse.jetty.http"),
          Logger.getLogger("org.eclipse.jetty.util.HostPort"));

  private final ServerSettings settings;
  private final Access access;
  private final Draining draining = new Draining();
  private final List<Route> table = new ArrayList<>();
  private final McpDoor mcp;
  private final Javalin javalin;
  private final Streams streams;
  private final TaskQueue tasks;
  private final Workers workers;
  private final Locks locks;
  private final Caretaker caretaker;
  private final NotificationStreams tellings;
  private final HistoryRoutes history;
  private final MachineRoutes machines;
  private final List<PackagedSystem> systems;

  private Server(
      Signalbox box,
      List<PackagedSystem> systems,
      List<Mount> mounts,
      ServerSettings settings,
      InstantSource clock) {
    this.settings = settings;
    this.systems = List.copyOf(systems);
    CHATTY.forEach(logger -> logger.setLevel(Level.WARNING));
    GOSSIPS.forEach(logger -> logger.setLevel(Level.SEVERE));
    Listening.check(settings);
    AuditLog audit = new AuditLog(settings.folder(), clock);
    PersonAccess people = new PersonAccess(People.on(box), clock);
    this.access =
        new Access(
            new Tokens(box, clock),
            settings.oidc() == null ? null : new Jwts(settings.oidc(), clock),
            new Sessions(clock, people),
            new SignInLinks(clock),
            () -> "signalbox_" + port());
    Authenticator authenticator = new Authenticator(access, settings.limits(), clock);
    ClientAddresses addresses = new ClientAddresses(settings.proxies());
    Archives archives =
        settings.folder() == null ? null : new Archives(box, settings.folder(), clock);
    MadeSecrets made =
        settings.folder() == null
            ? null
            : new MadeSecrets(
                settings.folder().resolve("webhook-secrets"), settings.care().secrets());
    this.caretaker =
        new Caretaker(
            box, settings.care(), made == null ? settings.care().secrets() : made, archives, clock);
    this.tellings = new NotificationStreams(caretaker.notifications().stream(), clock);
    Map<String, Pages.Folder> folders = new LinkedHashMap<>();
    for (PackagedSystem system : systems) {
      system.publish(box);
      system.attach(box);
      String folder = system.folder();
      if (folder != null) {
        folders.put(system.name(), new Pages.Folder(system.getClass(), folder));
      }
    }
    Catalog catalog = new Catalog(box);
    table.addAll(new HealthRoutes(box, draining, clock).routes());
    table.addAll(
        new SessionRoutes(access, audit, authenticator, settings.tls() != null, people).routes());
    table.addAll(new PeopleRoutes(people.people(), audit).routes());
    this.machines = new MachineRoutes(box, catalog, settings.limits().check());
    table.addAll(machines.routes());
    table.addAll(new PlayRoutes(catalog).routes());
    table.addAll(
        new OverviewRoutes(
                box, catalog, systems, caretaker.readings(), caretaker.alerts(), caretaker, clock)
            .routes());
    table.addAll(new InstanceRoutes(box, catalog).routes());
    table.addAll(new StandstillRoutes(box, catalog).routes());
    this.streams =
        new Streams(
            box.feed(), settings.limits().streams(), settings.limits().streamsOfOne(), clock);
    table.addAll(new BulkRoute(box, audit, clock).routes());
    table.addAll(new StreamRoutes(streams).routes());
    this.history = new HistoryRoutes(box, catalog, clock);
    table.addAll(history.routes());
    table.addAll(new ArchiveRoutes(archives).routes());
    table.addAll(new ApprovalRoutes(box, people.people()).routes());
    table.addAll(
        new SignedAnswerRoute(
                box, settings.care().approvers(), settings.care().secrets(), audit, clock)
            .routes());
    this.tasks = TaskQueue.open(box);
    this.workers = Workers.open(box, tasks);
    this.locks = Locks.open(box);
    table.addAll(new TaskRoutes(tasks).routes());
    table.addAll(new LockRoutes(locks).routes());
    table.addAll(new WorkerRoutes(tasks, workers).routes());
    table.addAll(new BudgetRoutes(box).routes());
    table.addAll(
        new CareRoutes(
                box,
                caretaker.metrics(),
                caretaker.alerts(),
                caretaker,
                settings.care().openMetrics())
            .routes());
    table.addAll(new NotificationRoutes(caretaker.notifications(), made, tellings).routes());
    table.addAll(new AccessRoutes(access, audit).routes());
    for (PackagedSystem system : systems) {
      table.addAll(checked(system, system.routes(box)));
    }
    table.add(OpenApi.route(table));
    Pages pages = new Pages(folders);
    Set<String> open =
        table.stream()
            .filter(Route::isOpen)
            .map(route -> route.method() + " " + Router.API + route.path())
            .collect(Collectors.toSet());
    List<Mount> all = new ArrayList<>(mounts);
    Gate gate =
        new Gate(
            authenticator,
            addresses,
            audit,
            settings,
            Listening.names(settings),
            (method, path) ->
                open.contains(method + " " + path) || (method.equals("GET") && Pages.isOpen(path)),
            path -> isPage(path, all),
            pages,
            draining,
            clock);
    Router router = new Router(table, gate, new KeyedRequests(box), pages, settings, clock);
    this.mcp = new McpDoor(box, catalog, new Behind(gate), settings.limits().bodyBytes(), clock);
    all.add(new Mount(McpDoor.PATH, mcp.servlet()));
    this.javalin = Listening.on(settings, gate, router, audit, all);
  }

  /**
   * Starts a server.
   *
   * @param systems whose machines are published, and whose routes and pages are served
   * @throws IllegalArgumentException when it would listen beyond loopback unprotected
   */
  public static Server start(
      Signalbox box, List<PackagedSystem> systems, ServerSettings settings, InstantSource clock) {
    return start(box, systems, List.of(), settings, clock);
  }

  /**
   * As {@link #start(Signalbox, List, ServerSettings, InstantSource)}, with servlets that are
   * reached behind the same gate.
   */
  public static Server start(
      Signalbox box,
      List<PackagedSystem> systems,
      List<Mount> mounts,
      ServerSettings settings,
      InstantSource clock) {
    Server server = new Server(box, systems, mounts, settings, clock);
    try {
      server.javalin.start();
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
    return server;
  }

  /**
   * A servlet behind the gate: whoever reaches it is in the request's attribute {@link
   * #CALLER_ATTRIBUTE}.
   *
   * @param path as servlets are mapped, such as {@code /mcp}
   */
  public record Mount(String path, Servlet servlet) {}

  /** The request's attribute that holds the {@link dev.signalbox.services.system.Caller}. */
  public static final String CALLER_ATTRIBUTE = Gate.CALLER;

  /** What the gate knows of a request that it let in. */
  private record Behind(Gate gate) implements McpDoor.Outside {
    @Override
    public Caller caller(HttpServletRequest request) {
      return (Caller) Objects.requireNonNull(request.getAttribute(Gate.CALLER));
    }

    @Override
    public String from(HttpServletRequest request) {
      return gate.from(request);
    }

    @Override
    public void note(Caller caller, String from, String tool, ProblemException problem) {
      gate.note(caller.name(), from, "CALL", McpDoor.PATH + " " + tool, problem);
    }

    @Override
    public void refuse(
        HttpServletRequest request, HttpServletResponse response, ProblemException problem)
        throws IOException {
      gate.refuse(request, response, problem);
    }
  }

  /** Whether the path is no route's and no servlet's, so that only a file can be there. */
  private static boolean isPage(String path, List<Mount> mounts) {
    return !path.equals("/api")
        && !path.startsWith("/api/")
        && mounts.stream()
            .map(mount -> mount.path().replaceAll("/?\\*$", ""))
            .noneMatch(prefix -> path.equals(prefix) || path.startsWith(prefix + "/"));
  }

  private static List<Route> checked(PackagedSystem system, List<Route> routes) {
    for (Route route : routes) {
      String below = "/" + system.name();
      boolean own = route.path().equals(below) || route.path().startsWith(below + "/");
      if (!own || route.isOpen()) {
        throw new IllegalArgumentException(
            "Expected the routes of '%s' to be at or below /%s and to ask for a role, but found %s %s."
                .formatted(system.name(), system.name(), route.method(), route.path()));
      }
    }
    return routes;
  }

  /** Every route, as it is registered and described. */
  public List<Route> routes() {
    return List.copyOf(table);
  }

  public int port() {
    return javalin.port();
  }

  /** As in {@code http://127.0.0.1:7420}. */
  public String address() {
    String host = settings.host().contains(":") ? "[" + settings.host() + "]" : settings.host();
    return (settings.tls() == null ? "http://" : "https://") + host + ":" + port();
  }

  /** The tokens of the store, for whoever starts the server. */
  public Tokens tokens() {
    return access.tokens();
  }

  /**
   * A link that opens one session with the token's rights, once, within an hour. The code is behind
   * the {@code #}, so that no server and no log sees it.
   */
  public String signInLink(String token) {
    return address() + "/sign-in#" + access.links().fresh(access.credential(token));
  }

  /** Who makes tokens when nobody has one yet: whoever can open the store. */
  public static Actor owner(String name) {
    return new Actor(Actor.Kind.USER, name, List.of("admin"));
  }

  /**
   * Stops in order: not ready any more, nobody is let in, those inside finish, streams end. The
   * signalbox stays open.
   */
  @Override
  public void close() {
    draining.close();
    streams.close();
    tellings.close();
    mcp.release();
    history.close();
    machines.close();
    try {
      draining.awaitEmpty(settings.limits().grace());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    mcp.close();
    javalin.stop();
    caretaker.close();
    workers.close();
    locks.close();
    tasks.close();
    systems.forEach(PackagedSystem::close);
  }
}
