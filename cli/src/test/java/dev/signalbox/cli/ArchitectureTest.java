package dev.signalbox.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
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

  @Test
  void dependencies_point_one_way() {
    noClasses()
        .that()
        .resideInAPackage("dev.signalbox.definition..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.signalbox.systems..", "dev.signalbox.cli..")
        .check(HOUSE);
    noClasses()
        .that()
        .resideInAPackage("dev.signalbox.systems..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.signalbox.cli..")
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
