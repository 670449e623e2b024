/*---
id: 21b30523-dfb8-4e55-8a7d-31cc26fbb0c7
name: titleCase
description: Upper case for the first letter of every word, lower case for the rest.
category: Text
package: standard
isAsync: false
arguments:
  value:
    type: string
examples:
  - call: fx.titleCase('ola NORDMANN-hansen')
    result: Ola Nordmann-Hansen
---*/
return String(value ?? '').toLowerCase().replace(/(^|[^\p{L}\p{N}'’])(\p{L})/gu, (match, before, letter) => before + letter.toUpperCase())
