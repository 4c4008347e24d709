import { open } from 'lmdb';

import type { Head } from '../../../src/log/lmdb/head.js';

/** Removes a topic from a closed log, as if an older version of the service had created the log. */
export async function withoutTopic(dir: string, topic: string): Promise<void> {
  const root = open({ path: dir, noSubdir: false });
  const heads = root.openDB<Head, string>({ name: 'head', encoding: 'json', useVersions: true });
  const { value, version } = heads.getEntry('head')!;
  const others = Object.entries(value).filter(([name]) => name !== topic);
  await heads.put('head', Object.fromEntries(others) as unknown as Head, version!);
  await root.close();
}
