package dev.signalbox.server.access;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import dev.signalbox.kernel.Actor;
import dev.signalbox.services.person.Authentication;
import dev.signalbox.services.person.Decider;
import dev.signalbox.services.person.People;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.Role;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.InstantSource;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * JWTs of an OIDC issuer as credentials. Only algorithms with public keys are taken, only from keys
 * of the issuer's set, and only with issuer, audience and an end that has not come.
 */
public final class Jwts {
  private static final int LONGEST = 8_192;
  private static final int MOST_ROLES = 32;

  private final Oidc oidc;
  private final DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();

  public Jwts(Oidc oidc, InstantSource clock) {
    this.oidc = oidc;
    Set<JWSAlgorithm> algorithms =
        Oidc.ALGORITHMS.stream().map(JWSAlgorithm::parse).collect(Collectors.toSet());
    processor.setJWSKeySelector(new JWSVerificationKeySelector<>(algorithms, keys(oidc)));
    processor.setJWSTypeVerifier(
        new DefaultJOSEObjectTypeVerifier<>(
            JOSEObjectType.JWT, new JOSEObjectType("at+jwt"), null));
    processor.setJWTClaimsSetVerifier(new ClockedVerifier(oidc, clock));
  }

  /** The library's rules, by our clock. */
  private static final class ClockedVerifier extends DefaultJWTClaimsVerifier<SecurityContext> {
    private final InstantSource clock;

    ClockedVerifier(Oidc oidc, InstantSource clock) {
      super(
          oidc.audience(),
          new JWTClaimsSet.Builder().issuer(oidc.issuer()).build(),
          new HashSet<>(List.of("exp", oidc.nameClaim())));
      this.clock = clock;
    }

    @Override
    protected Date currentTime() {
      return Date.from(clock.instant());
    }
  }

  private static JWKSource<SecurityContext> keys(Oidc oidc) {
    try {
      if (oidc.keys().startsWith("https://") || oidc.keys().startsWith("http://")) {
        return JWKSourceBuilder.create(URI.create(oidc.keys()).toURL())
            .retrying(true)
            .outageTolerant(true)
            .build();
      }
      return new ImmutableJWKSet<>(JWKSet.load(Path.of(oidc.keys()).toFile()));
    } catch (IOException | ParseException e) {
      throw new IllegalArgumentException(
          "Expected a JWK set at %s, but it can't be read: %s."
              .formatted(oidc.keys(), e.getMessage()),
          e);
    }
  }

  /** Whose the JWT is; null when it is not good. */
  @Nullable Caller find(String jwt) {
    if (jwt.length() > LONGEST) {
      return null;
    }
    try {
      JWTClaimsSet claims = processor.process(jwt, null);
      String name = claims.getStringClaim(oidc.nameClaim());
      List<String> roles = roles(claims);
      // Looked for in all of them, however many there are and however it is written.
      boolean agent = roles.stream().anyMatch(Role.AGENT.word()::equalsIgnoreCase);
      return name == null || name.isBlank() || name.length() > 200
          ? null
          : caller(agent ? Actor.Kind.AGENT : Actor.Kind.USER, name, kept(agent, roles));
    } catch (BadJOSEException | com.nimbusds.jose.JOSEException | ParseException e) {
      return null;
    } catch (RuntimeException e) {
      // Whatever a forged token makes the library stumble over, it is not good.
      return null;
    }
  }

  /** Whom the issuer calls an approver decides, for the issuer has looked who it is. */
  private static Caller caller(Actor.Kind kind, String name, List<String> roles) {
    boolean decides = kind == Actor.Kind.USER && roles.contains(People.APPROVER);
    return new Caller(
        kind,
        name,
        roles,
        Set.of(),
        null,
        "oidc " + name,
        decides ? Decider.of(new Actor(kind, name, roles), new Authentication.Issuer()) : null);
  }

  /** Every role that the claim names, whether a caller may have it or not. */
  private List<String> roles(JWTClaimsSet claims) {
    Object claim = claims.getClaim(oidc.rolesClaim());
    Stream<String> words =
        switch (claim) {
          case String text -> Stream.of(text.strip().split("\\s+"));
          case List<?> list -> list.stream().map(String::valueOf).map(String::strip);
          case null, default -> Stream.empty();
        };
    return words.distinct().toList();
  }

  /** Those that the caller has: an agent keeps that, and none of the API's others. */
  private static List<String> kept(boolean agent, List<String> roles) {
    Stream<String> known = roles.stream().filter(Tokens::isRole);
    Stream<String> all =
        agent
            ? Stream.concat(Stream.of(Role.AGENT.word()), known.filter(Jwts::isForAgents))
            : known;
    return all.distinct().limit(MOST_ROLES).toList();
  }

  private static boolean isForAgents(String role) {
    return role.equals(Role.AGENT.word())
        || Stream.of(Role.values()).noneMatch(known -> known.word().equals(role));
  }
}
