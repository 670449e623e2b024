// The built console, read into memory once: a few hundred kilobytes in the forms that browsers take.
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'

export type ConsoleFile = {
  type: string
  etag: string
  isImmutable: boolean
  plain: Buffer
  gzip?: Buffer
  brotli?: Buffer
}

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
}
/** What the build wrote where a page's own value belongs. */
const noncePlace = 'PATCHBAY_NONCE'

export class ConsoleFiles {
  readonly #folder: string
  #files = new Map<string, ConsoleFile>()
  #page: string | undefined
  #builtAt = 0

  constructor(folder: string) {
    this.#folder = folder
  }

  /** A file by its path; undefined when there is none. */
  find(path: string): ConsoleFile | undefined {
    if (this.#page === undefined) this.#refresh()
    return this.#files.get(path)
  }

  /** The page with a value of its own for what may add styles; undefined while the console is not built. */
  page(): { html: string; nonce: string } | undefined {
    this.#refresh()
    if (this.#page === undefined) return undefined
    const nonce = randomBytes(18).toString('base64')
    return { html: this.#page.replaceAll(noncePlace, nonce), nonce }
  }

  /** A build puts a whole new folder in place, so the page's own time tells whether anything changed. */
  #refresh(): void {
    const builtAt = statSync(join(this.#folder, 'index.html'), { throwIfNoEntry: false })?.mtimeMs
    if (builtAt === undefined || builtAt === this.#builtAt) return
    this.#builtAt = builtAt
    this.#page = readFileSync(join(this.#folder, 'index.html'), 'utf8')
    this.#files = new Map(
      readdirSync(this.#folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => extname(path) in types)
        .map((path) => [`/${path}`, this.#read(path)]),
    )
  }

  #read(path: string): ConsoleFile {
    const plain = readFileSync(join(this.#folder, path))
    const gzip = this.#readIfThere(`${path}.gz`)
    const brotli = this.#readIfThere(`${path}.br`)
    return {
      type: types[extname(path)] as string,
      etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
      isImmutable: path.startsWith('assets/'),
      plain,
      ...(gzip ? { gzip } : {}),
      ...(brotli ? { brotli } : {}),
    }
  }

  #readIfThere(path: string): Buffer | undefined {
    const isThere = statSync(join(this.#folder, path), { throwIfNoEntry: false }) !== undefined
    return isThere ? readFileSync(join(this.#folder, path)) : undefined
  }
}
