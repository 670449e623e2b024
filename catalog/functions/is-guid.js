/*---
id: 45fd41b9-0157-437e-92d3-6711283c0325
name: isGuid
description: Whether text is a GUID.
category: Checks
package: standard
isAsync: false
arguments:
  value:
    type: string
examples:
  - call: fx.isGuid('2ed6657d-e927-568b-95e1-2665a8aea6a2')
    result: true
  - call: fx.isGuid('2ed6657d')
    result: false
---*/
return typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)
