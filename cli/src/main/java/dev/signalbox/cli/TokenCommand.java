package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.server.Server;
import dev.signalbox.server.access.Tokens;
import dev.signalbox.services.system.ProblemException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code signalbox token}: who may use the API. */
@Command(
    name = "token",
    mixinStandardHelpOptions = true,
    description = "Make, list and revoke tokens of the API, or make a link that signs in once.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      TokenCommand.Create.class,
      TokenCommand.ListAll.class,
      TokenCommand.Revoke.class,
      TokenCommand.Link.class
    })
@SuppressWarnings("NullAway.Init")
final class TokenCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "Expected create, list, revoke or link, but there is none of these.");
  }

  /** Through the server that is up, or on the store itself. */
  private static <T> T work(
      StoreOptions store,
      java.util.function.Function<Remote, T> remotely,
      java.util.function.Function<Tokens, T> locally) {
    try (Remote remote = store.remote()) {
      return remote != null
          ? remotely.apply(remote)
          : store.making(box -> locally.apply(new Tokens(box, InstantSource.system())));
    } catch (Remote.Refused e) {
      throw new CommandFailure("%s (%s)".formatted(e.getMessage(), e.code()));
    } catch (ProblemException e) {
      throw new CommandFailure(String.valueOf(e.getMessage()));
    }
  }

  private static Map<String, @Nullable Object> view(@Nullable Object token) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    if (token instanceof Map<?, ?> map) {
      map.forEach((name, value) -> view.put(String.valueOf(name), value));
    }
    return view;
  }

  private static String line(Map<?, ?> token) {
    return "%s  %s  %s  %s  until %s"
        .formatted(
            token.get("id"),
            token.get("state"),
            token.get("name"),
            token.get("roles"),
            Instant.ofEpochMilli((Long) Objects.requireNonNull(token.get("expires_at"))));
  }

  /** {@code signalbox token create}. */
  @Command(
      name = "create",
      mixinStandardHelpOptions = true,
      description = "Make a token. Its secret is printed once and kept nowhere.")
  static final class Create implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private StoreOptions store;

    @Parameters(paramLabel = "NAME", description = "Whose it is; the journal names it as the actor")
    private String name;

    @Option(
        names = "--may",
        paramLabel = "ROLE",
        required = true,
        description = "viewer, operator, approver, agent, admin, or a role that machines ask for")
    private List<String> roles;

    @Option(names = "--only", paramLabel = "MACHINE", description = "Only for that machine")
    private List<String> machines = List.of();

    @Option(names = "--instance", paramLabel = "ID", description = "Only for that instance")
    private @Nullable String instance;

    @Option(
        names = "--days",
        paramLabel = "N",
        converter = Count.class,
        defaultValue = "90",
        description = "Until it ends (default ${DEFAULT-VALUE})")
    private int days;

    @Option(names = "--json", description = "One line of JSON")
    private boolean json;

    private Map<String, @Nullable Object> order(List<String> only) {
      Map<String, @Nullable Object> order = new LinkedHashMap<>();
      order.put("name", name);
      order.put("roles", roles);
      order.put("machines", only);
      order.put("instance", instance);
      order.put("days", (long) days);
      return order;
    }

    @Override
    public Integer call() {
      List<String> only = machines == null ? List.of() : machines;
      Map<String, @Nullable Object> made =
          work(
              store,
              remote -> view(remote.post("/tokens", order(only))),
              tokens -> {
                Tokens.Fresh fresh =
                    tokens.create(
                        new Tokens.Order(name, roles, only, instance, Duration.ofDays(days)),
                        Server.owner(store.actor().name()));
                Map<String, @Nullable Object> local = new LinkedHashMap<>();
                local.put("secret", fresh.secret());
                local.put("token", fresh.token().asMap());
                return local;
              });
      PrintWriter out = spec.commandLine().getOut();
      out.println(json ? Json.text(made) : String.valueOf(made.get("secret")));
      out.flush();
      return 0;
    }
  }

  /** {@code signalbox token list}. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = "List every token, without its secret.")
  static final class ListAll implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private StoreOptions store;

    @Option(names = "--json", description = "One line of JSON for each")
    private boolean json;

    @Override
    public Integer call() {
      List<Map<String, @Nullable Object>> all =
          work(
              store,
              remote ->
                  ((List<?>) Objects.requireNonNull(remote.get("/tokens").get("tokens")))
                      .stream().map(TokenCommand::view).toList(),
              tokens -> tokens.list().stream().map(t -> view(t.asMap())).toList());
      PrintWriter out = spec.commandLine().getOut();
      all.forEach(token -> out.println(json ? Json.text(token) : line(token)));
      out.flush();
      StoreOptions.tellNothing(!all.isEmpty(), json, spec);
      return 0;
    }
  }

  /** {@code signalbox token revoke}. */
  @Command(
      name = "revoke",
      mixinStandardHelpOptions = true,
      description = "End a token and every session that came from it.")
  static final class Revoke implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private StoreOptions store;

    @Parameters(paramLabel = "ID", description = "The token's id, as list shows it")
    private String id;

    @Option(names = "--json", description = "One line of JSON")
    private boolean json;

    @Override
    public Integer call() {
      Map<String, @Nullable Object> revoked =
          work(
              store,
              remote -> view(remote.post("/tokens/" + Remote.encoded(id) + "/revoke", null)),
              tokens -> view(tokens.revoke(id, Server.owner(store.actor().name())).asMap()));
      PrintWriter out = spec.commandLine().getOut();
      out.println(json ? Json.text(revoked) : line(revoked));
      out.flush();
      return 0;
    }
  }

  /** {@code signalbox token link}. */
  @Command(
      name = "link",
      mixinStandardHelpOptions = true,
      description = "Make a link that signs in at the server that is up, once, within an hour.")
  static final class Link implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private StoreOptions store;

    @Option(names = "--json", description = "One line of JSON")
    private boolean json;

    @Override
    public Integer call() {
      try (Remote remote = store.remote()) {
        if (remote == null) {
          throw new CommandFailure(
              "Expected a server that is up, but there is none. Start it with 'signalbox up'.");
        }
        String link =
            remote.address() + "/sign-in#" + remote.post("/sign-in-links", null).get("code");
        PrintWriter out = spec.commandLine().getOut();
        out.println(json ? Json.text(Map.of("sign_in", link)) : link);
        out.flush();
        return 0;
      } catch (Remote.Refused e) {
        throw new CommandFailure("%s (%s)".formatted(e.getMessage(), e.code()));
      }
    }
  }
}
