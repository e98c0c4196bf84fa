package dev.signalbox.cli;

import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.person.Decider;
import dev.signalbox.services.person.People;
import dev.signalbox.services.person.Person;
import dev.signalbox.services.person.Proof;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What only a person does: whoever sits at the terminal says who they are, and then it is done as
 * that person, in the store itself or at the server that is up on it. While somebody thinks, the
 * store is not held.
 */
final class Deciding {
  private final StoreOptions store;

  Deciding(StoreOptions store) {
    this.store = store;
    store.identifyLater();
  }

  /**
   * Decides.
   *
   * @param what in words, as in "approve 'a-1'"
   * @param path of the server's route, which answers with a receipt
   */
  Reply decide(
      String what, String path, Object body, BiFunction<Signalbox, Decider, Reply> locally) {
    return as(
        what,
        remote -> new RemoteDesk(remote).reply(path, null, body),
        (box, decider) -> locally.apply(box, decider));
  }

  /** Works as the person at the terminal, who is enrolled when nobody is yet. */
  <T> T as(String what, Function<Remote, T> remotely, BiFunction<Signalbox, Decider, T> locally) {
    Terminal terminal = store.terminal();
    if (!terminal.isThere()) {
      throw AskedPerson.nobody(what);
    }
    AskedPerson asked = new AskedPerson(terminal, StoreOptions.account());
    List<Person> people = store.at(false, Desk::people);
    if (people.isEmpty()) {
      Person first =
          asked.enrolled(
              store.named(),
              (enrolment, passphrase) ->
                  store.at(false, desk -> desk.enrolFirst(enrolment, passphrase)));
      people = List.of(first);
    }
    String name = asked.name(store.named(), known(people));
    return asked.proved(name, passphrase -> once(name, passphrase, remotely, locally)).value();
  }

  /** Whose account this is; or the only one there is. */
  private static @Nullable String known(List<Person> people) {
    List<Person> called =
        people.stream().filter(person -> person.isCalled(StoreOptions.account())).toList();
    return called.size() == 1
        ? called.getFirst().name()
        : people.size() == 1 ? people.getFirst().name() : null;
  }

  /** What was done by somebody who was right about the passphrase. */
  private record Done<T>(T value) {}

  private <T> @Nullable Done<T> once(
      String name,
      char[] passphrase,
      Function<Remote, T> remotely,
      BiFunction<Signalbox, Decider, T> locally) {
    try (Remote remote = store.remote()) {
      if (remote != null) {
        try (Remote person = remote.asPerson(name, passphrase)) {
          return person == null ? null : new Done<>(remotely.apply(person));
        }
      }
    } catch (Remote.Refused e) {
      throw new CommandFailure("%s (%s)".formatted(e.getMessage(), e.code()));
    }
    return store.with(box ->
        switch (People.on(box).prove(name, passphrase, "terminal")) {
          case Proof.Proved(Person _, Decider decider) -> new Done<>(locally.apply(box, decider));
          case Proof.Wrong() -> null;
          case Proof.Locked() -> throw locked(name);
        });
  }

  static CommandFailure locked(String name) {
    return new CommandFailure(
        "Expected the passphrase of '%s', but there were too many wrong ones. Wait a minute or more."
            .formatted(name));
  }
}
