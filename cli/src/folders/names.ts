// Ids of one installation and the names that stand for them in files. A name that two things share stands for neither: the id is used.
import type { Client } from '@patchbay/sdk'

export type Names = {
  /** Registered applications by short name and label. */
  regApplication: NameTable
  workflowTemplate: NameTable
  blockTemplate: NameTable
}

export function registrationOf(names: Names, shortName: string, label: string): string | undefined {
  return names.regApplication.idOf(`${shortName}/${label}`) ?? names.regApplication.idOf(label)
}

export type NameTable = {
  nameOf(id: string): string
  /** Undefined when there is none of this name; an id stands for itself. */
  idOf(name: string): string | undefined
}

export async function loadNames(client: Client): Promise<Names> {
  const [regApplications, workflowTemplates, blockTemplates] = await Promise.all([
    Array.fromAsync(client.each('RegApplicationsSearch')),
    Array.fromAsync(client.each('WorkflowTemplatesSearch')),
    Array.fromAsync(client.each('BlockTemplatesSearch')),
  ])
  return {
    regApplication: makeTable(
      regApplications.map(({ id, shortName, tagText }) => [id, `${shortName}/${tagText || 'default'}`]),
    ),
    workflowTemplate: makeTable(workflowTemplates.map(({ id, name }) => [id, name])),
    blockTemplate: makeTable(blockTemplates.map(({ id, name }) => [id, name])),
  }
}

export function makeTable(pairs: [id: string, name: string][]): NameTable {
  const distinct = new Map(pairs)
  const ids = new Map<string, string[]>()
  for (const [id, name] of distinct) ids.set(name, [...(ids.get(name) ?? []), id])
  return {
    nameOf: (id) => {
      const name = distinct.get(id)
      return name !== undefined && ids.get(name)?.length === 1 ? name : id
    },
    idOf: (name) => (distinct.has(name) ? name : ids.get(name)?.length === 1 ? ids.get(name)?.[0] : undefined),
  }
}
