// The file of the master keys: one key a line, newest first. Outside a rotation it holds exactly one.
//
//   [old]  ->  [new, old]  ->  [new]        (and the old one in <file>.retired)
//
// Every step replaces the whole file at once, so a reader sees one of these states and nothing between. The step to two keys is made
// by one writer only: the new key is first put, exclusively, into <file>.next. Whoever finds that file there, left behind by a
// process that was killed or written by one that is a moment ahead, goes on with the key in it and makes no key of its own.
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { MasterKeyError, masterKeyFrom, parseMasterKeys } from './master-key.ts'

export function readKeyFile(path: string): Buffer[] {
  const text = readIfThere(path)
  if (text === undefined) throw new MasterKeyError(`The master key file ${path} does not exist.`)
  return parseMasterKeys(text, `The master key file ${path}`)
}

/** Two processes that start at once end up with one and the same key. */
export function createKeyFileIfMissing(path: string): void {
  if (readIfThere(path) !== undefined) return
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  linkNew(path, [randomBytes(32)])
}

/** Keys that come with the data of another installation. A file that is there already holds the same ones, and stays. */
export function storeMasterKeys(path: string, base64: readonly string[]): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  linkNew(
    path,
    base64.map((key) => Buffer.from(key, 'base64')),
  )
}

/** [old] -> [new, old]. Returns the new key, which is another process's when that one began first. */
export function addToKeyFile(path: string, key: Buffer): Buffer {
  const next = `${path}.next`
  linkNew(next, [key])
  const written = readIfThere(next)
  const present = readKeyFile(path)
  const [agreed] = written === undefined ? present : parseMasterKeys(written, `The master key file ${next}`)
  // Somebody else's rotation got further while this one was beginning: that one is gone on with.
  const added = (present.length > 1 ? present[0] : agreed) as Buffer
  if (present.length === 1 && !present[0]?.equals(added)) replace(path, [added, ...present])
  rmSync(next, { force: true })
  return added
}

/** [new, old] -> [new]: keeps the keys with these ids and moves the others to <file>.retired. */
export function retireFromKeyFile(path: string, keptIds: ReadonlySet<string>): void {
  const present = readKeyFile(path)
  const isKept = (key: Buffer) => keptIds.has(masterKeyFrom(key).id)
  const retired = present.filter((key) => !isKept(key))
  if (retired.length === 0) return
  const aside = `${path}.retired`
  const earlier = readIfThere(aside)
  const known = earlier === undefined ? [] : parseMasterKeys(earlier, aside)
  replace(aside, [...retired.filter((key) => !known.some((other) => other.equals(key))), ...known])
  replace(path, present.filter(isKept))
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new MasterKeyError(`The master key file ${path} cannot be read: ${(error as Error).message}`)
  }
}

/** Writes a file that is not there yet; one that is there wins. */
function linkNew(path: string, keys: Buffer[]): void {
  const draft = writeDraft(path, keys)
  try {
    linkSync(draft, path)
    syncDirectory(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function replace(path: string, keys: Buffer[]): void {
  renameSync(writeDraft(path, keys), path)
  syncDirectory(path)
}

/** On disk before it gets its name: a key that a power cut takes away takes every secret with it. */
function writeDraft(path: string, keys: Buffer[]): string {
  const draft = `${path}.${process.pid}`
  try {
    const file = openSync(draft, 'w', 0o600)
    writeSync(file, keys.map((key) => `${key.toString('base64')}\n`).join(''))
    fsyncSync(file)
    closeSync(file)
  } catch (error) {
    throw new MasterKeyError(`The master key file ${path} cannot be written: ${(error as Error).message}`)
  }
  return draft
}

function syncDirectory(path: string): void {
  const directory = openSync(dirname(path), 'r')
  fsyncSync(directory)
  closeSync(directory)
}
