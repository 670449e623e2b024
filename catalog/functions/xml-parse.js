/*---
id: c45620f2-5122-45c5-a529-6f1bb6adfa54
name: xmlParse
description: 'Read XML into {root: …}. Attributes become "@name", text beside them "#text", repeated elements a list, an
  element of text alone that text. Document type declarations are refused.'
category: Formats
package: standard
isAsync: false
arguments:
  text:
    type: string
examples:
  - call: fx.xmlParse('<?xml version="1.0"?><o id="7"><l>1</l><l>A &amp; B</l><e/></o>')
    result:
      o:
        "@id": "7"
        l:
          - "1"
          - A & B
        e: ""
  - call: fx.xmlParse('<a x="1"><![CDATA[<b>]]></a>')
    result:
      a:
        "@x": "1"
        "#text": <b>
---*/
const input = String(text ?? '').replace(/^\ufeff/, '')
const fail = (message, at) => { throw new Error('The XML is broken in line ' + input.slice(0, at).split('\n').length + ': ' + message) }
const tokens = /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<\/([^\s<>\/]+)\s*>|<([^\s<>\/!?"'=]+)((?:\s+[^\s<>\/="']+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/y
const names = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const decode = (value, at) => value.replace(/&(#x[0-9a-fA-F]+|#\d+|\w+);?/g, (match, name) => {
  if (Object.hasOwn(names, name)) return names[name]
  const code = name[0] === '#' ? Number(name[1] === 'x' ? '0x' + name.slice(2) : name.slice(1)) : NaN
  if (!(code > 0 && code <= 0x10ffff)) fail('"' + match + '" is not known.', at)
  return String.fromCodePoint(code)
})
const root = { name: '', children: [], text: '', attributes: [] }
const open = [root]
while (tokens.lastIndex < input.length) {
  const at = tokens.lastIndex
  const match = tokens.exec(input)
  if (!match) fail(input.startsWith('<!DOCTYPE', at) ? 'a document type is not allowed.' : 'this is not markup.', at)
  const [, cdata, closing, name, attributes, selfClosing, characters] = match
  const top = open[open.length - 1]
  if (cdata !== undefined) top.text += cdata
  else if (characters !== undefined) {
    if (top === root && characters.trim() !== '') fail('text stands outside the root element.', at)
    top.text += decode(characters, at)
  } else if (closing !== undefined) {
    if (top === root || top.name !== closing) fail('</' + closing + '> closes nothing.', at)
    open.pop()
  } else if (name !== undefined) {
    const element = { name, children: [], text: '', attributes: [] }
    for (const pair of attributes.matchAll(/([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
      element.attributes.push(['@' + pair[1], decode(pair[2] === undefined ? pair[3] : pair[2], at)])
    }
    top.children.push(element)
    if (!selfClosing) open.push(element)
    if (open.length > 500) fail('elements are nested too deeply.', at)
  }
}
if (open.length > 1) fail('<' + open[open.length - 1].name + '> is not closed.', input.length)
if (root.children.length !== 1) fail('there must be exactly one root element.', input.length)
const toValue = (element) => {
  const hasText = element.text.trim() !== ''
  if (element.children.length === 0 && element.attributes.length === 0) return hasText ? element.text : ''
  const fields = new Map(element.attributes)
  for (const child of element.children) {
    const value = toValue(child)
    if (!fields.has(child.name)) fields.set(child.name, value)
    else if (Array.isArray(fields.get(child.name))) fields.get(child.name).push(value)
    else fields.set(child.name, [fields.get(child.name), value])
  }
  if (hasText) fields.set('#text', element.children.length === 0 ? element.text : element.text.trim())
  return Object.fromEntries(fields)
}
return Object.fromEntries([[root.children[0].name, toValue(root.children[0])]])
