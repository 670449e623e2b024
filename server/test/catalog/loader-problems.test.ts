import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { CatalogFile } from '../../src/catalog/format/definition.ts'
import { loadCatalog, parseImportedCatalog } from '../../src/catalog/format/load.ts'
import { shippedCatalog } from './bare-context.ts'

const guid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

const application = (number: number, shortName: string, more = '') => `id: ${guid(number)}
shortName: ${shortName}
name: ${shortName}
tag: Test
description: ''
baseUrl: https://api.example.com
authentication: { type: none }
credentialFields: []
${more}`
const block = (number: number, shortName: string, variables = '[]') => `id: ${guid(number)}
name: Block
description: ''
version: '1'
state: Published
application: ${shortName}
script: b.js
variables: ${variables}
`
const workflow = (chain: string, variables = '[]', applications = '[]') => `id: ${guid(900)}
name: Flow
description: ''
version: '1'
state: Published
applications: ${applications}
variables: ${variables}
chain:
${chain}`
const element = (number: number, rest: string) => `  - uniqueBlockId: ${guid(number)}
    blockName: B${number}
${rest}
`
const file = (path: string, content: string): CatalogFile => ({ path, content })
const messages = (...files: CatalogFile[]) =>
  parseImportedCatalog(files).problems.map(({ file, line, message }) => `${file}:${line} ${message}`)

describe('a broken file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'patchbay-catalog-'))
  afterAll(() => rmSync(directory, { recursive: true }))

  it('stops only itself and what depends on it, and each says why', async () => {
    const write = (path: string, content: string) => {
      mkdirSync(join(directory, path, '..'), { recursive: true })
      writeFileSync(join(directory, path), content)
    }
    write('applications/good/application.yaml', application(1, 'Good'))
    write('applications/good/blocks/b.yaml', block(2, 'good'))
    write('applications/good/blocks/b.js', 'return 1')
    write('applications/bad/application.yaml', application(3, 'Bad').replace('tag: Test', 'tag: [unclosed'))
    write('applications/bad/blocks/b.yaml', block(4, 'Bad'))
    write('applications/bad/blocks/b.js', 'return 1')
    write('workflows/uses-bad.yaml', workflow(element(1, `    blockTemplateId: ${guid(4)}`), '[]', '[Bad]'))
    const catalog = await loadCatalog(directory)
    expect(catalog.applications.map((item) => item.shortName)).toEqual(['Good'])
    expect(catalog.blockTemplates.map((item) => item.id)).toEqual([guid(2)])
    expect(catalog.workflowTemplates).toEqual([])
    expect(catalog.problems.map(({ file, line }) => `${file}:${line}`)).toEqual([
      expect.stringMatching(/^applications\/bad\/application.yaml:[45]$/),
      'applications/bad/blocks/b.yaml:6',
      'workflows/uses-bad.yaml:6',
      'workflows/uses-bad.yaml:11',
    ])
  })
})

