/*---
id: 5179b75b-ecb8-4555-9e94-95052da93c01
name: hmac
description: HMAC of a message with a key (text or bytes). algorithm is sha256 (default), sha1 or md5; encoding is hex,
  base64 or bytes.
category: Hashing
package: standard
isAsync: false
arguments:
  message:
    type: string|array
  key:
    type: string|array
  algorithm:
    type: string
    optional: true
  encoding:
    type: string
    optional: true
examples:
  - call: fx.hmac('what do ya want for nothing?', 'Jefe')
    result: 5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843
  - call: fx.hmac('what do ya want for nothing?', 'Jefe', 'md5')
    result: 750c783e6ab0b503eaa86e310a5db738
---*/
const name = algorithm || 'sha256'
if (!['sha256', 'sha1', 'md5'].includes(name)) throw new Error('"' + algorithm + '" is not a known algorithm.')
const hash = fx[name]
let secret = fx.utf8Bytes(key)
if (secret.length > 64) secret = hash(secret, 'bytes')
const block = Array.from({ length: 64 }, (_, index) => secret[index] || 0)
const inner = hash(block.map((byte) => byte ^ 0x36).concat(fx.utf8Bytes(message)), 'bytes')
return hash(block.map((byte) => byte ^ 0x5c).concat(inner), encoding)
