// Files as a partner would bring them.
import { randomUUID } from 'node:crypto'

export type File = { path: string; content: string }

export const applicationFile = (id: string, shortName: string, extra = ''): File => ({
  path: `applications/${shortName.toLowerCase()}/application.yaml`,
  content: `id: ${id}
shortName: ${shortName}
name: ${shortName} of ours
tag: Own
description: A service that only we have.
baseUrl: https://api.example.com
authentication: { type: bearer, token: '{token}' }
credentialFields:
  - { ShortName: token, DisplayName: Token, Type: password, Required: true }
${extra}`,
})

type Template = { id: string; name: string; version: string | null; script?: string }

const stateOf = (version: string | null) =>
  version === null ? 'version: null\nstate: Draft' : `version: '${version}'\nstate: Published`

export const blockFiles = ({ id, name, version, script = 'return 1' }: Template): File[] => [
  {
    path: `blocks/${name}.yaml`,
    content: `id: ${id}
name: ${name}
description: A block of ours.
${stateOf(version)}
script: ${name}.js
variables:
  - { shortName: word, displayName: Word, type: text, required: false, default: hi }
`,
  },
  { path: `blocks/${name}.js`, content: `${script}\n` },
]

export const workflowFile = ({ id, name, version }: Template, blockTemplateId: string): File => ({
  path: `workflows/${name}.yaml`,
  content: `id: ${id}
name: ${name}
description: A chain of ours.
${stateOf(version)}
applications: []
variables: []
chain:
  - { uniqueBlockId: ${randomUUID()}, blockName: First, blockTemplateId: ${blockTemplateId} }
`,
})

export const functionFile = (id: string, name: string, script = 'return word'): File => ({
  path: `functions/${name}.js`,
  content: `/*---
id: ${id}
name: ${name}
description: Ours.
category: Own
package: own
isAsync: false
arguments: { word: { type: string } }
examples: []
---*/
${script}
`,
})
