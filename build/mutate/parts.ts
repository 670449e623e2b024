/**
 * The engine in parts, each with the tests that are about it. A change to what a module does while it is loaded can be noticed by any test, so all
 * tests run for it: with those of its part alone that takes seconds, with all of them minutes.
 */
export type Part = { name: string; sources: readonly string[]; tests: readonly string[] }

export const engine = 'server/src/engine'

export const parts: readonly Part[] = [
  {
    name: 'chains',
    sources: ['chain.ts', 'chain-element.ts', 'chain-patch.ts', 'element-rules.ts', 'placement.ts', 'bindings.ts'],
    tests: ['chain-patch', 'block-origin', 'variables'],
  },
  { name: 'graphs', sources: ['graph.ts', 'problem.ts'], tests: ['graph', 'plan', 'problem'] },
  {
    name: 'runs',
    sources: ['plan.ts', 'run-scope.ts', 'completion.ts', 'transitions.ts', 'backoff.ts'],
    tests: ['plan', 'transitions'],
  },
  {
    name: 'variables',
    sources: ['block-variables.ts', 'workflow-variables.ts', 'variable-values.ts'],
    tests: ['block-variables', 'variables'],
  },
  {
    name: 'differences',
    sources: ['difference.ts', 'json-patch.ts', 'same-value.ts', 'usual.ts'],
    tests: ['difference', 'json-patch', 'same-value', 'usual'],
  },
  { name: 'merges', sources: ['merge/*.ts'], tests: ['merge', 'merge-lines', 'merge-properties', 'merge-types'] },
  {
    name: 'times',
    sources: ['schedule.ts', 'cron-fields.ts', 'time-zone.ts', 'time-buckets.ts'],
    tests: ['schedule', 'time-buckets'],
  },
]
