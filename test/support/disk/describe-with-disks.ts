import { describeIf } from '../machine/describe-if.js';
import { canMount } from './loop-disks.js';

/** Tests that mount their own disks. Skipped with a message where they cannot; fails in CI. */
export const describeWithDisks = describeIf(
  canMount(),
  'loop devices with ext4 and btrfs cannot be mounted (it takes root)',
);
