// What holds for every merge, whatever the definitions.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChainBlock, VariableBinding } from '../../src/engine/chain/chain.ts'
import { mergeDefinitions } from '../../src/engine/merge/merge-definitions.ts'
import type { NamedVariable } from '../../src/engine/merge/mergeable.ts'
import type { Definition } from '../../src/workflows/definition/definition.ts'
import { findDeployProblems } from '../../src/workflows/definition/deploy-problems.ts'

const ids = ['a', 'b', 'c', 'd', 'e']
const names = ['x', 'y', 'z']
const anyValue = fc.constantFrom<unknown>(null, 'one', 'two', 3, true)
const anyScript = fc
  .array(fc.constantFrom('let a', 'let b', 'let c', 'return 1', ''), { maxLength: 8 })
  .map((lines) => lines.join('\n'))
const anyBinding: fc.Arbitrary<VariableBinding> = fc.oneof(
  anyValue.map((value) => ({ variableSource: 'Value' as const, value })),
  fc.constantFrom(...names).map((variableName) => ({ variableSource: 'Workflow' as const, variableName })),
)
const anyBlock = (uniqueBlockId: string, before: string[]): fc.Arbitrary<ChainBlock> =>
  fc.record({
    uniqueBlockId: fc.constant(uniqueBlockId),
    blockName: fc.constantFrom('First', 'Second'),
    blockTemplateId: fc.constant(null),
    applicationShortName: fc.constantFrom(null, 'TEST'),
    script: anyScript,
    dataSources: fc.subarray(before),
    variables: fc.dictionary(fc.constantFrom(...names), anyBinding, { maxKeys: 2 }),
    isCustomized: fc.constant(true),
  })
const anyVariable = (name: string): fc.Arbitrary<NamedVariable> =>
  fc.record({
    name: fc.constant(name),
    type: fc.constantFrom('text', 'number', 'json'),
    required: fc.boolean(),
    displayName: fc.constant(name),
    value: anyValue,
  })
const anyDefinition: fc.Arbitrary<Definition> = fc
  .tuple(fc.shuffledSubarray(ids), fc.subarray(names), fc.constantFrom('One', 'Two'))
  .chain(([blockIds, variableNames, description]) =>
    fc.record({
      name: fc.constant('Sample'),
      description: fc.constant(description),
      isCustomizedStructure: fc.constant(true),
      applications: fc.constant({}),
      templateApplications: fc.constant([]),
      variables: fc.tuple(...variableNames.map(anyVariable)),
      chain: fc.tuple(...blockIds.map((id, index) => anyBlock(id, blockIds.slice(0, index)))),
      blockVariables: fc.constant({}),
      timeoutSeconds: fc.constant(null),
    }),
  )
/** Two definitions are mostly the same, as versions of one template are. */
const anySides = fc
  .tuple(anyDefinition, anyDefinition, anyDefinition, fc.infiniteStream(fc.integer({ min: 0, max: 3 })))
  .map(([base, ours, theirs, choices]) => ({
    base,
    ours: mix(base, ours, choices),
    theirs: mix(base, theirs, choices),
  }))

function mix(base: Definition, other: Definition, choices: Iterator<number>): Definition {
  const isKept = () => choices.next().value !== 0
  const changed = new Map(other.chain.map((block) => [block.uniqueBlockId, block]))
  const chain = base.chain.map((block) => (isKept() ? block : (changed.get(block.uniqueBlockId) ?? block)))
  const known = new Set(base.chain.map(({ uniqueBlockId }) => uniqueBlockId))
  const added = other.chain.filter(({ uniqueBlockId }) => !known.has(uniqueBlockId) && !isKept())
  const variables = base.variables.map((variable) =>
    isKept() ? variable : (other.variables.find(({ name }) => name === variable.name) ?? variable),
  )
  return { ...base, chain: [...chain.filter(() => isKept() || isKept()), ...added], variables }
}

