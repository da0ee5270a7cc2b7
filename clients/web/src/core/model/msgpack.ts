/**
 * MessagePack: what the protocol uses of it, no more: no extensions, and whole numbers to 2^53. Source: msgpack's
 * spec.md.
 */

const SIZES = [1, 2, 4, 8]; // bytes of a number, by the last bits of its type
const STRING = [0xd9, 0xda, 0xdb];
const BYTES = [0xc4, 0xc5, 0xc6];
const ARRAY = [0, 0xdc, 0xdd];
const MAP = [0, 0xde, 0xdf];

/** A whole number, the highest byte first. */
function put(out: number[], value: number, size: number) {
  for (let i = size - 1; i >= 0; i--) out.push(Math.floor(value / 2 ** (8 * i)) & 255);
}

/** The count of what follows. fix: the type that has the count in itself, below `most`. */
function putCount(out: number[], count: number, codes: number[], fix = 0, most = 0) {
  if (count < most) return void out.push(fix + count);
  const place = count < 256 && codes[0] ? 0 : count < 65_536 ? 1 : 2;
  out.push(codes[place]);
  put(out, count, SIZES[place]);
}

function putNumber(out: number[], value: number) {
  if (!Number.isSafeInteger(value)) {
    const float = new DataView(new ArrayBuffer(8));
    float.setFloat64(0, value);
    out.push(0xcb, ...new Uint8Array(float.buffer));
  } else if (value >= -32 && value < 128) put(out, value, 1);
  else {
    const place = SIZES.findIndex((size) => (value < 0 ? value >= -(2 ** (8 * size - 1)) : value < 2 ** (8 * size)));
    out.push((value < 0 ? 0xd0 : 0xcc) + place);
    put(out, value, SIZES[place]);
  }
}

function write(out: number[], value: unknown, isSorted: boolean) {
  if (value === null) out.push(0xc0);
  else if (typeof value === "boolean") out.push(value ? 0xc3 : 0xc2);
  else if (typeof value === "number") putNumber(out, value);
  else if (typeof value === "string") {
    const bytes = new TextEncoder().encode(value);
    putCount(out, bytes.length, STRING, 0xa0, 32);
    for (const byte of bytes) out.push(byte);
  } else if (value instanceof Uint8Array) {
    putCount(out, value.length, BYTES);
    for (const byte of value) out.push(byte);
  } else if (Array.isArray(value)) {
    putCount(out, value.length, ARRAY, 0x90, 16);
    for (const one of value) write(out, one, isSorted);
  } else {
    const entries = Object.entries(value ?? {}).filter(([, one]) => one !== undefined);
    if (isSorted) entries.sort(([a], [b]) => (a < b ? -1 : 1));
    putCount(out, entries.length, MAP, 0x80, 16);
    for (const [key, one] of entries) {
      write(out, key, isSorted);
      write(out, one, isSorted);
    }
  }
}

/** @param isSorted the keys of maps in order; else as they were added */
export function encode(value: unknown, isSorted = false) {
  const out: number[] = [];
  write(out, value, isSorted);
  return Uint8Array.from(out);
}

/** Throws a RangeError for what is no MessagePack, or has an end before its end. */
export function decode(bytes: Uint8Array): unknown {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  const take = (size: number) => {
    at += size;
    return at - size;
  };
  const whole = (first: number, size: number) => {
    let value = first;
    for (let i = 1; i < size; i++) value = 256 * value + view.getUint8(take(1));
    return value;
  };
  const count = (size: number) => whole(view.getUint8(take(1)), size);
  const raw = (size: number) => {
    if (at + size > bytes.length) throw new RangeError("there are fewer bytes");
    return bytes.slice(take(size), at);
  };
  const string = (size: number) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(raw(size));
  const list = (size: number) => {
    const values: unknown[] = [];
    for (let i = 0; i < size; i++) values.push(read());
    return values;
  };
  const map = (size: number) => {
    const entries: [string, unknown][] = [];
    for (let i = 0; i < size; i++) entries.push([String(read()), read()]);
    return Object.fromEntries(entries);
  };
  const read = (): unknown => {
    const type = view.getUint8(take(1));
    if (type < 0x80) return type;
    if (type >= 0xe0) return type - 256;
    if (type < 0x90) return map(type & 15);
    if (type < 0xa0) return list(type & 15);
    if (type < 0xc0) return string(type & 31);
    if (type === 0xc0) return null;
    if (type === 0xc2 || type === 0xc3) return type === 0xc3;
    if (type >= 0xc4 && type <= 0xc6) return raw(count(SIZES[type - 0xc4]));
    if (type === 0xca) return view.getFloat32(take(4));
    if (type === 0xcb) return view.getFloat64(take(8));
    if (type >= 0xcc && type <= 0xcf) return count(SIZES[type - 0xcc]);
    if (type >= 0xd0 && type <= 0xd3) return whole(view.getInt8(take(1)), SIZES[type - 0xd0]);
    if (type >= 0xd9 && type <= 0xdb) return string(count(SIZES[type - 0xd9]));
    if (type === 0xdc || type === 0xdd) return list(count(SIZES[type - 0xdb]));
    if (type === 0xde || type === 0xdf) return map(count(SIZES[type - 0xdd]));
    throw new RangeError(`there is no type ${type}`);
  };
  const value = read();
  if (at !== bytes.length) throw new RangeError("there are more bytes");
  return value;
}
