/*---
id: 357c43a8-2b42-41e2-b01c-e5999fd28d93
name: dateAdd
description: Add an amount (negative to subtract) of milliseconds, seconds, minutes, hours, days, weeks, months or
  years. Days and longer keep the clock time of the time zone; months end on their last day at most.
category: Dates
package: standard
isAsync: false
arguments:
  date:
    type: string|number|Date
  amount:
    type: number
  unit:
    type: string
  timeZone:
    type: string
    optional: true
examples:
  - call: fx.dateAdd('2025-01-31T10:00:00Z', 1, 'months')
    result: 2025-02-28T10:00:00.000Z
  - call: fx.dateAdd('2025-03-29T09:00:00Z', 1, 'days', 'Europe/Oslo')
    result: 2025-03-30T08:00:00.000Z
  - call: fx.dateAdd('2025-01-01', -90, 'minutes')
    result: 2024-12-31T22:30:00.000Z
---*/
const one = String(unit).replace(/s$/, '')
const lengths = { millisecond: 1, second: 1000, minute: 60000, hour: 3600000 }
const start = new Date(fx.dateToIso(date)).getTime()
if (lengths[one]) return new Date(start + amount * lengths[one]).toISOString()
const parts = fx.dateParts(date, timeZone)
if (one === 'day' || one === 'week') {
  return fx.dateFromParts({ ...parts, day: parts.day + amount * (one === 'week' ? 7 : 1) }, timeZone)
}
if (one !== 'month' && one !== 'year') throw new Error('"' + unit + '" is not a unit of time.')
const months = parts.year * 12 + (parts.month - 1) + amount * (one === 'year' ? 12 : 1)
const year = Math.floor(months / 12)
const month = (months % 12 + 12) % 12 + 1
const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate()
return fx.dateFromParts({ ...parts, year, month, day: Math.min(parts.day, lastDay) }, timeZone)
