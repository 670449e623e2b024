/*---
id: 8f5b05b1-f15a-40d1-b411-81d3874acb57
name: dateParts
description: Split a moment into the parts that a clock and calendar in the given time zone show; weekday is 1 (Monday)
  to 7, offsetMinutes is minutes ahead of UTC.
category: Dates
package: standard
isAsync: false
arguments:
  date:
    type: string|number|Date
  timeZone:
    type: string
    optional: true
examples:
  - call: fx.dateParts('2025-07-01T22:30:00Z', 'Europe/Oslo')
    result:
      year: 2025
      month: 7
      day: 2
      hour: 0
      minute: 30
      second: 0
      millisecond: 0
      weekday: 3
      offsetMinutes: 120
  - call: fx.dateParts('2025-01-01T00:00:00Z').weekday
    result: 3
---*/
const moment = new Date(fx.dateToIso(date))
const milliseconds = moment.getTime()
let fields
if (!timeZone || timeZone === 'UTC') {
  fields = [moment.getUTCFullYear(), moment.getUTCMonth() + 1, moment.getUTCDate(), moment.getUTCHours(), moment.getUTCMinutes(), moment.getUTCSeconds()]
} else {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit',
  })
  const found = {}
  for (const part of format.formatToParts(moment)) found[part.type] = Number(part.value)
  fields = [found.year, found.month, found.day, found.hour, found.minute, found.second]
}
const [year, month, day, hour, minute, second] = fields
const millisecond = ((milliseconds % 1000) + 1000) % 1000
const asUtc = Date.UTC(year, month - 1, day, hour, minute, second, millisecond)
const weekday = new Date(asUtc).getUTCDay() || 7
return { year, month, day, hour, minute, second, millisecond, weekday, offsetMinutes: Math.round((asUtc - milliseconds) / 60000) }
