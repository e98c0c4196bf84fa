create table machine (
  number integer primary key,
  name text not null,
  version integer not null,
  digest text not null,
  definition text not null,
  at integer not null,
  unique (name, version)
);

-- A combination of active states, so that an instance is found by any of them.
create table configuration (
  number integer primary key,
  machine integer not null,
  leaves text not null,
  states text not null,
  unique (machine, leaves)
);

-- newest and newest_refusal are positions of entries: each chain is a list that is read backwards,
-- so that an entry costs no index.
create table instance (
  number integer primary key,
  id text not null unique,
  machine integer not null,
  parent text,
  configuration integer not null,
  status integer not null,
  sequence integer not null,
  head blob not null,
  newest integer not null,
  refusals integer not null,
  refusal_head blob not null,
  newest_refusal integer not null,
  at integer not null,
  since integer not null,
  due integer not null,
  snapshot blob not null
);
create index instance_by_configuration on instance (configuration, since);
create index instance_by_parent on instance (parent) where parent is not null;

create table entry (
  position integer primary key,
  previous integer not null,
  instance integer not null,
  chain integer not null,
  sequence integer not null,
  key text,
  hash blob not null,
  body blob not null
);
create index entry_by_key on entry (instance, key) where key is not null;

create table commit_group (
  number integer primary key,
  first integer not null,
  count integer not null,
  at integer not null,
  root blob not null
);

create table effect (
  number integer primary key,
  instance integer not null,
  key text not null,
  name text not null,
  reply text not null,
  idempotent integer not null,
  input blob not null,
  due integer not null,
  attempt integer not null,
  fence integer not null,
  owner text,
  cut_off integer not null
);

create table message (
  number integer primary key,
  sender text not null,
  recipient text not null,
  body blob not null
);

create table search (
  instance integer not null,
  field text not null,
  value text not null,
  primary key (instance, field)
) without rowid;
create index search_by_value on search (field, value, instance);

-- Numbers that were given away and may be in use by nobody any more.
create table counter (reserved integer not null);
insert into counter (reserved) values (0);
