package dev.signalbox.testkit.falsify;

import dev.signalbox.definition.Json;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.MachineWriter;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Throws machine after machine and falsifies what is said of each; a seed is always one hunt. */
final class Hunt {
  private static final int MOST_TRIALS = 150;

  private final Falsifier.Tally tally = new Falsifier.Tally();
  private final Map<Profile, Integer> found = new EnumMap<>(Profile.class);
  private final Falsifier falsifier = new Falsifier(tally);
  private int machines;

  /** One machine of the hunt with what is wrong about it. */
  record Catch(Profile profile, long seed, Finding finding, String yaml, long millis) {
    String text() {
      return "%s, -Dfalsify.profile=%s -Dfalsify.machine=%d, after %d ms%n%s%n%n%s"
          .formatted(profile, profile, seed, millis, finding.text(), yaml);
    }
  }

  Map<String, Long> tally() {
    return tally.counts;
  }

  int machines() {
    return machines;
  }

  /**
   * Hunts.
   *
   * @param profiles that take turns
   * @param most catches of one profile, after which it is left out; 0 ends with the first of any
   * @param told of each catch at once
   */
  List<Catch> hunt(
      long seed, Duration time, List<Profile> profiles, int most, Consumer<Catch> told) {
    List<Catch> catches = new ArrayList<>();
    long start = System.nanoTime();
    for (long i = 0; System.nanoTime() - start < time.toNanos(); i++) {
      Profile profile = profiles.get((int) (i % profiles.size()));
      if (most == 0 && !catches.isEmpty()) {
        break;
      }
      if (most > 0 && found.getOrDefault(profile, 0) >= most) {
        if (profiles.stream().allMatch(p -> found.getOrDefault(p, 0) >= most)) {
          break;
        }
        continue;
      }
      long number = seed * 1_000_003L + i;
      Catch caught = one(profile, number, start);
      if (caught != null) {
        found.merge(profile, 1, Integer::sum);
        told.accept(caught);
        catches.add(caught);
      }
    }
    return catches;
  }

  /** The machine of a number, and what is wrong about it. */
  @Nullable Catch one(Profile profile, long number, long start) {
    Map<String, Object> tree = new MachineDice(profile, number).thrown();
    machines++;
    List<Finding> findings = falsifier.findings(tree, number);
    if (findings.isEmpty()) {
      return null;
    }
    long millis = Duration.ofNanos(System.nanoTime() - start).toMillis();
    Finding first = findings.getFirst();
    Falsifier again = new Falsifier(new Falsifier.Tally());
    String sought =
        switch (first.claim()) {
          case PROVED, PROVED_BUT_STUCK -> first.invariant();
          case PROVED_BUT_ENDLESS, REFUTED, UNNOTICED, STARTS, NEVER_REACHED, BROKE -> "";
        };
    Map<String, Object> small =
        new Shrinker(t -> isLike(again.findings(t, number, sought), first), MOST_TRIALS)
            .shrunk(tree);
    Finding finding =
        again.findings(small, number, sought).stream()
            .filter(f -> isLike(List.of(f), first))
            .findFirst()
            .orElse(first);
    return new Catch(profile, number, finding, yaml(small), millis);
  }

  private static boolean isLike(List<Finding> findings, Finding first) {
    return findings.stream()
        .anyMatch(f -> f.claim() == first.claim() && f.invariant().equals(first.invariant()));
  }

  private static String yaml(Map<String, Object> tree) {
    try {
      return MachineWriter.write(
          MachineReader.read(new Source("m.yaml", Json.text(tree))),
          "yaml",
          new Problems("m.yaml"));
    } catch (RuntimeException e) {
      return Json.pretty(tree);
    }
  }

  /** Runs a hunt outside of a build: seed, seconds, most catches, profiles. */
  public static void main(String[] args) {
    long seed = Long.parseLong(args[0]);
    Duration time = Duration.ofSeconds(Long.parseLong(args[1]));
    List<Profile> profiles = new ArrayList<>();
    for (int i = 3; i < args.length; i++) {
      profiles.add(Profile.valueOf(args[i]));
    }
    Hunt hunt = new Hunt();
    var _ =
        hunt.hunt(
            seed,
            time,
            profiles.isEmpty() ? Profile.ALL : profiles,
            Integer.parseInt(args[2]),
            one -> System.out.println("==== " + one.text()));
    System.out.println(hunt.machines() + " machines " + hunt.tally());
  }
}