describe('a mistake in an application', () => {
  const one = (content: string) => messages(file('applications/a/application.yaml', content))
  it.each([
    ['a key that does not exist', application(1, 'A', 'shortname: x'), ':9 Unknown key "shortname".'],
    ['a missing key', application(1, 'A').replace(/^tag.*\n/m, ''), ':1 "tag" is missing.'],
    ['a wrong id', application(1, 'A').replace(guid(1), 'one'), ':1 "id" must be a GUID in lower case.'],
    [
      'a wrong type of authentication',
      application(1, 'A').replace('none', 'basik'),
      ':7 "type" must be one of none, basic, apiKey, bearer',
    ],
    [
      'half an authentication',
      application(1, 'A').replace('none', 'basic'),
      ':7 "username" is missing (in authentication)',
    ],
    [
      'an undeclared field',
      application(1, 'A').replace('//api', '//{shop}'),
      ':6 "{shop}" is not a declared credential field.',
    ],
    [
      'a wrong field type',
      application(1, 'A').replace('[]', '\n  - { ShortName: a, DisplayName: A, Type: txt, Required: true }'),
      ':9 "Type" must be one of text, password, select, url, number, boolean (in credentialFields.0).',
    ],
    ['a slash at the end', application(1, 'A').replace('.com', '.com/'), ':6 "baseUrl" must not end with a slash.'],
    ['a logo that is not there', application(1, 'A', 'logo: x.svg'), ':9 The logo "x.svg" does not exist.'],
    ['a key given twice', application(1, 'A', 'name: again'), ':9 This is not valid YAML'],
    ['a document that is a list', '- 1', ':1 must be object'],
    [
      'an alias bomb',
      `${'a: &a [x, x, x, x, x, x, x, x, x]\n'}b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]`,
      'Excessive alias',
    ],
  ])('%s is named with its line', (_, content, expected) => {
    expect(one(content).join('\n')).toContain(expected)
  })

  it('a logo that could act is refused', () => {
    for (const svg of [
      '<svg><script>1</script></svg>',
      '<svg onload="x"></svg>',
      '<svg><image href="http://x"/></svg>',
      '<svg style="fill:url(http://x)"/>',
      '<svg><style>@import "http://x"</style></svg>',
      '<svg><style>path{fill:u\\72l(http://x)}</style></svg>',
      '<svg><foreignObject/></svg>',
      '<svg><discard/></svg>',
      '<svg><animateTransform attributeName="x"/></svg>',
      '<svg><a href="javascript:1"/></svg>',
      '<svg><use href="#a"/></svg>',
      '<svg><feImage/></svg>',
      '<svg><s:script xmlns:s="http://www.w3.org/2000/svg"/></svg>',
      '<svg xmlns="http://www.w3.org/1999/xhtml"/>',
      '<svg><g onfocus="x"/></svg>',
      '<svg><g onfocus=x></g></svg>',
      '<svg/onload="x"></svg>',
      '<svg><g></svg></g>',
      '<svg><g id="a" id="b"/></svg>',
      '<svg><![CDATA[<script>1</script>]]></svg>',
      '<svg><?xml-stylesheet href="http://x"?></svg>',
      '<!DOCTYPE svg [<!ENTITY x "y">]><svg>&x;</svg>',
      '<svg>&x;</svg>',
      '<svg></svg><script/>',
      '<html/>',
      'no image',
      '',
    ]) {
      const found = messages(
        file('applications/a/application.yaml', application(1, 'A')),
        file('applications/a/logo.svg', svg),
      )
      expect(found).toHaveLength(1)
      expect(found[0]).toContain('applications/a/logo.svg:1')
    }
  })

  it('a logo as drawing programs export it is taken', () => {
    const svg = `\uFEFF<?xml version="1.0" encoding="utf-8"?>
<!-- Generator: a program -->
<svg version="1.1" xmlns="http://www.w3.org/2000/svg" xmlns:xlink='http://www.w3.org/1999/xlink' viewBox="0 0 24 24" aria-label="A &amp; B">
  <style type="text/css">.a { fill: url(#g); stroke: #fff }</style>
  <defs><linearGradient id="g" gradientUnits="userSpaceOnUse"><stop offset="0" style="stop-color:#000"/></linearGradient></defs>
  <title>A &lt; B &#169;</title><path class="a" fill="url('#g')" d="M0 0L24 24"
    /></svg>
`
    const files = [file('applications/a/application.yaml', application(1, 'A')), file('applications/a/logo.svg', svg)]
    expect(messages(...files)).toEqual([])
  })
})

describe('a mistake in a script', () => {
  it('is named with the line of the script', () => {
    const files = [file('blocks/b.yaml', block(1, 'x').replace('application: x\n', ''))]
    expect(messages(...files, file('blocks/b.js', 'const a = 1\nreturn a +'))[0]).toMatch(
      /^blocks\/b.js:[23] The script does not compile/,
    )
    expect(messages(...files, file('blocks/b.js', 'const a = 1\nconst a = 2'))[0]).toMatch(/^blocks\/b.js:2 /)
    expect(messages(...files)[0]).toContain('blocks/b.yaml:6 The script "b.js" does not exist.')
  })

  it('cannot hide by closing the function it runs in', () => {
    const found = messages(
      file('blocks/b.yaml', block(1, 'x').replace('application: x\n', '')),
      file('blocks/b.js', '} ; escaped() ; {'),
    )
    expect(found).toHaveLength(1)
  })

  it('of a workflow is named with its line in the workflow', () => {
    const found = messages(
      file('workflows/w.yaml', workflow(element(1, '    script: |\n      const a = 1\n      const a = 2'))),
    )
    expect(found[0]).toMatch(/^workflows\/w.yaml:13 The script does not compile/)
  })
})

