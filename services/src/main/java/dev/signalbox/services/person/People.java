package dev.signalbox.services.person;

import dev.signalbox.definition.MachineShelf;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.ServiceKey;
import dev.signalbox.services.MachineDoor;
import dev.signalbox.services.Sha256;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The people of a store. Any thread may use it, and any number of nodes. */
public final class People {
  /** The machine of which everybody is an instance. */
  public static final String MACHINE = "person";

  /** The role of people who decide, which nobody has but they. */
  public static final String APPROVER = "approver";

  /** Where the machine is. */
  public static final MachineShelf SHELF =
      new MachineShelf(People.class, Map.of(MACHINE, "person.yaml")).closing(MACHINE);

  private static final int MOST = 1_000;
  private static final int PATIENCE = 250;

  private final Host host;
  private final MachineDoor door;

  private People(Host host) {
    this.host = host;
    this.door = new MachineDoor(host, SHELF, MACHINE);
  }

  /** The people of a store; the machine is published there when it is not yet. */
  public static People on(Host host) {
    return new People(host);
  }

  /** Everybody who may come, in the order in which they were enrolled. */
  public List<Person> all() {
    return rows(Query.ALL).stream().map(Person::of).toList();
  }

  public boolean isEmpty() {
    return rows(Query.ALL).isEmpty();
  }

  private List<Instance> rows(Query query) {
    return host.instances(query.ofMachine(MACHINE).page(0, MOST)).stream()
        .filter(People::isSomebody)
        .toList();
  }

  /** What a machine invoked is nobody, nor is who has no passphrase, nor who was removed. */
  private static boolean isSomebody(Instance instance) {
    return instance.machine().equals(MACHINE)
        && instance.parent() == null
        && instance.isReadable()
        && !instance.status().equals("ended")
        && !instance.leaf().equals("ENROLLED");
  }

  /** The person of that id; null when there is none any more. */
  public @Nullable Person person(String id) {
    Instance instance = host.find(id);
    return instance == null || !isSomebody(instance) ? null : Person.of(instance);
  }

  /** The person of that name, however it is written; null when there is none. */
  public @Nullable Person named(String name) {
    Instance found = instance(name);
    return found == null ? null : Person.of(found);
  }

  private @Nullable Instance instance(String name) {
    List<Instance> found = rows(Query.ALL.with(Map.of("normal", PersonName.normal(name))));
    return found.size() == 1 ? found.getFirst() : null;
  }

  /** The person whose name or account that is; null when there is none. */
  public @Nullable Person called(String name) {
    List<Person> found = all().stream().filter(person -> person.isCalled(name)).toList();
    return found.size() == 1 ? found.getFirst() : null;
  }

  /**
   * Refuses a name that is almost somebody's.
   *
   * @throws EnrolmentException when it is another spelling of a person's name or account
   */
  public void checkSpelling(String name) {
    for (Person person : all()) {
      for (String theirs : names(person)) {
        if (PersonName.isSame(theirs, name) && !theirs.equals(name)) {
          throw new EnrolmentException(
              "Expected a name of its own, but it is another spelling of '%s'. Choose another."
                  .formatted(theirs));
        }
      }
    }
  }

  private static List<String> names(Person person) {
    List<String> names = new ArrayList<>(person.accounts());
    names.add(person.name());
    return names;
  }

  /**
   * Enrols the first person of a store, at its terminal.
   *
   * @throws EnrolmentException when somebody was, or the name or the passphrase will not do
   */
  public Person enrolFirst(Enrolment enrolment, char[] passphrase) {
    if (!isEmpty()) {
      throw new EnrolmentException(
          "Expected nobody to be enrolled yet, but somebody is. Let one of them enrol you:"
              + " 'signalbox person add'.");
    }
    return begin(enrolment, passphrase, ServiceKey.of("first-person"));
  }

  /**
   * Enrols somebody else.
   *
   * @param by a person, who has just proved to be one
   * @throws EnrolmentException when the name or the passphrase will not do
   */
  public Person enrol(Enrolment enrolment, char[] passphrase, Decider by) {
    checkAdmin(proved(by));
    return begin(enrolment, passphrase, null);
  }

  /** Who decides on other people: nobody but a person of this store who said the passphrase. */
  private Person proved(Decider by) {
    Person person =
        by.authentication() instanceof Authentication.Passphrase ? named(by.actor().name()) : null;
    if (person == null) {
      throw new EnrolmentException(
          "Expected a person who said the passphrase, but it is none. Say yours first.");
    }
    return person;
  }

  private static void checkAdmin(Person person) {
    if (!person.roles().contains("admin")) {
      throw new EnrolmentException(
          "Expected '%s' to be an admin, but that person is none. Let an admin do it."
              .formatted(person.name()));
    }
  }

