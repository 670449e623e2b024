/*---
id: eb9f2613-e557-4770-b17d-6912236648dd
name: isUrl
description: Whether text has the form of an http or https address.
category: Checks
package: standard
isAsync: false
arguments:
  value:
    type: string
examples:
  - call: fx.isUrl('https://example.com/a?b=c')
    result: true
  - call: fx.isUrl('example.com')
    result: false
  - call: fx.isUrl('javascript:alert(1)')
    result: false
---*/
return typeof value === 'string' && value.length <= 2083 && /^https?:\/\/([\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)*[\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?(:\d{1,5})?([/?#]\S*)?$/iu.test(value)
