package dev.signalbox.services.notification;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who wants to be told, of what, and how.
 *
 * @param name small letters, digits and dashes; no two have the same
 * @param rules names of the rules whose notifications are wanted; empty for all of the audiences
 * @param url where webhooks go; null for the log
 * @param secret the name under which {@link Secrets} finds the secret; null for the log
 * @param attempts how often a webhook is tried before it is a dead letter
 */
public record Subscription(
    String name,
    Set<Audience> audiences,
    List<String> rules,
    @Nullable String url,
    @Nullable String secret,
    int attempts) {

  public Subscription {
    audiences = Set.copyOf(audiences);
    rules = List.copyOf(rules);
    if (!name.matches("[a-z0-9][a-z0-9-]{0,99}")) {
      throw new IllegalArgumentException(
          "Expected a subscription's name to be small letters, digits and dashes, but found '%s'."
              .formatted(name));
    }
    if ((url == null) != (secret == null)) {
      throw new IllegalArgumentException(
          "Expected the webhook '%s' to have an address and the name of a secret, but one is missing."
              .formatted(name));
    }
  }

  /** Signed webhooks to an address. */
  public static Subscription webhook(
      String name, String url, String secret, Audience... audiences) {
    return new Subscription(name, Set.of(audiences), List.of(), url, secret, 8);
  }

  /** Lines in the log. */
  public static Subscription log(String name, Audience... audiences) {
    return new Subscription(name, Set.of(audiences), List.of(), null, null, 1);
  }

  public Subscription only(String... ruleNames) {
    return new Subscription(name, audiences, List.of(ruleNames), url, secret, attempts);
  }

  public Subscription trying(int times) {
    return new Subscription(name, audiences, rules, url, secret, times);
  }

  /** The id of the instance that stands for it. */
  public String id() {
    return id(name);
  }

  static String id(String name) {
    return "subscription-" + name;
  }

  Map<String, @Nullable Object> input(long cursor) {
    Map<String, @Nullable Object> input = new LinkedHashMap<>();
    input.put("name", name);
    input.put("channel", url == null ? "log" : "webhook");
    input.put("audiences", audiences.stream().map(Audience::word).sorted().toList());
    input.put("rules", rules);
    input.put("url", url == null ? "" : url);
    input.put("secret", secret == null ? "" : secret);
    input.put("attempts", attempts);
    input.put("cursor", cursor);
    return input;
  }
}
