/*---
id: 87313a1b-e67a-4291-92f3-3128fc6fc541
name: sha256
description: SHA-256 of text (as UTF-8) or bytes; encoding is hex (default), base64 or bytes.
category: Hashing
package: standard
isAsync: false
arguments:
  value:
    type: string|array
  encoding:
    type: string
    optional: true
examples:
  - call: fx.sha256('abc')
    result: ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad
  - call: fx.sha256('', 'base64')
    result: 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=
---*/
const bytes = fx.utf8Bytes(value)
const size = ((bytes.length + 8) >> 6) * 16 + 16
const words = new Int32Array(size)
for (let index = 0; index < bytes.length; index += 1) words[index >> 2] |= bytes[index] << (24 - (index % 4) * 8)
words[bytes.length >> 2] |= 0x80 << (24 - (bytes.length % 4) * 8)
words[size - 2] = Math.floor(bytes.length / 0x20000000)
words[size - 1] = (bytes.length << 3) | 0
// The constants are the first bits of the fractions of roots of the first primes.
const fraction = (root) => ((root - Math.floor(root)) * 0x100000000) | 0
const primes = []
for (let candidate = 2; primes.length < 64; candidate += 1) if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate)
const k = primes.map((prime) => fraction(Math.cbrt(prime)))
const hash = Int32Array.from(primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime))))
const w = new Int32Array(64)
const turn = (x, n) => (x >>> n) | (x << (32 - n))
for (let start = 0; start < size; start += 16) {
  let [a, b, c, d, e, f, g, h] = hash
  for (let t = 0; t < 64; t += 1) {
    if (t < 16) w[t] = words[start + t]
    else {
      const x = w[t - 15]
      const y = w[t - 2]
      w[t] = (w[t - 16] + (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)) + w[t - 7] + (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10))) | 0
    }
    const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + k[t] + w[t]) | 0
    const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g; g = f; f = e; e = (d + one) | 0; d = c; c = b; b = a; a = (one + two) | 0
  }
  hash[0] += a; hash[1] += b; hash[2] += c; hash[3] += d; hash[4] += e; hash[5] += f; hash[6] += g; hash[7] += h
}
const digest = Array.from(hash).flatMap((word) => [(word >>> 24) & 255, (word >>> 16) & 255, (word >>> 8) & 255, word & 255])
return encoding === 'bytes' ? digest : encoding === 'base64' ? fx.base64Encode(digest) : fx.hexEncode(digest)
