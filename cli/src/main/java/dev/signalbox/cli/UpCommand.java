package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.DurableFile;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.server.Care;
import dev.signalbox.server.LocalToken;
import dev.signalbox.server.Server;
import dev.signalbox.server.ServerSettings;
import dev.signalbox.server.access.Oidc;
import dev.signalbox.server.mcp.McpDoor;
import dev.signalbox.services.checkpoint.CheckpointPublisher;
import dev.signalbox.services.person.People;
import dev.signalbox.services.person.Person;
import dev.signalbox.services.sandbox.Sandbox;
import dev.signalbox.systems.runs.RunsSettings;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code signalbox up}: the server, until it is told to stop. */
@Command(
    name = "up",
    mixinStandardHelpOptions = true,
    description = {
      "Start the server: the API, the page and the five systems, on the embedded store or on "
          + "PostgreSQL.",
      "It prints its address and a link that signs you in once."
    })
@SuppressWarnings("NullAway.Init")
final class UpCommand implements Callable<Integer> {
  /** Where a server can listen. */
  static final class Port extends Between {
    Port() {
      super(0, 65_535);
    }
  }

  @Spec private CommandSpec spec;

  @Option(
      names = "--data",
      paramLabel = "FOLDER",
      defaultValue = ".signalbox",
      description = "Where the store, the token and the audit log are (default ${DEFAULT-VALUE})")
  private Path data;

