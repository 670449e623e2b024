/*---
id: 50d9fe67-c298-4010-a86f-df52af0ec820
name: stripHtml
description: "The readable text of an HTML fragment. For display and e-mail, not a defence: escape what goes into a page."
category: Text
package: standard
isAsync: false
arguments:
  value:
    type: string
examples:
  - call: fx.stripHtml('<p>Hi <b>you</b></p><p>Line&nbsp;two<br>three</p><style>p{}</style>')
    result: |-
      Hi you
      Line two
      three
---*/
const text = String(value ?? '')
  .replace(/<(script|style)\b[^>]*>[\s\S]*?(<\/\1\s*>|$)/gi, '')
  .replace(/<!--[\s\S]*?(-->|$)/g, '')
  .replace(/<(br|\/p|\/div|\/li|\/tr|\/h[1-6])\b[^>]*>/gi, '\n')
  .replace(/<\/?[a-z][^>]*>/gi, '')
return fx.unescapeHtml(text).replace(/\u00a0/g, ' ').replace(/[ \t]+/g, ' ').replace(/ *\n+ */g, '\n').trim()
