/** Names the run, so that its test files find the broker that the first of them started. */
export default function setUp() {
  process.env.KAFKA_TEST_RUN = `${process.pid}-${Date.now()}`;
}
