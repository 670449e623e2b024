/*---
id: 04170c25-8d4c-4e6c-a1d5-8c0202eaa381
name: sha1
description: SHA-1 of text or bytes, for services that still ask for it; encoding is hex, base64 or bytes.
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
  - call: fx.sha1('abc')
    result: a9993e364706816aba3e25717850c26c9cd0d89d
---*/
const bytes = fx.utf8Bytes(value)
const size = ((bytes.length + 8) >> 6) * 16 + 16
const words = new Int32Array(size)
for (let index = 0; index < bytes.length; index += 1) words[index >> 2] |= bytes[index] << (24 - (index % 4) * 8)
words[bytes.length >> 2] |= 0x80 << (24 - (bytes.length % 4) * 8)
words[size - 2] = Math.floor(bytes.length / 0x20000000)
words[size - 1] = (bytes.length << 3) | 0
const hash = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0)
const w = new Int32Array(80)
const turn = (x, n) => (x << n) | (x >>> (32 - n))
for (let start = 0; start < size; start += 16) {
  let [a, b, c, d, e] = hash
  for (let t = 0; t < 80; t += 1) {
    w[t] = t < 16 ? words[start + t] : turn(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1)
    const [f, k] = t < 20 ? [(b & c) | (~b & d), 0x5a827999] : t < 40 ? [b ^ c ^ d, 0x6ed9eba1] : t < 60 ? [(b & c) | (b & d) | (c & d), 0x8f1bbcdc] : [b ^ c ^ d, 0xca62c1d6]
    const next = (turn(a, 5) + f + e + k + w[t]) | 0
    e = d; d = c; c = turn(b, 30); b = a; a = next
  }
  hash[0] += a; hash[1] += b; hash[2] += c; hash[3] += d; hash[4] += e
}
const digest = Array.from(hash).flatMap((word) => [(word >>> 24) & 255, (word >>> 16) & 255, (word >>> 8) & 255, word & 255])
return encoding === 'bytes' ? digest : encoding === 'base64' ? fx.base64Encode(digest) : fx.hexEncode(digest)
