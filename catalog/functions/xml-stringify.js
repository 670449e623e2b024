/*---
id: fb47561b-1c42-40b9-aefc-3e6fec968dae
name: xmlStringify
description: "Write XML from the form that xmlParse gives: an object with one field, the root. Options: declaration
  (true), indent (text for each level)."
category: Formats
package: standard
isAsync: false
arguments:
  value:
    type: object
  options:
    type: object
    optional: true
examples:
  - call: "fx.xmlStringify({ o: { '@id': 7, l: ['1', 'A & B'], e: null } }, { declaration: false })"
    result: <o id="7"><l>1</l><l>A &amp; B</l><e/></o>
  - call: "fx.xmlStringify({ a: { '@x': '\"', '#text': '<' } })"
    result: <?xml version="1.0" encoding="UTF-8"?><a x="&quot;">&lt;</a>
---*/
const { declaration = true, indent = '' } = options || {}
const roots = Object.keys(value || {})
if (roots.length !== 1 || Array.isArray(value[roots[0]])) throw new Error('XML needs exactly one root element.')
const escape = (item) => String(item).replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '').replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')
const checkName = (name) => {
  if (!/^[\p{L}_][\p{L}\p{N}_.:-]*$/u.test(name)) throw new Error('"' + name + '" cannot be the name of an XML element.')
  return name
}
const write = (name, item, depth) => {
  if (Array.isArray(item)) return item.map((one) => write(name, one, depth)).join('')
  const gap = indent ? '\n' + indent.repeat(depth) : ''
  const tag = checkName(name)
  if (item === null || item === undefined || item === '') return gap + '<' + tag + '/>'
  if (typeof item !== 'object') return gap + '<' + tag + '>' + escape(item) + '</' + tag + '>'
  let attributes = ''
  let inner = ''
  for (const [key, field] of Object.entries(item)) {
    if (key.startsWith('@')) attributes += ' ' + checkName(key.slice(1)) + '="' + escape(field === null ? '' : field) + '"'
    else if (key !== '#text') inner += write(key, field, depth + 1)
  }
  const text = Object.hasOwn(item, '#text') ? escape(item['#text']) : ''
  if (inner === '' && text === '') return gap + '<' + tag + attributes + '/>'
  return gap + '<' + tag + attributes + '>' + text + inner + (inner && indent ? '\n' + indent.repeat(depth) : '') + '</' + tag + '>'
}
const body = write(roots[0], value[roots[0]], 0)
return (declaration ? '<?xml version="1.0" encoding="UTF-8"?>' + body : body.replace(/^\n/, ''))
