package dev.signalbox.services.task;

import dev.signalbox.kernel.Rejection;
import java.util.List;

/** What a worker that asks for tasks is answered. */
public sealed interface Polled {

  /** These are its; none when there was nothing to do in the time that it would wait. */
  record Granted(List<Lease> leases) implements Polled {

    public Granted {
      leases = List.copyOf(leases);
    }
  }

  /** It gets nothing: it is not known, or has to stop. */
  record Refused(Rejection rejection) implements Polled {}
}