const check = (property: fc.IProperty<unknown[]> | fc.IRawProperty<unknown>) =>
  fc.assert(property as fc.IProperty<unknown>, { numRuns: 100 })
const isClean = (merge: { conflicts: readonly unknown[] }) => merge.conflicts.length === 0
const isSound = (definition: Definition) => {
  const there = new Set(definition.chain.map(({ uniqueBlockId }) => uniqueBlockId))
  return definition.chain.every(({ dataSources }) => dataSources.every((source) => there.has(source)))
}

describe('a merge', () => {
  it('with a side that changed nothing gives the other side', () => {
    check(
      fc.property(anySides, ({ base, ours, theirs }) => {
        fc.pre(isSound(ours) && isSound(theirs))
        const untouched = mergeDefinitions({ base, ours: base, theirs })
        const { variables, chain, description } = untouched.merged
        // A variable that blocks still bind to stays, although the template no longer declares it.
        const declared = new Set(theirs.variables.map(({ name }) => name))
        expect({ description, chain, variables: variables.filter(({ name }) => declared.has(name)) }).toEqual({
          description: theirs.description,
          chain: theirs.chain,
          variables: theirs.variables,
        })
        expect(untouched.conflicts).toEqual([])
        const kept = mergeDefinitions({ base, ours, theirs: base })
        const own = new Set(ours.variables.map(({ name }) => name))
        expect({ ...kept.merged, variables: kept.merged.variables.filter(({ name }) => own.has(name)) }).toEqual(ours)
        expect([kept.conflicts, kept.problems, kept.notes]).toEqual([[], [], []])
      }),
    )
  })

  it('is the same in whatever order unrelated blocks come', () => {
    check(
      fc.property(anySides, ({ base, ours, theirs }) => {
        const turned = (side: Definition): Definition => ({ ...side, chain: [...side.chain].reverse() })
        const one = mergeDefinitions({ base, ours, theirs })
        const other = mergeDefinitions({ base: turned(base), ours: turned(ours), theirs: turned(theirs) })
        expect(sorted(other.merged.chain)).toEqual(sorted(one.merged.chain))
        expect(sorted(other.conflicts)).toEqual(sorted(one.conflicts))
        expect(other.merged.variables).toEqual(one.merged.variables)
      }),
    )
  })

  it('loses no value that the customer gave', () => {
    check(
      fc.property(anySides, ({ base, ours, theirs }) => {
        const { merged } = mergeDefinitions({ base, ours, theirs })
        const before = new Map(base.variables.map(({ name, value }) => [name, value]))
        for (const { name, value } of ours.variables) {
          if (before.has(name) && before.get(name) === value) continue
          expect(merged.variables.find((variable) => variable.name === name)?.value).toEqual(value)
        }
        const old = new Map(base.chain.map((block) => [block.uniqueBlockId, block]))
        const now = new Map(merged.chain.map((block) => [block.uniqueBlockId, block]))
        for (const block of ours.chain)
          for (const [name, binding] of Object.entries(block.variables)) {
            const was = old.get(block.uniqueBlockId)?.variables[name]
            if (JSON.stringify(was) !== JSON.stringify(binding))
              expect(now.get(block.uniqueBlockId)?.variables[name]).toEqual(binding)
          }
      }),
    )
  })

  it('without conflicts passes the checks before deploying that it passed, or says why not', () => {
    check(
      fc.property(anySides, ({ base, ours, theirs }) => {
        const result = mergeDefinitions({ base, ours, theirs })
        fc.pre(isClean(result) && isSound(ours) && findDeployProblems(ours, []).length === 0)
        const told = findDeployProblems(result.merged, []).map(({ message }) => message)
        // Nothing dangles without a conflict: what is left are values and applications that only the customer can give, and cycles.
        for (const message of told)
          expect(message).toMatch(
            /required variable|application|form a cycle|no blocks|its own data source|not declared/,
          )
      }),
    )
  })
})

function sorted(items: readonly { uniqueBlockId: string }[]) {
  return [...items].sort((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)))
}
