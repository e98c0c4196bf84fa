-- What instances became by steps that left them where they are found, in the order of those steps.
-- It counts as long as the instance's own row has not come as far: position > instance.newest.
create table late (
  position integer primary key,
  instance integer not null,
  sequence integer not null,
  head blob not null,
  at integer not null,
  snapshot blob not null
);
