// Workflows nobody would think of, for what must hold for all of them.
import fc from 'fast-check'

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((one) => one.trim() !== '')
const safe = fc.string({ unit: fc.constantFrom(...'abcXYZ019 _-.:#\'"\n\t€ü'), maxLength: 30 })
const json = fc.oneof(
  safe,
  fc.integer(),
  fc.boolean(),
  fc.array(fc.integer(), { maxLength: 3 }),
  fc.dictionary(safe, safe, { maxKeys: 3, noNullPrototype: true }),
)
const block = fc.record({
  blockName: text,
  comment: safe,
  sources: fc.array(fc.nat(), { maxLength: 2 }),
  variables: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), json, { maxKeys: 3, noNullPrototype: true }),
})
export const randomWorkflow = fc.record({
  name: text,
  description: safe,
  variables: fc.dictionary(
    fc.stringMatching(/^[a-z]{1,8}$/),
    fc.oneof(
      safe.map((value) => ({ type: 'text', value })),
      json.map((value) => ({ type: 'json', value })),
      fc.constant({ type: 'password', value: 'open-sesame' }),
      fc.constant({ type: 'number', value: 4.5 }),
    ),
    { maxKeys: 4, noNullPrototype: true },
  ),
  timeoutSeconds: fc.option(fc.integer({ min: 1, max: 86_400 })),
  recordCallBodies: fc.boolean(),
  blocks: fc.array(block, { minLength: 1, maxLength: 5 }),
})

/** A body of WorkflowCreate; data sources point backwards. */
export function bodyOf(given: typeof randomWorkflow extends fc.Arbitrary<infer Value> ? Value : never) {
  const ids = given.blocks.map(() => crypto.randomUUID())
  const { blocks, ...rest } = given
  return {
    ...rest,
    chain: blocks.map(({ blockName, comment, sources, variables }, index) => ({
      uniqueBlockId: ids[index],
      blockName,
      script: `// ${comment.replaceAll('\n', ' ')}\nreturn ${index}`,
      dataSources: index === 0 ? [] : [...new Set(sources.map((no) => ids[no % index]))],
      variables: Object.fromEntries(
        Object.entries(variables).map(([name, value]) => [name, { variableSource: 'Value', value, type: 'json' }]),
      ),
    })),
  }
}
