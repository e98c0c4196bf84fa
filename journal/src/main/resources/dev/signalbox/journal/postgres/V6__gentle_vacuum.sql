-- Updates of an instance stay on its page and clean up after themselves there, so a vacuum is not
-- urgent: it comes after as many changes as there are instances, and takes its time.
alter table instance set (
  autovacuum_vacuum_threshold = 200000,
  autovacuum_vacuum_scale_factor = 1,
  autovacuum_analyze_threshold = 200000,
  autovacuum_analyze_scale_factor = 1,
  autovacuum_vacuum_cost_delay = 20
);
-- The others grow and hardly change.
alter table entry set (
  autovacuum_analyze_scale_factor = 0.5,
  autovacuum_vacuum_cost_delay = 20
);
alter table standing set (autovacuum_vacuum_cost_delay = 20);
alter table commit_group set (autovacuum_vacuum_cost_delay = 20);
