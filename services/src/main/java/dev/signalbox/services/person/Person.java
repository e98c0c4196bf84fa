package dev.signalbox.services.person;

import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Instance;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who was enrolled.
 *
 * @param accounts other names under which the person acts, such as that of the folder's token
 * @param ownAllowed whether the person may approve what they started, as long as there is nobody
 *     else
 */
public record Person(
    String id,
    String name,
    List<String> roles,
    Set<String> accounts,
    boolean ownAllowed,
    String enrolledBy,
    String state) {

  static Person of(Instance instance) {
    Map<String, @Nullable Object> context = instance.context();
    return new Person(
        instance.id(),
        String.valueOf(context.get("name")),
        texts(context.get("roles")),
        Set.copyOf(texts(context.get("accounts"))),
        "allowed".equals(context.get("self_approval")),
        String.valueOf(context.get("enrolled_by")),
        instance.leaf());
  }

  static Passphrase passphrase(Instance instance) {
    Map<String, @Nullable Object> context = instance.context();
    return new Passphrase(
        String.valueOf(context.get("scheme")),
        context.get("rounds") instanceof Number rounds ? rounds.intValue() : 0,
        String.valueOf(context.get("salt")),
        String.valueOf(context.get("hash")));
  }

  private static List<String> texts(@Nullable Object value) {
    return value instanceof List<?> list ? list.stream().map(String::valueOf).toList() : List.of();
  }

  /** The person as the journal names them. */
  public Actor actor() {
    return new Actor(Actor.Kind.USER, name, roles);
  }

  /** Whether the name is the person's, or that of an account of theirs. */
  public boolean isCalled(String called) {
    return PersonName.isSame(name, called)
        || accounts.stream().anyMatch(account -> PersonName.isSame(account, called));
  }

  /** The person as JSON, without anything of the passphrase. */
  public Map<String, Object> asMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("id", id);
    map.put("name", name);
    map.put("roles", roles);
    map.put("accounts", accounts.stream().sorted().toList());
    map.put("self_approval", ownAllowed ? "allowed" : "refused");
    map.put("enrolled_by", enrolledBy);
    map.put("state", state);
    return map;
  }
}
