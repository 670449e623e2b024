/*---
id: efb1ef83-f198-4bb3-a790-d5b33cf3bd14
name: unescapeHtml
description: Turn character references back into characters (numbers and the common names).
category: Text
package: standard
isAsync: false
arguments:
  value:
    type: string
examples:
  - call: fx.unescapeHtml('Tom &amp; Jerry &#228; &#xe6; &nbsp;&unknown;')
    result: Tom & Jerry ä æ  &unknown;
---*/
const names = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }
return String(value ?? '').replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,8}));/gi, (match, hex, decimal, name) => {
  if (name) return Object.hasOwn(names, name.toLowerCase()) ? names[name.toLowerCase()] : match
  const code = hex ? parseInt(hex, 16) : Number(decimal)
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : match
})
