// What a large catalogue costs at start: two hundred applications with six hundred blocks, made from the shipped ones.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadCatalog } from '../../server/src/catalog/format/load.ts'
import type { Row } from './report.ts'

const shipped = fileURLToPath(new URL('../../catalog/', import.meta.url))
const applications = 200
const blocksOfEach = 3

export async function benchCatalogLoad(): Promise<Row> {
  const directory = mkdtempSync(join(tmpdir(), 'patchbay-bench-catalog-'))
  try {
    writeCatalog(directory)
    const startedAt = performance.now()
    // The first load of this process, as at a start: nothing is compiled and nothing is warm.
    const { applications: loaded, blockTemplates, problems } = await loadCatalog(directory)
    const ms = performance.now() - startedAt
    if (loaded.length < applications || problems.length > 0) {
      throw new Error(`The catalogue was not loaded as a whole: ${JSON.stringify(problems.slice(0, 3))}`)
    }
    return {
      what: `load ${loaded.length} applications with ${blockTemplates.length} blocks`,
      measured: `${ms.toFixed(0)} ms`,
      wanted: 'under 2 s',
      isMet: ms < 2000,
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Copies of shipped applications and blocks with ids and names of their own; functions as they are. */
function writeCatalog(directory: string): void {
  const files = readdirSync(join(shipped, 'applications'), { recursive: true, encoding: 'utf8' })
  const folders = files.filter((file) => file.endsWith('application.yaml')).map(dirname)
  const blocks = files.filter((file) => /blocks.[^/\\]+\.yaml$/.test(file))
  const read = (file: string) => readFileSync(join(shipped, 'applications', file), 'utf8')
  for (let no = 0; no < applications; no++) {
    const folder = folders[no % folders.length] as string
    const target = join(directory, 'applications', `bench${no}`)
    mkdirSync(join(target, 'blocks'), { recursive: true })
    const application = read(join(folder, 'application.yaml'))
    writeFileSync(
      join(target, 'application.yaml'),
      application.replace(/^id: .*/m, `id: ${idOf(no)}`).replace(/^shortName: .*/m, `shortName: BENCH${no}`),
    )
    for (const logo of files.filter((file) => dirname(file) === folder && /\.(svg|png)$/.test(file))) {
      cpSync(join(shipped, 'applications', logo), join(target, basename(logo)))
    }
    for (let each = 0; each < blocksOfEach; each++) {
      const place = no * blocksOfEach + each
      const block = blocks[place % blocks.length] as string
      const definition = read(block)
      const script = /^script: (.*)$/m.exec(definition)?.[1] as string
      writeFileSync(
        join(target, 'blocks', `${each}.yaml`),
        definition
          .replace(/^id: .*/m, `id: ${idOf(applications + place)}`)
          .replace(/^application: .*/m, `application: BENCH${no}`)
          .replace(/^script: .*/m, `script: ${each}.js`),
      )
      writeFileSync(join(target, 'blocks', `${each}.js`), read(join(dirname(block), script)))
    }
  }
  cpSync(join(shipped, 'functions'), join(directory, 'functions'), { recursive: true })
}

function idOf(no: number): string {
  return `0b9f2000-0000-4000-8000-${String(no).padStart(12, '0')}`
}
