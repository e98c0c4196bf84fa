package dev.signalbox.server;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.signalbox.server.access.Oidc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Date;
import java.util.List;

/** An issuer of JWTs whose public key is in a file. */
final class Issuer {
  private final RSAKey key;
  private final Path keys;

  Issuer(Path folder) throws JOSEException, IOException {
    this.key = new RSAKeyGenerator(2048).keyID("k1").generate();
    this.keys = folder.resolve("issuer-keys.json");
    Files.writeString(keys, new JWKSet(key.toPublicJWK()).toString());
  }

  ServerSettings settings(ServerSettings settings) {
    return settings.oidc(Oidc.of("https://issuer.example", "signalbox", keys.toString()));
  }

  String jwt(String name, Instant end, List<String> roles) throws JOSEException {
    JWTClaimsSet claims =
        new JWTClaimsSet.Builder()
            .issuer("https://issuer.example")
            .audience("signalbox")
            .subject(name)
            .expirationTime(Date.from(end))
            .claim("roles", roles)
            .build();
    SignedJWT jwt =
        new SignedJWT(new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("k1").build(), claims);
    jwt.sign(new RSASSASigner(key));
    return jwt.serialize();
  }
}
