/** Networks of dense layers, and the file that they are kept in: see `tavla_bots/network.py`. Pure. */

type Layer = {
  weights: Float32Array; // a row for each input
  bias: Float32Array;
};
export type Network = Layer[];

const MAGIC = 0x314e4e54; // TNN1
const MOST = 30; // beyond it the logistic function is 0 or 1

/** A half-precision number as IEEE 754 has it. */
function half(bits: number) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return exponent ? sign * 2 ** (exponent - 15) * (1 + fraction / 1024) : sign * 2 ** -24 * fraction;
}

/** The network of a file. Throws RangeError for any other file. */
export function readNetwork(file: ArrayBuffer): Network {
  const view = new DataView(file);
  if (file.byteLength < 6 || view.getUint32(0, true) !== MAGIC) throw new RangeError("not a network");
  const sizes = Array.from({ length: view.getUint16(4, true) }, (_, index) => view.getUint16(6 + 2 * index, true));
  let at = 6 + 2 * sizes.length;
  const take = (count: number) => {
    const taken = Float32Array.from({ length: count }, (_, index) => half(view.getUint16(at + 2 * index, true)));
    at += 2 * count;
    return taken;
  };
  const layers = sizes.slice(1).map((after, index) => ({ bias: take(after), weights: take(sizes[index] * after) }));
  if (at !== file.byteLength) throw new RangeError("not its weights");
  return layers;
}

/** The outputs, 0 to 1. Most inputs are 0, and so are many values between the layers: they cost nothing. */
export function run(network: Network, inputs: ArrayLike<number>): Float32Array {
  let values = inputs;
  let sums = new Float32Array();
  for (const { weights, bias } of network) {
    sums = bias.slice();
    const { length } = sums;
    const [rows, given]: [number[], number[]] = [[], []];
    for (let input = 0; input < values.length; input++) {
      const value = values[input];
      if (value === 0 || (values !== inputs && value < 0)) continue;
      rows.push(input * length);
      given.push(value);
    }
    while (rows.length % 4) given[rows.push(0) - 1] = 0;
    for (let at = 0; at < rows.length; at += 4) {
      const [a, b, c, d] = rows.slice(at, at + 4); // four at a time: a sum is read and written less often
      const [e, f, g, h] = given.slice(at, at + 4);
      for (let to = 0; to < length; to++)
        sums[to] += e * weights[a + to] + f * weights[b + to] + g * weights[c + to] + h * weights[d + to];
    }
    values = sums;
  }
  return sums.map((sum) => 1 / (1 + Math.exp(-Math.max(-MOST, Math.min(MOST, sum)))));
}
