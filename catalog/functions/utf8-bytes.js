/*---
id: c61231a5-df4f-40f1-aa4a-2b6e36952d02
name: utf8Bytes
description: The UTF-8 bytes of text, as a list of numbers; a list passes unchanged.
category: Encoding
package: standard
isAsync: false
arguments:
  value:
    type: string|array
examples:
  - call: fx.utf8Bytes('aæ€😀')
    result:
      - 97
      - 195
      - 166
      - 226
      - 130
      - 172
      - 240
      - 159
      - 152
      - 128
---*/
if (Array.isArray(value)) return value
const text = String(value ?? '')
const bytes = []
for (let index = 0; index < text.length; index += 1) {
  let code = text.codePointAt(index)
  if (code > 0xffff) index += 1
  if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd
  if (code < 0x80) bytes.push(code)
  else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63))
  else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63))
  else bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63))
}
return bytes
