/*---
id: fb0ee432-d7b2-41b4-ac29-701d46c02092
name: hexEncode
description: Bytes or text as hexadecimal digits.
category: Encoding
package: standard
isAsync: false
arguments:
  value:
    type: string|array
examples:
  - call: fx.hexEncode([0, 255])
    result: 00ff
  - call: fx.hexEncode('é')
    result: c3a9
---*/
return fx.utf8Bytes(value).map((byte) => byte.toString(16).padStart(2, '0')).join('')
