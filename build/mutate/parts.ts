/**
 * The engine in parts, each with the tests that are about it. A change to what a module does while it is loaded can be noticed by any test, so all
 * tests run for it: with those of its part alone that takes seconds, with all of them minutes.
 */
export type Part = { name: string; sources: readonly string[]; tests: readonly string[] }

export const engine = 'server/src/engine'

export const parts: readonly Part[] = [
  {
    name: 'chains',
    sources: [
      'chain/chain.ts',
      'chain/chain-element.ts',
      'chain/chain-patch.ts',
      'chain/element-rules.ts',
      'chain/placement.ts',
      'chain/bindings.ts',
    ],
    tests: ['chain-patch', 'block-origin', 'variables'],
  },
  { name: 'graphs', sources: ['chain/graph.ts', 'problem.ts'], tests: ['graph', 'plan', 'problem'] },
  { name: 'runs', sources: ['run/*.ts'], tests: ['plan', 'backoff'] },
  {
    name: 'variables',
    sources: ['chain/block-variables.ts', 'variables/*.ts'],
    tests: ['block-variables', 'variables'],
  },
  {
    name: 'differences',
    sources: ['compare/*.ts', 'usual.ts'],
    tests: ['difference', 'json-patch', 'same-value', 'usual'],
  },
  { name: 'merges', sources: ['merge/*.ts'], tests: ['merge', 'merge-lines', 'merge-properties', 'merge-types'] },
  { name: 'times', sources: ['time/*.ts'], tests: ['schedule', 'time-buckets'] },
]
