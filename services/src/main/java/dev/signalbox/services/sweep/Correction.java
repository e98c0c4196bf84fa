package dev.signalbox.services.sweep;

/** What puts an instance right. */
public sealed interface Correction {
  /** An event of its machine, whose data has the reason. */
  record Send(String event) implements Correction {}

  /** It ends, with everything it invoked. */
  record Cancel() implements Correction {}

  /** It becomes again what its journal says. */
  record Restore() implements Correction {}

  /** It is told that nobody will report on an effect. */
  record GiveUp(String reply) implements Correction {}

  /** Only a person can help. */
  record None() implements Correction {}

  /** The correction in a word or two. */
  default String word() {
    return switch (this) {
      case Send(String event) -> "send " + event;
      case Cancel() -> "cancel";
      case Restore() -> "restore";
      case GiveUp(String reply) -> "give up " + reply;
      case None() -> "none";
    };
  }

  /** The correction that the words are of. */
  static Correction of(String words) {
    return switch (words) {
      case "cancel" -> new Cancel();
      case "restore" -> new Restore();
      case "none" -> new None();
      case String send when send.startsWith("send ") -> new Send(send.substring(5));
      case String end when end.startsWith("give up ") -> new GiveUp(end.substring(8));
      default ->
          throw new IllegalArgumentException(
              "Expected a correction, but '%s' is none.".formatted(words));
    };
  }
}
