-- The keys that seal instances, each wrapped by one that the database never sees. Condemned: its
-- instance is being erased.
create table instance_key (
  instance bigint primary key,
  wrapped bytea not null,
  condemned boolean not null default false
);
create index instance_key_condemned on instance_key (instance) where condemned;

-- Signed statements of where chains of groups ended.
create table checkpoint (
  number bigint generated always as identity primary key,
  body bytea not null
);
