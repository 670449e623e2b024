/**
 * What can only be judged with all files at hand: names and ids that must be unique, and references between items. An
 * item that fails is left out, and so is what needs it, each with its own reason.
 */
import { checkChain } from './check-workflow.ts'
import type { Application, BlockTemplate, Catalog, Problem } from './definition.ts'
import type { ParsedFiles } from './parse-files.ts'
import type { Parsed } from './read-yaml.ts'

/**
 * Items that exist already. Imported files may refer to both kinds; they may replace what the same organization hosts,
 * but never take the id or short name of a shipped item.
 */
export type KnownItems = {
  shipped?: Pick<Catalog, 'applications' | 'blockTemplates' | 'workflowTemplates' | 'functions'>
  hosted?: Pick<Catalog, 'applications' | 'blockTemplates' | 'workflowTemplates' | 'functions'>
}

type Keyed = { id: string; file: string }

export function checkCatalog(parsed: ParsedFiles, known: KnownItems = {}): Catalog {
  const problems = [...parsed.problems]
  const ids = new Map<string, string>()
  const names = new Map<string, string>()
  const functionNames = new Map<string, string>()
  for (const item of shippedItems(known)) ids.set(item.id, 'a shipped item')
  for (const item of known.shipped?.applications ?? []) names.set(item.shortName.toLowerCase(), 'a shipped application')
  for (const item of known.shipped?.functions ?? []) functionNames.set(item.name.toLowerCase(), 'a shipped function')

  const unique = <T extends Keyed>(
    { item, locate }: Parsed<T>,
    owners: Map<string, string>,
    key: string,
    value: string,
  ) => {
    const owner = owners.get(value.toLowerCase())
    if (owner === undefined) {
      owners.set(value.toLowerCase(), item.file)
      return true
    }
    problems.push({ file: item.file, ...locate([key]), message: `The ${key} "${value}" is already used by ${owner}.` })
    return false
  }

  const applications = parsed.applications.filter(
    (entry) => unique(entry, ids, 'id', entry.item.id) && unique(entry, names, 'shortName', entry.item.shortName),
  )
  const findApplication = applicationFinder(applications, known)
  const blockTemplates = parsed.blockTemplates.filter((entry) => {
    const { application } = entry.item
    if (!unique(entry, ids, 'id', entry.item.id)) return false
    if (application === undefined || findApplication(application)) return true
    problems.push(unknownApplication(entry, application))
    return false
  })
  const leftOut = parsed.blockTemplates
    .filter((entry) => entry.item.state === 'Published' && !blockTemplates.includes(entry))
    .map(({ item }) => item.id)
  const findBlock = blockFinder(blockTemplates, known, new Set([...parsed.brokenBlocks, ...leftOut]))
  const workflowTemplates = parsed.workflowTemplates.filter((entry) => {
    const { item, locate } = entry
    if (!unique(entry, ids, 'id', item.id)) return false
    const missing = item.applications.flatMap((shortName, index) =>
      findApplication(shortName)
        ? []
        : [{ path: ['applications', index], message: `The application "${shortName}" is unknown or broken.` }],
    )
    const findings = [...missing, ...checkChain(item, findBlock)]
    for (const finding of findings) {
      const place = locate(finding.path)
      // A literal block of YAML starts on the line after its key, and its first line is the script's line 1.
      const line = 'scriptLine' in finding ? place.line + Number(finding.scriptLine) : place.line
      problems.push({ file: item.file, ...place, line, message: finding.message })
    }
    return findings.length === 0
  })
  const functions = parsed.functions.filter(
    (entry) => unique(entry, ids, 'id', entry.item.id) && unique(entry, functionNames, 'name', entry.item.name),
  )
  return {
    applications: applications.map(({ item }) => item),
    blockTemplates: blockTemplates.map(({ item }) => item),
    workflowTemplates: workflowTemplates.map(({ item }) => item),
    functions: functions.map(({ item }) => item),
    problems: problems.sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1)),
  }
}

function shippedItems({ shipped }: KnownItems): Keyed[] {
  if (!shipped) return []
  return [...shipped.applications, ...shipped.blockTemplates, ...shipped.workflowTemplates, ...shipped.functions]
}

function applicationFinder(own: Parsed<Application>[], { shipped, hosted }: KnownItems) {
  const all = [...(shipped?.applications ?? []), ...(hosted?.applications ?? []), ...own.map(({ item }) => item)]
  const byName = new Map(all.map((item) => [item.shortName.toLowerCase(), item]))
  return (shortName: string) => byName.get(shortName.toLowerCase())
}

/** Of a published block that is left out, what is hosted under its id is not meant. */
function blockFinder(own: Parsed<BlockTemplate>[], { shipped, hosted }: KnownItems, leftOut: ReadonlySet<string>) {
  const before = hosted?.blockTemplates.filter(({ id }) => !leftOut.has(id)) ?? []
  const all = [...(shipped?.blockTemplates ?? []), ...before, ...own.map(({ item }) => item)]
  const byId = new Map(all.map((item) => [item.id, item]))
  return (id: string) => byId.get(id)
}

function unknownApplication({ item, locate }: Parsed<BlockTemplate>, shortName: string): Problem {
  return {
    file: item.file,
    ...locate(['application']),
    message: `The application "${shortName}" is unknown or broken.`,
  }
}
