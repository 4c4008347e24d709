-- The rows as they were before `csv_rows`. Programs that write them cannot go on.

ALTER TABLE {database}.cost MODIFY COLUMN csv_rows DEFAULT [];

ALTER TABLE {database}.self_serve MODIFY COLUMN csv_rows DEFAULT [];

ALTER TABLE {database}.cost DROP COLUMN IF EXISTS rows;

ALTER TABLE {database}.self_serve DROP COLUMN IF EXISTS rows;
