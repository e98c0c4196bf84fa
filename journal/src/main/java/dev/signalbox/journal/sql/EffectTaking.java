package dev.signalbox.journal.sql;

/**
 * What taking an effect does to its row, the same in every database. The column {@code unbegun} has
 * the fence under which it was taken, until a handler is about to begin: so whatever was taken and
 * is not known to be unbegun was cut off, unless it was given back.
 */
public final class EffectTaking {
  /** Under the next fence; a taking under which nothing began counts for nothing. */
  public static final String TAKEN =
      "cut_off = owner is not null and unbegun <> fence,"
          + " attempt = attempt + case when fence > 0 and unbegun = fence then 0 else 1 end,"
          + " unbegun = case when owner is not null and unbegun <> fence then 0 else fence + 1 end,"
          + " fence = fence + 1";

  public static final String BEGUN = "unbegun = 0";

  /**
   * Every effect counts as begun, by somebody who will say nothing: what a copy of a store has to
   * be, because the original goes on and may do them.
   */
  public static final String SETTLED =
      "update effect set owner = 'the store that was copied', unbegun = 0, fence = fence + 1,"
          + " due = 0";

  private EffectTaking() {}
}
