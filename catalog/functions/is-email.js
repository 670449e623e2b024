/*---
id: ce399ca9-cd90-4784-b2bd-0c542853e98a
name: isEmail
description: Whether text has the form of one e-mail address. Only sending an e-mail shows whether it exists.
category: Checks
package: standard
isAsync: false
arguments:
  value:
    type: string
examples:
  - call: fx.isEmail('ola.nordmann+x@example.co.uk')
    result: true
  - call: fx.isEmail('ola@localhost')
    result: false
  - call: fx.isEmail('a..b@example.com')
    result: false
  - call: fx.isEmail('a@ex ample.com')
    result: false
---*/
if (typeof value !== 'string' || value.length > 254) return false
const at = value.lastIndexOf('@')
const local = value.slice(0, at)
const domain = value.slice(at + 1)
if (at < 1 || local.length > 64 || domain.length > 253) return false
if (!/^[\p{L}\p{N}!#$%&'*+/=?^_{|}~\x60.-]+$/u.test(local) || local.startsWith('.') || local.endsWith('.') || local.includes('..')) return false
const labels = domain.split('.')
return labels.length > 1 && labels.every((label) => label.length > 0 && label.length < 64 && /^[\p{L}\p{N}-]+$/u.test(label) && !label.startsWith('-') && !label.endsWith('-')) && !/^\d+$/.test(labels[labels.length - 1])
