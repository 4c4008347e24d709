import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';

type Methods = Record<string, () => void>;

const require = createRequire(import.meta.url);
const methodsOf = (path: string): Methods => (require(path) as { prototype: Methods }).prototype;
const connection = methodsOf('kafkajs/src/network/connection.js');
const queue = methodsOf('kafkajs/src/network/requestQueue/index.js');
const pool = methodsOf('kafkajs/src/cluster/brokerPool.js');
const broker = methodsOf('kafkajs/src/broker/index.js');
const offsets = methodsOf('kafkajs/src/consumer/offsetManager/index.js');
const encoder = methodsOf('kafkajs/src/protocol/encoder.js');
const metadata = require('kafkajs/src/protocol/requests/metadata/v6/response.js') as Methods;
const kafka = methodsOf('kafkajs/src/index.js');
const exportOf = (path: string): (() => void) => require(path) as () => void;
const errors = require('kafkajs/src/errors.js') as Methods;

/**
 * The functions of kafkajs 2.2.4 that the patches replace or wrap. If one of these tests fails,
 * kafkajs has changed: check whether its fault still exists, then fix the patch or delete it.
 *
 * The last ones are not patched. `direct-reader` takes the cluster out of a consumer that it never
 * connects; `group-coordinator` asks a broker who the coordinator is; `kafka-consumption` reads at
 * which offset a batch was fetched; `record-producer` throws an error whose declared constructor
 * takes no message, and kafkajs then asks for the leaders. If one of them fails, check whether that
 * still works.
 */
test.each([
  ['connect-once', 'Connection.connect', connection['connect']!, 'aa16ff5d5b3eba3e'],
  ['closed-at-once', 'BrokerPool.connect', pool['connect']!, '73e8f85e43ee2367'],
  ['closed-at-once', 'BrokerPool.connectBroker', pool['connectBroker']!, '17437981bd91e2b5'],
  ['closed-at-once', 'Broker.connect', broker['connect']!, '4baf7e4e1e66496d'],
  ['ended-connections', 'Connection.disconnect', connection['disconnect']!, '67ff06f4f187f79b'],
  ['ended-connections', 'Connection.isConnected', connection['isConnected']!, '56f6b8223ca9585b'],
  [
    'ended-connections',
    'Connection.rejectRequests',
    connection['rejectRequests']!,
    'c56b79bbe9c50edd',
  ],
  [
    'ended-connections',
    'createSocket',
    exportOf('kafkajs/src/network/socket.js'),
    'e96482e174566dc1',
  ],
  ['cut-answers', 'Connection.processData', connection['processData']!, '793dcfa829216f8d'],
  ['silent-brokers', 'Connection.send', connection['send']!, '48bcccc5edc7c52c'],
  [
    'idle-timers',
    'RequestQueue.scheduleCheckPendingRequests',
    queue['scheduleCheckPendingRequests']!,
    '7d92229d975481c5',
  ],
  [
    'idle-timers',
    'RequestQueue.checkPendingRequests',
    queue['checkPendingRequests']!,
    'd652a25fd35af7ca',
  ],
  ['encoder-buffers', 'Encoder.ensureAvailable', encoder['ensureAvailable']!, '20fac0be7e17bfc1'],
  [
    'encoder-buffers',
    'Encoder.writeEncoderArray',
    encoder['writeEncoderArray']!,
    '1bcfbd16c297da3c',
  ],
  ['brokers-known', 'BrokerPool.refreshMetadata', pool['refreshMetadata']!, '321791027a1a0f95'],
  [
    'brokers-known',
    'BrokerPool.findConnectedBroker',
    pool['findConnectedBroker']!,
    '6b15cfd1e50e09ee',
  ],
  ['brokers-known', 'BrokerPool.removeBroker', pool['removeBroker']!, 'cf768349c4b6c530'],
  ['brokers-known', 'Broker.isConnected', broker['isConnected']!, 'f69f2b7c09ecf378'],
  ['leaderless', 'BrokerPool.findBroker', pool['findBroker']!, 'f5604646cb635a49'],
  ['leaderless', 'OffsetManager.resolveOffsets', offsets['resolveOffsets']!, '91dbdb9a5979c11c'],
  ['leaderless', 'metadata v6 decode', metadata['decode']!, '31db3bf545106748'],
  ['leaderless', 'metadata v6 parse', metadata['parse']!, '1314a3fb860de76e'],
  [
    'out-of-range',
    'OffsetManager.setDefaultOffset',
    offsets['setDefaultOffset']!,
    '780f647c276b5582',
  ],
  [
    'sockets',
    'socketFactory',
    exportOf('kafkajs/src/network/socketFactory.js'),
    'a6fb14f0286c44af',
  ],
  ['direct-reader', 'Kafka.consumer', kafka['consumer']!, '2cbf3f22587325ad'],
  [
    'direct-reader',
    'createConsumer',
    exportOf('kafkajs/src/consumer/index.js'),
    'ced411765da35d1c',
  ],
  [
    'group-coordinator',
    'Broker.findGroupCoordinator',
    broker['findGroupCoordinator']!,
    'ee1c60d044865b28',
  ],
  ['kafka-consumption', 'Batch', exportOf('kafkajs/src/consumer/batch.js'), '8fcc0e1a6472d44c'],
  [
    'record-producer',
    'KafkaJSMetadataNotLoaded',
    errors['KafkaJSMetadataNotLoaded']!,
    'd051227dd24e13fa',
  ],
  ['record-producer', 'KafkaJSError', errors['KafkaJSError']!, 'be15a412342364ce'],
  [
    'record-producer',
    'sendMessages',
    exportOf('kafkajs/src/producer/sendMessages.js'),
    'ccdf97ef5a07390d',
  ],
])('%s: %s is as it was when that was written', (_file, _name, method, digest) => {
  const source = method.toString().replaceAll(/\s+/g, ' ');
  expect(createHash('sha256').update(source).digest('hex').slice(0, 16)).toBe(digest);
});
