// The name of the environment variable is the author's choice; the service knows only that there is a secret.
import type { Portable } from './portable.ts'

type MayHaveEnv = { env?: string } | object

const envOf = (entry: MayHaveEnv | undefined): string | undefined =>
  entry && 'env' in entry ? (entry.env as string) : undefined

function alignEntries<Entry extends object>(
  server: Record<string, Entry>,
  local: Record<string, Entry>,
): Record<string, Entry> {
  return Object.fromEntries(
    Object.entries(server).map(([name, entry]) => {
      const env = Object.hasOwn(local, name) ? envOf(local[name]) : undefined
      return [name, env !== undefined && envOf(entry) !== undefined ? { ...entry, env } : entry]
    }),
  )
}

/** The server's workflow with the names that the folder uses. */
export function alignSecrets(server: Portable, local: Portable): Portable {
  const blocks = new Map(local.blocks.map((block) => [block.key, block]))
  return {
    ...server,
    variables: alignEntries(server.variables, local.variables),
    blocks: server.blocks.map((block) => ({
      ...block,
      variables: alignEntries(block.variables, blocks.get(block.key)?.variables ?? {}),
    })),
  }
}
