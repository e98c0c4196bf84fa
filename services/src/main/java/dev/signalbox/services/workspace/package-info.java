/**
 * The folder that tools change: what is in it, what it was before, and the way back.
 *
 * <pre>
 *   Workspace.backup ─▶ the tool changes things ─▶ Backup.seal: what changed, as a diff
 *        before.json                                    after.json   │
 *                                                                    ▼
 *                        Backup.undo: check everything, undoing.json, put everything back, undone.json
 * </pre>
 *
 * <ul>
 *   <li>The authority is the folder of backups: what was there before is on the disk, forced, when
 *       {@link dev.signalbox.services.workspace.Workspace#backup} returns. The same id gives the
 *       backup that was taken first, so a tool that is repeated after a crash keeps its way back.
 *   <li>A footprint knows each path below the folder: files by the hash of their bytes, links by
 *       their targets, folders, and their modes. Links are never followed, pipes and devices never
 *       opened. Times and owners are no part of it; times are put back all the same.
 *   <li>An undo touches what the tool changed and nothing else. It first looks whether everything
 *       is as the tool left it (or as it was before); what somebody else changed since is named,
 *       and nothing is touched. Each step of it can be repeated, so one that was cut off is done
 *       again from its beginning and ends the same.
 *   <li>What can't be read, is too much, or changes while it is looked at, is an exception: no tool
 *       runs on a folder of which there is no backup.
 * </ul>
 *
 * Deliberately absent: hard links (each name is a file of its own afterwards), access control
 * lists, extended attributes.
 */
@NullMarked
package dev.signalbox.services.workspace;

import org.jspecify.annotations.NullMarked;
