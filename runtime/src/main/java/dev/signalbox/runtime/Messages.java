package dev.signalbox.runtime;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.MachineIdentity;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.kernel.ChildChange;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Kernel;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.machine.Machine;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes down what instances have to tell one another. For one thread at a time. */
final class Messages {
  private final Journal journal;
  private final Machines machines;

  Messages(Journal journal, Machines machines) {
    this.journal = journal;
    this.machines = machines;
  }

  /** What the step has to tell other instances. */
  List<MessageRow> of(Working working, Step step) {
    if (step.children().isEmpty() && step.messages().isEmpty() && !step.after().done()) {
      return List.of();
    }
    List<MessageRow> mail = new ArrayList<>();
    String id = working.row.id();
    for (ChildChange child : step.children()) {
      mail.add(
          switch (child) {
            case ChildChange.Started started ->
                message(working, started.invocation().instance(), birth(working, started));
            case ChildChange.Cancelled(ChildChange.Invocation invocation) ->
                message(working, invocation.instance(), new Mail.End());
          });
    }
    for (Step.Message message : step.messages()) {
      mail.add(message(working, message.to(), new Mail.Post(message.event())));
    }
    String parent = step.after().parent();
    if (parent != null && step.after().done() && !step.event().name().equals(Kernel.CANCEL)) {
      String invokeId = Kernel.invokeId(parent, id);
      Event done =
          new Event(
              "done.invoke." + invokeId,
              Event.Kind.EXTERNAL,
              step.after().memory().output(),
              null,
              null,
              "#_scxml_" + id,
              null,
              invokeId);
      mail.add(message(working, parent, new Mail.Post(done)));
    }
    return mail;
  }

  /** Something for another instance, sealed by the sender if it has a seal. */
  MessageRow message(Working from, String to, Mail mail) {
    return message(from.row.id(), from.seal, to, mail);
  }

  /** To whom it goes may have been computed: what can't be an id is nobody's. */
  MessageRow message(String from, @Nullable Seal seal, String recipient, Mail mail) {
    String to = Ids.text(recipient);
    long number = journal.reserve(1);
    byte[] body = Mail.body(mail);
    if (seal == null || mail instanceof Mail.End) {
      // That it ends says nothing, and the store has to know it from what waits.
      return new MessageRow(number, from, to, body);
    }
    return new MessageRow(number, from, to, seal.bytes(Seals.place(number, from, to), body));
  }

  private Mail.Birth birth(Working working, ChildChange.Started started) {
    Machine inline = started.inline();
    String source = started.source();
    if (inline == null && source != null) {
      return new Mail.Birth(source, started.input(), null);
    }
    if (inline == null && started.content() instanceof String text) {
      List<Definition> read = MachineReader.readAll(new Source("content", text), null);
      Definition definition = read.getFirst();
      if (read.size() != 1 || definition.hasErrors()) {
        return new Mail.Birth(null, started.input(), "its content is not one sound machine");
      }
      inline = definition.machine();
    }
    if (inline == null) {
      return new Mail.Birth(null, started.input(), "nothing says which machine it is");
    }
    Machine named =
        new Machine(
            working.machine.published.name()
                + ".inline-"
                + MachineIdentity.digest(inline).substring(0, 12),
            1,
            inline.mode(),
            inline.description(),
            inline.context(),
            inline.events(),
            inline.root(),
            inline.invariants(),
            inline.limits());
    try {
      machines.publish(named, false);
    } catch (IllegalArgumentException e) {
      return new Mail.Birth(null, started.input(), String.valueOf(e.getMessage()));
    }
    return new Mail.Birth(named.name() + "@1", started.input(), null);
  }
}
