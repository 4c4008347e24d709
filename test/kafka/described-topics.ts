import kafkajs, { type Admin } from 'kafkajs';

import { TOPICS } from '../../src/log/upload-log.js';

export interface DescribedTopic {
  readonly replicas: number;
  /** Those of the topic itself, without what it has from the brokers. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Describes the topics of a log, in the order of their names in the port. */
export async function describeTopics(admin: Admin, prefix: string): Promise<DescribedTopic[]> {
  const names = TOPICS.map((topic) => prefix + topic);
  const { topics } = await admin.fetchTopicMetadata({ topics: names });
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: names.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name })),
  });
  return names.map((name) => ({
    replicas: topics.find((topic) => topic.name === name)!.partitions[0]!.replicas.length,
    settings: Object.fromEntries(
      resources
        .find(({ resourceName }) => resourceName === name)!
        .configEntries.filter(
          ({ configSource }) => configSource === kafkajs.ConfigSource.TOPIC_CONFIG,
        )
        .map(({ configName, configValue }) => [configName, configValue]),
    ),
  }));
}
