create table machine (
  number bigint generated always as identity primary key,
  name text not null,
  version integer not null,
  digest text not null,
  definition text not null,
  at bigint not null,
  unique (name, version)
);

-- A combination of active states, so that an instance is found by any of them. The digest stands
-- for the leaves, which may be longer than an index takes.
create table configuration (
  number bigint generated always as identity primary key,
  machine bigint not null,
  digest bytea not null,
  leaves text not null,
  states jsonb not null,
  unique (machine, digest)
);

-- newest and newest_refusal are positions of entries: each chain is a list that is read backwards,
-- so that an entry costs no index of its own. The columns with _before are what they were before
-- the last update, for the update to give back.
--
-- No indexed column changes with a step, so that an update stays on its page and touches no index:
-- where the instance stands is found by standing, and wake is at or before due, never after it.
create table instance (
  number bigint primary key,
  wake bigint not null,
  machine bigint not null,
  configuration bigint not null,
  sequence bigint not null,
  newest bigint not null,
  newest_before bigint not null,
  refusals bigint not null,
  newest_refusal bigint not null,
  newest_refusal_before bigint not null,
  at bigint not null,
  since bigint not null,
  due bigint not null,
  status smallint not null,
  id text not null unique,
  parent text,
  head bytea not null,
  refusal_head bytea not null,
  snapshot bytea not null
) with (fillfactor = 50);
create index instance_by_parent on instance (parent) where parent is not null;
create index instance_by_wake on instance (wake) where wake < 9223372036854775807;

-- Where instances stand or once stood: a block is the instances whose numbers are the same but for
-- the last 6 bits. Every instance's block has a row for its configuration; rows that all instances
-- of the block have left are swept away later.
create table standing (
  configuration bigint not null,
  block bigint not null,
  primary key (configuration, block)
);

-- The position is the group's number, shifted left by 20 bits, plus the place in the group.
create table entry (
  position bigint primary key,
  previous bigint not null,
  instance bigint not null,
  chain smallint not null,
  sequence bigint not null,
  key bytea,
  hash bytea not null,
  body bytea not null
);
create index entry_by_key on entry (instance, sha256(key)) where key is not null;

-- The number is the transaction's, plus what the store's numbers begin with.
create table commit_group (
  number bigint primary key,
  writer bigint not null,
  previous bigint not null,
  at bigint not null,
  root bytea not null
);

create sequence writer_number;

create table effect (
  number bigint primary key,
  instance bigint not null,
  key text not null,
  name text not null,
  reply text not null,
  idempotent boolean not null,
  input bytea not null,
  due bigint not null,
  attempt integer not null,
  fence bigint not null,
  owner text,
  cut_off boolean not null
);

create table message (
  number bigint primary key,
  sender text not null,
  recipient text not null,
  body bytea not null
);

create table search (
  instance bigint not null,
  field text not null,
  value bytea not null,
  primary key (instance, field)
);
create index search_by_value on search (field, sha256(value), instance);

-- One row. reserved: the last number given away. base: what is added to a transaction's number; it
-- moves only when the tables come into another cluster, whose transactions may begin anew.
create table store (
  reserved bigint not null,
  base bigint not null
);
insert into store (reserved, base) values (0, 0);