  @Option(
      names = "--db",
      paramLabel = "URL",
      description = "Another store: jdbc:postgresql://HOST/DATABASE or jdbc:sqlite:FILE")
  private @Nullable String url;

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description = "Where to listen (default ${DEFAULT-VALUE}); elsewhere only with TLS")
  private String host;

  @Option(
      names = "--port",
      paramLabel = "N",
      defaultValue = "7420",
      converter = Port.class,
      description = "The port (default ${DEFAULT-VALUE}); 0 takes a free one")
  private int port;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "Another name by which clients call it; may be given several times")
  private List<String> names = List.of();

  @Option(
      names = "--trusted-proxy",
      paramLabel = "ADDRESS",
      description =
          "A proxy, or a network of them, whose X-Forwarded-For says from where requests come; may"
              + " be given several times")
  private List<String> proxies = List.of();

  @Option(
      names = "--insecure",
      description = "Listen beyond loopback without TLS: only behind something that encrypts")
  private boolean insecure;

  @Option(
      names = "--root",
      paramLabel = "FOLDER",
      description = "Where plans of runs may work (default: here); may be given several times")
  private List<Path> roots = List.of();

  @Option(
      names = "--demo",
      description = "Start a few instances, so that there is something to see")
  private boolean demo;

  @Option(names = "--json", description = "One line of JSON once it is ready")
  private boolean json;

  @Mixin private CareOptions care;
  @Mixin private PublishOptions publish;

  @Mixin private SandboxOptions sandbox;

  @ArgGroup(exclusive = false)
  private @Nullable TlsOptions tls;

  @ArgGroup(exclusive = false)
  private @Nullable OidcOptions oidc;

  /** TLS from files in PEM. */
  static final class TlsOptions {
    @Option(
        names = "--tls-certificate",
        required = true,
        paramLabel = "FILE",
        description = "The chain of certificates, in PEM")
    private Path certificates;

    @Option(
        names = "--tls-key",
        required = true,
        paramLabel = "FILE",
        description = "The private key, in PEM (PKCS#8)")
    private Path key;
  }

  /** JWTs of an issuer as credentials. */
  static final class OidcOptions {
    @Option(
        names = "--oidc-issuer",
        required = true,
        paramLabel = "URL",
        description = "Take JWTs of this issuer as credentials")
    private String issuer;

    @Option(
        names = "--oidc-audience",
        required = true,
        paramLabel = "NAME",
        description = "The audience that they must be for")
    private String audience;

    @Option(
        names = "--oidc-keys",
        required = true,
        paramLabel = "FILE|URL",
        description = "The issuer's public keys, a JWK set")
    private String keys;

    @Option(
        names = "--oidc-roles",
        paramLabel = "CLAIM",
        defaultValue = "roles",
        description = "The claim that holds the roles (default ${DEFAULT-VALUE})")
    private String roles;

    @Option(
        names = "--oidc-name",
        paramLabel = "CLAIM",
        defaultValue = "sub",
        description = "The claim that holds the name (default ${DEFAULT-VALUE})")
    private String name;
  }

  @Override
  public Integer call() {
    InstantSource clock = InstantSource.system();
    Care wanted = care.care();
    try {
      DurableFile.folders(data);
      try (OpenTelemetrySdk telemetry = care.telemetry();
          CheckpointPublisher publisher =
              publish.publisher(wanted.webhooks(), wanted.secrets(), clock);
          Signalbox box = ShippedSystems.open(store(), clock, publish.keyring(keyring()));
          Closing _ = enrolment(box);
          Server server =
              Server.start(
                  box, ShippedSystems.all(runs()), settings(wanted.tracing(telemetry)), clock)) {
        publisher.follow(box);
        String user = StoreOptions.account();
        String token = LocalToken.in(data, server.tokens(), user);
        LocalToken.agentIn(data, server.tokens(), user);
        if (box.journal() instanceof SqliteJournal sqlite) {
          sqlite.announce(server.address());
        }
        if (demo) {
          Demo.start(box, clock);
        }
        tell(server, server.signInLink(token), People.on(box).isEmpty());
        awaitTheEnd(server, box, telemetry);
        return 0;
      }
    } catch (IOException e) {
      throw new CommandFailure(
          "Expected to use the folder %s, but it can't be used: %s."
              .formatted(data, Unusable.folder(data, e)));
    } catch (JournalException | IllegalArgumentException e) {
      throw new CommandFailure(String.valueOf(e.getMessage()));
    } catch (io.javalin.util.JavalinBindException e) {
      throw new CommandFailure(
          "Expected to listen on %s:%d, but something else does. Give --port another number."
              .formatted(host, port));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    }
  }

  private String store() {
    return url == null ? StoreOptions.SQLITE + data.resolve("signalbox.db") : url;
  }

  /** The store's keys; a database's, where nothing else is said, are in the data folder. */
  private Keyring keyring() {
    Keyring keyring = Keyring.of(store());
    return keyring != null ? keyring : Keyring.at(data.resolve("signalbox-keys"));
  }

  /** Plans work below the roots, and never on what this server keeps for itself. */
  private RunsSettings runs() {
    Path[] allowed =
        roots == null || roots.isEmpty()
            ? new Path[] {Path.of("").toAbsolutePath()}
            : roots.toArray(Path[]::new);
    RunsSettings settings = sandbox.in(RunsSettings.in(data.resolve("runs"), allowed).apart(data));
    for (Path each : StoreOptions.kept(store())) {
      settings = settings.apart(each);
    }
    return settings;
  }

  private ServerSettings settings(Care looked) {
    return ServerSettings.DEFAULT
        .at(host, port)
        .names(names == null ? Set.of() : Set.copyOf(names))
        .proxies(proxies == null ? Set.of() : Set.copyOf(proxies))
        .insecure(insecure)
        .folder(data)
        .care(looked)
        .tls(tls == null ? null : new ServerSettings.Tls(tls.certificates, tls.key))
        .oidc(
            oidc == null
                ? null
                : new Oidc(oidc.issuer, oidc.audience, oidc.keys, oidc.roles, oidc.name));
  }

  /** Nothing that needs closing; it stands between the store and the server. */
  @FunctionalInterface
  private interface Closing extends AutoCloseable {
    @Override
    void close();
  }

  /** The first person is enrolled before anybody can reach the server. */
  private Closing enrolment(Signalbox box) {
    Terminal terminal = Main.terminal(spec);
    People people = People.on(box);
    if (!json && terminal.isThere() && people.isEmpty()) {
      Person first =
          new AskedPerson(terminal, StoreOptions.account()).enrolled(null, people::enrolFirst);
      terminal.tell("%s is enrolled.".formatted(first.name()));
    }
    return () -> {};
  }

  private void tell(Server server, String link, boolean nobody) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("address", server.address());
      line.put("sign_in", link);
      line.put("token_file", LocalToken.file(data).toString());
      line.put("sandbox", Sandbox.here().name());
      line.put("people_enrolled", !nobody);
      out.println(Json.text(line));
    } else {
      out.printf("Signalbox is up at %s%n", server.address());
      out.printf("Sign in once, within an hour: %s%n", link);
      out.printf("The token of this folder is in %s. Ctrl-C ends it.%n", LocalToken.file(data));
      out.printf(
          "Agents connect with MCP to %s%s with the token in %s.%n",
          server.address(), McpDoor.PATH, LocalToken.agentFile(data));
      String warning = sandbox.warning(Sandbox.here());
      if (!warning.isEmpty()) {
        out.println(warning);
      }
      if (nobody) {
        out.println(
            "Nobody is enrolled, so nothing can be approved yet: run 'signalbox person add NAME' at"
                + " a terminal before you let an agent in.");
      }
    }
    out.flush();
  }

  /**
   * Waits for SIGTERM or Ctrl-C, then lets everything finish before the process ends, with 0: being
   * told to stop is no failure. Something that can't be finished leaves the code of the signal.
   */
  private static void awaitTheEnd(
      Server server, Signalbox box, @Nullable OpenTelemetrySdk telemetry)
      throws InterruptedException {
    CountDownLatch asked = new CountDownLatch(1);
    Thread end =
        Thread.ofPlatform()
            .name("signalbox-end")
            .unstarted(() -> {
              server.close();
              box.close();
              if (telemetry != null) {
                telemetry.close();
              }
              asked.countDown();
              Runtime.getRuntime().halt(0);
            });
    Runtime.getRuntime().addShutdownHook(end);
    asked.await();
  }
}
