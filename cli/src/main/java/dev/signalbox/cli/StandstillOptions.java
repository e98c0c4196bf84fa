package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Scope;
import dev.signalbox.runtime.ScopeReport;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Which instances a command lets stand still or go on. */
@SuppressWarnings("NullAway.Init")
final class StandstillOptions {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Parameters(paramLabel = "ID", arity = "0..1", description = "The instance")
  private @Nullable String id;

  @Option(
      names = "--machine",
      paramLabel = "MACHINE",
      description = "Every live instance of the machine instead, and those that would begin")
  private @Nullable String machine;

  @Option(names = "--tree", description = "Everything below the instance too")
  private boolean tree;

  @Option(
      names = "--key",
      paramLabel = "KEY",
      description = "The idempotency key: asked for again with it, what was done is found done")
  private @Nullable String key;

  @Option(names = "--json", description = "One line of JSON")
  private boolean json;

  @Nullable String key() {
    return key;
  }

  /**
   * Does it to the instance, or to all that are meant.
   *
   * @param one does it to one instance
   * @param many does it to several
   */
  int carryOut(Function<String, Reply> one, Function<Scope, ScopeReport> many, String done) {
    if ((id == null) == (machine == null) || (machine != null && tree)) {
      throw new ParameterException(
          spec.commandLine(),
          "Expected an ID, an ID with --tree, or --machine MACHINE, but found something else.");
    }
    PrintWriter out = spec.commandLine().getOut();
    if (id != null && !tree) {
      return StoreOptions.tell(one.apply(id), json, out);
    }
    Scope scope =
        machine != null
            ? new Scope.OfMachine(machine)
            : new Scope.Tree(java.util.Objects.requireNonNull(id));
    ScopeReport report = many.apply(scope);
    if (json) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("done", report.done());
      line.put("already", report.already());
      line.put(
          "refused",
          report.refused().stream()
              .map(r ->
                  Map.of(
                      "instance", r.instance(),
                      "code", r.rejection().code().word(),
                      "message", r.rejection().message()))
              .toList());
      out.println(Json.text(line));
    } else {
      report.refused().forEach(r -> out.printf("%s: %s%n", r.instance(), r.rejection().message()));
      out.printf("%,d %s, %,d were so already%n", report.done(), done, report.already());
    }
    out.flush();
    return report.refused().isEmpty() ? 0 : 1;
  }
}
