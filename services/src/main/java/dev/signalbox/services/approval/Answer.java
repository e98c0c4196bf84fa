package dev.signalbox.services.approval;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a person says to a request. */
public sealed interface Answer {

  /**
   * Yes to exactly what has the digest.
   *
   * @param condition that a claim has to meet; null for none
   */
  record Approve(String digest, @Nullable String condition) implements Answer {
    public Approve {
      if (condition != null) {
        Limits.text(condition, "a condition");
      }
    }
  }

  /** No, for everybody. */
  record Reject(String reason) implements Answer {
    public Reject {
      Limits.text(reason, "a reason");
    }
  }

  /** It is handed upwards, which calls the action off. */
  record Escalate(String reason) implements Answer {
    public Escalate {
      Limits.text(reason, "a reason");
    }
  }

  /** The event of the machine. */
  default String event() {
    return switch (this) {
      case Approve _ -> "approve";
      case Reject _ -> "reject";
      case Escalate _ -> "escalate";
    };
  }

  /** The event's data. */
  default Map<String, Object> data() {
    return switch (this) {
      case Approve(String digest, String condition) ->
          condition == null
              ? Map.of("digest", digest)
              : Map.of("digest", digest, "condition", condition);
      case Reject(String reason) -> Map.of("reason", reason);
      case Escalate(String reason) -> Map.of("reason", reason);
    };
  }
}
