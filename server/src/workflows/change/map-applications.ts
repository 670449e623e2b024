import { isGuid } from '@patchbay/contract'
import type { ChainElementInput } from '../../engine/chain/chain-element.ts'
import type { Problem } from '../../engine/problem.ts'
import type { WorkflowCatalog } from '../ports.ts'

type Mapping = Readonly<Record<string, string>>
/** Among those of the catalogue that the organization sees. */
type FindApplication = (shortName: string) => ReturnType<WorkflowCatalog['findApplication']>

/** Short names are compared without regard to case and kept as the catalogue spells them. Null takes a mapping away. */
export async function mapApplications(
  findApplication: FindApplication,
  current: Mapping,
  given: Readonly<Record<string, unknown>>,
  problems: Problem[],
): Promise<Mapping> {
  const spellings = new Map(Object.keys(current).map((name) => [name.toUpperCase(), name]))
  const next = new Map(Object.entries(current))
  const seen = new Set<string>()
  for (const [name, id] of Object.entries(given)) {
    const key = name.toUpperCase()
    if (seen.has(key)) problems.push({ message: `The field applications names ${name} more than once.` })
    seen.add(key)
    const shortName = spellings.get(key) ?? (await findApplication(name))?.shortName
    if (shortName?.toUpperCase() !== key) problems.push(unknownApplication('The field applications names', name))
    else if (id === null) next.delete(shortName)
    else if (isGuid(id)) next.set(shortName, id.toLowerCase())
    else problems.push({ message: `The field applications.${name} must be a GUID or null.` })
  }
  return Object.fromEntries(next)
}

/** Blocks may say which application they call; one that is not theirs already must be one there is. */
export async function spellApplications(
  findApplication: FindApplication,
  /** Application of each block by its id. */
  knownBlocks: ReadonlyMap<string, string | null>,
  elements: readonly ChainElementInput[],
  problems: Problem[],
): Promise<ChainElementInput[]> {
  const spelled: ChainElementInput[] = []
  for (const element of elements) {
    const name = element.applicationShortName
    const own = knownBlocks.get(element.uniqueBlockId ?? '')
    if (!name || own?.toUpperCase() === name.toUpperCase()) {
      spelled.push(element)
      continue
    }
    const found = await findApplication(name)
    if (found?.shortName.toUpperCase() === name.toUpperCase()) {
      spelled.push({ ...element, applicationShortName: found.shortName })
    } else problems.push(unknownApplication('A block of the chain has the applicationShortName', name))
  }
  return spelled
}

function unknownApplication(where: string, name: string): Problem {
  return { message: `${where} "${name}", which is not the short name of an application.` }
}
