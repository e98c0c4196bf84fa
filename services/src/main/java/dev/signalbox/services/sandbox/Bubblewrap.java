package dev.signalbox.services.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox made by bubblewrap: a root of its own that holds the programs of the machine, to be
 * read, and what the {@link Reach} shows; processes, semaphores and a host name of its own, no
 * capabilities, no network unless it is given. It ends when the thread ends that started it.
 *
 * <p>What is mounted later lies above what is mounted earlier, so the order says who wins: the
 * machine, what whoever runs the program shows, what is hidden, then the folder and what is the
 * process's own.
 */
public final class Bubblewrap implements Sandbox {
  private static final String PROGRAM = "bwrap";

  /** Folders of programs, shown as they are. */
  private static final List<String> MACHINE =
      List.of("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store");

  /** What programs look up below /etc and what holds no secret. */
  private static final List<String> CONFIGURATION =
      List.of(
          "alternatives",
          "bash.bashrc",
          "ca-certificates",
          "ca-certificates.conf",
          "crypto-policies",
          "fonts",
          "gai.conf",
          "gitconfig",
          "group",
          "host.conf",
          "hosts",
          "inputrc",
          "java",
          "ld.so.cache",
          "ld.so.conf",
          "ld.so.conf.d",
          "locale.alias",
          "locale.conf",
          "localtime",
          "magic",
          "magic.mime",
          "mime.types",
          "nsswitch.conf",
          "os-release",
          "passwd",
          "perl",
          "pki/ca-trust",
          "pki/java",
          "pki/tls/certs",
          "profile",
          "profile.d",
          "protocols",
          "resolv.conf",
          "services",
          "shells",
          "ssl/certs",
          "ssl/openssl.cnf",
          "terminfo",
          "timezone",
          "xattr.conf",
          "xml");

  private static final long SCRATCH = 1L << 30;

  private final Path program;
  private final List<String> separation;
  private final List<String> machine;
  private final List<Path> programs;

  private Bubblewrap(Path program, List<String> separation, Map<String, String> around) {
    this.program = program;
    this.separation = separation;
    this.machine = machine();
    this.programs = programs(around);
  }

  /**
   * The sandbox of this machine, or why there is none.
   *
   * @param around the variables of this process, whose PATH says where programs are
   */
  public static Sandbox find(Map<String, String> around) {
    return find(around, List.of(Path.of("/usr/bin"), Path.of("/usr/local/bin")));
  }

  /**
   * The sandbox of this machine, or why there is none.
   *
   * @param besides where bubblewrap is looked for after the folders of the PATH
   */
  public static Sandbox find(Map<String, String> around, List<Path> besides) {
    Path program = program(around, besides);
    if (program == null) {
      return new Unconfined(
          "Expected bubblewrap for a sandbox, but there is no '%s'. Install the package bubblewrap."
              .formatted(PROGRAM));
    }
    String why = "";
    for (List<String> separation : separations()) {
      Bubblewrap sandbox = new Bubblewrap(program, separation, around);
      String reached = SelfTest.of(sandbox);
      if (reached.isEmpty()) {
        return sandbox;
      }
      why = reached;
    }
    return new Unconfined(
        "Expected '%s' to make a sandbox, but %s. See that user namespaces are allowed here."
            .formatted(program, why));
  }

  /** With which privileges it can be made, the least first. */
  private static List<List<String>> separations() {
    return List.of(
        // An ordinary user's, in which no further namespaces can be made.
        List.of("--unshare-user", "--disable-userns", "--cap-drop", "ALL"),
        // The same for versions that can't forbid that.
        List.of("--unshare-user", "--cap-drop", "ALL"),
        // For root where no user namespaces are allowed.
        List.of("--cap-drop", "ALL"));
  }

  private static @Nullable Path program(Map<String, String> around, List<Path> besides) {
    List<Path> places = new ArrayList<>(folders(around));
    places.addAll(besides);
    for (Path place : places) {
      Path program = place.resolve(PROGRAM);
      if (Files.isRegularFile(program) && Files.isExecutable(program)) {
        return program;
      }
    }
    return null;
  }

  /** The folders of a PATH that are named from the root. */
  private static List<Path> folders(Map<String, String> around) {
    List<Path> folders = new ArrayList<>();
    for (String each : around.getOrDefault("PATH", "").split(":")) {
      if (each.startsWith("/") && each.indexOf('\0') < 0) {
        folders.add(Path.of(each).normalize());
      }
    }
    return folders;
  }

  /** Folders of the PATH that lie elsewhere than the machine's programs. */
  private static List<Path> programs(Map<String, String> around) {
    return folders(around).stream()
        .filter(folder -> folder.getNameCount() > 0 && Files.isDirectory(folder))
        .filter(folder -> MACHINE.stream().noneMatch(folder::startsWith))
        .distinct()
        .toList();
  }

