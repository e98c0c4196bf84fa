/**
 * The five systems: their machines, and later the handlers of their effects. Nothing here is
 * generic.
 *
 * <p>The machines are YAML files in the folder of their system; {@link
 * dev.signalbox.systems.SystemMachines} reads them by name.
 */
@NullMarked
package dev.signalbox.systems;

import org.jspecify.annotations.NullMarked;
