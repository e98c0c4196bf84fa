-- Where instances stand, and about since when: a period is the moment without its last 22 bits,
-- some 70 minutes. Whoever looks for those that stand too long reads no block that has none.
delete from standing;
alter table standing drop constraint standing_pkey;
alter table standing add column period bigint not null;
alter table standing add primary key (configuration, block, period);
insert into standing (configuration, block, period)
  select distinct configuration, number >> 6, since >> 22 from instance;
