package dev.signalbox.definition;

import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.kernel.machine.Machine;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * What a machine is known by: its name, its version, and a digest of everything it says. Equal
 * machines have equal digests, whatever format they were read from; any other machine has another.
 *
 * @param digest the SHA-256 of the canonical form's canonical JSON, in hexadecimal
 */
public record MachineIdentity(String name, int version, String digest) {

  /**
   * The machine's identity.
   *
   * @throws IllegalArgumentException when a text of the machine is not well-formed Unicode
   */
  public static MachineIdentity of(Machine machine) {
    return new MachineIdentity(machine.name(), machine.version(), digest(machine));
  }

  /** The digest alone. */
  public static String digest(Machine machine) {
    byte[] bytes = CanonicalJson.bytes(CanonicalMachine.of(machine));
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256.", e);
    }
  }
}
