/*---
id: 9985cc63-e1c2-4086-8dc0-152c24c5a664
name: dateToUnix
description: Whole seconds since 1970.
category: Dates
package: standard
isAsync: false
arguments:
  date:
    type: string|number|Date
examples:
  - call: fx.dateToUnix('2025-01-01T00:00:00.900Z')
    result: 1735689600
---*/
return Math.floor(new Date(fx.dateToIso(date)).getTime() / 1000)
