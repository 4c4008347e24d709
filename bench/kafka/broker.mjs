/**
 * The broker of the tests, in a separate process. It prints the broker's address as JSON, and stops
 * the broker when standard input ends. It is plain JavaScript and runs through the tests' module
 * hooks, because the broker looks for its jars next to its own source.
 */
import { register } from 'node:module';

register('../../test/support/log/typescript-hooks.mjs', import.meta.url);
const { canStartBroker, KafkaBroker } = await import('../../test/support/kafka/kafka-broker.ts');

/** What Kafka's own script starts a broker with. */
const JVM = [
  ...['-Xms1g', '-Xmx1g', '-server', '-XX:+UseG1GC', '-XX:MaxGCPauseMillis=20'],
  ...['-XX:InitiatingHeapOccupancyPercent=35', '-XX:+ExplicitGCInvokesConcurrent'],
  '-XX:MaxInlineLevel=15',
];

if (!canStartBroker()) {
  process.stdout.write('none\n');
  process.exit();
}
// Keeps this process alive. The broker's own process does not.
process.stdin.resume();
const broker = await KafkaBroker.start({}, 'PLAINTEXT', { jvm: JVM });
const { address, pid, dir } = broker;
process.stdout.write(`${JSON.stringify({ address, pid, dir })}\n`);
process.stdin.on('end', () => {
  void broker.stop().then(() => process.exit());
});
