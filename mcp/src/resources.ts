// The documentation as a model reads it: the guide, and what a script sees.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { McpServer } from '@modelcontextprotocol/server'

/** In the repository as in the package: beside this workspace. */
const docsFolder = fileURLToPath(new URL('../../docs', import.meta.url))

type Page = { name: string; title: string; path: string }

let known: Page[] | undefined

function listPages(): Page[] {
  known ??= ['guide', '.'].flatMap((folder) =>
    readdirSync(join(docsFolder, folder))
      .filter((file) => file.endsWith('.md'))
      .toSorted()
      .map((file) => {
        const path = join(docsFolder, folder, file)
        const [, title = basename(file, '.md')] = readFileSync(path, 'utf8').match(/^# (.+)$/m) ?? []
        return { name: basename(file, '.md'), title, path }
      }),
  )
  return known
}

export function registerResources(server: McpServer): void {
  const scriptApi = createRequire(import.meta.url).resolve('@patchbay/sdk/script-api')
  server.registerResource(
    'script-api',
    'patchbay://script-api',
    {
      title: 'Script API',
      description: 'Everything a block script sees, as TypeScript declarations. Read it before writing a script.',
      mimeType: 'text/plain',
    },
    (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: readFileSync(scriptApi, 'utf8') }] }),
  )
  for (const { name, title, path } of listPages()) {
    server.registerResource(
      name,
      `patchbay://docs/${name}`,
      { title, description: `The documentation: ${title}.`, mimeType: 'text/markdown' },
      (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/markdown', text: readFileSync(path, 'utf8') }] }),
    )
  }
}
