/*---
id: ba1725e9-68aa-4521-90ea-b01c3760d340
name: dateFromUnix
description: ISO UTC from seconds since 1970.
category: Dates
package: standard
isAsync: false
arguments:
  seconds:
    type: number
examples:
  - call: fx.dateFromUnix(1735689600)
    result: 2025-01-01T00:00:00.000Z
---*/
return fx.dateToIso(Number(seconds) * 1000)
