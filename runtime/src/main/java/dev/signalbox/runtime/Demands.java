package dev.signalbox.runtime;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a verification demands beyond a journal that fits itself. Without a named key, whoever can
 * write the journal could have signed it too, and the answer says so.
 *
 * @param signers fingerprints of the keys of which one must have signed; none takes any key
 * @param published files with checkpoints that were published to a second place
 * @param archives the folder with the files of archived instances; null when it is not given
 * @param allArchives whether each archived instance's file must be there
 * @param openEnd whether what comes after the last signature may be there; it is counted
 */
public record Demands(
    Set<String> signers,
    List<Path> published,
    @Nullable Path archives,
    boolean allArchives,
    boolean openEnd) {

  /** That it fits itself, and nothing else. */
  public static final Demands NONE = new Demands(Set.of(), List.of(), null, false, true);

  public Demands {
    signers = Set.copyOf(signers);
    published = List.copyOf(published);
  }

  /**
   * These, and the key must have signed, up to the end.
   *
   * @param key its public half as {@link SigningKey#publicText} writes it, or its fingerprint
   */
  public Demands signedBy(String key) {
    Set<String> more = new LinkedHashSet<>(signers);
    more.add(SigningKey.fingerprintOf(key));
    return new Demands(more, published, archives, allArchives, false);
  }

  /** These, and checkpoints that were published to the file must fit. */
  public Demands published(Path file) {
    List<Path> more = new ArrayList<>(published);
    more.add(file);
    return new Demands(signers, more, archives, allArchives, openEnd);
  }

  /** These, and the files of archived instances must be in the folder. */
  public Demands archivesIn(Path folder) {
    return new Demands(signers, published, folder, true, openEnd);
  }

  /** These, and the files of archived instances must be there, wherever that is. */
  public Demands withArchives() {
    return new Demands(signers, published, archives, true, openEnd);
  }

  /** These, but archived instances whose files are not there are only counted. */
  public Demands countingArchives() {
    return new Demands(signers, published, archives, false, openEnd);
  }

  /** These, but what comes after the last signature is only counted. */
  public Demands allowingOpenEnd() {
    return new Demands(signers, published, archives, allArchives, true);
  }
}
