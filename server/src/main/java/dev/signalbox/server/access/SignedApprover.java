package dev.signalbox.server.access;

import dev.signalbox.definition.DefinitionException;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.services.person.Authentication;
import dev.signalbox.services.person.Decider;
import dev.signalbox.services.rule.RuleFile;
import dev.signalbox.services.rule.RuleItem;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A person whose answers to approvals may come in signed webhooks. Whoever has the secret is that
 * person, with these roles and no others.
 *
 * @param secret its name; the secret itself is nowhere but where secrets are
 */
public record SignedApprover(String name, List<String> roles, String secret) {

  public SignedApprover {
    roles = List.copyOf(roles);
  }

  /**
   * The approvers of a text in YAML, a list under {@code approvers}.
   *
   * @throws DefinitionException with every problem
   */
  public static List<SignedApprover> read(Source source) {
    return RuleFile.read(source, "approvers", SignedApprover::approver);
  }

  private static @Nullable SignedApprover approver(RuleItem item) {
    String name = item.named();
    List<String> roles = item.texts("roles");
    String secret = item.required("secret");
    for (String role : roles) {
      if (!Tokens.isRole(role)) {
        item.error(
            "wrong-value",
            "roles",
            "Expected roles of people in small letters, but '%s' is none.".formatted(role));
        return null;
      }
    }
    return new SignedApprover(name, roles.isEmpty() ? List.of("approver") : roles, secret);
  }

  /** The person as the journal names them, known by the secret. */
  public Decider decider() {
    return Decider.of(new Actor(Actor.Kind.USER, name, roles), new Authentication.SignedWebhook());
  }
}
