-- The fence under which an effect was taken, as long as no handler has begun under it. Any other
-- taking counts as begun, also one by a node that knows nothing of this column.
alter table effect add column unbegun bigint not null default 0;
