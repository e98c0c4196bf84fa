/**
 * Where processes run that somebody else decided about: what is not shown to them, they can't
 * reach.
 *
 * <pre>
 *   Errand (command, environment, Reach) ─▶ Sandbox ─▶ ProcessBuilder
 *                                              │ Bubblewrap: namespaces of the kernel
 *                                              └ Unconfined: nothing keeps it, and it says so
 * </pre>
 *
 * <ul>
 *   <li>A {@link dev.signalbox.services.sandbox.Reach} lists what is shown. There is no list of
 *       what is forbidden that could be incomplete; {@code hidden} only takes back what lies within
 *       something that is shown.
 *   <li>A sandbox counts as one when its self-test, made with the very arguments that tools get,
 *       was refused the store, the keys, the tokens, another run's folder, its parent's environment
 *       and the network. What can't be tried counts as not refused.
 *   <li>Whoever writes the command chooses none of what happens before the sandbox is closed: the
 *       variables of their choice are set within it, never in the environment of the program that
 *       makes it.
 * </ul>
 */
@NullMarked
package dev.signalbox.services.sandbox;

import org.jspecify.annotations.NullMarked;
