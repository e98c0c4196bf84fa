package dev.signalbox.testkit.falsify;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * No verdict of the checker is wrong, as far as random machines and their runs can show.
 *
 * <p>{@code -Dfalsify.seconds=3600} hunts for an hour from a seed that nobody chose, {@code
 * -Dfalsify.seed=N} repeats a hunt, and {@code -Dfalsify.profile=P -Dfalsify.machine=N} looks at
 * one machine again.
 */
class FalsifierTest {
  private static final long FIXED = 16;

  /** How many seconds it hunts in the build. */
  private static final int SHORT = 6;

  /** How many wrong machines of one profile are enough. */
  private static final int MOST = 3;

  @Test
  void a_hunt_finds_nothing() {
    Integer seconds = Integer.getInteger("falsify.seconds");
    Long seed = Long.getLong("falsify.seed");
    Long machine = Long.getLong("falsify.machine");
    if (machine != null) {
      Hunt.Catch caught = new Hunt().one(profiles().getFirst(), machine, System.nanoTime());
      assertThat(caught == null ? "" : caught.text()).isEmpty();
      return;
    }
    long chosen = seconds == null ? FIXED : new SecureRandom().nextInt(1_000_000_000);
    hunt(seed == null ? chosen : seed, seconds == null ? SHORT : seconds);
  }

  private static void hunt(long seed, int seconds) {
    Hunt hunt = new Hunt();
    List<Hunt.Catch> catches =
        hunt.hunt(
            seed,
            Duration.ofSeconds(seconds),
            profiles(),
            Boolean.getBoolean("falsify.first") ? 0 : MOST,
            caught -> System.out.println("falsified: " + caught.text()));
    System.out.printf(
        "falsify.seed=%d: %d machines in %d s, %s%n", seed, hunt.machines(), seconds, hunt.tally());
    assertThat(catches.stream().map(Hunt.Catch::text).collect(Collectors.joining("\n\n")))
        .as("what falsify.seed=%d found", seed)
        .isEmpty();
  }

  private static List<Profile> profiles() {
    List<Profile> profiles = new ArrayList<>();
    for (String name : System.getProperty("falsify.profile", "").split(",")) {
      if (!name.isEmpty()) {
        profiles.add(Profile.valueOf(name));
      }
    }
    return profiles.isEmpty() ? Profile.ALL : profiles;
  }
}
