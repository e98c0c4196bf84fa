-- What stays of an archived instance. Its id may be given to a new one.
create table tombstone (
  number bigint primary key,
  id text not null,
  machine bigint not null,
  sequence bigint not null,
  head bytea not null,
  refusals bigint not null,
  refusal_head bytea not null,
  at bigint not null,
  file text not null
);
