/*---
id: 855b2c13-c6af-45e8-80bd-c6104a7b28dc
name: dateDiff
description: How many whole units (milliseconds to years) lie between two dates; negative when the second is earlier.
  Days and longer are counted by the calendar of the time zone.
category: Dates
package: standard
isAsync: false
arguments:
  from:
    type: string|number|Date
  to:
    type: string|number|Date
  unit:
    type: string
  timeZone:
    type: string
    optional: true
examples:
  - call: fx.dateDiff('2025-01-31', '2025-02-28', 'days')
    result: 28
  - call: fx.dateDiff('2025-01-31', '2025-02-28', 'months')
    result: 1
  - call: fx.dateDiff('2025-03-01', '2025-02-28', 'days')
    result: -1
  - call: fx.dateDiff('2025-03-29T12:00:00Z', '2025-03-30T11:00:00Z', 'days', 'Europe/Oslo')
    result: 1
  - call: fx.dateDiff('2024-02-29', '2025-02-28', 'years')
    result: 1
---*/
const one = String(unit).replace(/s$/, '')
const lengths = { millisecond: 1, second: 1000, minute: 60000, hour: 3600000 }
const start = new Date(fx.dateToIso(from)).getTime()
const end = new Date(fx.dateToIso(to)).getTime()
if (lengths[one]) return Math.trunc((end - start) / lengths[one]) + 0
if (!['day', 'week', 'month', 'year'].includes(one)) throw new Error('"' + unit + '" is not a unit of time.')
const sign = end < start ? -1 : 1
const guessLength = { day: 86400000, week: 604800000, month: 2629746000, year: 31556952000 }[one]
// The guess is at most one unit away from the truth; the calendar decides.
let count = Math.max(0, Math.floor(Math.abs(end - start) / guessLength) - 1)
const reaches = (units) => {
  const time = new Date(fx.dateAdd(from, sign * units, one, timeZone)).getTime()
  return sign > 0 ? time <= end : time >= end
}
while (reaches(count + 1)) count += 1
return sign * count + 0
