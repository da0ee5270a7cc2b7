/** Bytes of a file, read from the first to the last. Each @throws RangeError behind the last. */
export class Bytes {
  data;
  at = 0;

  constructor(data: Uint8Array) {
    this.data = data;
  }

  get isAtEnd() {
    return this.at >= this.data.length;
  }

  byte() {
    if (this.isAtEnd) throw new RangeError("it is cut");
    return this.data[this.at++];
  }

  take(count: number) {
    const taken = this.data.subarray(this.at, this.at + count);
    if (taken.length !== count) throw new RangeError("it is cut");
    this.at += count;
    return taken;
  }

  text(count: number) {
    return new TextDecoder().decode(this.take(count));
  }

  /** A number in groups of seven bits, the lowest first. */
  number() {
    for (let [value, times] = [0, 1]; ; times *= 128) {
      const byte = this.byte();
      value += (byte & 127) * times;
      if (byte < 128) return value;
      if (times > 2 ** 56) throw new RangeError("too large");
    }
  }
}

export const MOST_BYTES = 20_000_000; // of an unpacked file; a long match has 2 MB

/** @throws for bytes that are damaged, or become too many */
export async function inflated(
  packed: Uint8Array<ArrayBuffer>,
  most = MOST_BYTES,
  format: CompressionFormat = "deflate",
) {
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream(format)).getReader();
  const parts: Uint8Array[] = [];
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) throw new RangeError("too large");
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer());
}
