package dev.signalbox.services.approval;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How an approval is claimed.
 *
 * @param conditionsMet the conditions of the approval that are met, word for word
 * @param key names this one execution, such as the key of an effect: the same claim again, after a
 *     crash, gets the same answer. Null when there is only one attempt
 */
public record Terms(Set<String> conditionsMet, @Nullable String key) {

  /** One attempt, no conditions. */
  public static final Terms NONE = new Terms(Set.of(), null);

  public Terms {
    conditionsMet = Set.copyOf(conditionsMet);
  }

  public Terms meeting(String... conditions) {
    return new Terms(Set.of(conditions), key);
  }

  public Terms key(String execution) {
    return new Terms(conditionsMet, execution);
  }
}
