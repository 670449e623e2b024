/*---
id: f65ff35d-430d-4db1-a07a-3df09307578f
name: utf8Text
description: The text of UTF-8 bytes; bytes that are no text become U+FFFD.
category: Encoding
package: standard
isAsync: false
arguments:
  bytes:
    type: array
examples:
  - call: fx.utf8Text([97, 195, 166, 226, 130, 172, 240, 159, 152, 128])
    result: aæ€😀
  - call: fx.utf8Text([255, 65])
    result: �A
---*/
let text = ''
let index = 0
while (index < bytes.length) {
  const lead = bytes[index]
  const length = lead < 0x80 ? 1 : lead >= 0xc2 && lead < 0xe0 ? 2 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xf0 && lead < 0xf5 ? 4 : 0
  let code = length === 1 ? lead : lead & (0x7f >> length)
  let valid = length > 0 && index + length <= bytes.length
  for (let next = 1; valid && next < length; next += 1) {
    const byte = bytes[index + next]
    valid = (byte & 0xc0) === 0x80
    code = (code << 6) | (byte & 63)
  }
  if (valid && length === 3) valid = code >= 0x800 && !(code >= 0xd800 && code <= 0xdfff)
  if (valid && length === 4) valid = code >= 0x10000 && code <= 0x10ffff
  text += valid ? String.fromCodePoint(code) : '\ufffd'
  index += valid ? length : 1
}
return text
