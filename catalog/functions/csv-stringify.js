/*---
id: e35559c9-5b11-4748-a896-148531c29e24
name: csvStringify
description: "Write CSV from objects (columns from the first appearance of each field, or options.columns) or from
  lists. Options: separator, header, newline, escapeFormulas (put ' before = + - @ so that a spreadsheet does not
  calculate)."
category: Formats
package: standard
isAsync: false
arguments:
  rows:
    type: array
  options:
    type: object
    optional: true
examples:
  - call: "fx.csvStringify([{ a: 1, b: 'x,y' }, { b: 'say \"hi\"', c: null }])"
    result: "a,b,c\r

      1,\"x,y\",\r

      ,\"say \"\"hi\"\"\",\r\n"
  - call: "fx.csvStringify([['=1+1', -2]], { escapeFormulas: true, separator: ';' })"
    result: "'=1+1;-2\r\n"
---*/
const { separator = ',', header = true, newline = '\r\n', escapeFormulas = false } = options || {}
const areLists = rows.length > 0 && Array.isArray(rows[0])
const columns = (options && options.columns) || (areLists ? [] : [...new Set(rows.flatMap((item) => Object.keys(item)))])
const write = (value) => {
  let text = value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
  if (escapeFormulas && typeof value !== 'number' && /^[=+\-@\t\r]/.test(text)) text = "'" + text
  return text.includes(separator) || /["\r\n]/.test(text) || text !== text.trim() ? '"' + text.replace(/"/g, '""') + '"' : text
}
const lines = areLists ? rows : rows.map((item) => columns.map((column) => (Object.hasOwn(item, column) ? item[column] : null)))
const all = header && columns.length > 0 ? [columns, ...lines] : lines
return all.map((line) => line.map(write).join(separator) + newline).join('')
