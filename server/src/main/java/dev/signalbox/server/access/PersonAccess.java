package dev.signalbox.server.access;

import dev.signalbox.kernel.Actor;
import dev.signalbox.services.person.Decider;
import dev.signalbox.services.person.People;
import dev.signalbox.services.person.Person;
import dev.signalbox.services.person.Proof;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Role;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * How it is known that a person is there: whoever has a session says a name and a passphrase, and
 * for some minutes the session is that person's. The passphrase comes on top of a credential and
 * never alone, so that strangers can neither guess nor lock anybody out.
 */
public final class PersonAccess {
  /** For so long a passphrase is remembered. */
  public static final Duration REMEMBERED = Duration.ofMinutes(10);

  /** Looking at a passphrase is slow by intention; so many at once leave the machine to others. */
  private static final int AT_ONCE = 2;

  private final People people;
  private final InstantSource clock;
  private final Semaphore looking = new Semaphore(AT_ONCE, true);

  public PersonAccess(People people, InstantSource clock) {
    this.people = people;
    this.clock = clock;
  }

  public People people() {
    return people;
  }

  /** Somebody who has just said the passphrase. */
  public record Proved(String person, long until) {}

  /**
   * Finds out whether it is they.
   *
   * @throws ProblemException when it is not, or may not be tried now
   */
  public Proved prove(Caller caller, String name, String passphrase) {
    if (caller.kind() != Actor.Kind.USER || caller.has(Role.AGENT)) {
      throw ProblemException.forbidden(
          "Expected a person, but '%s' is an agent.".formatted(caller.name()),
          "Let a person decide.");
    }
    if (!looking.tryAcquire()) {
      throw tooMany("Expected to look at a passphrase, but others are looked at.");
    }
    char[] text = passphrase.toCharArray();
    try {
      return switch (people.prove(name, text, "session")) {
        case Proof.Proved(Person person, Decider _) ->
            new Proved(person.id(), clock.millis() + REMEMBERED.toMillis());
        case Proof.Wrong() ->
            throw ProblemException.of(
                403,
                "wrong-passphrase",
                "Expected the name and the passphrase of a person, but they are not.",
                "Say them again; after five wrong ones it takes a while.");
        case Proof.Locked() ->
            throw tooMany("Expected the passphrase, but there were too many wrong ones.");
      };
    } finally {
      Arrays.fill(text, '\0');
      looking.release();
    }
  }

  private static ProblemException tooMany(String message) {
    return ProblemException.of(429, "too-many-requests", message, "Wait a minute.");
  }

  /**
   * The caller of a session in which the passphrase was said: the person, for as long as it is
   * remembered, and then again whoever the credential says.
   */
  public Caller caller(Caller base, @Nullable Proved proved) {
    Person person =
        proved == null || clock.millis() >= proved.until ? null : people.person(proved.person);
    if (person == null) {
      return base;
    }
    Set<String> roles = new LinkedHashSet<>(person.roles());
    if (person.isCalled(base.name())) {
      roles.addAll(base.roles());
    }
    return new Caller(
        Actor.Kind.USER,
        person.name(),
        List.copyOf(roles),
        base.machines(),
        base.instance(),
        base.credential(),
        people.decider(person));
  }
}
