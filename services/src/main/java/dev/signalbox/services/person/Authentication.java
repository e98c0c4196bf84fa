package dev.signalbox.services.person;

/**
 * How it is known who decides. The entry of the decision says it, as a role of the actor that
 * nothing else gives: a role with a colon is none that a token, a file or an option may name.
 */
public sealed interface Authentication {

  /** The person said the passphrase, at most some minutes ago. */
  record Passphrase() implements Authentication {}

  /** A webhook that the person's secret signed. */
  record SignedWebhook() implements Authentication {}

  /** An identity provider that whoever runs the server trusts says so. */
  record Issuer() implements Authentication {}

  /**
   * A token of the API, which says who but not that a person is there: it stops, and never decides.
   */
  record Token() implements Authentication {}

  /** The program that Signalbox is a part of vouches for the actor it names. */
  record Program() implements Authentication {}

  /** As the journal writes it. */
  default String role() {
    return switch (this) {
      case Passphrase _ -> "by:passphrase";
      case SignedWebhook _ -> "by:webhook";
      case Issuer _ -> "by:issuer";
      case Token _ -> "by:token";
      case Program _ -> "by:program";
    };
  }
}
