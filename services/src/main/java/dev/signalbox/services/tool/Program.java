package dev.signalbox.services.tool;

import dev.signalbox.services.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A program as it is started: an argument list, never a line for a shell, and the whole of its
 * environment. Of the variables around us it gets those that are named and no others.
 *
 * @param command the program and its arguments; {@code {name}} is the place of a call's argument
 * @param environment the names of variables that are handed on
 * @param variables variables with their values
 * @param secrets variables with the names of the secrets that are their values
 * @param grace how long it may take to end when asked, before it is killed
 */
public record Program(
    List<String> command,
    List<String> environment,
    Map<String, String> variables,
    Map<String, String> secrets,
    Duration grace) {
  /** What most programs need and what tells nothing about us. */
  public static final List<String> PLAIN_ENVIRONMENT = List.of("PATH", "LANG", "LC_ALL", "TZ");

  private static final int MOST = 1_000;
  private static final Duration LONGEST_GRACE = Duration.ofMinutes(5);

  /**
   * @throws IllegalArgumentException when there is no program, its name has a place for an
   *     argument, a variable's name is none or is ours, or a limit is exceeded
   */
  public Program {
    command = List.copyOf(command);
    environment = List.copyOf(environment);
    variables = Map.copyOf(variables);
    secrets = Map.copyOf(secrets);
    if (command.isEmpty() || command.getFirst().isBlank() || command.size() > MOST) {
      throw new IllegalArgumentException(
          "Expected a command of 1 to %,d elements that names a program, but found %,d."
              .formatted(MOST, command.size()));
    }
    if (Placeholders.any(command.getFirst())) {
      throw new IllegalArgumentException(
          "Expected a command to name its program itself, but '%s' leaves it to an argument."
              .formatted(command.getFirst()));
    }
    List<String> names = new ArrayList<>(environment);
    names.addAll(variables.keySet());
    names.addAll(secrets.keySet());
    for (String name : names) {
      if (!name.matches("[A-Za-z_][A-Za-z0-9_]{0,199}") || name.startsWith("SIGNALBOX_")) {
        throw new IllegalArgumentException(
            "Expected names of variables that do not begin with SIGNALBOX_, but found '%s'."
                .formatted(name));
      }
    }
    if (grace.isNegative() || grace.compareTo(LONGEST_GRACE) > 0) {
      throw new IllegalArgumentException(
          "Expected a grace of at most %s, but found %s.".formatted(LONGEST_GRACE, grace));
    }
  }

  public static Program of(String... command) {
    return of(List.of(command));
  }

  public static Program of(List<String> command) {
    return new Program(command, PLAIN_ENVIRONMENT, Map.of(), Map.of(), Duration.ofSeconds(5));
  }

  /**
   * The argument list for a call.
   *
   * @throws IllegalArgumentException when an argument that its command has a place for is missing,
   *     of another type, or looks like an option
   */
  public List<String> filled(Map<String, Object> arguments) {
    return Placeholders.filled(command, arguments);
  }

  /**
   * The same program with these variables handed on and no others.
   *
   * @throws IllegalArgumentException when one is Signalbox's own, where secrets of others are
   */
  public Program handingOn(List<String> names) {
    for (String name : names) {
      if (name.toUpperCase(Locale.ROOT).startsWith("SIGNALBOX_")) {
        throw new IllegalArgumentException(
            "Expected variables that a tool may have, but '%s' is Signalbox's own. Name a secret of the tool's instead."
                .formatted(name));
      }
    }
    return new Program(command, names, variables, secrets, grace);
  }

  public Program with(String variable, String value) {
    Map<String, String> more = new LinkedHashMap<>(variables);
    more.put(variable, value);
    return new Program(command, environment, more, secrets, grace);
  }

  public Program withSecret(String variable, String secret) {
    Map<String, String> more = new LinkedHashMap<>(secrets);
    more.put(variable, secret);
    return new Program(command, environment, variables, more, grace);
  }

  public Program endingWithin(Duration other) {
    return new Program(command, environment, variables, secrets, other);
  }

  /**
   * The environment of a process, without what a kind of tool adds and without the variables whose
   * values whoever wrote the command chose.
   */
  Map<String, String> surroundings(Map<String, String> around, Redactor values) {
    Map<String, String> all = new TreeMap<>();
    around.forEach((name, value) -> {
      // Marks of those who started us, so that they find what we start.
      if (name.startsWith(ProcessTree.MARK)) {
        all.put(name, value);
      }
    });
    for (String name : environment) {
      String value = around.get(name);
      if (value != null) {
        all.put(name, value);
      }
    }
    secrets.forEach((variable, secret) -> all.put(variable, values.value(secret)));
    return all;
  }

  /** What it is, with the digests of those files of the folder that its command names itself. */
  Map<String, Object> identity(Path folder) {
    Map<String, Object> identity = new LinkedHashMap<>();
    identity.put("command", command);
    identity.put("environment", environment);
    identity.put("variables", Map.<String, Object>copyOf(variables));
    identity.put("secrets", Map.<String, Object>copyOf(secrets));
    Map<String, Object> files = new TreeMap<>();
    for (String element : command) {
      String digest = Placeholders.any(element) ? null : digest(folder, element);
      if (digest != null) {
        files.put(element, digest);
      }
    }
    identity.put("files", files);
    return identity;
  }

  /**
   * Which file is started, with its digest, where it is one that the folder does not hold; a file
   * of the folder is part of the folder.
   */
  Map<String, Object> executable(Path folder, Map<String, String> around) {
    String name = command.getFirst();
    List<Path> places = new ArrayList<>();
    if (name.indexOf('/') >= 0) {
      places.add(folder.resolve(name));
    } else {
      String path = variables.getOrDefault("PATH", around.getOrDefault("PATH", ""));
      for (String each : path.split(":")) {
        if (each.startsWith("/")) {
          places.add(Path.of(each).resolve(name));
        }
      }
    }
    for (Path place : places) {
      if (Files.isRegularFile(place) && Files.isExecutable(place)) {
        try (InputStream in = Files.newInputStream(place)) {
          return place.startsWith(folder)
              ? Map.of("program", place.toString())
              : Map.of("program", place.toString(), "program_sha256", Sha256.hex(in));
        } catch (IOException e) {
          return Map.of("program", place.toString());
        }
      }
    }
    return Map.of();
  }

  private static @Nullable String digest(Path folder, String element) {
    try {
      Path file = folder.resolve(element).toRealPath();
      if (!file.startsWith(folder.toRealPath()) || !Files.isRegularFile(file)) {
        return null;
      }
      try (InputStream in = Files.newInputStream(file)) {
        return Sha256.hex(in);
      }
    } catch (IOException | IllegalArgumentException e) {
      // It names no file that can be read; if it is the program, starting it fails.
      return null;
    }
  }
}
