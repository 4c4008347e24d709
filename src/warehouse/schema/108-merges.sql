-- Parts are merged when ten or so of one size stand side by side, not five: a row is then written
-- less often on its way to a large part. Rows are wide, merging is what a stored row costs most.

ALTER TABLE {database}.cost MODIFY SETTING merge_selector_base = 10;

ALTER TABLE {database}.self_serve MODIFY SETTING merge_selector_base = 10;