describe('a mistake in a workflow', () => {
  const flow = (chain: string, variables?: string, applications?: string) =>
    messages(file('workflows/w.yaml', workflow(chain, variables, applications))).join('\n')
  const code = '    script: return 1'
  it('a circle names its blocks', () => {
    const chain =
      element(1, `${code}\n    dataSources: [${guid(2)}]`) + element(2, `${code}\n    dataSources: [${guid(1)}]`)
    expect(flow(chain)).toContain('The blocks B1 → B2 depend on each other in a cycle.')
    expect(flow(element(1, `${code}\n    dataSources: [${guid(1)}]`))).toContain('The blocks B1 depend')
  })
  it('an unknown data source, block template, application or variable is named with its line', () => {
    expect(flow(element(1, `${code}\n    dataSources: [${guid(9)}]`))).toContain(
      ':12 A data source of the block "B1" is not in the chain.',
    )
    expect(flow(element(1, `    blockTemplateId: ${guid(9)}`))).toContain(
      ':11 The block template of "B1" is unknown or broken.',
    )
    expect(flow(element(1, code), '[]', '[None]')).toContain(':6 The application "None" is unknown or broken.')
    const bound = '    variables:\n      x: { variableSource: Workflow, variableName: y }'
    expect(flow(element(1, `${code}\n${bound}`))).toContain(':13 "x" is bound to "y", which is not declared.')
    expect(flow(element(1, code) + element(1, code))).toContain('is used twice')
    expect(flow(element(1, '    dataSources: []'))).toContain('needs either "blockTemplateId" or "script"')
  })
  it('a block without its required variable or with a wrong value is refused', () => {
    const variables = '[{ shortName: n, displayName: N, type: number, required: true }]'
    const files = [
      file('blocks/b.yaml', block(5, 'x', variables).replace('application: x\n', '')),
      file('blocks/b.js', 'return 1'),
    ]
    const uses = (rest: string) =>
      messages(
        ...files,
        file('workflows/w.yaml', workflow(element(1, `    blockTemplateId: ${guid(5)}\n${rest}`))),
      ).join('\n')
    expect(uses('')).toContain('does not bind the required variable "n"')
    expect(uses('    variables: { n: { variableSource: Value, value: text } }')).toContain('"n" is not of type number')
    expect(
      uses('    variables: { m: { variableSource: Value, value: 1 }, n: { variableSource: Value, value: 1 } }'),
    ).toContain('declares no variable "m"')
    expect(uses('    variables: { n: { variableSource: Value, value: 1 } }')).toBe('')
  })
})

describe('names and ids', () => {
  it('are unique without regard to case, and the second file is the one refused', () => {
    const catalog = parseImportedCatalog([
      file('applications/a/application.yaml', application(1, 'Shop')),
      file('applications/b/application.yaml', application(2, 'SHOP')),
      file('applications/c/application.yaml', application(1, 'Other')),
    ])
    expect(catalog.applications.map((item) => item.file)).toEqual(['applications/a/application.yaml'])
    expect(catalog.problems).toMatchObject([
      { file: 'applications/b/application.yaml', line: 2 },
      { file: 'applications/c/application.yaml', line: 1 },
    ])
  })

  it('of shipped items cannot be taken by an import, which may refer to them', () => {
    const known = { shipped: shippedCatalog }
    const taken = parseImportedCatalog([file('applications/a/application.yaml', application(1, 'shopify'))], known)
    expect(taken.problems[0]?.message).toContain('already used by a shipped application')
    const [shipped] = shippedCatalog.blockTemplates.filter((item) => item.application === 'TEST')
    const uses = workflow(element(1, `    blockTemplateId: ${shipped?.id}`), '[]', '[test]')
    expect(parseImportedCatalog([file('workflows/w.yaml', uses)], known).problems).toEqual([])
  })

  it('of hosted items may be replaced by their owner', () => {
    const hosted = parseImportedCatalog([file('applications/a/application.yaml', application(1, 'Mine'))])
    const again = parseImportedCatalog([file('applications/a/application.yaml', application(1, 'Mine'))], { hosted })
    expect(again.problems).toEqual([])
  })

  it('of paths cannot leave the catalogue or be given twice', () => {
    for (const path of ['../x.yaml', '/etc/passwd', 'a//b', 'applications\\a', 'workflows/.hidden.yaml']) {
      expect(messages(file(path, 'x'))[0]).toContain('path is not allowed')
    }
    expect(messages(file('README.md', ''), file('README.md', ''))[0]).toContain('appears twice')
    expect(messages(file('blocks/lonely.js', 'return 1'))[0]).toContain('No definition uses this file')
    expect(messages(file('notes.txt', ''))[0]).toContain('no catalogue file belongs here')
  })
})

describe('a function', () => {
  const head = (name: string, body: string) => `/*---
id: ${guid(1)}
name: ${name}
description: x
category: c
package: p
isAsync: false
arguments: { a: { type: number } }
examples: []
---*/
${body}`
  it('is read with its body, and its mistakes have the line of the file', () => {
    const one = (content: string) => parseImportedCatalog([file('functions/f.js', content)])
    expect(one(head('f', 'return a')).functions[0]?.script).toBe('return a')
    expect(one(head('f', '\nreturn await a')).problems[0]).toMatchObject({ file: 'functions/f.js', line: 12 })
    expect(one(head('f', 'return a').replace('name: f', 'nam: f')).problems).toContainEqual(
      expect.objectContaining({ line: 3 }),
    )
    expect(one(head('stopAfterThisBlock', 'return a')).problems[0]).toMatchObject({ line: 3 })
    expect(one('return 1').problems[0]?.message).toContain('must start with a header')
  })
})
