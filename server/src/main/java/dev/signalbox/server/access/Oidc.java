package dev.signalbox.server.access;

import java.util.List;

/**
 * Whose JWTs are taken as credentials.
 *
 * @param issuer what {@code iss} must say
 * @param audience what {@code aud} must hold
 * @param keys where the issuer's public keys are: a URL or the path of a file with a JWK set
 * @param rolesClaim the claim that holds the roles, a list or a text with spaces
 * @param nameClaim the claim that holds the name
 */
public record Oidc(
    String issuer, String audience, String keys, String rolesClaim, String nameClaim) {

  /** Algorithms with a public key; whatever else a token names, it is refused. */
  static final List<String> ALGORITHMS =
      List.of(
          "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA");

  public static Oidc of(String issuer, String audience, String keys) {
    return new Oidc(issuer, audience, keys, "roles", "sub");
  }
}
