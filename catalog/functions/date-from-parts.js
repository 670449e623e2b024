/*---
id: fbb1812e-b0c1-41f3-9119-0f558e302a60
name: dateFromParts
description: The moment at which a clock in the time zone shows these parts. Parts may overflow (month 13, day 0). A
  time that the clock skips moves forward by the gap; of a time that it shows twice, the first is used.
category: Dates
package: standard
isAsync: false
arguments:
  parts:
    type: object
  timeZone:
    type: string
    optional: true
examples:
  - call: "fx.dateFromParts({ year: 2025, month: 1, day: 15, hour: 9 }, 'Europe/Oslo')"
    result: 2025-01-15T08:00:00.000Z
  - call: "fx.dateFromParts({ year: 2025, month: 3, day: 30, hour: 2, minute: 30 }, 'Europe/Oslo')"
    result: 2025-03-30T01:30:00.000Z
  - call: "fx.dateFromParts({ year: 2025, month: 10, day: 26, hour: 2, minute: 30 }, 'Europe/Oslo')"
    result: 2025-10-26T00:30:00.000Z
  - call: "fx.dateFromParts({ year: 2025, month: 13, day: 1 })"
    result: 2026-01-01T00:00:00.000Z
---*/
const { year, month = 1, day = 1, hour = 0, minute = 0, second = 0, millisecond = 0 } = parts
const wall = Date.UTC(year, month - 1, day, hour, minute, second, millisecond)
if (Number.isNaN(wall)) throw new Error('The parts are not a date.')
if (!timeZone || timeZone === 'UTC') return new Date(wall).toISOString()
const offsetAt = (time) => fx.dateParts(time, timeZone).offsetMinutes * 60000
// Clocks change at most once within a day, so the offsets a day before and after are the only candidates.
const before = offsetAt(wall - 86400000)
const after = offsetAt(wall + 86400000)
const moments = [wall - before, wall - after].filter((time) => time + offsetAt(time) === wall)
return new Date(moments.length > 0 ? Math.min(...moments) : wall - before).toISOString()
