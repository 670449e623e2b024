/*---
id: 46dcffb0-6064-4652-bec2-0fd9dcb2ece9
name: dateFormat
description: "Write a moment with a pattern in a time zone. Letters: yyyy yy MMMM MMM MM M dd d EEEE EEE HH H hh h mm m
  ss s SSS a XXX (offset); other text in single quotes."
category: Dates
package: standard
isAsync: false
arguments:
  date:
    type: string|number|Date
  pattern:
    type: string
  timeZone:
    type: string
    optional: true
  locale:
    type: string
    optional: true
examples:
  - call: fx.dateFormat('2025-07-01T22:30:05Z', 'dd.MM.yyyy HH:mm', 'Europe/Oslo')
    result: 02.07.2025 00:30
  - call: fx.dateFormat('2025-07-01T22:30:05Z', "yyyy-MM-dd'T'HH:mm:ssXXX", 'Europe/Oslo')
    result: 2025-07-02T00:30:05+02:00
  - call: fx.dateFormat('2025-07-01', 'EEEE d MMMM')
    result: Tuesday 1 July
  - call: fx.dateFormat('2025-07-01T15:04:00Z', 'h:mm a')
    result: 3:04 PM
---*/
const parts = fx.dateParts(date, timeZone)
const moment = new Date(fx.dateToIso(date))
const two = (value) => String(value).padStart(2, '0')
const word = (options) => new Intl.DateTimeFormat(locale || 'en-US', { timeZone: timeZone || 'UTC', ...options }).format(moment)
const sign = parts.offsetMinutes < 0 ? '-' : '+'
const offset = Math.abs(parts.offsetMinutes)
const values = {
  yyyy: () => String(parts.year).padStart(4, '0'), yy: () => two(parts.year % 100),
  MMMM: () => word({ month: 'long' }), MMM: () => word({ month: 'short' }), MM: () => two(parts.month), M: () => String(parts.month),
  dd: () => two(parts.day), d: () => String(parts.day),
  EEEE: () => word({ weekday: 'long' }), EEE: () => word({ weekday: 'short' }),
  HH: () => two(parts.hour), H: () => String(parts.hour), hh: () => two(parts.hour % 12 || 12), h: () => String(parts.hour % 12 || 12),
  mm: () => two(parts.minute), m: () => String(parts.minute), ss: () => two(parts.second), s: () => String(parts.second),
  SSS: () => String(parts.millisecond).padStart(3, '0'), a: () => (parts.hour < 12 ? 'AM' : 'PM'),
  XXX: () => (offset === 0 ? 'Z' : sign + two(Math.floor(offset / 60)) + ':' + two(offset % 60)),
}
return pattern.replace(/'((?:[^']|'')*)'|yyyy|yy|MMMM|MMM|MM|M|dd|d|EEEE|EEE|HH|H|hh|h|mm|m|ss|s|SSS|a|XXX/g, (match, quoted) =>
  quoted === undefined ? values[match]() : quoted === '' ? "'" : quoted.replace(/''/g, "'"))
