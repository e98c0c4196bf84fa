/** State diagrams for PlantUML, written only. */
@NullMarked
package dev.signalbox.definition.plantuml;

import org.jspecify.annotations.NullMarked;
