package dev.signalbox.kernel;

import org.jspecify.annotations.Nullable;

/**
 * What is sent to an instance.
 *
 * @param data a JSON value: null, Boolean, Long, Double, String, List or Map
 * @param sendId the id the sender gave it, or null
 * @param origin the address to answer to, or null
 * @param originType the transport to answer by, or null
 * @param invokeId the invocation that sent it, or null
 */
public record Event(
    String name,
    Kind kind,
    @Nullable Object data,
    @Nullable Actor actor,
    @Nullable String sendId,
    @Nullable String origin,
    @Nullable String originType,
    @Nullable String invokeId) {

  /** Where an event comes from, in SCXML's words. */
  public enum Kind {
    EXTERNAL("external"),
    INTERNAL("internal"),
    PLATFORM("platform");

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    public String word() {
      return word;
    }

    /**
     * The kind with the word.
     *
     * @throws IllegalArgumentException when there is none
     */
    static Kind of(String word) {
      return switch (word) {
        case "external" -> EXTERNAL;
        case "internal" -> INTERNAL;
        case "platform" -> PLATFORM;
        default ->
            throw new IllegalArgumentException("Expected a kind of event, but found " + word + ".");
      };
    }
  }

  public static Event external(String name, @Nullable Object data, @Nullable Actor actor) {
    return new Event(name, Kind.EXTERNAL, data, actor, null, null, null, null);
  }

  public static Event external(String name, @Nullable Object data) {
    return external(name, data, null);
  }

  public static Event external(String name) {
    return external(name, null, null);
  }

  public static Event internal(String name, @Nullable Object data) {
    return new Event(name, Kind.INTERNAL, data, null, null, null, null, null);
  }

  public static Event platform(String name, @Nullable Object data) {
    return new Event(name, Kind.PLATFORM, data, null, null, null, null, null);
  }
}
