/*---
id: 73ac90bc-a7cc-49dc-889d-d02b69041189
name: hexBytes
description: The bytes of hexadecimal digits.
category: Encoding
package: standard
isAsync: false
arguments:
  text:
    type: string
examples:
  - call: fx.hexBytes('00FF')
    result:
      - 0
      - 255
---*/
const clean = String(text ?? '').replace(/\s/g, '')
if (!/^([0-9a-fA-F]{2})*$/.test(clean)) throw new Error('This is not hexadecimal.')
return (clean.match(/../g) || []).map((pair) => parseInt(pair, 16))
