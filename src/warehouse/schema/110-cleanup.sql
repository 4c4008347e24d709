-- What a merge has replaced is deleted within a minute, on a server once its `old_parts_lifetime` is
-- over: a clean-up is at most these seconds and up to ten more away. The engine would wait up to five
-- minutes, and parts that wait take memory, 20 KB each, and space on the disk. These are the tables
-- that every batch writes to.

ALTER TABLE {database}.cost MODIFY SETTING max_cleanup_delay_period = 30;

ALTER TABLE {database}.self_serve MODIFY SETTING max_cleanup_delay_period = 30;

ALTER TABLE {database}.metric_sightings MODIFY SETTING max_cleanup_delay_period = 30;

ALTER TABLE {database}.request_transitions MODIFY SETTING max_cleanup_delay_period = 30;

ALTER TABLE {database}.audit_events MODIFY SETTING max_cleanup_delay_period = 30;
