package dev.signalbox.runtime;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What checking a journal gave.
 *
 * @param sealed entries that could not be replayed, because the key that opens them was not given
 *     or is destroyed; their hashes and chains were checked as all others
 * @param erased instances whose key was destroyed
 * @param archived instances whose texts are in archives
 * @param missingArchives the SHA-256 of archives that were not there to be checked, the first
 *     thousand
 * @param signers whose signatures are good, in the order in which they were met
 * @param unsignedGroups that come after the last signature of a key that counts
 * @param unsignedEntries in those groups
 * @param findings the first thousand, in the order in which they were met
 * @param more how many there are beyond those
 */
public record Verification(
    long groups,
    long entries,
    long instances,
    long sealed,
    long erased,
    long archived,
    List<String> missingArchives,
    List<Signer> signers,
    long unsignedGroups,
    long unsignedEntries,
    List<Finding> findings,
    long more) {

  /** Whether nothing is other than it was written, as far as was demanded. */
  public boolean isSound() {
    return findings.isEmpty();
  }

  /**
   * What the signatures are worth: {@code named} when everything up to the end is signed by a key
   * that was named or that a named one vouches for, {@code unnamed} when it is signed by others,
   * {@code partly} when something comes after the last signature, {@code unsigned} when nothing is
   * signed.
   */
  public String signed() {
    if (signers.isEmpty() || (groups > 0 && unsignedGroups == groups)) {
      return "unsigned";
    }
    if (unsignedGroups > 0) {
      return "partly";
    }
    return signers.stream().anyMatch(Signer::named) ? "named" : "unnamed";
  }

  /** Everything, as the command line and the server write it in JSON. */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("sound", isSound());
    fields.put("entries", entries);
    fields.put("instances", instances);
    fields.put("groups", groups);
    fields.put("sealed", sealed);
    fields.put("erased", erased);
    fields.put("archived", archived);
    fields.put("missing_archives", missingArchives);
    fields.put("signed", signed());
    fields.put(
        "signers",
        signers.stream()
            .map(s ->
                Map.of(
                    "fingerprint", s.fingerprint(),
                    "public_key", s.key(),
                    "named", s.named(),
                    "checkpoints", s.checkpoints(),
                    "from_group", s.from(),
                    "until_group", s.until(),
                    "at", s.at()))
            .toList());
    fields.put("unsigned_groups", unsignedGroups);
    fields.put("unsigned_entries", unsignedEntries);
    fields.put(
        "findings",
        findings.stream()
            .map(f -> Map.of("code", f.code(), "where", f.where(), "message", f.message()))
            .toList());
    fields.put("more", more);
    return fields;
  }

  /**
   * A key whose signatures are good.
   *
   * @param fingerprint the first half of the SHA-256 of the key, in hexadecimal
   * @param key the public half, in base64 of its X.509 form
   * @param named whether it was named by whoever asked, or a key that was named vouches for it
   * @param checkpoints how many it signed
   * @param from the first group that it signed for; 0 when it signed for none
   * @param until the last
   * @param at when it last signed, in milliseconds since 1970
   */
  public record Signer(
      String fingerprint,
      String key,
      boolean named,
      long checkpoints,
      long from,
      long until,
      long at) {}

  /**
   * Something that is not as it was written.
   *
   * @param code in kebab-case, as docs/journal-format.md lists them
   * @param where which entry, instance, group or line
   */
  public record Finding(String code, String where, String message) {}
}
