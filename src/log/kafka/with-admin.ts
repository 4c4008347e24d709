import type { Admin, Kafka } from 'kafkajs';
import { unavailable } from './failure.js';

/**
 * Asks the brokers something as an administrator.
 *
 * @param what is asked, for the error
 * @throws LogUnavailableError for every failure
 */
export async function withAdmin<T>(
  kafka: Kafka,
  what: string,
  ask: (admin: Admin) => Promise<T>,
): Promise<T> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    return await ask(admin);
  } catch (error) {
    throw unavailable(what, error);
  } finally {
    await admin.disconnect();
  }
}
