package dev.signalbox.systems.runs.frozen;

import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.services.Sha256;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads the manifest of a frozen plan. */
final class ManifestReader {
  private static final List<String> KINDS = List.of("workflow", "agent", "command", "rule");

  /** What a file can be made of besides other files. */
  private static final Set<String> INPUTS =
      Set.of("intent", "registry", "policy", "facts", "memory", "answers");

  private static final String PATH =
      "[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}(/[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}){0,9}";

  private final Problems problems;

  private ManifestReader(Problems problems) {
    this.problems = problems;
  }

  /** As much of the manifest as could be read; what could not is among the problems. */
  static Manifest read(Source source, Problems problems) {
    JsonItem root = JsonItem.of(source, "manifest", problems);
    return root == null ? Manifest.NONE : new ManifestReader(problems).manifest(root);
  }

  private Manifest manifest(JsonItem root) {
    root.word("version", List.of(GraphReader.VERSION));
    String run = root.text("run_id");
    JsonItem lineage = root.item("lineage", "lineage");
    String intent = "";
    String digest = "";
    List<Manifest.Pin> pins = new ArrayList<>();
    if (lineage != null) {
      intent = lineage.text("intent_id");
      digest = sha256(lineage, "intent_sha256");
      for (JsonItem item : lineage.items("registry_versions", "version")) {
        pins.add(new Manifest.Pin(item.word("kind", KINDS), item.text("id"), item.text("version")));
        item.finish();
      }
      lineage.finish();
    }
    List<Manifest.Listed> files = files(root.items("files", "file"));
    if (files.stream().noneMatch(file -> file.path().equals(FrozenPlan.GRAPH))) {
      problems.error(
          "unlisted-graph",
          root.place("files"),
          "Expected the manifest to list %s, but it does not.".formatted(FrozenPlan.GRAPH),
          "Take the folder as the coordinator wrote it.");
    }
    root.finish();
    return new Manifest(run, intent, digest, pins, files);
  }

  private List<Manifest.Listed> files(List<JsonItem> items) {
    List<Manifest.Listed> files = new ArrayList<>();
    Map<Place, List<String>> origins = new LinkedHashMap<>();
    Set<String> paths = new HashSet<>();
    for (JsonItem item : items) {
      String path = item.text("path");
      if (!path.isEmpty() && (!path.matches(PATH) || path.equals(FrozenPlan.MANIFEST))) {
        problems.error(
            "bad-name",
            item.place("path"),
            "Expected a file inside the folder, other than the manifest itself, but found '%s'."
                .formatted(path.length() > 60 ? path.substring(0, 60) + "…" : path),
            "");
        path = "";
      } else if (!path.isEmpty() && !paths.add(path)) {
        problems.error(
            "duplicate-file",
            item.place("path"),
            "Expected '%s' once, but it is there twice.".formatted(path),
            "");
      }
      origins.put(item.place("made_from"), item.textsIfAny("made_from"));
      files.add(new Manifest.Listed(path, sha256(item, "sha256"), item.place("path")));
      item.finish();
    }
    origins.forEach((place, all) -> {
      for (String each : all) {
        if (!INPUTS.contains(each) && !paths.contains(each)) {
          problems.error(
              "lineage-open",
              place,
              "Expected a file to be made from inputs or other files, but there is no '%s'."
                  .formatted(each),
              "");
        }
      }
    });
    return files;
  }

  private String sha256(JsonItem item, String key) {
    String hash = item.text(key);
    if (!hash.isEmpty() && !Sha256.isHash(hash)) {
      problems.error(
          "wrong-type",
          item.place(key),
          "Expected '%s' to be a SHA-256: 64 hexadecimal digits in lower case.".formatted(key),
          "");
    }
    return hash;
  }
}
