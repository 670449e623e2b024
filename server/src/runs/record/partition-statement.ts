// A statement about one run names the partition it lies in. Through the partitioned table the server would plan it anew at every call,
// because only then it could leave out the other days; that costs more than running it.
import type { Statement } from '../../db/index.ts'

const partitionName = /^runs_(\d{8}|default)$/

/** A statement prepared once a partition and session. */
export function partitionStatement(
  write: (runs: string) => string,
): (partition: string, values: unknown[]) => Statement {
  const known = new Map<string, { name: string; text: string }>()
  const key = `r${(count++).toString(36)}`
  return (partition, values) => {
    let statement = known.get(partition)
    if (!statement) {
      if (!partitionName.test(partition)) throw new Error(`${partition} is not a table of runs.`)
      statement = { name: `${key}_${partition}`, text: write(partition) }
      known.set(partition, statement)
    }
    const { name, text } = statement
    return { toQuery: () => ({ name, text, values }) }
  }
}

let count = 0
