-- Those in a configuration by their status, in the order in which they came into it.
drop index instance_by_configuration;
create index instance_by_configuration on instance (configuration, status, since);

-- Those that were refused something, by how often. Most never are.
create index instance_by_refusals on instance (refusals) where refusals > 0;
