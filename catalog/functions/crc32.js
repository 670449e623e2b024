/*---
id: bd99dd76-106b-4101-95d3-3ebc362e9fac
name: crc32
description: CRC-32 of text or bytes, as 8 hexadecimal digits.
category: Hashing
package: standard
isAsync: false
arguments:
  value:
    type: string|array
examples:
  - call: fx.crc32('123456789')
    result: cbf43926
---*/
let crc = -1
for (const byte of fx.utf8Bytes(value)) {
  crc ^= byte
  for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
}
return ((crc ^ -1) >>> 0).toString(16).padStart(8, '0')
