package dev.signalbox.cli;

import dev.signalbox.runtime.Why;
import dev.signalbox.services.person.Enrolment;
import dev.signalbox.services.person.EnrolmentException;
import dev.signalbox.services.person.Passphrase;
import dev.signalbox.services.person.PersonName;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The person at the terminal, who says who they are: by the passphrase, or by being enrolled as the
 * first. Where nobody is there, nothing is decided.
 */
final class AskedPerson {
  private static final int TRIES = 3;

  private final Terminal terminal;
  private final String account;

  /**
   * @param account the name under which this person acts otherwise
   */
  AskedPerson(Terminal terminal, String account) {
    this.terminal = terminal;
    this.account = account;
  }

  /** What is said where nobody can be asked. */
  static CommandFailure nobody(String what) {
    return new CommandFailure(
        ("Expected a person at a terminal to %s, but there is none. Do it at a terminal, or on the"
                + " page of 'signalbox up'; programs answer by a signed webhook.")
            .formatted(what));
  }

  /** The name of who sits here: the one that was given, or whose account it is, or asked for. */
  String name(@Nullable String given, @Nullable String known) {
    if (given != null) {
      return given;
    }
    if (known != null) {
      return known;
    }
    String typed = terminal.ask("Your name: ");
    if (typed == null || typed.isBlank()) {
      throw new CommandFailure("Expected a name, but there is none. Nothing was done.");
    }
    return typed.strip();
  }

  /**
   * Asks for the passphrase until it is right, a few times.
   *
   * @param prove gives what it was proved by, or null when it was wrong
   */
  <T> T proved(String name, Function<char[], @Nullable T> prove) {
    for (int i = 0; i < TRIES; i++) {
      char[] passphrase = secret("Passphrase of %s: ".formatted(Plain.line(name)));
      try {
        T proof = prove.apply(passphrase);
        if (proof != null) {
          return proof;
        }
      } finally {
        Arrays.fill(passphrase, '\0');
      }
      terminal.tell("That is not it.");
    }
    throw new CommandFailure(
        "Expected the passphrase of '%s', but it was none of these. Nothing was decided."
            .formatted(name));
  }

  private char[] secret(String question) {
    char[] typed = terminal.askSecretly(question);
    if (typed == null || typed.length == 0) {
      throw new CommandFailure("Expected a passphrase, but there is none. Nothing was done.");
    }
    return typed;
  }

  /**
   * Enrols the first person of the store.
   *
   * @param given the name, if one was given
   * @param enrol does it; what it refuses is told, and asked for again
   */
  <T> T enrolled(@Nullable String given, BiFunction<Enrolment, char[], T> enrol) {
    terminal.tell(
        "Nobody is enrolled in this store yet. You become the first: what needs a person's word\n"
            + "will ask for your passphrase, which no token and no program has.");
    String name = given;
    while (name == null) {
      String typed = terminal.ask("Your name [%s]: ".formatted(account));
      if (typed == null) {
        throw new CommandFailure("Expected a name, but there is none. Nobody was enrolled.");
      }
      String candidate = typed.isBlank() ? account : typed.strip();
      String objection = PersonName.objection(candidate);
      if (objection == null) {
        name = candidate;
      } else {
        terminal.tell(objection);
      }
    }
    char[] passphrase = fresh();
    try {
      boolean own =
          isYes("May you approve what you started yourself, as long as you are alone here?");
      Set<String> accounts = account.equals(name) ? Set.of() : Set.of(account);
      return enrol.apply(new Enrolment(name, Enrolment.FIRST, accounts, own, account), passphrase);
    } catch (EnrolmentException e) {
      throw new CommandFailure(Why.of(e));
    } finally {
      Arrays.fill(passphrase, '\0');
    }
  }

  /** A new passphrase, said twice. */
  char[] fresh() {
    while (true) {
      char[] first = secret("A new passphrase, at least 8 characters: ");
      String objection = Passphrase.objection(first);
      if (objection != null) {
        terminal.tell(objection);
        continue;
      }
      char[] second = secret("The same again: ");
      boolean same = Arrays.equals(first, second);
      Arrays.fill(second, '\0');
      if (same) {
        return first;
      }
      Arrays.fill(first, '\0');
      terminal.tell("The two differ.");
    }
  }

  private boolean isYes(String question) {
    String typed = terminal.ask(question + " [y/N] ");
    return typed != null && List.of("y", "yes").contains(typed.strip().toLowerCase(Locale.ROOT));
  }
}
