/*---
id: d70fb082-2c38-437a-acc2-2f890973c099
name: md5
description: MD5 of text or bytes, for check sums only; encoding is hex, base64 or bytes.
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
  - call: fx.md5('abc')
    result: 900150983cd24fb0d6963f7d28e17f72
  - call: fx.md5('')
    result: d41d8cd98f00b204e9800998ecf8427e
---*/
const bytes = fx.utf8Bytes(value)
const size = ((bytes.length + 8) >> 6) * 16 + 16
const words = new Int32Array(size)
for (let index = 0; index < bytes.length; index += 1) words[index >> 2] |= bytes[index] << ((index % 4) * 8)
words[bytes.length >> 2] |= 0x80 << ((bytes.length % 4) * 8)
words[size - 2] = (bytes.length << 3) | 0
words[size - 1] = Math.floor(bytes.length / 0x20000000)
const hash = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476)
const turns = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]
const k = Array.from({ length: 64 }, (_, index) => Math.floor(Math.abs(Math.sin(index + 1)) * 0x100000000) | 0)
for (let start = 0; start < size; start += 16) {
  let [a, b, c, d] = hash
  for (let t = 0; t < 64; t += 1) {
    const round = t >> 4
    const f = [(b & c) | (~b & d), (d & b) | (~d & c), b ^ c ^ d, c ^ (b | ~d)][round]
    const at = [t, 5 * t + 1, 3 * t + 5, 7 * t][round] % 16
    const x = (a + f + k[t] + words[start + at]) | 0
    const n = turns[round * 4 + (t % 4)]
    a = d; d = c; c = b; b = (b + ((x << n) | (x >>> (32 - n)))) | 0
  }
  hash[0] += a; hash[1] += b; hash[2] += c; hash[3] += d
}
const digest = Array.from(hash).flatMap((word) => [word & 255, (word >>> 8) & 255, (word >>> 16) & 255, (word >>> 24) & 255])
return encoding === 'bytes' ? digest : encoding === 'base64' ? fx.base64Encode(digest) : fx.hexEncode(digest)
