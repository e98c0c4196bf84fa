-- What stays of an archived instance. Its id may be given to a new one.
create table tombstone (
  number integer primary key,
  id text not null,
  machine integer not null,
  sequence integer not null,
  head blob not null,
  refusals integer not null,
  refusal_head blob not null,
  at integer not null,
  file text not null
);
