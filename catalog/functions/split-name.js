/*---
id: 6a55adf6-c070-452a-a295-2f767fd6e981
name: splitName
description: Split a full name into firstName and lastName; "Last, First" is understood, name particles stay with the last name.
category: Text
package: standard
isAsync: false
arguments:
  fullName:
    type: string
examples:
  - call: fx.splitName('Ludwig van Beethoven')
    result:
      firstName: Ludwig
      lastName: van Beethoven
  - call: fx.splitName('Nordmann, Ola Petter')
    result:
      firstName: Ola Petter
      lastName: Nordmann
  - call: fx.splitName('Cher')
    result:
      firstName: Cher
      lastName: ""
---*/
const name = fx.cleanText(fullName)
const comma = name.indexOf(',')
if (comma > 0) return { firstName: name.slice(comma + 1).trim(), lastName: name.slice(0, comma).trim() }
const words = name.split(' ')
if (words.length < 2) return { firstName: name, lastName: '' }
const particles = ['van', 'von', 'der', 'den', 'de', 'da', 'di', 'du', 'la', 'le', 'af', 'av', 'ter', 'ten']
let start = words.length - 1
while (start > 1 && particles.includes(words[start - 1].toLowerCase())) start -= 1
return { firstName: words.slice(0, start).join(' '), lastName: words.slice(start).join(' ') }
