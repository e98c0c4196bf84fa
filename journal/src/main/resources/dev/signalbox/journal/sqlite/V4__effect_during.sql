-- The state with which an effect ends; null where it is done in any case.
alter table effect add column during text;
create index effect_during on effect (instance, during) where during is not null;
