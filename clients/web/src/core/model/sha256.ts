/**
 * SHA-256 and HMAC: browsers have their own on https:// alone, and a club's page may be http://.
 * Source: FIPS 180-4, RFC 2104.
 */

const K = new Uint32Array(64);
const START = new Uint32Array(8);
for (let number = 2, found = 0; found < 64; number++) {
  let isPrime = true;
  for (let divisor = 2; divisor * divisor <= number; divisor++) isPrime &&= number % divisor > 0;
  if (!isPrime) continue;
  if (found < 8) START[found] = (Math.sqrt(number) % 1) * 2 ** 32; // the fractions of roots of primes
  K[found++] = (Math.cbrt(number) % 1) * 2 ** 32;
}

const turned = (word: number, by: number) => (word >>> by) | (word << (32 - by));

export function sha256(message: Uint8Array) {
  const length = message.length;
  const padded = new Uint8Array((((length + 8) >> 6) + 1) << 6);
  padded.set(message);
  padded[length] = 0x80;
  const words = new DataView(padded.buffer);
  words.setUint32(padded.length - 8, Math.floor(length / 2 ** 29));
  words.setUint32(padded.length - 4, length << 3);
  const hash = START.slice();
  const w = new Uint32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 64; i++) {
      if (i < 16) {
        w[i] = words.getUint32(block + 4 * i);
        continue;
      }
      const a = w[i - 15];
      const b = w[i - 2];
      const s0 = turned(a, 7) ^ turned(a, 18) ^ (a >>> 3);
      const s1 = turned(b, 17) ^ turned(b, 19) ^ (b >>> 10);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    let [a, b, c, d, e, f, g, h] = hash;
    for (let i = 0; i < 64; i++) {
      const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
      const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (hash[i] += word));
  }
  const bytes = new DataView(new ArrayBuffer(32));
  hash.forEach((word, i) => bytes.setUint32(4 * i, word));
  return new Uint8Array(bytes.buffer);
}

/** @param key at most 64 bytes */
export function hmac(key: Uint8Array, message: Uint8Array) {
  const keyed = (pad: number, rest: Uint8Array) => {
    const bytes = new Uint8Array(64 + rest.length).fill(pad, 0, 64);
    key.forEach((byte, i) => (bytes[i] ^= byte));
    bytes.set(rest, 64);
    return sha256(bytes);
  };
  return keyed(0x5c, keyed(0x36, message));
}

export const toHex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

export const fromHex = (text: string) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
