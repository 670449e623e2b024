/*---
id: 5447a8d2-4f7c-49e8-93a1-517df70dde93
name: guidFrom
description: A GUID that is always the same for the same text (version 5), to give a record a stable id.
category: Hashing
package: standard
isAsync: false
arguments:
  text:
    type: string
  namespace:
    type: string
    optional: true
examples:
  - call: fx.guidFrom('www.example.com', '6ba7b810-9dad-11d1-80b4-00c04fd430c8')
    result: 2ed6657d-e927-568b-95e1-2665a8aea6a2
---*/
const space = fx.hexBytes((namespace || '6ba7b812-9dad-11d1-80b4-00c04fd430c8').replace(/-/g, ''))
const bytes = fx.sha1(space.concat(fx.utf8Bytes(text)), 'bytes').slice(0, 16)
bytes[6] = (bytes[6] & 15) | 0x50
bytes[8] = (bytes[8] & 63) | 0x80
return fx.hexEncode(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
