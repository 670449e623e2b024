/**
 * Expressions of a block, tried against its samples as one types. They run in the same sandbox as in a run, as the script of a test that calls
 * nobody; what they would decide is said in words.
 */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call, sentenceOf } from '../api.ts'
import type { Block } from '../definition/workflow-draft.ts'
import { counted } from '../ui/counted.ts'
import type { Samples } from './use-samples.ts'

/** `problem`: the expression would fail. `undefined`: there is no sample to try it with. */
export type ExpressionVerdict = { words: string; isProblem: boolean } | undefined

const typingMs = 400
const keysShown = 3

/** Whether the block would run. */
export function useConditionVerdict(block: Block, samples: Samples, expression: string): ExpressionVerdict {
  const script = `return Boolean(${inParentheses(expression)})`
  return useVerdict({ block, samples, script, isOn: expression.trim() !== '' }, (value) =>
    value === true ? 'True with the sample: the block runs.' : 'False with the sample: the block is skipped.',
  )
}

/** How many items there would be, and their keys. */
export function useItemsVerdict(block: Block, samples: Samples, items: string, key: string): ExpressionVerdict {
  const script = `
    const list = ${items.trim() === '' ? 'Datasource[0]' : inParentheses(items)} ?? []
    if (!Array.isArray(list)) throw new Error('This is no list.')
    const keys = list.map((item, index) => ${key.trim() === '' ? 'index' : inParentheses(key)})
    const seen = new Set()
    for (const key of keys) {
      if (typeof key !== 'number' && (typeof key !== 'string' || key === '')) throw new Error('An item has no key.')
      if (seen.has(String(key))) throw new Error('Two items have the key ' + key + '.')
      seen.add(String(key))
    }
    return { count: list.length, keys: keys.slice(0, ${keysShown}) }`
  return useVerdict({ block, samples, script, isOn: true }, (value) => {
    const { count, keys } = value as { count: number; keys: unknown[] }
    const more = count > keys.length ? ' …' : ''
    return count === 0
      ? 'No items in the sample.'
      : `${counted(count, 'item')} in the sample: ${keys.join(', ')}${more}`
  })
}

type Trial = { block: Block; samples: Samples; script: string; isOn: boolean }

function useVerdict({ block, samples, script, isOn }: Trial, say: (value: unknown) => string): ExpressionVerdict {
  const settled = useSettled(script)
  const sources = block.dataSources.map((source) => samples.of(source))
  const isKnown = isOn && sources.every((sample) => sample !== undefined)
  const input = sources.map((sample) => sample?.value ?? null)
  const trial = useQuery({
    queryKey: ['expression', settled, input],
    enabled: isKnown,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    meta: { isShownInPlace: true },
    queryFn: ({ signal }) => call('TestBlock', { body: { script: settled, dataSources: input } }, { signal }),
  })
  if (!isKnown || settled !== script) return undefined
  if (trial.error) return { words: sentenceOf(trial.error), isProblem: true }
  if (!trial.data) return undefined
  return trial.data.success
    ? { words: say(trial.data.result), isProblem: false }
    : { words: String(trial.data.result), isProblem: true }
}

/** A comment at the end of an expression must not swallow what follows. */
function inParentheses(expression: string): string {
  return `(${expression}\n)`
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), typingMs)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
