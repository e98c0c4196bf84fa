package dev.signalbox.cli;

import dev.signalbox.journal.DurableFile;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.RejectedException;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.server.LocalToken;
import dev.signalbox.server.access.AuditLog;
import dev.signalbox.server.mcp.StdioBridge;
import dev.signalbox.server.mcp.StdioDoor;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.PackagedSystem;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Role;
import dev.signalbox.systems.runs.RunsSettings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code signalbox mcp}: the door for agents over standard input and output. */
@Command(
    name = "mcp",
    mixinStandardHelpOptions = true,
    description = {
      "Serve the Model Context Protocol over standard input and output, for an agent that "
          + "starts this command.",
      "Where 'signalbox up' runs on the folder it goes through it, with the token in "
          + "agent-token or in the variable SIGNALBOX_TOKEN; otherwise it opens the store itself."
    })
@SuppressWarnings("NullAway.Init")
final class McpCommand implements Callable<Integer> {
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  @Option(
      names = "--data",
      paramLabel = "FOLDER",
      defaultValue = ".signalbox",
      description = "Where the store is (default ${DEFAULT-VALUE})")
  private Path data;

  @Option(
      names = "--instance",
      paramLabel = "ID",
      description = "Show this instance alone: the events that its states permit are the tools")
  private @Nullable String instance;

  @Option(
      names = "--as",
      paramLabel = "NAME",
      defaultValue = "agent",
      description = "The agent's name where it opens the store (default ${DEFAULT-VALUE})")
  private String name;

  @Option(
      names = "--role",
      paramLabel = "ROLE",
      description =
          "A role of machines that the agent has where it opens the store; may be given several"
              + " times")
  private List<String> roles = List.of();

  @Override
  public Integer call() {
    try {
      String address = running();
      if (address != null) {
        StdioBridge.run(address, token(), instance, System.in, System.out);
      } else {
        open();
      }
      return 0;
    } catch (IOException e) {
      throw new CommandFailure(
          "Expected to use the folder %s, but it can't be used: %s."
              .formatted(data, Unusable.folder(data, e)));
    } catch (JournalException | RejectedException | ProblemException e) {
      throw new CommandFailure(String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    }
  }

  private Path store() {
    return data.resolve("signalbox.db");
  }

  /** The address of the server that has the store; null when none answers. */
  private @Nullable String running() throws InterruptedException {
    String address = SqliteJournal.announced(store());
    if (address == null) {
      return null;
    }
    try (HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build()) {
      HttpRequest health =
          HttpRequest.newBuilder(URI.create(address + "/api/v1/health")).timeout(PATIENCE).build();
      client.send(health, HttpResponse.BodyHandlers.discarding());
      return address;
    } catch (IOException e) {
      // Its owner has gone without a word; whoever opens the store takes it over.
      return null;
    }
  }

  private String token() {
    String given = System.getenv("SIGNALBOX_TOKEN");
    if (given != null && !given.isBlank()) {
      return given.strip();
    }
    Path file = LocalToken.agentFile(data);
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new CommandFailure(
          "Expected a token for agents in %s, but %s. Set SIGNALBOX_TOKEN to one that 'signalbox token create NAME --may agent' makes."
              .formatted(file, Unusable.file(file, e)));
    }
  }

  private void open() throws IOException, InterruptedException {
    InstantSource clock = InstantSource.system();
    DurableFile.folders(data);
    try (Signalbox box =
        ShippedSystems.open(
            StoreOptions.SQLITE + store(), clock, Keyring.of(StoreOptions.SQLITE + store()))) {
      RunsSettings runs = RunsSettings.in(data.resolve("runs"), Path.of("")).apart(data);
      List<PackagedSystem> systems = ShippedSystems.all(runs);
      for (PackagedSystem system : systems) {
        system.publish(box);
        system.attach(box);
      }
      try {
        AuditLog audit = new AuditLog(data, clock);
        StdioDoor.serve(box, agent(), instance, System.in, System.out, audit, clock);
      } finally {
        systems.forEach(PackagedSystem::close);
      }
    }
  }

  /** An agent as a token for one would make it: it has no other role of the API. */
  private Caller agent() {
    List<String> all = new ArrayList<>(List.of(Role.AGENT.word()));
    for (String role : roles == null ? List.<String>of() : roles) {
      for (Role one : Role.values()) {
        if (one.word().equals(role) && one != Role.AGENT) {
          throw new CommandFailure(
              "Expected roles that machines ask for, but an agent can't be %s.".formatted(role));
        }
      }
      all.add(role);
    }
    return new Caller(Actor.Kind.AGENT, name, all, Set.of(), "stdio");
  }
}
