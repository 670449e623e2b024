/*---
id: e8728e99-4a5d-439f-879d-a62235c8c0c4
name: normalizeEmail
description: An e-mail address trimmed and in lower case, as a key for comparing; null when it is none.
category: Checks
package: standard
isAsync: false
arguments:
  value:
    type: string
examples:
  - call: fx.normalizeEmail(' Ola@Example.COM ')
    result: ola@example.com
  - call: fx.normalizeEmail('nobody')
    result: null
---*/
const address = String(value ?? '').trim().toLowerCase()
return fx.isEmail(address) ? address : null
