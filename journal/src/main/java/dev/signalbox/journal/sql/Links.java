package dev.signalbox.journal.sql;

/** How entries lead to one another: each chain is a list that is read backwards. */
public final class Links {
  /**
   * Entries whose link does not lead to the one before them in their chain, and the newest of
   * instances where the row leads to another. A row may be behind its entries, never beside them.
   */
  public static final String MISPLACED =
      "select m.position from (select e.position from entry e left join entry p on p.position ="
          + " e.previous where e.sequence > 1 and (p.position is null or p.instance <> e.instance"
          + " or p.chain <> e.chain or p.sequence <> e.sequence - 1) union all select i.newest from"
          + " instance i left join entry e on e.position = i.newest where e.position is null or"
          + " e.instance <> i.number or e.chain <> 0 union all select i.newest_refusal from"
          + " instance i left join entry e on e.position = i.newest_refusal where i.refusals > 0"
          + " and (e.position is null or e.instance <> i.number or e.chain <> 1)) m limit ?";

  private Links() {}
}
