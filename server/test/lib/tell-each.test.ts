import { expect, it } from 'vitest'
import { tellingEach } from '../../src/lib/tell-each.ts'

it('tells the others when one fails, and throws nothing', () => {
  const [heard, faults]: [string[], unknown[]] = [[], []]
  const tell = tellingEach((error) => faults.push(error))
  const broken = new Error('on purpose')
  tell(
    () => heard.push('first'),
    () => {
      throw broken
    },
    () => heard.push('third'),
  )
  expect(heard).toEqual(['first', 'third'])
  expect(faults).toEqual([broken])
})
