import { LazyModule } from '../../domain/lazy-module.js';
import { CITY_HASH_BASE64 } from './city-hash-binary.js';

/** What `assembly/index.ts` exports. */
interface CityHashCalls {
  readonly memory: { readonly buffer: ArrayBuffer };
  roomFor(bytes: number): number;
  hash(bytes: number): void;
  lowHalf(): bigint;
  highHalf(): bigint;
}

const CODE = new LazyModule(CITY_HASH_BASE64);
let instance: CityHashCalls | undefined;

/** CityHash128 1.0.2, as 16 bytes in the order of ClickHouse's blocks: the low half first. */
export function cityHash128(bytes: Uint8Array): Buffer {
  instance ??= CODE.instantiate({}) as CityHashCalls;
  const calls = instance;
  const room = calls.roomFor(bytes.length) >>> 0;
  // After `roomFor`: memory that grows becomes another buffer.
  new Uint8Array(calls.memory.buffer, room, bytes.length).set(bytes);
  calls.hash(bytes.length);
  const halves = Buffer.alloc(16);
  halves.writeBigUInt64LE(BigInt.asUintN(64, calls.lowHalf()), 0);
  halves.writeBigUInt64LE(BigInt.asUintN(64, calls.highHalf()), 8);
  return halves;
}
