package dev.signalbox.systems.runs;

import dev.signalbox.services.notification.UrlPolicy;
import dev.signalbox.services.tool.HandlerTool;
import dev.signalbox.services.tool.SecretSource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What whoever does the work of runs allows.
 *
 * @param folder where the folders of the runs are
 * @param roots the folders in which plans may work, and below; a plan that came in over HTTP has
 *     its folder relative to the first
 * @param apart files and folders that are never looked at, backed up or put back, although they may
 *     lie where plans work: what this program keeps for itself
 * @param policy what is risky
 * @param handlers Java functions that plans may call, by name
 * @param hosts those that tools may call over HTTP, by name, or by name and port
 * @param urls whether addresses of private networks are among them
 * @param secrets what tools name as their secrets
 * @param sandbox where processes run
 */
public record RunsSettings(
    Path folder,
    List<Path> roots,
    List<Path> apart,
    Policy policy,
    Map<String, HandlerTool.Handler> handlers,
    Set<String> hosts,
    UrlPolicy urls,
    SecretSource secrets,
    SandboxSettings sandbox) {

  public RunsSettings {
    folder = folder.toAbsolutePath().normalize();
    roots = absolute(roots);
    apart = absolute(apart);
    handlers = Map.copyOf(handlers);
    hosts = Set.copyOf(hosts);
    if (roots.isEmpty()) {
      throw new IllegalArgumentException("Expected a folder in which plans may work.");
    }
  }

  /** Runs below the folder, of plans that work below the roots. */
  public static RunsSettings in(Path folder, Path... roots) {
    return new RunsSettings(
        folder,
        List.of(roots),
        List.of(folder),
        Policy.STANDARD,
        Map.of(),
        Set.of(),
        UrlPolicy.PUBLIC,
        SecretSource.environment(System.getenv()),
        SandboxSettings.STANDARD);
  }

  /** With a Java function that plans may call. */
  public RunsSettings handler(String name, HandlerTool.Handler handler) {
    Map<String, HandlerTool.Handler> more = new LinkedHashMap<>(handlers);
    more.put(name, handler);
    return new RunsSettings(folder, roots, apart, policy, more, hosts, urls, secrets, sandbox);
  }

  /** With something more that is kept apart, such as the folder of the store. */
  public RunsSettings apart(Path more) {
    List<Path> all = new ArrayList<>(apart);
    all.add(more);
    return new RunsSettings(folder, roots, all, policy, handlers, hosts, urls, secrets, sandbox);
  }

  /** With another policy. */
  public RunsSettings policy(Policy other) {
    return new RunsSettings(folder, roots, apart, other, handlers, hosts, urls, secrets, sandbox);
  }

  /** With hosts that tools may call over HTTP. */
  public RunsSettings hosts(Set<String> allowed, UrlPolicy which) {
    return new RunsSettings(
        folder, roots, apart, policy, handlers, allowed, which, secrets, sandbox);
  }

  /** With another sandbox, or other rules for it. */
  public RunsSettings sandbox(UnaryOperator<SandboxSettings> change) {
    return new RunsSettings(
        folder, roots, apart, policy, handlers, hosts, urls, secrets, change.apply(sandbox));
  }

  /** What no process of a plan sees: what this program keeps for itself, and every run's files. */
  List<Path> hidden() {
    List<Path> hidden = new ArrayList<>(apart);
    hidden.add(folder);
    return hidden.stream().distinct().toList();
  }

  /** Why no plan may work in the folder, or null when one may. Links are followed to their ends. */
  @Nullable String fault(Path wanted) {
    Path real;
    try {
      real = wanted.toRealPath();
    } catch (IOException e) {
      return "Expected the folder '%s' to be there, but it is not.".formatted(wanted);
    }
    for (Path each : hidden()) {
      if (real(each).startsWith(real)) {
        return "Expected a folder that holds nothing of the store, but '%s' holds '%s'. Let the plan work in a folder beside it, or keep the store elsewhere with --data or --db."
            .formatted(wanted, each);
      }
    }
    for (Path root : roots) {
      try {
        if (real.startsWith(root.toRealPath())) {
          return null;
        }
      } catch (IOException e) {
        // A root that is not there allows nothing.
      }
    }
    return "Expected a folder below %s, but found '%s'. Say with --root where plans may work."
        .formatted(roots, wanted);
  }

  private static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException e) {
      return path;
    }
  }

  private static List<Path> absolute(List<Path> paths) {
    return paths.stream().map(path -> path.toAbsolutePath().normalize()).toList();
  }
}
