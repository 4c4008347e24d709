import { isTlsFault } from '../../config/configured-files.js';
import { LogUnavailableError } from '../upload-log.js';

interface KafkaFailure {
  readonly name: string;
  readonly message: string;
  /** The protocol's name of the error, e.g. `TOPIC_AUTHORIZATION_FAILED`. */
  readonly type?: string;
  /** The system's, e.g. `ECONNREFUSED`, or the protocol's number. */
  readonly code?: string | number;
  /** Whether kafkajs thinks that it may pass; undefined for errors that are not its own. */
  readonly retriable?: boolean;
  /** Of an offset that is out of range. */
  readonly partition?: number;
}

/** The innermost error: kafkajs wraps the error of the last attempt several times over. */
export function rootOf(error: unknown): KafkaFailure {
  let root = error as KafkaFailure & { readonly cause?: unknown };
  for (let depth = 0; depth < 8 && root.cause instanceof Error; depth++) {
    root = root.cause;
  }
  return root;
}

/** In one line, for logs and messages. */
export function reasonOf(error: unknown): string {
  const { message, code } = rootOf(error);
  const line = message.split('\n', 1)[0] ?? '';
  return typeof code === 'string' && !line.includes(code) ? `${line} (${code})` : line;
}

/**
 * What the brokers refuse, as one line that names the variable or the right that is missing;
 * undefined for everything else: brokers that are away, names that nobody knows (those of
 * containers and pods disappear with them), elections, timeouts. At the start a refusal is a fault
 * of the configuration. Later it may pass: a broker restarts before its users are there, or a
 * certificate that has expired is renewed.
 */
export function refusal(error: unknown): string | undefined {
  const { name, message, type, code } = rootOf(error);
  if (
    type === 'UNSUPPORTED_SASL_MECHANISM' ||
    /SASL \S+ mechanism is not supported/.test(message)
  ) {
    return `KAFKA_SASL_MECHANISM: ${reasonOf(error)}`;
  }
  if (name === 'KafkaJSSASLAuthenticationError' || type === 'SASL_AUTHENTICATION_FAILED') {
    return `KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD: the brokers refuse them: ${reasonOf(error)}`;
  }
  if (isTlsFault(code)) {
    return `KAFKA_TLS: no secure connection to the brokers: ${reasonOf(error)}`;
  }
  if (type?.endsWith('_AUTHORIZATION_FAILED') === true) {
    return `KAFKA_SASL_USERNAME lacks a right on the brokers: ${reasonOf(error)}`;
  }
  return undefined;
}

/** What waiting never fixes, in one line: records that kafkajs cannot read. */
export function unreadable(error: unknown): string | undefined {
  const { name, message } = rootOf(error);
  return name === 'KafkaJSNotImplemented'
    ? `the log holds what cannot be read: ${message}`
    : undefined;
}

export function unavailable(what: string, cause: unknown): LogUnavailableError {
  if (cause instanceof LogUnavailableError) return cause;
  return new LogUnavailableError(`${what}: ${reasonOf(cause)}`, { cause });
}

/** The partition whose offset is not in the log (any more); undefined for every other error. */
export function outOfRange(error: unknown): number | undefined {
  const { name, partition } = rootOf(error);
  return name === 'KafkaJSOffsetOutOfRange' ? partition : undefined;
}
