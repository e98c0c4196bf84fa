-- Those that were refused something, by how often. No step changes it, so that an update by a step
-- still touches no index; a refusal does, and of one instance only so many are kept.
create index instance_by_refusals on instance (refusals, number) where refusals > 0;
