/*---
id: cb48e082-40f3-4ec1-959b-ee74e41fd767
name: joinLists
description: Join two lists on a field of each. kind is inner, left or outer; each pair is the left item with the right
  one under the name "as" (right when not given). Keys are compared as text, empty keys never match.
category: Lists
package: standard
isAsync: false
arguments:
  left:
    type: array
  right:
    type: array
  leftPath:
    type: string
  rightPath:
    type: string
    optional: true
  kind:
    type: string
    optional: true
  as:
    type: string
    optional: true
examples:
  - call: "fx.joinLists([{ id: 1 }, { id: 2 }], [{ ref: 1, x: 'a' }], 'id', 'ref', 'left', 'match')"
    result:
      - id: 1
        match:
          ref: 1
          x: a
      - id: 2
        match: null
  - call: "fx.joinLists([{ id: 1 }], [{ id: '1' }, { id: 3 }], 'id')"
    result:
      - id: 1
        right:
          id: "1"
  - call: "fx.joinLists([], [{ id: 3 }], 'id', 'id', 'outer')"
    result:
      - right:
          id: 3
---*/
const wanted = kind || 'inner'
if (!['inner', 'left', 'outer'].includes(wanted)) throw new Error('"' + kind + '" is not a kind of join.')
const name = as || 'right'
const keyOf = (item, path) => {
  const key = fx.getPath(item, path, null)
  return key === null || key === '' ? null : String(key)
}
const matches = new Map()
right.forEach((item, index) => {
  const key = keyOf(item, rightPath || leftPath)
  if (key === null) return
  if (matches.has(key)) matches.get(key).push(index)
  else matches.set(key, [index])
})
const used = new Set()
const joined = []
for (const item of left) {
  const found = matches.get(keyOf(item, leftPath)) || []
  for (const index of found) {
    used.add(index)
    joined.push({ ...item, [name]: right[index] })
  }
  if (found.length === 0 && wanted !== 'inner') joined.push({ ...item, [name]: null })
}
if (wanted === 'outer') right.forEach((item, index) => { if (!used.has(index)) joined.push({ [name]: item }) })
return joined
