-- Entries are never updated and are found by their position alone, so a vacuum has nothing to do
-- here but to freeze them. It does so after millions, instead of again and again while they come.
alter table entry set (
  autovacuum_vacuum_insert_threshold = 20000000,
  autovacuum_vacuum_insert_scale_factor = 0.2
);
