/*---
id: d8ca719e-ef7b-4e39-b0b8-25d9a9f6f7fa
name: sortBy
description: A sorted copy by one or more dotted paths; "-path" sorts downwards. Numbers by size, text by the locale,
  empty values last; equal items keep their order.
category: Lists
package: standard
isAsync: false
arguments:
  list:
    type: array
  paths:
    type: string|array
  locale:
    type: string
    optional: true
examples:
  - call: "fx.sortBy([{ n: 10 }, { n: 9 }, { n: null }], 'n')"
    result:
      - n: 9
      - n: 10
      - n: null
  - call: "fx.sortBy([{ a: 'x', b: 1 }, { a: 'x', b: 2 }, { a: 'b', b: 1 }], ['a', '-b'])"
    result:
      - a: b
        b: 1
      - a: x
        b: 2
      - a: x
        b: 1
---*/
const order = new Intl.Collator(locale || 'en', { numeric: true })
const rules = [].concat(paths).map((path) => (path.startsWith('-') ? [path.slice(1), -1] : [path, 1]))
return list.slice().sort((left, right) => {
  for (const [path, direction] of rules) {
    const a = fx.getPath(left, path, null)
    const b = fx.getPath(right, path, null)
    if (a === null || b === null) {
      if (a !== b) return a === null ? 1 : -1
      continue
    }
    const result = typeof a === 'number' && typeof b === 'number' ? a - b : order.compare(String(a), String(b))
    if (result !== 0) return result * direction
  }
  return 0
})