  private static List<String> machine() {
    List<String> arguments = new ArrayList<>();
    for (String each : MACHINE) {
      Path path = Path.of(each);
      try {
        if (Files.isSymbolicLink(path)) {
          arguments.addAll(List.of("--symlink", Files.readSymbolicLink(path).toString(), each));
        } else if (Files.isDirectory(path)) {
          arguments.addAll(List.of("--ro-bind", each, each));
        }
      } catch (IOException e) {
        // What can't be looked at is not shown.
      }
    }
    for (String each : CONFIGURATION) {
      Path path = Path.of("/etc", each);
      if (Files.exists(path)) {
        arguments.addAll(List.of("--ro-bind", path.toString(), path.toString()));
      }
    }
    arguments.addAll(List.of("--proc", "/proc", "--dev", "/dev"));
    for (String scratch : List.of("/tmp", "/var/tmp")) {
      arguments.addAll(List.of("--size", Long.toString(SCRATCH), "--tmpfs", scratch));
    }
    return List.copyOf(arguments);
  }

  @Override
  public String name() {
    return "bubblewrap";
  }

  @Override
  public boolean isConfining() {
    return true;
  }

  @Override
  public String why() {
    return "";
  }

  @Override
  public ProcessBuilder prepared(Errand errand) {
    Reach reach = errand.reach();
    List<String> arguments = new ArrayList<>();
    arguments.add(program.toString());
    arguments.addAll(separation);
    arguments.addAll(
        List.of(
            "--unshare-pid",
            "--unshare-ipc",
            "--unshare-uts",
            "--unshare-cgroup-try",
            "--die-with-parent",
            "--new-session"));
    if (!reach.network()) {
      arguments.add("--unshare-net");
    }
    arguments.addAll(machine);
    List<Path> shown = new ArrayList<>(MACHINE.stream().map(Path::of).toList());
    List<Path> hidden = reach.hidden().stream().map(Bubblewrap::real).toList();
    for (Path each : programs) {
      if (hidden.stream().noneMatch(one -> one.startsWith(real(each)))) {
        show(arguments, "--ro-bind", each, hidden, shown);
      }
    }
    reach.readable().forEach(each -> show(arguments, "--ro-bind", each, hidden, shown));
    reach.changeable().forEach(each -> show(arguments, "--bind", each, hidden, shown));
    hidden.forEach(each -> hide(arguments, each, shown));
    arguments.addAll(
        List.of(
            reach.writable() ? "--bind" : "--ro-bind",
            reach.shown().toString(),
            reach.folder().toString()));
    reach.own().forEach(each -> show(arguments, "--ro-bind", each, List.of(), shown));
    if (errand.answers() != null) {
      show(arguments, "--bind", errand.answers(), List.of(), shown);
    }
    new TreeMap<>(errand.chosen())
        .forEach((name, value) -> arguments.addAll(List.of("--setenv", name, value)));
    arguments.addAll(List.of("--remount-ro", "/", "--chdir", reach.folder().toString(), "--"));
    arguments.addAll(errand.command());
    ProcessBuilder builder = new ProcessBuilder(arguments).directory(Path.of("/").toFile());
    Map<String, String> environment = builder.environment();
    environment.clear();
    environment.putAll(errand.given());
    return builder;
  }

  /** Shows what does not lie within something hidden itself. */
  private static void show(
      List<String> arguments, String how, Path path, List<Path> hidden, List<Path> shown) {
    if (!Files.exists(path)) {
      throw new IllegalArgumentException(
          "Expected to show '%s' to a process, but it is not there.".formatted(path));
    }
    Path real = real(path);
    if (hidden.stream().noneMatch(real::startsWith)) {
      arguments.addAll(List.of(how, real.toString(), path.toString()));
      shown.add(path);
    }
  }

  /**
   * Takes back what lies within something that is shown, under the name that it has there; the rest
   * is not there anyway.
   */
  private static void hide(List<String> arguments, Path hidden, List<Path> shown) {
    for (Path each : shown) {
      Path real = real(each);
      if (!hidden.startsWith(real)) {
        continue;
      }
      String place = each.resolve(real.relativize(hidden)).toString();
      if (Files.isDirectory(hidden, LinkOption.NOFOLLOW_LINKS)) {
        arguments.addAll(List.of("--tmpfs", place));
      } else if (Files.exists(hidden, LinkOption.NOFOLLOW_LINKS)) {
        arguments.addAll(List.of("--ro-bind", "/dev/null", place));
      }
    }
  }

  private static Path real(Path path) {
    try {
      return path.toRealPath();
    } catch (IOException e) {
      return path.toAbsolutePath().normalize();
    }
  }
}
