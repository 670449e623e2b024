/*---
id: 7734a32f-0daf-4752-aad0-fb01f77e118e
name: dateParse
description: Read text by a pattern (yyyy yy MM M dd d HH H mm m ss SSS) as a time in the time zone and return ISO UTC.
  Text that does not fit, or a date that does not exist, is an error.
category: Dates
package: standard
isAsync: false
arguments:
  text:
    type: string
  pattern:
    type: string
  timeZone:
    type: string
    optional: true
examples:
  - call: fx.dateParse('24.12.2025 18:00', 'dd.MM.yyyy HH:mm', 'Europe/Oslo')
    result: 2025-12-24T17:00:00.000Z
  - call: fx.dateParse('1/2/25', 'M/d/yy')
    result: 2025-01-02T00:00:00.000Z
---*/
const fields = { y: 'year', M: 'month', d: 'day', H: 'hour', m: 'minute', s: 'second', S: 'millisecond' }
const names = []
let expression = ''
for (const token of pattern.match(/yyyy|yy|MM|M|dd|d|HH|H|mm|m|ss|s|SSS|'(?:[^']|'')*'|[\s\S]/g) || []) {
  const field = fields[token[0]]
  if (field && /^[yMdHmsS]+$/.test(token)) {
    names.push([field, token])
    expression += token.length === 1 ? '(\\d{1,2})' : '(\\d{' + token.length + '})'
  } else {
    expression += token.replace(/^'([\s\S]*)'$/, '$1').replace(/[.*+?^\x24{}()|[\]\\\/]/g, '\\$&')
  }
}
const match = new RegExp('^' + expression + '$').exec(String(text).trim())
if (!match) throw new Error('"' + text + '" does not fit the pattern "' + pattern + '".')
const parts = { year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0, millisecond: 0 }
names.forEach(([field, token], index) => {
  parts[field] = Number(match[index + 1]) + (token === 'yy' ? 2000 : 0)
})
const lastDay = new Date(Date.UTC(parts.year, parts.month, 0)).getUTCDate()
if (parts.month < 1 || parts.month > 12 || parts.day < 1 || parts.day > lastDay || parts.hour > 23 || parts.minute > 59 || parts.second > 59) {
  throw new Error('"' + text + '" is not a date that exists.')
}
return fx.dateFromParts(parts, timeZone)
