package dev.signalbox.systems.runs;

/** Plans that several tests use. */
final class RunPlans {
  /** A tool that needs a person's yes, in a house that is {@link RunHouse#merging}. */
  static final String MERGE =
      """
      project: demo
      tools:
        - name: merge
          command: [sh, merge.sh, "{branch}"]
          arguments: { branch: topic, size: 5 }
          risks: [merge_to_main]
          writes: [merged.txt]
      checks:
        - { name: there, command: [test, -f, merged.txt] }
      """;

  private RunPlans() {}

  /** The plan with another line of its own, such as its approvers. */
  static String with(String plan, String line) {
    return plan.replace("project: demo\n", "project: demo\n" + line + "\n");
  }

  /** A plan of these tools, whose one check always passes. */
  static String of(String... tools) {
    StringBuilder plan = new StringBuilder("project: demo\ntools:\n");
    for (String tool : tools) {
      plan.append("  - { ").append(tool).append(" }\n");
    }
    return plan + "checks:\n  - { name: ok, command: [\"true\"], access: read }\n";
  }
}
