package dev.signalbox.cli;

import dev.signalbox.runtime.Keyring;
import dev.signalbox.services.checkpoint.AppendedFile;
import dev.signalbox.services.checkpoint.CheckpointPublisher;
import dev.signalbox.services.checkpoint.CheckpointWebhook;
import dev.signalbox.services.checkpoint.GitRepository;
import dev.signalbox.services.checkpoint.SecondPlace;
import dev.signalbox.services.notification.NotificationSettings;
import dev.signalbox.services.notification.Secrets;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What signs the record of a server's store, and where its checkpoints are published. */
@SuppressWarnings("NullAway.Init")
final class PublishOptions {
  private static final String GIT = "git:";

  @Option(names = "--signing-key", paramLabel = "FILE", description = KeyPlace.DESCRIPTION)
  private @Nullable String signing;

  @Option(
      names = "--publish-checkpoints",
      paramLabel = "PLACE",
      description = {
        "Publish each checkpoint to a second place, so that whoever owns this machine alone can't",
        "rewrite yesterday: a FILE that is only appended to, git:FOLDER, or URL#SECRET for a",
        "webhook; may be given several times"
      })
  private List<String> places = List.of();

  /** The keys, with the key that signs from where it is kept. */
  Keyring keyring(Keyring usual) throws IOException {
    return signing == null ? usual : usual.signedWith(KeyPlace.key(signing));
  }

  CheckpointPublisher publisher(NotificationSettings webhooks, Secrets secrets, InstantSource clock)
      throws IOException {
    List<SecondPlace> all = new ArrayList<>();
    for (String place : places) {
      if (place.startsWith(GIT)) {
        all.add(new GitRepository(Path.of(place.substring(GIT.length()))));
      } else if (place.startsWith("https://") || place.startsWith("http://")) {
        int hash = place.lastIndexOf('#');
        if (hash < 0) {
          throw new CommandFailure(
              "Expected URL#SECRET after --publish-checkpoints, but '%s' names no secret."
                  .formatted(place));
        }
        all.add(
            new CheckpointWebhook(
                place.substring(0, hash), place.substring(hash + 1), webhooks, secrets, clock));
      } else {
        all.add(new AppendedFile(Path.of(place)));
      }
    }
    return new CheckpointPublisher(all);
  }
}
