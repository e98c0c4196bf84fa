package dev.signalbox.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The dependencies that ARCHITECTURE.md allows, and no others. */
class ArchitectureTest {
  private static final JavaClasses HOUSE =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("dev.signalbox");

  @Test
  void the_kernel_uses_nothing_but_the_language() {
    classes()
        .that()
        .resideInAPackage("dev.signalbox.kernel..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "dev.signalbox.kernel..",
            "java.lang..",
            "java.util",
            "java.util.function",
            "java.util.regex",
            "java.util.stream",
            "java.math",
            "java.time",
            "java.nio.charset",
            "org.jspecify..")
        .check(HOUSE);
  }

  @Test
  void the_kernel_has_no_threads_and_no_reflection() {
    noClasses()
        .that()
        .resideInAPackage("dev.signalbox.kernel..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.lang.reflect..", "java.util.concurrent..", "java.io..")
        .check(HOUSE);
  }

  /** Each module, and the modules that it may use. */
  private static final Map<String, List<String>> MODULES =
      Map.of(
          "kernel", List.of(),
          "definition", List.of("kernel"),
          "journal", List.of("kernel"),
          "runtime", List.of("kernel", "definition", "journal"),
          "testkit", List.of("kernel", "definition", "journal", "runtime"),
          "services", List.of("kernel", "definition", "journal", "runtime"),
          "systems", List.of("kernel", "definition", "journal", "runtime", "services"),
          "server", List.of("kernel", "definition", "journal", "runtime", "services"));

  @Test
  void dependencies_point_one_way() {
    MODULES.forEach((module, allowed) -> {
      String[] others =
          Stream.concat(MODULES.keySet().stream(), Stream.of("cli", "bench"))
              .filter(other -> !other.equals(module) && !allowed.contains(other))
              .map(other -> "dev.signalbox." + other + "..")
              .toArray(String[]::new);
      noClasses()
          .that()
          .resideInAPackage("dev.signalbox." + module + "..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(others)
          .check(HOUSE);
    });
  }

  @Test
  void stores_do_not_know_one_another() {
    slices()
        .matching("dev.signalbox.journal.(memory|sqlite|postgres)..")
        .should()
        .notDependOnEachOther()
        .check(HOUSE);
  }

  @Test
  void formats_do_not_know_one_another() {
    slices()
        .matching("dev.signalbox.definition.(yaml|scxml|mermaid|dot|plantuml|xstate)..")
        .should()
        .notDependOnEachOther()
        .check(HOUSE);
  }
}
