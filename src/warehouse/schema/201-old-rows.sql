-- The rows as they were before `csv_rows`. By its new name no program of before finds the column: what
-- it would insert is refused and stays in the log until a later one stores it.

ALTER TABLE {database}.cost RENAME COLUMN IF EXISTS rows TO old_rows;

ALTER TABLE {database}.self_serve RENAME COLUMN IF EXISTS rows TO old_rows;

-- What was stored without `csv_rows`, late inserts of such a program included, gets it now; what has it is left
-- as it is.

ALTER TABLE {database}.cost MATERIALIZE COLUMN csv_rows SETTINGS mutations_sync = 2;

ALTER TABLE {database}.self_serve MATERIALIZE COLUMN csv_rows SETTINGS mutations_sync = 2;

ALTER TABLE {database}.cost MODIFY COLUMN csv_rows DEFAULT [];

ALTER TABLE {database}.self_serve MODIFY COLUMN csv_rows DEFAULT [];

ALTER TABLE {database}.cost DROP COLUMN IF EXISTS old_rows;

ALTER TABLE {database}.self_serve DROP COLUMN IF EXISTS old_rows;
