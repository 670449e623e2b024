import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readYaml } from '../src/folders/read-yaml.ts'
import { writeYaml } from '../src/folders/write-yaml.ts'

const throughFile = (value: unknown) => readYaml('workflow.yaml', writeYaml(value)).value

describe('a text in a YAML file', () => {
  it.each([
    ['of spaces and line breaks only', ' \n'],
    ['of spaces, tabs and line breaks only', ' \n\t\n'],
    ['that must be quoted, with a line of spaces', `${'word '.repeat(10)}\r\n \n end`],
    ['that is long, with spaces at the ends of lines', `\t${'lorem ipsum '.repeat(12)}  \n${'word '.repeat(30)} \n`],
  ])('%s is read as it was written', (_, text) => {
    expect(throughFile({ description: text, list: [text] })).toEqual({ description: text, list: [text] })
  })

  it('of any other kind is, too', () => {
    const unit = fc.constantFrom(...' \n\t\r#:-\'"\\>|&*!%@`{}[],?aü€\u0085\u2028', 'lorem ipsum ', '  \n', '\n ')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 80 }), (text) => {
        const value = { [`${text}.`]: text, list: [text, { text }] }
        expect(throughFile(value)).toEqual(value)
      }),
      { numRuns: 1_000 },
    )
  })

  it('of several lines stays a block of lines for people', () => {
    expect(writeYaml({ description: 'One.\nTwo.\n' })).toBe('description: |\n  One.\n  Two.\n')
  })
})
