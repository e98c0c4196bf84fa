package dev.signalbox.runtime;

import dev.signalbox.journal.JournalException;
import dev.signalbox.kernel.Rejection;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What every command passes before it waits for its turn. */
final class Door {
  private Door() {}

  /**
   * Brings a command's data into the journal's form and lets it in, or answers at once.
   *
   * @param queue says whether there was room
   */
  static void enter(
      Command command,
      Settings settings,
      Forks forks,
      CompletableFuture<Reply> reply,
      Predicate<Ticket> queue) {
    Command normal;
    try {
      normal = normal(command, forks);
    } catch (RejectedException e) {
      reply.complete(new Reply.Rejected(e.rejection()));
      return;
    } catch (JournalException e) {
      reply.completeExceptionally(e);
      return;
    } catch (IllegalArgumentException e) {
      refuse(reply, Rejection.Code.BAD_DATA, "Expected JSON data, but " + e.getMessage() + ".");
      return;
    }
    Rejection size = Admission.size(data(normal), settings.dataBytes());
    if (size != null) {
      reply.complete(new Reply.Rejected(size));
    } else if (!queue.test(new Ticket(normal, reply))) {
      refuse(
          reply,
          Rejection.Code.BUSY,
          "Expected at most %,d commands to wait, but there are as many; try again in a moment."
              .formatted(settings.queue()));
    }
  }

  private static void refuse(CompletableFuture<Reply> reply, Rejection.Code code, String message) {
    reply.complete(new Reply.Rejected(Admission.rejection(code, message)));
  }

  private static Command normal(Command command, Forks forks) {
    return switch (command) {
      case Command.Send s when s.data() != null ->
          new Command.Send(
              s.instance(),
              s.event(),
              Values.of(s.data()),
              s.actor(),
              s.key(),
              s.expectedSequence());
      case Command.Start s when !s.input().isEmpty() ->
          new Command.Start(s.machine(), s.id(), Values.fields(s.input()), s.actor(), s.key());
      case Command.Send _,
          Command.Start _,
          Command.Cancel _,
          Command.Pause _,
          Command.Resume _,
          Command.Migrate _,
          Command.Erase _ ->
          command;
      case Command.Fork fork -> forks.prepared(fork);
      case Command.Fire _, Command.Deliver _, Command.Conclude _, Command.Branch _ ->
          throw new IllegalArgumentException("only the engine gives that command");
    };
  }

  private static @Nullable Object data(Command command) {
    return switch (command) {
      case Command.Send send -> send.data();
      case Command.Start start -> start.input();
      case Command.Migrate migrate -> migrate.states();
      default -> null;
    };
  }
}
