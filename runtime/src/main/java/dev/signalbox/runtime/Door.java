package dev.signalbox.runtime;

import dev.signalbox.journal.JournalException;
import dev.signalbox.kernel.Rejection;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What every command passes before it waits for its turn. */
final class Door {
  private static final Pattern TRACE =
      Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");

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
      Corrections corrections,
      OldKeys oldKeys,
      CompletableFuture<Reply> reply,
      Predicate<Ticket> queue) {
    Command normal;
    Rejection refusal;
    KeyUse use = null;
    try {
      normal = normal(command, settings.dataBytes(), forks, corrections);
      refusal = Ids.refusal(normal);
      if (refusal == null) {
        refusal = Admission.size(data(normal), settings.dataBytes());
      }
      if (refusal == null) {
        use = KeyUse.of(normal);
        normal = oldKeys.prepared(normal);
      }
    } catch (RejectedException e) {
      reply.complete(new Reply.Rejected(e.rejection()));
      return;
    } catch (JournalException e) {
      reply.completeExceptionally(e);
      return;
    } catch (Values.TooLarge e) {
      reply.complete(new Reply.Rejected(Admission.tooLarge(settings.dataBytes())));
      return;
    } catch (IllegalArgumentException e) {
      refuse(reply, Rejection.Code.BAD_DATA, "Expected JSON data, but " + e.getMessage() + ".");
      return;
    }
    if (refusal != null) {
      reply.complete(new Reply.Rejected(refusal));
    } else if (!queue.test(new Ticket(normal, use, trace(command), reply))) {
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

  private static Command normal(Command command, int most, Forks forks, Corrections corrections) {
    return switch (command) {
      case Command.Send s when s.data() != null ->
          new Command.Send(
              s.instance(),
              s.event(),
              Values.of(s.data(), most),
              s.actor(),
              s.key(),
              s.expectedSequence(),
              s.trace());
      case Command.Start s when !s.input().isEmpty() ->
          new Command.Start(
              s.machine(), s.id(), Values.fields(s.input(), most), s.actor(), s.key(), s.trace());
      case Command.Correct correct -> corrections.prepared(correct);
      case Command.Send _,
          Command.Start _,
          Command.GiveUp _,
          Command.Cancel _,
          Command.Pause _,
          Command.Resume _,
          Command.Migrate _,
          Command.Erase _ ->
          command;
      case Command.Fork fork -> forks.prepared(fork);
      case Command.Fire _,
          Command.Deliver _,
          Command.Conclude _,
          Command.Restore _,
          Command.Branch _ ->
          throw new IllegalArgumentException("only the engine gives that command");
    };
  }

  /**
   * The trace that the entry keeps: the command's own, or the one of whom the thread works for.
   * What is not a {@code traceparent} of W3C is left out: it says nothing of the instance, and a
   * caller's mistake in it must not stop the command.
   */
  private static @Nullable String trace(Command command) {
    String own = command.trace();
    String given = own == null ? CallerTrace.current().traceparent() : own;
    return given != null && TRACE.matcher(given).matches() ? given : null;
  }

  private static @Nullable Object data(Command command) {
    return switch (command) {
      case Command.Send send -> send.data();
      case Command.Start start -> start.input();
      case Command.Migrate migrate -> migrate.states();
      case Command.Restore restore -> restore.correct().reason();
      case Command.GiveUp giveUp -> giveUp.reason();
      case Command.Cancel cancel -> cancel.reason();
      default -> null;
    };
  }
}
