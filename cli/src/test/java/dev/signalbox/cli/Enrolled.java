package dev.signalbox.cli;

import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.person.Decider;
import dev.signalbox.services.person.Enrolment;
import dev.signalbox.services.person.People;
import dev.signalbox.services.person.Proof;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** People of a store, all with one passphrase. */
final class Enrolled {
  static final String PASSPHRASE = "a lantern on a rail";

  /** Enrols the others for the tests. */
  private static final String FIRST = "zoe";

  private Enrolled() {}

  /** Enrols somebody with these roles, and approver. */
  static void in(Signalbox box, String name, String... roles) {
    People people = People.on(box);
    if (people.isEmpty()) {
      people.enrolFirst(
          new Enrolment(FIRST, Enrolment.FIRST, Set.of(), false, "test"), passphrase());
    }
    if (people.named(name) == null) {
      List<String> all = new ArrayList<>(List.of(roles));
      if (!all.contains("approver")) {
        all.add("approver");
      }
      Decider zoe = ((Proof.Proved) people.prove(FIRST, passphrase(), "test")).decider();
      people.enrol(new Enrolment(name, all, Set.of(), false, FIRST), passphrase(), zoe);
    }
  }

  /** As {@link #in(Signalbox, String, String...)}, in the store of that address. */
  static void at(String url, String... names) {
    try (Signalbox box = Signalbox.open(url)) {
      for (String name : names) {
        in(box, name);
      }
    }
  }

  static char[] passphrase() {
    return PASSPHRASE.toCharArray();
  }
}
