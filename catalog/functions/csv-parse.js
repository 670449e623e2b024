/*---
id: 1848903f-edaf-47cc-b3f2-eb8711feeb68
name: csvParse
description: "Read CSV. Options: separator (found from the first line when not given: comma, semicolon, tab or |),
  header (true: rows become objects), trim. Quotes, line breaks inside quotes and a byte order mark are understood."
category: Formats
package: standard
isAsync: false
arguments:
  text:
    type: string
  options:
    type: object
    optional: true
examples:
  - call: fx.csvParse('sku;name\r\n1;"Chair; red"\r\n2;"6"" nail"')
    result:
      - sku: "1"
        name: Chair; red
      - sku: "2"
        name: 6" nail
  - call: "fx.csvParse('a,b\\n\"x\\ny\",', { header: false })"
    result:
      - - a
        - b
      - - |-
          x
          y
        - ""
---*/
const input = String(text ?? '').replace(/^\ufeff/, '')
const { header = true, trim = false } = options || {}
let separator = options && options.separator
if (!separator) {
  const line = input.slice(0, input.search(/[\r\n]|$/)).replace(/"(?:[^"]|"")*"/g, '')
  separator = [',', ';', '\t', '|'].reduce((best, sign) => (line.split(sign).length > line.split(best).length ? sign : best))
}
const rows = []
let row = []
let field = ''
let position = 0
const endField = (quoted) => { row.push(trim && !quoted ? field.trim() : field); field = '' }
const endRow = () => { if (row.length > 1 || row[0] !== '') rows.push(row); row = [] }
while (position < input.length) {
  let quoted = false
  if (input[position] === '"') {
    quoted = true
    for (;;) {
      const close = input.indexOf('"', position + 1)
      if (close < 0) throw new Error('A quote is not closed in row ' + (rows.length + 1) + '.')
      field += input.slice(position + 1, close)
      position = close + 1
      if (input[position] !== '"') break
      field += '"'
    }
  }
  const start = position
  while (position < input.length && input[position] !== separator && input[position] !== '\n' && input[position] !== '\r') position += 1
  field += input.slice(start, position)
  endField(quoted)
  if (input[position] === separator) {
    position += 1
    if (position === input.length) endField(false)
    continue
  }
  endRow()
  position += input[position] === '\r' && input[position + 1] === '\n' ? 2 : 1
}
if (row.length > 0) endRow()
if (!header) return rows
const names = (rows.shift() || []).map((name) => name.trim())
return rows.map((values) => Object.fromEntries(names.map((name, index) => [name, values[index] === undefined ? '' : values[index]])))