  private Person begin(Enrolment enrolment, char[] passphrase, @Nullable String key) {
    String name = enrolment.name();
    check(PersonName.objection(name));
    check(Passphrase.objection(passphrase));
    checkSpelling(name);
    if (called(name) != null) {
      throw taken(name);
    }
    String normal = PersonName.normal(name);
    Map<String, Object> input = new LinkedHashMap<>(Passphrase.of(passphrase).asMap());
    input.put("name", name);
    input.put("normal", normal);
    input.put("roles", enrolment.roles());
    input.put("accounts", enrolment.accounts().stream().sorted().toList());
    input.put("self_approval", enrolment.ownAllowed() ? "allowed" : "refused");
    input.put("enrolled_by", enrolment.by());
    // The id is the name's, so that two nodes can't enrol two people of one name.
    String id = "person-" + Sha256.hex(normal).substring(0, 24);
    Instance known = host.find(id);
    String free = known == null ? id : id + "-" + known.sequence();
    Reply reply =
        door.submitForService(new Command.Start(door.machine(), free, input, Actor.SYSTEM, key));
    if (reply instanceof Reply.Rejected) {
      throw taken(name);
    }
    Person enrolled = named(name);
    if (enrolled == null) {
      throw taken(name);
    }
    return enrolled;
  }

  private static void check(@Nullable String objection) {
    if (objection != null) {
      throw new EnrolmentException(objection);
    }
  }

  private static EnrolmentException taken(String name) {
    return new EnrolmentException(
        "Expected to enrol '%s', but somebody is enrolled under that name, or was just before."
            .formatted(name));
  }

  /**
   * Finds out whether somebody is who they say.
   *
   * @param purpose what it is for, for the record
   */
  public Proof prove(String name, char[] passphrase, String purpose) {
    Instance instance = instance(name);
    if (instance == null) {
      return new Proof.Wrong();
    }
    awaitOpening(instance.id());
    if (!isAccepted(instance, "tried", null)) {
      return new Proof.Locked();
    }
    if (!Person.passphrase(instance).isOf(passphrase)) {
      return new Proof.Wrong();
    }
    if (!isAccepted(instance, "proved", Map.of("purpose", purpose))) {
      return new Proof.Locked();
    }
    Person person = Person.of(instance);
    return new Proof.Proved(person, decider(person));
  }

  /** A store that was just opened may not have come to a timer that fell due meanwhile. */
  private void awaitOpening(String id) {
    for (int i = 0; i < PATIENCE; i++) {
      Instance instance = host.find(id);
      long now = host.clock().millis();
      if (instance == null || instance.deadlines().stream().noneMatch(d -> d.due() <= now)) {
        return;
      }
      LockSupport.parkNanos(this, 20_000_000);
    }
  }

  /** The person as somebody who decides; for whoever knows that it is they. */
  public Decider decider(Person person) {
    return new Decider(
        person.actor(),
        new Authentication.Passphrase(),
        person.accounts(),
        person.ownAllowed() && isSole(person));
  }

  /** Whether nobody else could decide. */
  private boolean isSole(Person person) {
    return all().stream()
        .filter(other -> other.roles().contains(APPROVER))
        .allMatch(other -> other.id().equals(person.id()));
  }

  /** Takes another passphrase. */
  public void change(Decider who, char[] passphrase) {
    check(Passphrase.objection(passphrase));
    accepted(proved(who), "changed", Passphrase.of(passphrase).asMap());
  }

  /** Says whether a sole person may approve what they started. */
  public void allowOwn(Decider who, boolean allowed) {
    accepted(proved(who), "allowed", Map.of("self_approval", allowed ? "allowed" : "refused"));
  }

  /**
   * Lets somebody decide no more.
   *
   * @throws EnrolmentException when there is no such person, or no admin would be left
   */
  public void remove(String name, Decider by) {
    Person who = proved(by);
    Person person = named(name);
    if (person == null) {
      throw new EnrolmentException(
          "Expected somebody who is enrolled, but '%s' is not.".formatted(name));
    }
    if (!person.id().equals(who.id())) {
      checkAdmin(who);
    }
    if (all().stream().noneMatch(p -> p.roles().contains("admin") && !p.id().equals(person.id()))) {
      throw new EnrolmentException(
          "Expected an admin to be left, but '%s' is the last. Enrol another first."
              .formatted(person.name()));
    }
    accepted(person, "removed", Map.of("by", who.name()));
  }

  private void accepted(Person person, String event, Map<String, Object> data) {
    Instance instance = host.find(person.id());
    if (instance == null || !isAccepted(instance, event, data)) {
      throw new EnrolmentException(
          "Expected to change '%s', but it can't be done now. Try again in a while."
              .formatted(person.name()));
    }
  }

  private boolean isAccepted(Instance instance, String event, @Nullable Object data) {
    return door.submitForService(
            new Command.Send(instance.id(), event, data, Actor.SYSTEM, null, null))
        instanceof Reply.Accepted;
  }
}
