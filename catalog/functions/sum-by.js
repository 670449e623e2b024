/*---
id: ed21a4a5-92e2-4caa-9dcd-255c1a8facc6
name: sumBy
description: "The sum of a field (or of the items themselves) in decimal arithmetic: 0.1 + 0.2 is 0.3. Empty values
  count as 0, text that is not a number is an error."
category: Numbers
package: standard
isAsync: false
arguments:
  list:
    type: array
  path:
    type: string
    optional: true
examples:
  - call: "fx.sumBy([{ amount: 0.1 }, { amount: '0.2' }, {}], 'amount')"
    result: 0.3
  - call: fx.sumBy([1, 2.5])
    result: 3.5
---*/
let scale = 0
const numbers = list.map((item) => {
  const value = path ? fx.getPath(item, path, null) : item
  if (value === null || value === undefined || value === '') return '0'
  const number = Number(value)
  if (!Number.isFinite(number)) throw new Error('"' + String(value) + '" is not a number.')
  const [mantissa, exponent] = String(number).split('e')
  const digits = Math.max(0, (mantissa.split('.')[1] || '').length - Number(exponent || 0))
  scale = Math.max(scale, Math.min(digits, 30))
  return number
})
// Whole numbers of the smallest decimal in use add up without loss.
const unit = (value) => {
  const [mantissa, exponent] = String(value).split('e')
  const [whole, fraction = ''] = mantissa.replace('-', '').split('.')
  const shift = Number(exponent || 0) + scale - fraction.length
  const digits = shift >= 0 ? whole + fraction + '0'.repeat(shift) : (whole + fraction).slice(0, shift) || '0'
  return mantissa.startsWith('-') ? -BigInt(digits) : BigInt(digits)
}
const total = numbers.reduce((sum, value) => sum + unit(value), 0n)
const text = String(total < 0n ? -total : total).padStart(scale + 1, '0')
const result = Number(scale === 0 ? text : text.slice(0, -scale) + '.' + text.slice(-scale))
return total < 0n ? -result : result
