/*---
id: f976ead7-00e8-4b38-bfd4-77708874fc2c
name: base64Decode
description: The text (UTF-8) of base64 or base64url.
category: Encoding
package: standard
isAsync: false
arguments:
  text:
    type: string
examples:
  - call: fx.base64Decode('SGVsbMO4')
    result: Hellø
---*/
return fx.utf8Text(fx.base64Bytes(text))
