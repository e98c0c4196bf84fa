package dev.signalbox.runtime;

import org.jspecify.annotations.Nullable;

/** Does one kind of effect. */
@FunctionalInterface
public interface EffectHandler {
  /**
   * Does the work. It may be asked again with the same key when the process died meanwhile, unless
   * the machine says that the effect is not idempotent. An exception, and an error too, means that
   * nobody knows what happened: an idempotent effect is tried again, any other becomes unknown. A
   * {@link NotStartedException} says that nothing was begun: then any effect is tried again, and
   * has failed when its attempts are used up.
   *
   * <p>It may take as long as it needs; its lease is renewed meanwhile. Its thread is interrupted
   * when what it does is not wanted any more: the instance has left the state that the effect
   * belongs to ({@code during}), another node has the effect, or the runtime closes. Then it ends
   * what it has begun and returns; except at closing, its result is refused as late.
   */
  Outcome handle(Call call) throws Exception;

  /**
   * One attempt at an effect.
   *
   * @param key the same at every attempt; give it to the outside where that can tell repetitions
   * @param attempt 1 at first
   */
  record Call(String instance, String key, String effect, @Nullable Object input, int attempt) {}
}
