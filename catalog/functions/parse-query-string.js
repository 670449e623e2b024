/*---
id: 647c12a2-44e5-4192-8939-1c7e9af9c796
name: parseQueryString
description: Read the query of an address (or a form) into an object; a repeated name becomes a list.
category: Formats
package: standard
isAsync: false
arguments:
  text:
    type: string
examples:
  - call: fx.parseQueryString('?q=a+b&tag=x&tag=y%20z')
    result:
      q: a b
      tag:
        - x
        - y z
---*/
const fields = new Map()
for (const pair of String(text ?? '').replace(/^[^?]*\?/, '').replace(/#.*$/, '').split('&')) {
  if (pair === '') continue
  const [name, value] = (pair.includes('=') ? [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] : [pair, ''])
    .map((part) => { try { return decodeURIComponent(part.replace(/\+/g, ' ')) } catch { return part } })
  fields.set(name, fields.has(name) ? [].concat(fields.get(name), value) : value)
}
return Object.fromEntries(fields)
