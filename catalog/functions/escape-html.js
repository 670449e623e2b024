/*---
id: 195a8db0-5e78-4333-91f7-3af3d662f709
name: escapeHtml
description: Make text safe inside HTML and XML.
category: Text
package: standard
isAsync: false
arguments:
  value:
    type: string
examples:
  - call: fx.escapeHtml('<a href="x">Tom & Jerry\'s</a>')
    result: "&lt;a href=&quot;x&quot;&gt;Tom &amp; Jerry&#39;s&lt;/a&gt;"
---*/
const names = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
return String(value ?? '').replace(/[&<>"']/g, (letter) => names[letter])
