/*---
id: 4fe54391-badf-4a56-9fd8-8a1aa93e8fc7
name: base64Bytes
description: The bytes of base64 or base64url text; white space and missing padding are accepted, anything else is an error.
category: Encoding
package: standard
isAsync: false
arguments:
  text:
    type: string
examples:
  - call: fx.base64Bytes('__4')
    result:
      - 255
      - 254
  - call: fx.base64Bytes('SGVs\nbG8=')
    result:
      - 72
      - 101
      - 108
      - 108
      - 111
---*/
const clean = String(text ?? '').replace(/\s/g, '').replace(/={1,2}$/, '').replace(/-/g, '+').replace(/_/g, '/')
if (/[^A-Za-z0-9+/]/.test(clean) || clean.length % 4 === 1) throw new Error('This is not base64.')
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const values = new Map(Array.from(letters, (letter, index) => [letter, index]))
const bytes = []
let bits = 0
let held = 0
for (const letter of clean) {
  held = ((held << 6) | values.get(letter)) & 0xffffff
  bits += 6
  if (bits >= 8) {
    bits -= 8
    bytes.push((held >> bits) & 255)
  }
}
return bytes
