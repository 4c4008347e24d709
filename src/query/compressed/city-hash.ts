import { CITY_HASH_BASE64 } from './city-hash-binary.js';

/** What `assembly/index.ts` exports. */
interface CityHashCalls {
  readonly memory: { readonly buffer: ArrayBuffer };
  roomFor(bytes: number): number;
  hash(bytes: number): void;
  lowHalf(): bigint;
  highHalf(): bigint;
}

/** Of the engine's interface what is used here; the types of Node do not have it. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
};

let compiled: CityHashCalls | undefined;

/** Compiles the code at the first call: most processes hash nothing. */
function cityHash(): CityHashCalls {
  if (compiled === undefined) {
    const module = new WebAssembly.Module(Buffer.from(CITY_HASH_BASE64, 'base64'));
    compiled = new WebAssembly.Instance(module).exports as CityHashCalls;
  }
  return compiled;
}

/** CityHash128 1.0.2, as 16 bytes in the order of ClickHouse's blocks: the low half first. */
export function cityHash128(bytes: Uint8Array): Buffer {
  const calls = cityHash();
  const room = calls.roomFor(bytes.length) >>> 0;
  // After `roomFor`: memory that grows becomes another buffer.
  new Uint8Array(calls.memory.buffer, room, bytes.length).set(bytes);
  calls.hash(bytes.length);
  const halves = Buffer.alloc(16);
  halves.writeBigUInt64LE(BigInt.asUintN(64, calls.lowHalf()), 0);
  halves.writeBigUInt64LE(BigInt.asUintN(64, calls.highHalf()), 8);
  return halves;
}
