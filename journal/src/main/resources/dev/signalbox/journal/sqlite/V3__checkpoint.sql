-- Signed statements of where the chain of groups ended. The keys of instances are in a file of
-- their own, which is no database.
create table checkpoint (
  number integer primary key,
  body blob not null
);
