/*---
id: bdd93504-19aa-4e0a-98f9-9aced99adc89
name: base64Encode
description: Base64 of text (as UTF-8) or of a list of bytes; urlSafe uses - and _ without padding.
category: Encoding
package: standard
isAsync: false
arguments:
  value:
    type: string|array
  urlSafe:
    type: boolean
    optional: true
examples:
  - call: fx.base64Encode('Hellø')
    result: SGVsbMO4
  - call: fx.base64Encode([255, 254], true)
    result: __4
  - call: fx.base64Encode('')
    result: ""
---*/
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789' + (urlSafe ? '-_' : '+/')
const bytes = fx.utf8Bytes(value)
const pieces = []
for (let index = 0; index < bytes.length; index += 3) {
  const [a, b, c] = [bytes[index], bytes[index + 1], bytes[index + 2]]
  const pad = urlSafe ? '' : '='
  pieces.push(letters[a >> 2] + letters[((a & 3) << 4) | ((b || 0) >> 4)] + (b === undefined ? pad : letters[((b & 15) << 2) | ((c || 0) >> 6)]) + (c === undefined ? pad : letters[c & 63]))
}
return pieces.join('')
