/*---
id: aad5217a-f244-47f2-b435-56adff4fc3b0
name: slug
description: "A name for addresses and files: lower case letters, digits and hyphens."
category: Text
package: standard
isAsync: false
arguments:
  value:
    type: string
examples:
  - call: fx.slug('Årets Ølfestival 2025!')
    result: arets-olfestival-2025
  - call: fx.slug('---')
    result: ""
---*/
return fx.removeAccents(value).toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '')
